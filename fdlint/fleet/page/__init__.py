"""The page about a whole fleet: one self-contained HTML file.

Without its script it has the numbers, the tables and the first findings in one line each. The script shows all findings
in a list of which only the rows in sight are in the page; the paths of the findings are packed, and unpacked when a
reader opens one. All data from repositories is text, as in the audit report.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from fdlint.core.finding import Cost
from fdlint.fleet.overview import STATES, Found, Overview, Repository, totals
from fdlint.report.html.page import page
from fdlint.report.rulebook import Rulebook

_TOP = 10  # rows of a table of totals
_LINES = 2_000  # findings on the page without its script
_PIECE = 200  # findings in one packed piece
_COLUMNS = (
    "repository",
    "owners",
    "rule",
    "impact",
    "state",
    "severity",
    "path",
    "line",
    "function",
    "message",
    "since",
)
_WORDS = ("repository", "rule", "impact", "state", "severity")
_BLOB = {"github": "/blob/", "gitlab": "/-/blob/"}
"""Where hosts with this word in their name show a file of a commit."""


def render(found: Overview, rules: Rulebook) -> str:
    """Returns the document."""
    findings = found.findings
    return page(
        __name__,
        "fleet.html.j2",
        styles=("fleet.css",),
        scripts=("fleet.js",),
        data=_data(found, rules),
        found=found,
        findings=findings,
        first=found.first,
        failed=[one for one in found.not_scanned if one.outcome],
        unreached=sum(not one.outcome for one in found.not_scanned),
        high=sum(one.impact == Cost.HIGH.value for one in findings),
        states=STATES,
        top=_TOP,
        most_lines=_LINES,
        runs=found.runs,
        previous=found.runs[-2] if len(found.runs) > 1 else None,
        most=max((one.findings for one in found.runs), default=0) or 1,
        silenced=sum(one.silenced for one in found.repositories),
        hidden=sum(one.hidden for one in found.repositories),
        titles={one.rule: one.name for one in findings},
        by_owner=totals((owner, one) for one in findings for owner in one.owners),
        by_rule=totals((one.rule, one) for one in findings),
        by_repository=totals((one.repository, one) for one in findings),
    )


def _data(found: Overview, rules: Rulebook) -> dict[str, Any]:
    """Returns the data for the script: words that repeat are numbers in a list, paths of findings are packed."""
    findings = found.findings
    words = {name: list(dict.fromkeys(getattr(one, name) for one in findings)) for name in _WORDS}
    words["owner"] = list(dict.fromkeys(owner for one in findings for owner in one.owners))
    numbers = {name: {word: number for number, word in enumerate(some)} for name, some in words.items()}

    def value(one: Found, name: str) -> Any:
        if name == "owners":
            return [numbers["owner"][owner] for owner in one.owners]
        own = getattr(one, name)
        return numbers[name][own] if name in numbers else own

    return {
        "columns": [*_COLUMNS, "tests"],
        "rows": [[*(value(one, name) for name in _COLUMNS), one.in_tests] for one in findings],
        "words": words,
        "names": {one.rule: one.name for one in findings} | {code: rules[code].name for code in rules},
        "links": {one.name: address for one in found.repositories if (address := _link(one))},
        "pieces": list(_pieces(found)),
        "size": _PIECE,
    }


def _pieces(found: Overview) -> Iterator[str]:
    details = found.details()
    while piece := list(islice(details, _PIECE)):
        packed = gzip.compress(json.dumps(piece, separators=(",", ":")).encode(), mtime=0)
        yield base64.b64encode(packed).decode()


def _link(one: Repository) -> str:
    """Returns the address before a file's path at the host of a repository, if fdlint knows how that is written."""
    parts = urlsplit(one.address)
    host = (parts.hostname or "").lower()
    middle = next((where for word, where in _BLOB.items() if word in host), None)
    if middle is None or parts.scheme not in ("https", "ssh") or not re.fullmatch(r"[\w./~-]+", parts.path, re.ASCII):
        return ""
    return f"https://{host}{parts.path.removesuffix('.git').rstrip('/')}{middle}{one.revision}/"
