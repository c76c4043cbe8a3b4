"""Analyses one file: source, graphs, facts, findings. All expensive imports start here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

from fdlint.catalog import NO_MODELS, Models, catalog_of
from fdlint.catalog.of_workers import workers_alone
from fdlint.core.budget import BudgetSpentError, file_work, spent
from fdlint.core.checks.judge import findings
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Excuse, Fact, Happened, Rebuilding
from fdlint.core.engine.borrowed import Lenders
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.closing_log import ClosingLog, closings
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.explore import Analysis, explore, lifetimes
from fdlint.core.engine.happened import happened
from fdlint.core.engine.inheritance import guards, inheritable
from fdlint.core.engine.log import Log
from fdlint.core.engine.numbers_of_objects import Numbers, numbers_left
from fdlint.core.finding import Span
from fdlint.core.ir import Graph
from fdlint.core.ir.source import SourceCode
from fdlint.core.memo import Reader, Watch, watching
from fdlint.core.objects.attributes import Attributes, without_repetition
from fdlint.core.objects.owners import OwnerClasses
from fdlint.core.objects.workers import Workers
from fdlint.languages.front_end import front_end_of
from fdlint.languages.index.outline import Sketch
from fdlint.languages.registry import language_of
from fdlint.program.facts import Kind
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.closings import Closing
from fdlint.report.findings.effects import Effect
from fdlint.report.findings.finding import CrossFileFindings, FileResult, Skipped, Wrapper, lines_of
from fdlint.report.findings.grounds import REST
from fdlint.scan.earlier import ClassResults, MovedError, Moves, UnitResults
from fdlint.scan.edits import Edit, PieceMoves, edit_of
from fdlint.scan.effects import effects

TOO_LARGE = "too large to follow: very long, or cleanups inside cleanups with many ways out"
T = TypeVar("T")
_Part = tuple[str, Callable[[], None]]  # a part of a file: its name, and what follows it
_MAX_SAID = 10  # parts that took too much work
_MAX_KEPT = 4_000_000  # characters whose graphs are kept from one file to the next, about 50 bytes each


def analyse(
    data: bytes,
    path: str,
    place: Path | None,
    lines: int,
    wrappers: frozenset[Wrapper] = frozenset(),
    run: int = 0,
    models: Models = NO_MODELS,
) -> FileResult:
    """Analyses a file's contents. ``place``: the path for resolving its imports, None if the file stands alone.

    Imported files are cached for the ``run``, and read again in the next.
    """
    entered = _entered(data, path, place, (wrappers, models, run))
    if isinstance(entered, Skipped):
        return FileResult(path, lines, skipped=(entered,))
    context, file = entered
    return _result(Search(CallResolver(context, file)), file, lines, context)


class OutdatedError(Exception):
    """What the context has about other files may depend on an earlier text of this one."""


@dataclass(slots=True)
class Followed:
    """The complete analysis of a text, which can go on with later texts. ``outline``: the text in pieces."""

    file: File
    outline: Sketch
    search: Search


class Unsaved(NamedTuple):
    """The analysis of a text. ``followed``: what later texts go on with, None if it is not complete. ``effects``: what
    the functions do to descriptors."""

    result: FileResult
    followed: Followed | None = None
    effects: tuple[Effect, ...] = ()
    closings: tuple[Closing, ...] = ()


def analyse_unsaved(
    data: bytes, path: str, place: Path, lines: int, context: AnalysisContext, earlier: Followed | None = None
) -> Unsaved:
    """Analyses a text in the place of a file. ``context``: may hold earlier texts of the same file, and other files
    that have not changed since. ``earlier``: the analysis of an earlier text in this context, of which all counts that
    the edit cannot matter to; it is used up. Raises ``OutdatedError`` if the context is of no use for this text."""
    context.budget.renew(file_work(len(data)))
    edit = edit_of(earlier.outline, earlier.file.source.data, data) if earlier is not None else None
    if earlier is not None and edit is not None:
        with watching(earlier.file.watch):
            if not _is_edited(context, earlier, data, edit):
                raise OutdatedError
            return _unsaved(earlier.search, earlier.file, lines, context)
    if earlier is not None and context.program.leads_back(place):
        raise OutdatedError
    found = front_end_of().read(data, path)
    if isinstance(found, Skipped):
        return Unsaved(FileResult(path, lines, skipped=(found,)))
    file = context.program.add(found[0], place, data, found[1])
    file.watch = Watch() if file.outline is not None and file.source.refused is None else None
    with watching(file.watch):
        return _unsaved(Search(CallResolver(context, file), logs=ClosingLog), file, lines, context)


def _is_edited(context: AnalysisContext, earlier: Followed, data: bytes, edit: Edit) -> bool:
    """Goes on with a later text: drops the results that an edit may change, and moves the others. Returns whether that
    is possible."""
    file = earlier.file
    moves = PieceMoves.between(file.source.path, earlier.outline, edit)
    bits = context.program.edit(file, data, edit.outline, edit.changed)
    if bits is None:
        return False
    context.program.drop(file, bits)
    more, changed = 0, [Unit(file, name) for name in edit.changed]
    known = [one.facts for one in (context, context.workers) if one is not None]
    for kind, unit in (fact for one in known for fact in one.after_edit(changed)):
        if unit.file is not file or file.watch is None:
            return False  # a file that imports this one
        more |= file.watch.bit_of_question((kind, unit.name))
    context.program.drop(file, more)
    try:
        earlier.search.keep(bits | more, moves)
    except MovedError:
        return False
    return True


def _unsaved(search: Search, file: File, lines: int, context: AnalysisContext) -> Unsaved:
    result = _result(search, file, lines, context)
    done = tuple(sorted(effects(search.callees), key=lambda one: one.line))
    if not search.complete or file.outline is None or file.watch is None or file.source.refused is not None:
        return Unsaved(result, None, done, search.closings)
    return Unsaved(result, Followed(file, file.outline, search), done, search.closings)


def _result(search: Search, file: File, lines: int, context: AnalysisContext) -> FileResult:
    """Returns the result of a search."""
    source, place, path = file.source, file.place, file.source.path
    giving = search.everything()
    if search.exhausted:
        _knowledge.cache_clear()  # it holds incomplete results
    skipped = [*search.skipped, *([Skipped.part(path, source.refused)] if source.refused is not None else [])]
    workers = Workers.of(context, file)
    rebuilt = dict(workers.rebuilt())
    found = [*search.facts(), *(fact for fact, home in rebuilt.items() if home is source)]
    text = lines_of(source.data, source.encoding) if found else ()
    said, claims = findings(found, text, language_of(path).key)
    gives = (*_gives(place, giving, workers.giving()), *_passed_on(place, file, context)) if place is not None else ()
    result = FileResult(
        path,
        lines,
        analysed=True,
        findings=tuple(said),
        skipped=tuple(skipped),
        text=text,
        gives=gives,
        claims=tuple(claims),
        guards=search.guarded,
        cross_file=_cross_file(rebuilt, file),
        encoding=source.encoding,
    )
    return _grounded(result, context, file)


class Search:
    """The analysis of one file: first its functions, then the attributes of its classes. It can be repeated after an
    edit."""

    def __init__(self, callees: CallResolver, *, logs: type[Log] = Log) -> None:
        self._callees = callees
        self._logs = logs  # those of explanations and fixes keep more
        self.followed: list[tuple[Graph, Analysis]] = []  # kept only for explanations
        self.attributes = Attributes(callees)
        self._lenders = Lenders(callees)
        self._by_unit: dict[str, UnitResults] = {}
        self._by_class: dict[str, ClassResults] = {}
        self._at = "module level"
        self._spent: list[str] = []  # what the budget did not allow
        self.exhausted = False  # the budget was used up between the parts: the context holds incomplete results

    @property
    def callees(self) -> CallResolver:
        """The resolver of the file's calls."""
        return self._callees

    @property
    def guarded(self) -> frozenset[Span]:
        """The calls whose results a caller makes close-on-exec."""
        return frozenset(span for one in self._by_unit.values() for span in one.guarded)

    @property
    def units(self) -> Collection[str]:
        """The names of the pieces with a function that can have a descriptor."""
        return self._by_unit.keys()

    @property
    def closings(self) -> tuple[Closing, ...]:
        """The closes in the functions, if the logs keep them."""
        return tuple(closing for one in self._in_order() for closing in one.closings)

    @property
    def complete(self) -> bool:
        """Whether the budget allowed all of it, so that the results hold for each part that stays as it is."""
        return not self._spent

    @property
    def skipped(self) -> list[Skipped]:
        """What was not followed, and why."""
        units = [reason for one in self._in_order() for reason in one.skipped]
        doubts = [reason for one in self._classes_in_order() for reason in one.doubts]
        path = self._callees.file.source.path
        return [Skipped.part(path, reason) for reason in (*units, *self._spent, *doubts)]

    def everything(self) -> Sequence[str]:
        """Analyses the file. Returns the names of the functions that give their callers descriptors.

        If the file uses up its budget, the findings so far stay, and the rest is skipped.
        """
        if not self._callees.file.touches:
            return ()
        try:
            self._look_through()
            return self._callees.giving()
        except BudgetSpentError:
            self._spent.append(f"{self._at}: {spent(self._callees.budget)}")
            self.exhausted = True
            return ()

    def all_facts(self) -> list[Fact]:
        """Returns the facts so far, also those about other files."""
        units = self._in_order()
        own = [fact for one in units for fact in one.facts]
        notes = [fact for one in units for fact in one.notes]
        classes = [fact for one in self._classes_in_order() for fact in one.facts]
        found = without_repetition([*own, *notes, *classes])
        guarded = self.guarded
        return [_with_guard(one) if _is_guarded(one, guarded) else one for one in found]

    def facts(self) -> list[Fact]:
        """Returns the facts about this file."""
        return [fact for fact in self.all_facts() if fact.span.path == self._callees.file.source.path]

    def keep(self, changed: int, moves: Moves) -> None:
        """Keeps the results that have not read one of these inputs, with other positions. Raises ``MovedError``."""
        self._by_unit = {name: moves.of_value(one) for name, one in self._by_unit.items() if not one.reads & changed}
        self._by_class = {name: moves.of_value(one) for name, one in self._by_class.items() if not one.reads & changed}
        self._spent.clear()
        self.attributes.facts.clear()

    def _in_order(self) -> list[UnitResults]:
        """Returns the results of the functions in the order of the file."""
        names = (*self._callees.file.pieces, REST)
        return [self._by_unit[name] for name in names if name in self._by_unit]

    def _classes_in_order(self) -> list[ClassResults]:
        names = ("", *self._callees.file.classes)
        return [self._by_class[name] for name in names if name in self._by_class]

    def _unit(self, graph: Graph) -> UnitResults:
        name = self._callees.file.unit(graph.name or REST).name
        return self._by_unit.setdefault(name, UnitResults())

    def _look_through(self) -> None:
        """Follows the functions, then the classes. What takes much is put off: the rest must not suffer for it."""
        put_off = [one for one in chain(self._functions(), self._classes()) if not self._is_followed(*one, last=False)]
        left = [name for name, follow in put_off if not self._is_followed(name, follow, last=True)]
        more = [f"{len(left) - _MAX_SAID} more"] if len(left) > _MAX_SAID else []
        for name in [*left[:_MAX_SAID], *more]:
            self._spent.append(f"{name}: {spent(self._callees.budget)}")
        self._at = "module level"

    def _is_followed(self, name: str, follow: Callable[[], None], *, last: bool) -> bool:
        """Follows a part of the file. Returns whether it was followed to its end. ``last``: there is no other try."""
        self._at = name
        try:
            with self._callees.context.limited(last=last):
                follow()
        except BudgetSpentError:
            return False
        return True

    def _functions(self) -> Iterator[_Part]:
        """Yields the functions that can have a descriptor, unless the results of their pieces are known."""
        file, known = self._callees.file, frozenset(self._by_unit)
        graphs = self._callees.candidates.lower(file, (Kind.ACQUIRES, Kind.CLOSES, Kind.LENDS))
        units = {file.unit(graph.name or REST).name for graph in graphs}
        for name in known - units:
            del self._by_unit[name]
        for graph in graphs:
            # The calls of an excluded function resolve to what this platform defines.
            if not graph.excluded and file.unit(graph.name or REST).name not in known:
                self._unit(graph)
                yield graph.name or "module level", functools.partial(self._follow, graph)

    def _classes(self) -> Iterator[_Part]:
        """Yields the classes, and the globals of the module, unless their results are known."""
        for name, follow in self.attributes.parts():
            if name not in self._by_class:
                yield name or "globals", functools.partial(self._follow_class, name, follow)

    def _follow_class(self, name: str, follow: Callable[[], tuple[list[Fact], list[str]]]) -> None:
        with Reader() as reader:
            found = follow()
        self._by_class[name] = ClassResults(*found, reader.bits)

    def _follow(self, graph: Graph) -> None:
        file = self._callees.file
        unit = file.unit(graph.name or REST)
        with Reader() as reader:
            unit.read()
            self._follow_graph(graph)
        self._unit(graph).reads |= reader.bits

    def _follow_graph(self, graph: Graph) -> None:
        file, function = self._callees.file, Function(self._callees.file, graph.name)
        numbers = None
        if self._callees.candidates.is_candidate(Kind.LENDS, function):
            numbers = Numbers(graph, self._callees.context.catalog, functools.partial(self._callees.lender, graph))
        closes = [*self._lenders.closes(function, numbers), *(numbers_left(numbers, file.source) if numbers else ())]
        if self._callees.may_acquire(graph) or self._callees.may_misuse(graph):
            self._function(graph, closes)
        else:
            self._unit(graph).facts.extend(closes)
        if graph.too_large:
            self._unit(graph).skipped.append(f"{graph.name or 'module level'}: {TOO_LARGE}")

    def _function(self, graph: Graph, closes: Sequence[Fact]) -> None:
        """Follows a function. Keeps nothing before all of it is known: it may be followed again."""
        source = self._callees.file.source
        analysis = explore(graph, self._callees.context.catalog, self._callees, self._logs)
        keepers = self.attributes.keepers
        found = [*closes, *lifetimes(graph, analysis, source, keepers.of(graph), keepers.closed_elsewhere)]
        found += happened(graph, analysis, source)
        if self._logs.thorough:
            self.followed.append((graph, analysis))
        if analysis.doubts is not None:
            self._unit(graph).skipped.append(f"{graph.name or 'module level'}: {analysis.doubts}")
        unit, before = self._unit(graph), len(self.attributes.facts)
        unit.facts.extend(found)
        self.attributes.note_overwrites(graph, analysis)
        unit.notes.extend(self.attributes.facts[before:])
        unit.facts.extend(inheritable(graph, analysis, source))
        unit.guarded |= guards(analysis, source)
        unit.closings.extend(closings(graph, analysis.logs[0], source, complete=analysis.complete))


