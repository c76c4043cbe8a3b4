"""Shows the part of the call graph around one function as text, for debugging: what it calls, who calls it, and why it
is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.catalog import Models, catalog_of
from fdlint.catalog.model import Api
from fdlint.catalog.shape import acquires
from fdlint.core.budget import BudgetSpentError
from fdlint.core.domain.event import Event
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.ir import Call, Graph, Step, outermost
from fdlint.languages.index.definition_lines import definition_lines
from fdlint.languages.python.lowering.source import read_file
from fdlint.program.components import part_of, reversed_edges
from fdlint.program.facts import Kind
from fdlint.program.modules import Program
from fdlint.program.overrides import may_be_overridden
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.finding import Skipped
from fdlint.report.findings.grounds import REST
from fdlint.scan.reading import intake

_MODULE = "<module>"
_MANY = 3  # entries of the catalog that are listed for a method of an unknown object
_WHICH = {Kind.ACQUIRES: "gives a descriptor", Kind.CLOSES: "closes one", Kind.WORKS: "makes workers"}

_Node = tuple[File, str | None]


def calls_dump(name: str, file: str | None, others: Sequence[str], models: Models) -> str:
    """Returns what the call graph knows of a function. ``file``: the file that defines it, None for any of the
    ``others``, in which its callers and subclasses are searched. Raises ``LookupError`` if there is none, or more than
    one, and ``OSError`` if the file cannot be read."""
    catalog = catalog_of(models)
    context = AnalysisContext(Program(catalog), catalog, Relevance(catalog))
    own = _added(context.program, file) if file is not None else None
    if isinstance(own, Skipped):
        raise LookupError(own.reason)
    files = [own] if own is not None else []
    for other in others:
        if file is None or Path(other).resolve() != Path(file).resolve():
            files.extend(_readable(context.program, other))
    function = _named(name, [own] if own is not None else files)
    return "\n".join(_Surroundings(context, files, function).lines()) + "\n"


def _added(program: Program, path: str) -> File | Skipped:
    data = intake.read(Path(path), intake.SOURCE)
    found = read_file(data, path)
    return found if isinstance(found, Skipped) else program.add(found[0], Path(path), data, found[1])


def _readable(program: Program, path: str) -> Iterator[File]:
    try:
        found = _added(program, path)
    except OSError:
        return
    if isinstance(found, File):
        yield found


def _named(name: str, files: Sequence[File]) -> Function:
    """The one function of this name, or whose name ends with it."""
    wanted = "" if name == _MODULE else name
    found = [Function(file, wanted or None) for file in files if not wanted or file.defines(wanted)]
    if not found:
        found = [Function(file, one) for file in files for one in file.names.functions if one.endswith(f".{name}")]
    if len(found) != 1:
        places = ", ".join(f"{one.file.source.path}::{one.name or _MODULE}" for one in found)
        many = f"there is more than one {name}: {places}"
        raise LookupError(many if found else f"no function {name} in {_listed(files)}")
    return found[0]


def _listed(files: Sequence[File]) -> str:
    if len(files) != 1:
        return f"{len(files)} files"
    return f"{files[0].source.path}; it has {', '.join((*files[0].names.functions, _MODULE))}"


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What is near a function in the call graph of some files."""

    context: AnalysisContext
    files: Sequence[File]
    function: Function
    _lines: dict[File, dict[str, int]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yields the lines to print; a section without content is left out."""
        yield self._shown(self.function)
        sections = {
            "overrides": self._overrides(),
            "is overridden by": self._overridden(),
            "calls": self._calls(),
            "is called by": self._callers(),
            "calls itself through": self._part(),
            "is a candidate": self._reasons(),
        }
        for title, lines in sections.items():
            content = list(dict.fromkeys(lines))
            if content:
                yield title
                yield from (f"    {line}" for line in content)

    def _shown(self, function: Function) -> str:
        """A function with its place: ``spam.py:3 Eggs.close``."""
        file = function.file
        if file not in self._lines:
            self._lines[file] = dict(definition_lines(file.source.code))
        name = function.name or ""
        line = self._lines[file].get(name) or self._lines[file].get(name.rpartition(".")[0] if "#" not in name else "")
        return f"{file.source.path}{f':{line}' if line else ''} {function.name or _MODULE}"

    # -- classes

    def _overrides(self) -> Iterator[str]:
        owner, name = self._method()
        classes = list(self.context.program.with_bases(self.function.file, owner, thorough=True)) if owner else []
        for home, base in classes[1:]:
            if home.defines(f"{base}.{name}"):
                yield self._shown(Function(home, f"{base}.{name}"))

    def _overridden(self) -> Iterator[str]:
        owner, name = self._method()
        for file in self.files if owner else ():
            for one in file.classes:
                bases = self.context.program.with_bases(file, one, thorough=False)
                inherits = (file, one) != (self.function.file, owner) and (self.function.file, owner) in bases
                if inherits and file.defines(f"{one}.{name}"):
                    yield self._shown(Function(file, f"{one}.{name}"))

    def _method(self) -> tuple[str, str]:
        """Its class and its own name there, both empty for a function."""
        owner = self.function.owner
        return (owner, (self.function.name or "").rpartition(".")[2]) if owner is not None else ("", "")

    # -- edges

    def _calls(self) -> Iterator[str]:
        source = self.function.file.source
        found = {}
        for step, call in _calls_of(self.function.graph):
            span = source.span(step.origin)
            found[span.line, span.column, source.text(step.origin)] = call
        for (line, _, text), call in sorted(found.items(), key=lambda one: one[0]):
            yield f"line {line}: {text} -> {self._meant(call)}"

    def _meant(self, call: Call) -> str:
        file, graph = self.function.file, self.function.graph
        catalog = self.context.catalog
        target = self.context.program.target(file, graph, call.callee, thorough=True)
        if target is not None:
            return self._shown(target) + _not_followed(target, call)
        callee = CallResolver(self.context, file).renamed(graph, call).callee
        apis = catalog.lookup(callee.dotted) if callee.dotted is not None else ()
        if not apis and callee.dotted is None and callee.receiver is not None:
            apis = catalog.method(callee.name, callee.receiver)
        return f"catalog: {_effects(apis)}" if apis else "unknown"

    def _callers(self) -> Iterator[str]:
        """Those that mean it, then those that may mean it by its name."""
        units, here = self.context.facts.units, self.function.file.unit(self.function.name or "")
        everything = [Unit(file, name) for file in self.files for name in (*file.pieces, REST)]
        callers = reversed_edges(everything, lambda unit: (call.unit for call in units.calls(unit))).get(here, ())
        callers = callers if here in callers else (*callers, here)
        perhaps = []
        for function in (one for unit in callers for one in _functions(unit)):
            for step, call in _calls_of(function.graph):
                target = self.context.program.target(function.file, function.graph, call.callee, thorough=True)
                line = function.file.source.span(step.origin).line
                if target is not None and (target.file, target.name) == (self.function.file, self.function.name):
                    yield f"{self._shown(function)}, line {line}"
                elif target is None and call.callee.name in self._own_names() and call.callee.dotted is None:
                    perhaps.append(f"{self._shown(function)}, line {line}: perhaps, by its name")
        yield from perhaps

    def _own_names(self) -> tuple[str, ...]:
        """What a call of it without a known class is called."""
        owner, name = self._method()
        return (name,) if owner else ()

    def _part(self) -> Iterator[str]:
        """The other functions of its strongly connected part. The index tells where to look for them."""
        units, here = self.context.facts.units, self.function.file.unit(self.function.name or "")
        near = {here, *part_of(here, lambda unit: [call.unit for call in units.calls(unit)])}

        def called(node: _Node) -> list[_Node]:
            return [one for one in self._targets(*node) if one[0].unit(one[1] or "") in near]

        itself = self.function.file, self.function.name
        part = part_of(itself, called)
        return (self._shown(Function(*node)) for node in part if node != itself or len(part) == 1)

    def _targets(self, file: File, name: str | None) -> Iterator[_Node]:
        graph = Function(file, name).graph
        for call in graph.calls():
            target = self.context.program.target(file, graph, call.callee)
            if target is not None:
                yield target.file, target.name

    # -- candidates

    def _reasons(self) -> Iterator[str]:
        candidates = CallResolver(self.context, self.function.file).candidates
        for kind in Kind:
            self.context.budget.renew()
            try:
                itself, called = candidates.reasons(kind, self.function)
            except BudgetSpentError:
                yield f"{kind.value}: not known, it takes too much work to find out"
                continue
            if itself:
                yield f"{kind.value}: directly"
            yield from (f"{kind.value}: calls {self._unit(unit)}, which {_WHICH[kind]}" for unit in called)

    def _unit(self, unit: Unit) -> str:
        if unit.name == REST:
            return f"{unit.file.source.path}, one of its short functions"
        return self._shown(Function(unit.file, unit.name))


def _calls_of(graph: Graph) -> Iterator[tuple[Step, Call]]:
    return ((step, step.effect) for step in graph.steps() if isinstance(step.effect, Call))


def _functions(unit: Unit) -> list[Function]:
    """The functions of a unit."""
    functions = unit.file.lowered.functions
    if unit.name != REST:
        return [Function(unit.file, name) for name, _ in functions.under(unit.name) if outermost(name) == unit.name]
    rest = [Function(unit.file, name) for name, _ in functions.known() if unit.file.unit(name) == unit]
    return [*rest, Function(unit.file, None)]


def _not_followed(target: Function, call: Call) -> str:
    """Why the engine does not follow a call of a function that is known."""
    if call.callee.owner is None and not call.callee.inherited and may_be_overridden(target):
        return " (not followed: a subclass overrides it)"
    return "" if target.file.touches else " (not followed: nothing in its file has to do with descriptors)"


def _effects(apis: Sequence[Api]) -> str:
    names = list(dict.fromkeys(api.name for api in apis))
    effects = ["acquires"] if any(acquires(api.returns) for api in apis) else []
    effects += ["closes"] if any(Event.CLOSED in api.actions.values() for api in apis) else []
    more = ["…"] if len(names) > _MANY else []
    return " or ".join(names[:_MANY] + more) + "".join(f", {effect}" for effect in effects)
