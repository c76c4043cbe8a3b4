"""Double closes, uses after a close and closes under an owner: compares the engine with the truth, line by line.

Where the contract leaves room, silence is no error: for descriptors from a list, for ``os.fstat``, which may be a
probe, and for a misuse that needs two particular results of unrelated unknown conditions.
"""

from __future__ import annotations

import re
from random import Random

from .compare import Comparison
from .execute import compile_program, misdeeds_by_chance, run_all
from .program import generate, is_sound
from .shape import Place
from .table import Misdeed

_CLOSE = re.compile(r" *os\.close\(\w+\)")
MISUSES = frozenset({"FD201", "FD202", "FD203"})
_ROUNDS, _RUNS = 12, 200_000


def generate_misuse(seed: int) -> str:
    """Returns a module whose function usually closes too often."""
    text = generate(seed)
    rng = Random(seed)
    lines = text.splitlines()
    closes = [index for index, line in enumerate(lines) if _CLOSE.fullmatch(line)]
    for index in sorted(rng.sample(closes, min(len(closes), rng.choice([0, 1, 1, 2]))), reverse=True):
        _disturb(lines, index, rng)
    disturbed = "\n".join(lines)
    return disturbed if is_sound(disturbed) else text


def _disturb(lines: list[str], index: int, rng: Random) -> None:
    """Adds a close or a use somewhere after a close or before it."""
    close = lines[index].strip()
    name = close.partition("(")[2].rstrip(")")
    extra = rng.choice([close, close, f"os.write({name}, b'x')", f"stream = os.fdopen({name})"])
    at = min(len(lines) - 1, max(index, index + rng.choice([0, 1, 1, 1, 2])))
    indent = len(lines[at]) - len(lines[at].lstrip())
    lines.insert(at, " " * indent + extra)


def compare_misuse(source: str) -> Comparison:
    """Compares truth and engine on one program, line by line. Skips lines that no run reaches."""
    from fdlint.scan.claims import accept
    from fdlint.scan.scan import scan_bytes

    program = compile_program(source)
    runs = run_all(program)
    report = accept(scan_bytes(source.encode(), "generated.py"))
    said: dict[Place, str] = {}
    if report.skipped:
        said[0, 0] = f"skipped: {report.skipped[0].reason}"
    for finding in report.findings:
        if finding.code in MISUSES and finding.span.line in runs.watched:
            said[finding.span.line, int(finding.code[2:])] = finding.code
    due = {place_of(one): one.code for one in runs.misdeeds if runs.is_due(one)}
    allowed = {place_of(one) for one in runs.misdeeds} - due.keys()
    if doubted := said.keys() - due.keys() - allowed:  # two variables that swap their values need more iterations
        for seen in misdeeds_by_chance(program, _ROUNDS, _RUNS):
            if doubted <= set(map(place_of, seen)):
                break
        due |= {place_of(one): one.code for one in seen if place_of(one) in doubted}
    places = sorted(due.keys() | {place for place in said if place not in allowed})
    return Comparison(source, {place: (due.get(place), said.get(place)) for place in places})


def place_of(misdeed: Misdeed) -> Place:
    """Returns the line of a misdeed and the number of its code."""
    return misdeed.line, int(misdeed.code[2:])
