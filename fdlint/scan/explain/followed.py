"""A function that was followed, and what happened to a descriptor in it, in words."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.domain.assumption import SENTENCES
from fdlint.core.domain.event import Event
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.detailed_log import Action, DetailedLog
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.log import Elsewhere, Home, Source, bare
from fdlint.core.engine.trace import message_of, span_of, text_of
from fdlint.core.finding import AssumptionKind, Span
from fdlint.core.ir import Assign, Build, Call, Closure, Effect, Graph, Place, Store, StoreItem, Yield, spelled
from fdlint.core.objects.keepers import Keepers
from fdlint.program.units import Function
from fdlint.report.findings.explanation import Reason

_LONGEST = 60  # characters of a quoted expression
_METHODS = 4  # that are named with an attribute
_DOES = {Event.CLOSED: "closes it", Event.TRANSFERRED: "takes it over", Event.ENTRUSTED: "keeps it"}
_MORE = {
    Event.SENT: ": this one stays open",
    Event.SPAWNED: ": this one stays open",
}
_HANDED = {
    Yield: "yielded: {}: the code that gets it owns it",
    Store: "stored: {}: in an object that the function does not own",
    StoreItem: "put into a container that outlives the function: {}",
    Closure: "captured by a nested function that closes it or hands it on: {}",
    Build: "put into a value that has another owner: {}",
}


@dataclass(frozen=True, slots=True)
class Followed:
    """One function that was followed."""

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

    def said(self, action: Action) -> Reason:
        """Returns the sentence about something that happened to a descriptor."""
        if isinstance(action.detail, Home):
            text = f"stored in `{spelled(action.detail.place)}`, which {self._kept(action.detail)}"
        else:
            assert isinstance(action.event, Event)
            text = self._sentence(action.event, action.origin)
        return Reason(text, self.span(action.origin))

    def _sentence(self, event: Event, origin: object) -> str:
        if event is Event.TRANSFERRED and origin is None:
            return "returned: the caller owns it from then on"
        if event is Event.GIVEN:
            return f"a loss after this {SENTENCES[AssumptionKind.ONLY_USES].format(text=self.quoted(origin))}"
        said = message_of(event, self.quoted(origin) if origin is not None else "here") + _MORE.get(event, "")
        if event not in _DOES:
            return said
        if origin is None:
            return f"{said}: at the end of the function"
        effect = self._effect(origin)
        kind = type(effect.value if isinstance(effect, Assign) else effect)
        if event is Event.TRANSFERRED and kind in _HANDED:
            return _HANDED[kind].format(self.quoted(origin))
        return f"{said}: {self.quoted(origin)}{self._who(origin, effect, _DOES[event])}"

    def _effect(self, origin: object) -> Effect | None:
        """Returns the effect of the step with an origin. A call comes first."""
        found = [step.effect for step in self.graph.steps() if step.origin is bare(origin)]
        return next((one for one in found if isinstance(one, Call)), next(iter(found), None))

    def _who(self, origin: object, effect: Effect | None, does: str) -> str:
        """Returns who does something at an origin, and from what fdlint knows it."""
        source, name = self.log.sources.get(id(bare(origin)), (None, ""))
        if isinstance(origin, Elsewhere):
            return " in a callee"
        if source is Source.CATALOG:
            return f": {name.removeprefix('*.')}() {does} (catalog)"
        if source is None or not isinstance(effect, Call):
            return ""
        if source is Source.NAME:
            return f": {_unknown(effect)}, so it is assumed that it {does}"
        project = f"{name}() of this project{defined(self.target(effect))}"
        if source is Source.PROJECT:
            guess = self.callees.guessed(self.graph, effect)
            if guess is not None:
                assumed = SENTENCES[guess.kind].format(text=self.quoted(origin), about=guess.name)
                return f": {project} {does} (fdlint {assumed})"
            return f": {project} {does} (fdlint followed it)"
        return f": {project} was too much to follow, so it is assumed that it {does}"

    def target(self, call: Call) -> Function | None:
        """Returns the function of the project that a call means; None if it is not known."""
        return self.callees.context.program.target(self.callees.file, self.graph, call.callee, thorough=True)

    def _kept(self, home: Home) -> str:
        """Returns the rest of the sentence about an attribute or a global that holds a descriptor."""
        releasing = self.keepers.releasing(self.graph, home) if not self.graph.module else []
        if releasing:
            methods = dict.fromkeys(self._method(graph, home.place) for graph in releasing[:_METHODS])
            return f"{', '.join(methods)} closes or hands over"
        return self.keepers.excuse(self.graph, home) or "nothing releases"

    def _method(self, graph: Graph, place: Place) -> str:
        """Returns the name of a function, with the line on which it uses an attribute in a call."""
        for step in graph.steps():
            used = [*step.effect.given, step.effect.callee.receiver] if isinstance(step.effect, Call) else []
            if any(isinstance(one, Place) and one.is_attribute and one.name == place.name for one in used):
                return f"{name_of(graph)} (line {self.callees.file.source.span(step.origin).line})"
        return name_of(graph)


def name_of(graph: Graph) -> str:
    """Returns the name of a function for a reader."""
    return qualified(graph.name) or "the module's own code"


def defined(function: Function | None) -> str:
    """Returns the place of a function, that of its first step, in parentheses; nothing if it is not known."""
    if function is None:
        return ""
    spans = [function.file.source.span(one.origin) for one in function.graph.steps() if one.origin is not None]
    first = min((one for one in spans if one.line), default=None)
    return f" ({first.path}:{first.line})" if first is not None else ""


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
