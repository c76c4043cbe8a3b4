"""Compares the engine with the oracle on a class, line by line."""

from __future__ import annotations

from .class_oracle import CODES, Report, expected_of_class
from .compare import Comparison, Kind

_BEYOND = frozenset({"FD105", "FD204"})  # may need a run that survives the close of a non-descriptor


def compare_class(source: str) -> Comparison:
    """Compares oracle and engine on one class. A verdict's place is the line and the number of the code.

    It skips calls that no run makes, and closes that close nothing in any run. Raises ``InvalidProgram`` or
    ``TooManyPaths`` if the class cannot be compared.
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
    """Returns the engine's codes about attributes. A skipped function counts as a code."""
    from fdlint.scan.claims import accept
    from fdlint.scan.scan import scan_bytes

    report = accept(scan_bytes(source.encode(), "generated.py"))
    skipped = {(f"skipped: {skip.reason}", 0) for skip in report.skipped}
    return skipped | {(finding.code, finding.span.line) for finding in report.findings if finding.code in CODES}
