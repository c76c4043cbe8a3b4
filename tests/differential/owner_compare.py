"""Compares the engine with the truth on a module with objects that own descriptors: leaks call by call, closes and uses
after the end line by line."""

from __future__ import annotations

from .compare import Comparison
from .execute import compile_program, misdeeds_by_chance, run_all
from .misuse import MISUSES, place_of
from .oracle import LEAK_CODES, code_of
from .shape import Place

_ROUNDS, _RUNS = 12, 5_000


def compare_owners(source: str) -> Comparison:
    """Compares truth and engine on one module. What stands in its classes does not count."""
    from fdlint.scan.claims import accept
    from fdlint.scan.scan import scan_bytes

    program = compile_program(source)
    runs = run_all(program)
    report = accept(scan_bytes(source.encode(), "generated.py"))
    due: dict[Place, str | None] = {where: code_of(runs.sites[where]) for where in runs.sites if where in runs.reached}
    due |= {where: None for where in runs.reached if where not in due}
    said: dict[Place, str] = {}
    if report.skipped:
        said[0, 0] = f"skipped: {report.skipped[0].reason}"
    for finding in report.findings:
        where = finding.span.line, finding.span.column
        if finding.code in LEAK_CODES and where in due:
            said[where] = "+".join(sorted(filter(None, (said.get(where), finding.code))))
        if finding.code in MISUSES and finding.span.line in runs.watched:
            said[finding.span.line, int(finding.code[2:])] = finding.code
    wrong = {place_of(one): one.code for one in runs.misdeeds if runs.is_due(one)}
    allowed = {place_of(one) for one in runs.misdeeds} - wrong.keys()
    misuses = {place for place, code in said.items() if code in MISUSES}
    if doubted := misuses - wrong.keys() - allowed:
        for seen in misdeeds_by_chance(program, _ROUNDS, _RUNS):
            if doubted <= set(map(place_of, seen)):
                break
        wrong |= {place_of(one): one.code for one in seen if place_of(one) in doubted}
    due |= wrong
    places = sorted(due.keys() | {place for place in said if place not in allowed})
    return Comparison(source, {place: (due.get(place), said.get(place)) for place in places})
