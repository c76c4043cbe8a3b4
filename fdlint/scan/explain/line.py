"""Says what fdlint knows about a line on which it follows no descriptor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fdlint.catalog.shape import acquires
from fdlint.core.domain.state import State
from fdlint.core.engine.detailed_log import DetailedLog
from fdlint.core.engine.match_api import candidates
from fdlint.core.finding import Span
from fdlint.core.ir import Call, Graph
from fdlint.report.findings.explanation import Reason
from fdlint.scan.explain.fates import AcquiredDescriptor
from fdlint.scan.explain.followed import Followed, defined, name_of
from fdlint.scan.explain.reading import Read

_NEAREST = 3
_CALLS = 8
NO_CALL = "fdlint knows no call on this line that acquires a descriptor"


def about_line(read: Read, line: int, acquired: Sequence[AcquiredDescriptor]) -> Iterator[Reason]:
    """Yields the reasons for a line without a followed descriptor. ``acquired``: the descriptors of the file."""
    search, callees = read.followed
    yield from (Reason(f"the analysis is incomplete: {one.reason}") for one in search.skipped)
    if callees.file.source.refused is not None:
        yield Reason(f"the file was not followed: {callees.file.source.refused}")
    known = [(_about_call(read, graph, call), span) for span, graph, call in _calls_on(read, line)[:_CALLS]]
    if not any(may_acquire for (_, may_acquire), _ in known):
        yield Reason(NO_CALL if known else f"{NO_CALL}: it sees no call there, or none that runs")
    yield from dict.fromkeys(Reason(text, span) for (text, _), span in known)
    near = {(one.span.line, one.api): one for one in sorted(acquired, key=lambda one: one.span, reverse=True)}
    for one in sorted(sorted(near.values(), key=lambda one: _away(one, line))[:_NEAREST], key=lambda one: one.span):
        yield Reason(f"nearest call that acquires: {one.api}()", one.span)
    if not near:
        yield Reason("fdlint follows no descriptor in this file")


def _away(acquired: AcquiredDescriptor, line: int) -> tuple[int, Span]:
    return abs(acquired.span.line - line), acquired.span


def _calls_on(read: Read, line: int) -> list[tuple[Span, Graph, Call]]:
    """Returns the calls on a line, each once. What only passes through the line comes last."""
    file = read.followed[1].file
    found: dict[int, tuple[Span, Graph, Call]] = {}
    for graph in file.lowered.graphs:
        for step in graph.steps():
            if isinstance(step.effect, Call) and step.origin is not None and step.effect.callee.name:
                span = file.source.span(step.origin)
                if span.path == read.path and span.line <= line <= span.end_line:
                    found.setdefault(id(step.origin), (span, graph, step.effect))
    return sorted(found.values(), key=lambda one: (one[0].end_line - one[0].line, one[0]))


def _about_call(read: Read, graph: Graph, call: Call) -> tuple[str, bool]:
    """Returns what fdlint knows about a call, and whether the call may acquire."""
    search, callees = read.followed
    meant = callees.renamed(graph, call)
    name = f"{(meant.callee.dotted or call.callee.name).rpartition('/')[2].lstrip('*.')}()"
    apis = candidates(State(), graph, callees.context.catalog, meant)
    if any(acquires(one.returns) for one in apis):
        return f"{name} {_not_followed(read, graph)}", True
    if apis:
        ends = dict.fromkeys("closes" if one in api.closed else "takes over" for api in apis for one in api.ended)
        followed = "fdlint follows no open descriptor of this function to here"
        does = f"{' or '.join(ends)} what it gets, but {followed}" if ends else "gives no new descriptor"
        return f"{name} is in the catalog: it {does}", False
    target = Followed(graph, DetailedLog(), callees, search.attributes.keepers).target(call)
    if target is None:
        return (
            f"fdlint does not know {name}: it counts as a call that gives no descriptor. If it gives one, add it with"
            " [[tool.fdlint.api]]"
        ), False
    if callees.gives(target):
        return f"{name} of this project{defined(target)} {_not_followed(read, graph)}", True
    return f"{name} is a function of this project{defined(target)}: it returns no descriptor that it acquired", False


def _not_followed(read: Read, graph: Graph) -> str:
    """Returns why a call that may acquire was not followed."""
    where = name_of(graph)
    if graph.excluded:
        return f"acquires, but {where} is for another platform, and there is one for this: it is not analysed"
    if graph.ruled_out:
        return f"acquires, but another definition of {where} replaces this one"
    if not any(one is graph for one, _ in read.followed[0].followed):
        return f"may acquire, but {where} was not analysed: see the reasons above, or its code is never reached"
    return "may acquire, but not as it is called here, or the call is never reached"
