"""The audit report: one self-contained HTML file to share.

Each finding is a folded part with a picture of its path and its steps, which needs no script to be read. A script
searches, sorts and groups, and it adds the code when the reader opens a finding, so that thousands stay fast. All data
from the scanned tree is text: escaped in the document, never parsed as HTML by the script. The page's policy allows no
other script.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fdlint.core.finding import Cost, Finding, Severity
from fdlint.report.documents import embedded, sound
from fdlint.report.findings.finding import Report
from fdlint.report.findings.silencing import DEFAULTS
from fdlint.report.html.picture import Box, boxes
from fdlint.report.html.story import code, highlighted
from fdlint.report.jsonv1 import document
from fdlint.report.order import costliest_first
from fdlint.report.printable import UNSAFE_CHARACTERS, printable
from fdlint.report.rulebook import Entry, Rulebook
from fdlint.report.steps import cost
from fdlint.report.summary import count, hidden, silenced
from fdlint.version import __version__

_QUOTED = re.compile(r"`([^`]+)`")
NOBODY = "nobody"
_TOP = 8  # rows of a table of totals
_PLACE = "fdlint.report.html"


class Story(NamedTuple):
    """A finding, the name of its part of the page, its place in the data, and the picture of its path."""

    id: str
    number: int
    finding: Finding
    boxes: list[Box]


class Share(NamedTuple):
    """One row of a table of totals."""

    name: str
    total: int
    title: str = ""


def render(report: Report, rules: Rulebook) -> str:
    """Returns the document. Escapes all data from the scanned code."""
    environment = _environment()
    findings = report.findings
    style, script = part("audit.css"), part("audit.js")
    used = {code: rules[code] for code in sorted({one.code for one in findings} & rules.keys())}
    return environment.get_template("audit.html.j2").render(
        version=__version__,
        policy=policy(style, script),
        style=style,
        script=script,
        data=Markup(embedded(_data(report, used))),
        top=_TOP,
        stories=_stories(findings),
        summary=report.summary,
        skipped=report.skipped,
        scans=report.scans,
        trend=report.trend,
        withheld=[one for one in report.withheld if one.by != DEFAULTS],
        silenced=silenced(report),
        hidden=hidden(report),
        baselined=report.baselined,
        unchanged=report.unchanged,
        errors=sum(one.severity is Severity.ERROR for one in findings),
        warnings=sum(one.severity is Severity.WARNING for one in findings),
        by_impact=_shares(f"{one.impact.cost.value} impact" for one in findings),
        costly=sum(one.impact.cost is Cost.HIGH for one in findings),
        by_code=_shares((one.code for one in findings), used),
        by_directory=_shares(map(_directory, findings)),
        by_owner=_shares(name for one in findings for name in _owners(one, report)) if report.owners else [],
        by_file=_shares(one.span.path for one in findings),
        rules=used,
    )


def _stories(findings: Sequence[Finding]) -> list[Story]:
    """Returns the stories, those that cost most first. The script gives the same names: a fingerprint that is there
    twice gets a number."""
    seen, places = Counter[str](), {id(one): index for index, one in enumerate(findings)}
    names = []
    for one in findings:
        seen[one.fingerprint] += 1
        times = seen[one.fingerprint]
        names.append(one.fingerprint if times == 1 else f"{one.fingerprint}.{times}")
    return [Story(names[places[id(one)]], places[id(one)], one, boxes(one)) for one in costliest_first(findings)]


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_PLACE, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    environment.filters["coded"] = coded
    environment.filters["counted"] = count
    environment.filters["cost"] = cost
    environment.filters["time"] = lambda started: printable(started.replace("T", " ").replace("Z", " UTC"))
    environment.filters["command"] = lambda arguments: shlex.join(("fdlint", *arguments)) if arguments else ""
    return environment


def part(name: str) -> Markup:
    """Returns a file from beside this module in a form that can stand in the document. Its newlines are those that a
    browser sees, because the policy has a hash of it."""
    environment = _environment()
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0].replace("\r\n", "\n"))


def policy(style: str, script: str) -> str:
    """Returns a policy that loads, sends and runs nothing except this style and this script."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(report: Report, rules: Mapping[str, Entry]) -> dict[str, Any]:
    """Returns the data for the script. Lists have the order of the findings."""
    findings = report.findings
    return {
        "report": document(report),
        "code": {sound(path): lines for path, lines in code(findings, report.sources).items()},
        "rules": {code: {"name": rule.name, "instead": _instead(rule)} for code, rule in rules.items()},
        "unsafe": UNSAFE_CHARACTERS,
    }


def _instead(rule: Entry) -> dict[str, list[list[str]]]:
    """Returns code that the rule does not report, by language."""
    return {language: highlighted(text.split("\n"), language)[:-1] for language, text in rule.good.items()}


def coded(text: str) -> Markup:
    """Escapes text, and marks the parts between backticks as code."""
    words = [escape(word) for word in _QUOTED.split(printable(text))]
    words[1::2] = [Markup("<code>{}</code>").format(word) for word in words[1::2]]
    return Markup().join(words)


def _owners(finding: Finding, report: Report) -> tuple[str, ...]:
    return report.owners.get(finding.span.path) or (NOBODY,)


def _directory(finding: Finding) -> str:
    return finding.span.path.rpartition("/")[0] or "."


def _shares(names: Iterable[str], rules: Mapping[str, Entry] | None = None) -> list[Share]:
    titles = {code: rule.name for code, rule in (rules or {}).items()}
    counts = Counter(names)
    return [
        Share(name, number, titles.get(name, ""))
        for name, number in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
