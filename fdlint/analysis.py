"""One file through the pipeline: source, graphs, facts, findings. Everything heavy is imported from here on."""

from __future__ import annotations

import functools
from pathlib import Path

from fdlint.catalog import NO_MODELS, Models, catalog_of
from fdlint.classes.keeping import Attributes, without_repetition
from fdlint.facts import Fact, Inheriting
from fdlint.finding import FileResult, Skipped, Span, Wrapper
from fdlint.judge import findings
from fdlint.ownership.analyse import acquisitions, explore
from fdlint.ownership.inheritance import guards, received_open
from fdlint.ownership.knowledge import Knowledge
from fdlint.ownership.relevance import Relevance
from fdlint.program import Program
from fdlint.source import parse
from fdlint.summary import FileCallees


def analyse(
    data: bytes,
    path: str,
    place: Path | None,
    lines: int,
    wrappers: frozenset[Wrapper] = frozenset(),
    run: int = 0,
    models: Models = NO_MODELS,
) -> FileResult:
    """Analyses a file's contents. ``place``: where its imports are looked up, None when it stands alone.

    Files met on the way are remembered for the ``run``, and read anew in the next.
    """
    source = parse(data, path)
    if isinstance(source, Skipped):
        return FileResult(path, lines, skipped=(source,))
    known = _knowledge if place is not None else _fresh_knowledge
    knowledge = known(wrappers, models, run)
    file = knowledge.program.add(source, place)
    callees = FileCallees(knowledge, file)
    attributes = Attributes(callees)
    found: list[Fact] = []
    skipped = []
    guarded: frozenset[Span] = frozenset()
    for graph in file.lowered.graphs:
        if graph.too_large:
            skipped.append(Skipped(path, f"{graph.name}: too many ways out of cleanups inside cleanups"))
        if callees.may_acquire(graph):
            analysis = explore(graph, knowledge.catalog, callees)
            if analysis.doubts is not None:
                skipped.append(Skipped(path, f"{graph.name or 'module level'}: {analysis.doubts}"))
            found.extend(acquisitions(graph, analysis, source, attributes.keeper(graph)))
            attributes.note_overwrites(graph, analysis)
            found.extend(received_open(graph, analysis, source))
            guarded |= guards(analysis, source)
    attributes.follow()
    skipped.extend(Skipped(path, doubt) for doubt in attributes.doubts)
    found = [fact for fact in without_repetition([*found, *attributes.facts]) if fact.span.path == source.path]
    found = [fact for fact in found if not (isinstance(fact, Inheriting) and fact.span in guarded)]
    text = tuple(data.decode(source.module.encoding, "replace").splitlines()) if found else ()
    said, claims = findings(found, text)
    gives = tuple(Wrapper(_module_name(place), name) for name in callees.giving()) if place is not None else ()
    return FileResult(path, lines, True, tuple(said), tuple(skipped), text, gives, tuple(claims), guarded)


def _module_name(place: Path) -> str:
    return place.parent.name if place.stem == "__init__" else place.stem


def _fresh_knowledge(wrappers: frozenset[Wrapper], models: Models, _run: int) -> Knowledge:
    """Nothing known yet of any function."""
    catalog = catalog_of(models)
    return Knowledge(Program(catalog, wrappers), catalog, Relevance(catalog))


@functools.lru_cache(maxsize=1)
def _knowledge(wrappers: frozenset[Wrapper], models: Models, run: int) -> Knowledge:
    """What this process knows of the program under scan: in one run, until more functions turn out to acquire."""
    return _fresh_knowledge(wrappers, models, run)