def _is_guarded(fact: Fact, guarded: frozenset[Span]) -> bool:
    """Whether a caller makes all results of the call in question close-on-exec."""
    if not isinstance(fact, Happened) or fact.event is not Event.INHERITABLE:
        return False
    return any(one.span in guarded for one in fact.trace)


def _with_guard(fact: Fact) -> Fact:
    """Returns the fact with the excuse that a caller makes all results of the call close-on-exec."""
    return replace(fact, excuses=fact.excuses | {Excuse.GUARDED}) if isinstance(fact, Happened) else fact


def contribute(
    data: bytes,
    path: str,
    place: Path | None,
    lines: int,
    wrappers: frozenset[Wrapper] = frozenset(),
    run: int = 0,
    models: Models = NO_MODELS,
) -> FileResult:
    """Returns the data that other files need from this one, and its findings in them, without its guards: the rest
    takes most of the work of ``analyse``."""
    entered = _entered(data, path, place, (wrappers, models, run))
    if isinstance(entered, Skipped) or place is None:
        return FileResult(path, lines)
    context, file = entered
    workers = Workers.of(context, file)
    cross_file = _cross_file(dict(workers.rebuilt()), file)
    try:
        giving = CallResolver(context, file).giving() if file.touches else ()
    except BudgetSpentError:  # ``analyse`` reports it with the file
        giving = []
        _knowledge.cache_clear()
    gives = (*_gives(place, giving, workers.giving()), *_passed_on(place, file, context))
    return _grounded(FileResult(path, lines, True, gives=gives, cross_file=cross_file), context, file)


