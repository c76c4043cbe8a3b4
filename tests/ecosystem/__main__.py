"""``python -m tests.ecosystem DIR``: compares the findings in the wheels of a directory with ``findings.jsonl``.

    (the `pip download` of `.ci/run`)
    python -m tests.ecosystem DIR [--update]

Exit status: 0 the same, 1 another result. ``--update`` writes the file; read its diff before you commit it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.ecosystem.gate import difference, found_in, wheels

HERE = Path(__file__).parent
FINDINGS = HERE / "findings.jsonl"


def main() -> int:
    """Compares, or writes."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.ecosystem", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--update", action="store_true", help="write what was found")
    asked = parser.parse_args()
    number = len(wheels(asked.directory))
    wanted = (HERE / "packages.txt").read_text(encoding="utf-8").count("==")
    if number != wanted:
        print(f"{asked.directory} has {number} wheels; packages.txt names {wanted}", file=sys.stderr)
        return 2
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        found = found_in(asked.directory, Path(work))
    known = FINDINGS.read_text(encoding="utf-8").splitlines() if FINDINGS.is_file() else []
    changed = difference(known, found)
    print("\n".join([*changed, f"{number} packages, {len(found)} lines, {time.perf_counter() - started:.0f} s"]))
    if asked.update:
        FINDINGS.write_text("".join(f"{one}\n" for one in found), encoding="utf-8")
        return 0
    if changed:
        print("The findings in real code change. Read each line; if that is right: --update, and commit the file.")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
