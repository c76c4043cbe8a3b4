"""Says what fdlint knows about a line on which it follows no descriptor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fdlint.catalog.shape import acquires
from fdlint.core.domain.state import State
from fdlint.core.engine.detailed_log import DetailedLog
from fdlint.core.engine.match_api import candidates
from fdlint.core.finding import Span
from fdlint.core.ir import Call, Graph, Step
from fdlint.report.findings.explanation import Reason
from fdlint.scan.explain.fates import qualified_name
from fdlint.scan.explain.places import Where, defined
from fdlint.scan.explain.reading import Read

_NEAREST = 3
_CALLS = 8
NO_CALL = "fdlint knows no call on this line that acquires a descriptor"


def about_line(read: Read, line: int, acquired: Sequence[tuple[Span, str]]) -> Iterator[Reason]:
    """Yields the reasons for a line without a followed descriptor. ``acquired``: the acquiring calls of the file, with
    their names."""
    search, callees = read.followed
    yield from (Reason(f"the analysis is incomplete: {one.reason}") for one in search.skipped)
    if callees.file.source.refused is not None:
        yield Reason(f"the file was not followed: {callees.file.source.refused}")
    found = list(_calls_on(read, line))
    reasons = [_about_call(read, graph, step, call) for graph, step, call in found[:_CALLS]]
    acquiring = [reason for reason, gives in reasons if gives]
    if not acquiring:
        yield Reason(NO_CALL if found else f"{NO_CALL}: it sees no call there, or none that runs")
    yield from dict.fromkeys(reason for reason, _ in reasons)
    by_line = {(span.line, api): (span, api) for span, api in sorted(acquired, reverse=True)}  # the first of each line
    near = sorted(by_line.values(), key=lambda one: (abs(one[0].line - line), one[0]))[:_NEAREST]
    for span, api in sorted(near):
        yield Reason(f"nearest call that acquires: {api}()", span)
    if not near:
        yield Reason("fdlint follows no descriptor in this file")


def _calls_on(read: Read, line: int) -> Iterator[tuple[Graph, Step, Call]]:
    """Yields the calls on a line, in order, each once."""
    _, callees = read.followed
    seen: set[int] = set()
    found = []
    for graph in callees.file.lowered.graphs:
        for step in graph.steps():
            if isinstance(step.effect, Call) and step.origin is not None and id(step.origin) not in seen:
                seen.add(id(step.origin))
                span = callees.file.source.span(step.origin)
                if span.path == read.path and span.line <= line <= span.end_line and step.effect.callee.name:
                    found.append((span, graph, step, step.effect))
    found.sort(key=lambda one: (one[0].end_line - one[0].line, one[0]))  # what only passes through the line comes last
    yield from ((graph, step, call) for _, graph, step, call in found)


def _about_call(read: Read, graph: Graph, step: Step, call: Call) -> tuple[Reason, bool]:
    """Returns what fdlint knows about a call, and whether the call may acquire."""
    search, callees = read.followed
    span = callees.file.source.span(step.origin)
    meant = callees.renamed(graph, call)
    name = f"{(meant.callee.dotted or call.callee.name).lstrip('.')}()"
    apis = candidates(State(), graph, callees.context.catalog, meant)
    if any(acquires(one.returns) for one in apis):
        return Reason(_not_followed(read, graph, name), span), True
    if apis:
        return Reason(f"{name} is in the catalog: it gives no new descriptor", span), False
    where = Where(graph, DetailedLog(), callees, search.attributes.keepers)
    target = where.project_function(call)
    if target is None:
        return Reason(
            f"fdlint does not know {name}: it counts as a call that gives no descriptor. If it gives one, add it with"
            " [[tool.fdlint.api]]",
            span,
        ), False
    at = defined(target)
    place = f" ({at.path}:{at.line})" if at is not None else ""
    if callees.gives(target):
        return Reason(_not_followed(read, graph, f"{name} of this project{place}"), span), True
    return Reason(
        f"{name} is a function of this project{place}: it returns no descriptor that it acquired", span
    ), False


def _not_followed(read: Read, graph: Graph, name: str) -> str:
    """Returns why a call that may acquire was not followed."""
    search, _ = read.followed
    where = qualified_name(graph)
    if graph.excluded:
        return f"{name} acquires, but {where} is for another platform, and there is one for this: it is not analysed"
    if graph.ruled_out:
        return f"{name} acquires, but another definition of {where} replaces this one"
    if not any(one is graph for one, _ in search.followed):
        return f"{name} may acquire, but {where} was not analysed: see the reasons above, or its code is never reached"
    return f"{name} may acquire, but not as it is called here, or the call is never reached"