def _entered(
    data: bytes, path: str, place: Path | None, asked: tuple[frozenset[Wrapper], Models, int]
) -> tuple[AnalysisContext, File] | Skipped:
    """Returns the file and the context of its analysis: shared with the other files of this process, or alone. Reuses
    the lowered file if another file has imported it."""
    context = _knowledge(*asked) if place is not None else fresh_knowledge(*asked[:2])
    if place is not None and context.program.size > _MAX_KEPT:
        context.program.forget()
        _knowledge.cache_clear()
        context = _knowledge(*asked)
    context.budget.renew(file_work(len(data)))
    known = context.program.known(place.resolve(), data, path) if place is not None else None
    if known is not None:
        return context, known
    found = front_end_of().read(data, path)
    return found if isinstance(found, Skipped) else (context, context.program.add(found[0], place, data, found[1]))


def _grounded(result: FileResult, context: AnalysisContext, file: File) -> FileResult:
    """Returns the result with its grounds."""
    found = [*result.findings, *(one for cross_file in result.cross_file for one in cross_file.findings)]
    for claim in result.claims:
        found.extend(one for one in (claim.finding, claim.otherwise) if one is not None)
    spans = [span for one in found for span in one.spans]
    quoted = {span.path for span in (*spans, *result.guards)} - {result.path}
    return replace(result, grounds=context.program.grounds(file, quoted))


