"""Finds what the functions of a file do to the descriptors of their callers, after the file was analysed."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.core.budget import BudgetSpentError
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.program.facts import Kind
from fdlint.program.units import Function
from fdlint.report.findings.effects import Effect


def effects(callees: CallResolver) -> Iterator[Effect]:
    """Yields the functions at the top of the file, and the methods, that close or return descriptors. Stops where
    the file's budget is used up."""
    file = callees.file
    if not file.touches or file.outline is None:
        return
    try:
        for graph in callees.candidates.lower(file, (Kind.ACQUIRES, Kind.CLOSES)):
            piece = file.outline.pieces.get(graph.name or "")
            if piece is None or graph.excluded:
                continue
            function = Function(file, piece.name)
            ended = callees.context.endings.of(function, callees.closer_called_by)
            of_callers = (one for one in ended.closed if one.is_attribute or one in graph.parameters)
            closes = tuple(sorted(map(str, of_callers)))
            one = Effect(piece.name, piece.line, closes, callees.gives(function))
            if one.said:
                yield one
    except BudgetSpentError:
        return
