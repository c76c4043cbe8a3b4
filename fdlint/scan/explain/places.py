"""Says in words where a descriptor ended, and from what fdlint knows it."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.domain.event import Event
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.detailed_log import Action, DetailedLog
from fdlint.core.engine.log import Elsewhere, Home, Source, bare
from fdlint.core.engine.trace import span_of, text_of
from fdlint.core.finding import Span
from fdlint.core.ir import Assign, Build, Call, Closure, Effect, Graph, Place, Store, StoreItem, Yield, spelled
from fdlint.core.objects.keepers import Keepers
from fdlint.program.units import Function
from fdlint.report.findings.explanation import Reason

_LONGEST = 60  # characters of a quoted expression


@dataclass(frozen=True, slots=True)
class Where:
    """One function that was followed, for sentences about its descriptors."""

    graph: Graph
    log: DetailedLog
    callees: CallResolver
    keepers: Keepers

    def span(self, origin: object) -> Span | None:
        """Returns the position of an origin; None if there is none."""
        return span_of(origin, self.callees.file.source) if origin is not None else None

    def quoted(self, origin: object) -> str:
        """Returns the source text of an origin on one line, shortened."""
        text = " ".join(text_of(origin, self.callees.file.source).split())
        return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}`"

    def effect(self, origin: object) -> Effect | None:
        """Returns the effect of the step with an origin. A call comes first."""
        found = [step.effect for step in self.graph.steps() if step.origin is bare(origin)]
        return next((one for one in found if isinstance(one, Call)), next(iter(found), None))

    def project_function(self, call: Call) -> Function | None:
        """Returns the function of the project that a call means; None if it is not known."""
        return self.callees.context.program.target(self.callees.file, self.graph, call.callee, thorough=True)


def ended(where: Where, action: Action) -> Reason:
    """Returns the sentence about one action."""
    home = action.detail
    if isinstance(home, Home):
        return Reason(_kept(where, home), where.span(action.origin))
    return Reason(_sentence(where, action), where.span(action.origin))


def _sentence(where: Where, action: Action) -> str:
    match action.event:
        case Event.CLOSED:
            return f"closed: {_by(where, action.origin, 'closes it')}"
        case Event.GIVEN:
            return (
                f"given to {where.quoted(action.origin)}, which fdlint does not know: the call may take it, so a loss"
                " after that has low confidence"
            )
        case Event.SENT:
            return "sent to another process, which gets a copy: this one stays open"
        case Event.SPAWNED:
            return "inherited by a child process, which gets a copy: this one stays open"
        case Event.EXCUSED:
            return "on this path it may be the same as another value, whose owner is not known"
        case Event.FINALIZED:
            return "owned by an object that closes it when it is collected"
        case Event.STORED:
            return f"stored: {where.quoted(action.origin)}" if action.origin is not None else "stored"
        case Event.ENTRUSTED:
            return f"stored in an object: {_by(where, action.origin, 'keeps it')}"
    return _handed(where, action.origin)


def _handed(where: Where, origin: object) -> str:
    """Returns the sentence about a descriptor that got another owner."""
    if origin is None:
        return "returned: the caller owns it from then on"
    quoted = where.quoted(origin)
    if isinstance(origin, Elsewhere):
        return f"handed over in a callee: {quoted}"
    match where.effect(origin):
        case Call():
            return f"handed over: {_by(where, origin, 'takes it over')}"
        case Yield():
            return f"yielded: {quoted}: the code that gets it owns it"
        case Store():
            return f"stored: {quoted}: in an object that the function does not own"
        case StoreItem():
            return f"put into a container that outlives the function: {quoted}"
        case Assign(_, Closure()):
            return f"captured by a nested function that closes it or hands it on: {quoted}"
        case Assign(_, Build()):
            return f"put into a value that has another owner: {quoted}"
    return f"handed over: {quoted}"


def _by(where: Where, origin: object, does: str) -> str:
    """Returns who does something at an origin, and from what fdlint knows it."""
    if origin is None:
        return "at the end of the function"
    quoted = where.quoted(origin)
    source, name = where.log.sources.get(id(bare(origin)), (None, ""))
    effect = where.effect(origin)
    match source:
        case Source.CATALOG:
            return f"{quoted}: {name.removeprefix('*.')}() {does} (catalog)"
        case Source.PROJECT:
            return f"{quoted}: {_function(where, effect, name)} {does} (fdlint followed it)"
        case Source.GIVEN_UP:
            return f"{quoted}: {_function(where, effect, name)} was too much to follow, so it is assumed that it {does}"
        case Source.NAME if isinstance(effect, Call):
            return f"{quoted}: {_unknown(effect)}, so it is assumed that it {does}"
    return quoted


def _function(where: Where, effect: Effect | None, name: str) -> str:
    found = where.project_function(effect) if isinstance(effect, Call) else None
    at = defined(found) if found is not None else None
    return f"{name}() of this project" + (f" ({at.path}:{at.line})" if at is not None else "")


def defined(function: Function) -> Span | None:
    """Returns the place of a function: that of its first step; None if it has none."""
    source = function.file.source
    spans = [source.span(step.origin) for step in function.graph.steps() if step.origin is not None]
    return min((one for one in spans if one.line), default=None)


def _unknown(call: Call) -> str:
    """Returns why a call that fdlint does not know counts as one that takes its arguments."""
    name = call.callee.name or "the function"
    if call.callee.own:
        return f"{name}() is of this project, but which function it is, or what it does, is not known"
    if any(arg.function for arg in call.args):
        return f"{name}() is not known and gets a function that may close it"
    if any(arg.kept for arg in call.args):
        return f"{name}() is not known and its result is kept"
    return f"{name}() is not known, and its name, or how it is called, suggests it"


def _kept(where: Where, home: Home) -> str:
    """Returns the sentence about an attribute or a global that holds a descriptor."""
    field = _named(home.place)
    if where.graph.module:
        return f"stored in {field}, a global: it lives as long as the process"
    releasing = where.keepers.releasing(where.graph, home)
    if releasing:
        listed = ", ".join(dict.fromkeys(_method(where, graph, home.place) for graph in releasing[:4]))
        return f"stored in {field}, which {listed} closes or hands over"
    excuse = where.keepers.excuse(where.graph, home)
    return f"stored in {field}, which {excuse}" if excuse is not None else f"stored in {field}, which nothing releases"


def _named(place: Place) -> str:
    return f"`{spelled(place)}`"


def _method(where: Where, graph: Graph, place: Place) -> str:
    """Returns the name of a function, with the line on which it uses an attribute in a call."""
    source = where.callees.file.source
    for step in graph.steps():
        effect = step.effect
        if isinstance(effect, Call):
            used = [*effect.given, effect.callee.receiver]
            if any(isinstance(one, Place) and one.is_attribute and one.name == place.name for one in used):
                return f"{graph.name or 'the module'} (line {source.span(step.origin).line})"
    return graph.name or "the module"
