"""Writes the generated pages (the rules, the rules for Go, the command line, the Python API and the bugs that are ready
to be sent), the tables of keys in the pages about the configuration, the configuration's JSON Schema, the pictures, and
the Semgrep rules for Go.

python docs/generate.py            # write what has changed
python docs/generate.py --check    # list what would change; exit status 1 if anything would
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import api_page
import charts
import cli_page
import config_schema
import go_pages
import pictures
import rule_pages
import semgrep_rules
import upstream_page

DOCS = Path(__file__).parent
TABLES, SCHEMA = ("configuration.md", "models.md"), "../fdlint/schema.json"
SEMGREP = "../rules"
OURS = (
    "pictures/*.svg", "rules/**/*.md", "reference/api.md", "reference/cli.md", "upstream.md", *TABLES, SCHEMA,
    f"{SEMGREP}/*/**/*.yaml", f"{SEMGREP}/*/**/*.go",
)  # fmt: skip
"""The files that are written here; one of these that is not generated any more is deleted."""


def main(arguments: list[str]) -> int:
    """Write the pages, or check them."""
    wanted = pages()
    here = {os.path.relpath(path, DOCS): path for pattern in OURS for path in DOCS.glob(pattern)}
    now = {name: path.read_text(encoding="utf-8") for name, path in here.items()}
    changed = sorted(name for name in wanted.keys() | now.keys() if wanted.get(name) != now.get(name))
    for name in changed:
        print(f"docs/{name}")
    if "--check" in arguments:
        return 1 if changed else 0
    for name in changed:
        path = DOCS / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
    return 0


def pages() -> dict[str, str]:
    """Path below ``docs`` -> text, of every generated page."""
    semgrep = semgrep_rules.pages()
    rules = go_pages.rules(semgrep)
    return {
        **rule_pages.pages(rules),
        **go_pages.pages(rules, semgrep),
        **pictures.pages(),
        **charts.pages(),
        **upstream_page.pages(),
        "reference/api.md": api_page.page(),
        "reference/cli.md": cli_page.page(),
        **{name: config_schema.page((DOCS / name).read_text(encoding="utf-8")) for name in TABLES},
        SCHEMA: config_schema.schema(),
        **{f"{SEMGREP}/{name}": text for name, text in semgrep.items()},
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
