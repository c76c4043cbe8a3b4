"""The page of the bugs that are ready to be sent, from ``benchmarks/corpus/upstream.jsonl``."""

from __future__ import annotations

import json
from pathlib import Path

ROWS = Path(__file__).parent.parent / "benchmarks" / "corpus" / "upstream.jsonl"
KINDS = {
    "ml": "Machine learning, notebooks and scientific clusters",
    "vm": "Containers, virtual machines, storage and mounts",
    "net": "Networks and devices",
    "man": "Management of systems, backups and tests of hardware",
    "lib": "Servers and libraries",
    "dev": "Tools for developers and desktops",
}
HEAD = """\
# Bugs that are ready to be sent

These {count} of the [bugs that fdlint found](found.md) are still in the newest version that we have, and fdlint has a
fix for each. One command writes a patch for each row, with the title, the three sentences, and how to see the bug, as
`git am` takes it:

```console
$ python benchmarks/upstream.py --repositories DIR --fetch 'https://github.com/{{}}.git' OUT
```

It clones the projects, scans them at the commit of the row, and tries each patch with `git apply --check`. Nothing of a
project is run. It sends nothing: a person reads the patch, runs the project's tests, signs it, and sends it. We have
read each patch, and we have run no tests of the projects. The patches are not in this repository, because they quote
the projects' code.
"""
TABLE = "| where | title of the patch | what happens, and what the patch does | how to see it |\n|---|---|---|---|\n"


def pages() -> dict[str, str]:
    """Path below ``docs`` -> text."""
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    parts = [HEAD.format(count=len(rows))]
    for kind, title in KINDS.items():
        lines = [_line(row) for row in rows if row["kind"] == kind]
        if lines:
            parts.append(f"## {title}\n\n{TABLE}{''.join(lines)}")
    return {"upstream.md": "\n".join(parts)}


def _line(row: dict[str, str]) -> str:
    place = f"{row['path']}#L{row['line']}"
    link = f"https://github.com/{row['repository']}/blob/{row['commit']}/{place}"
    project = row["repository"].rpartition("/")[2]
    where = f"{project}: [`{row['path'].rpartition('/')[2]}:{row['line']}`]({link}), {row['code']}"
    return f"| {where} | {row['title']} | {row['text']} | {row['see']} |\n"
