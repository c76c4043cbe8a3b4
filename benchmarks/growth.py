"""How a scan grows with what is scanned: 1, 2, 4 and 8 copies of a directory, side by side.

    python benchmarks/growth.py ROOT [--runs N] [--copies 1,2,4,8]

Time per copy should stay the same, and memory should not grow as the copies do. Times are the fastest of the runs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from speed import FDLINT, has_cache, shown_memory


def main() -> None:
    """Run everything and print the table."""
    options = _options()
    command = (*FDLINT, "--no-cache") if has_cache() else FDLINT
    print("| copies | time | time per copy | peak memory |\n|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        there = 0
        for copies in sorted(int(number) for number in options.copies.split(",")):
            for number in range(there, copies):
                shutil.copytree(options.root, Path(scratch, f"copy{number}"), symlinks=True)
            there = copies
            seconds = min(_seconds([*command, scratch]) for _ in range(options.runs))
            memory = shown_memory([*command, scratch])
            print(f"| {copies} | {seconds:.2f} s | {seconds / copies:.2f} s | {memory} |", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Scan more and more copies of a directory.")
    parser.add_argument("root", type=Path, metavar="ROOT", help="the directory that is copied")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="scans of each number of copies (3)")
    parser.add_argument("--copies", default="1,2,4,8", metavar="NUMBERS", help="how many copies (1,2,4,8)")
    return parser.parse_args()


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
