"""What the engine says of a class beside what its oracle says, line by line."""

from __future__ import annotations

from .class_oracle import CODES, Report, expected_of_class
from .compare import Comparison, Kind

_BEYOND = frozenset({"FD105", "FD204"})  # what a run may come to that is not stopped by closing what is no descriptor


def compare_class(source: str) -> Comparison:
    """Oracle and engine on one class. A verdict's place is the line and the number of the code.

    What is said of a call that no run makes, or of a close that closes nothing in any run, is not compared. Raises
    ``InvalidProgram`` or ``TooManyPaths`` if it is none to compare on.
    """
    expected = expected_of_class(source)
    said = _reported(source)
    verdicts: dict[tuple[int, int], Kind] = {}
    compared = {(code, line) for code, line in said if code == "FD105" or line in expected.reached or not line}
    if expected.declined:
        compared -= {(code, line) for code, line in compared - expected.due if code in _BEYOND}
    for code, line in sorted((expected.due | compared) - expected.doubtful):
        number = int(code[2:]) if code.startswith("FD") else 0
        due, found = (code, line) in expected.due, (code, line) in said
        verdicts[line, number] = (code if due else None, code if found else None)
    return Comparison(source, verdicts)


def _reported(source: str) -> set[Report]:
    """What the engine says of the codes that are about attributes; that it skipped something counts as a code."""
    from fdlint.driver.scan import scan_source

    report = scan_source(source.encode(), "generated.py")
    skipped = {(f"skipped: {skip.reason}", 0) for skip in report.skipped}
    return skipped | {(finding.code, finding.span.line) for finding in report.findings if finding.code in CODES}