def _cross_file(rebuilt: Mapping[Rebuilding, SourceCode], here: File) -> tuple[CrossFileFindings, ...]:
    """Returns the objects that the loops of one file recreate in other files."""
    found = []
    for home in {id(home): home for home in rebuilt.values() if home is not here.source}.values():
        text = lines_of(home.data, home.encoding)
        facts = [fact for fact, place in rebuilt.items() if place is home]
        said, _ = findings(facts, text, language_of(home.path).key)
        found.append(CrossFileFindings(home.path, text, tuple(said)))
    return tuple(found)


def _gives(place: Path, giving: Iterable[str], making: Iterable[str]) -> tuple[Wrapper, ...]:
    """Returns the functions that other files may call: those that give descriptors, and those that create workers.

    The latter often have common names (`main`), so they count only if another file imports them explicitly.
    """
    module = _module_name(place)
    plain = [Wrapper(spelled, name) for spelled in _spellings(place) for name in giving]
    spellings = [(spelled, name) for name in making for spelled in (f"{module} import", f"{module}.{name}(")]
    imported = [Wrapper(spelled, name, makes_workers=True) for spelled, name in spellings]
    return (*plain, *imported)


def _passed_on(place: Path, file: File, context: AnalysisContext) -> tuple[Wrapper, ...]:
    """Returns the functions of other files that are known to acquire, under the names by which others can import them
    from this one."""
    known = {(one.module, one.function) for one in context.program.wrappers if not one.makes_workers}
    imports = file.names.imports.items() if known else ()
    names = [name for name, dotted in imports if tuple(dotted.rsplit(".", 2)[-2:]) in known]
    names += [name for module, name in known if any(module == one.rpartition(".")[2] for one in file.names.stars)]
    return tuple(Wrapper(spelled, name, passed_on=True) for spelled in _spellings(place) for name in names)


