"""Scans several repositories on a Dask cluster, each in shards, and makes one report of it.

    pip install fdlint distributed
    python fleet.py --shards 2 api=checkouts/api web=checkouts/web -o html=fleet.html

What comes after the repositories goes to `fdlint merge`. The cluster is this machine's cores; give `--scheduler` for
one that is there already. Its workers need fdlint and the repositories at the same paths (a shared disk, or a task that
clones them first).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from distributed import Client, LocalCluster, as_completed


def fdlint() -> str:
    """The program, not `python -m fdlint`: in the directory of a repository that could import what lies there."""
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    found = shutil.which("fdlint", path=places)
    if found is None:
        raise SystemExit("fleet: fdlint is not installed: pip install fdlint")
    return found


def scan(name: str, directory: str, shard: str) -> tuple[str, str, bytes]:
    """One task: one shard of one repository. The cluster runs one on each core, so fdlint is to use one."""
    command = [fdlint(), "scan", "--quiet", "--jobs", "1", "--shard", shard, "--output-format", "json", "."]
    done = subprocess.run(command, cwd=directory, capture_output=True, check=False)
    if done.returncode not in (0, 1):  # 1: there are findings
        raise RuntimeError(f"{name}, shard {shard}: {done.stderr.decode(errors='replace')}")
    return name, shard, done.stdout


def fleet(client: Client, repositories: dict[str, str], shards: int, options: list[str]) -> int:
    """Scans everything, and gives what `fdlint merge` exits with."""
    tasks = [
        client.submit(scan, name, directory, f"{number}/{shards}", pure=False)
        for name, directory in repositories.items()
        for number in range(1, shards + 1)
    ]
    with tempfile.TemporaryDirectory(prefix="fleet-") as reports:
        arguments = []
        for done, (_, (name, shard, report)) in enumerate(as_completed(tasks, with_results=True), start=1):
            print(f"fleet: {done} of {len(tasks)}: {name}, shard {shard}", file=sys.stderr)
            place = Path(reports, f"{len(arguments)}.json")
            place.write_bytes(report)
            arguments.append(f"{name}={place}")
        return subprocess.run([fdlint(), "merge", *sorted(arguments), *options], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Scan several repositories on a Dask cluster.")
    parser.add_argument("repositories", nargs="+", metavar="NAME=DIRECTORY")
    parser.add_argument("--shards", type=int, default=1, help="how many tasks each repository is (default: 1)")
    parser.add_argument("--workers", type=int, help="processes on this machine (default: one a core)")
    parser.add_argument("--scheduler", help="the address of a cluster, such as tcp://host:8786")
    arguments, options = parser.parse_known_args()
    named = (one.partition("=") for one in arguments.repositories)
    repositories = {name: str(Path(directory).resolve(strict=True)) for name, _, directory in named}
    if arguments.scheduler:
        with Client(arguments.scheduler) as client:
            return fleet(client, repositories, arguments.shards, options)
    workers = arguments.workers or os.cpu_count()
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        return fleet(client, repositories, arguments.shards, options)


if __name__ == "__main__":
    sys.exit(main())
