"""The audit report: one HTML file that needs nothing else, to hand round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fdlint.finding import Finding, Report, Severity
from fdlint.report.html.story import Story, story
from fdlint.report.printable import printable
from fdlint.report.rulebook import Entry, Rulebook
from fdlint.report.summary import silenced
from fdlint.version import __version__

_QUOTED = re.compile(r"`([^`]+)`")


class Share(NamedTuple):
    """One row of a table of totals; ``part`` is of the largest row, 0 to 100."""

    name: str
    total: int
    part: int
    title: str = ""


class Item(NamedTuple):
    """A finding and what is shown of it. ``where`` is its directory."""

    finding: Finding
    where: str
    story: Story


def render(report: Report, rules: Rulebook) -> str:
    """The document. All that comes from the code under scan is escaped."""
    environment = Environment(
        loader=PackageLoader("fdlint.report.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    environment.filters["coded"] = _coded
    findings = report.findings
    return environment.get_template("audit.html.j2").render(
        version=__version__,
        summary=report.summary,
        skipped=report.skipped,
        silenced=silenced(report),
        items=[Item(one, _directory(one), story(one, report.sources)) for one in findings],
        errors=sum(one.severity is Severity.ERROR for one in findings),
        warnings=sum(one.severity is Severity.WARNING for one in findings),
        by_code=_shares((one.code for one in findings), rules),
        by_directory=_shares(map(_directory, findings), {}),
        rules={code: rules[code] for code in sorted({one.code for one in findings} & rules.keys())},
    )


def _coded(text: str) -> Markup:
    """Escaped, and what stands between backticks as code."""
    words = [escape(word) for word in _QUOTED.split(printable(text))]
    words[1::2] = [Markup("<code>{}</code>").format(word) for word in words[1::2]]
    return Markup().join(words)


def _directory(finding: Finding) -> str:
    return finding.span.path.rpartition("/")[0] or "."


def _shares(names: Iterable[str], rules: dict[str, Entry] | Rulebook) -> list[Share]:
    counts = Counter(names)
    largest = max(counts.values(), default=1)
    return [
        Share(name, count, round(100 * count / largest), rules[name].name if name in rules else "")
        for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