def _spellings(place: Path) -> tuple[str, ...]:
    """Returns the texts of which a file must have one to import a name from another: the module's name, or the import
    from one's own package, which does not name it."""
    return (_module_name(place), *((". import",) if place.stem == "__init__" else ()))


def _module_name(place: Path) -> str:
    return place.parent.name if place.stem == "__init__" else place.stem


def fresh_knowledge(
    wrappers: frozenset[Wrapper], models: Models, lowered: dict[Path, File] | None = None
) -> AnalysisContext:
    """Returns a context without results. ``lowered``: files from earlier contexts."""
    catalog = catalog_of(models)
    known = lowered if lowered is not None else {}
    program = Program(catalog, wrappers, known, dependencies=models.dependencies)
    context = AnalysisContext(program, catalog, Relevance(catalog))
    context.owners = OwnerClasses.beside(context)
    alone = workers_alone(catalog)
    context.workers = AnalysisContext(program, alone, Relevance(alone), reads_all=True)
    return context


@functools.lru_cache(maxsize=1)
def _knowledge(wrappers: frozenset[Wrapper], models: Models, run: int) -> AnalysisContext:
    """Returns this process's context: one per run, until more functions turn out to acquire."""
    return fresh_knowledge(wrappers, models, _files(models, run))


@functools.lru_cache(maxsize=1)
def _files(_models: Models, _run: int) -> dict[Path, File]:
    """Returns the files that this process has lowered in one run."""
    return {}
