"""The findings of a scan, to be named beside what happens at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it is loaded when there is something to name
    from fdlint.core.finding import Finding, Span
    from fdlint.runtime.recording.leaks import Leak, Place


class FindingsError(Exception):
    """A file is no report. The message says why."""


class Findings:
    """The codes of the findings by file and line."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, int], str] = {}

    @classmethod
    def read(cls, file: str | None) -> Findings:
        """Reads a report in JSON; None has no findings. Raises ``FindingsError``."""
        found = cls()
        if file is None:
            return found
        from fdlint.core.finding import EventKind
        from fdlint.report.reading import NotAReportError, read
        from fdlint.scan.reading import intake

        try:
            report = read(intake.read(file, intake.STORE))
        except OSError as error:
            raise FindingsError(f"{file}: {intake.why(error)}") from None
        except NotAReportError as error:
            raise FindingsError(f"{file}: this is no report of fdlint: {error}") from None
        for finding in report.findings:
            found._name(finding, finding.span)
        for finding in report.findings:  # some point to what loses the descriptor
            for step in finding.trace:
                if step.kind is EventKind.ACQUIRED:
                    found._name(finding, step.span)
        return found

    def _name(self, finding: Finding, span: Span) -> None:
        for line in range(span.line, min(span.end_line, span.line + 50) + 1):
            self._codes.setdefault((span.path, line), f"{finding.code} {finding.name}")

    def said_of(self, leak: Leak) -> str:
        """Returns the finding on the innermost line of the project that has one, such as ``FD101 never-closed at
        a.py:3``; empty without one."""
        return next(filter(None, (self.at(one) for one in leak.stack if one.own)), "")

    def at(self, place: Place) -> str:
        """Returns the finding on a line of the project; empty without one."""
        code = self._codes.get((place.path, place.line))
        return f"{code} at {place.path}:{place.line}" if code else ""
