"""A page for each rule, made from the docstring of its module, and an index of all."""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

from go_pages import GoRule, path_of

from fdlint.core.checks import LoadedRule, all_rules

WIDTH = 120
# Code is left as it is, and so is a link.
VERBATIM = re.compile(r"(^```.*?^```$|`[^`]+`|\[[^\]]*\]\([^)]*\))", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"\bFD\d{3}\b")
ROOT = Path(__file__).parent.parent
EXPECTED = re.compile(r"^- (FD\d{3}) \d+$", re.MULTILINE)
"""A line of a golden case's ``expect``; its code and its report are indented."""
MOST = 3  # folders of golden cases that a page names


def pages(go_rules: list[GoRule]) -> dict[str, str]:
    """Path below ``docs`` -> text."""
    cases = _cases()
    made = {f"rules/{one.rule.code}.md": _page(one, go_rules, cases[one.rule.code]) for one in all_rules()}
    return {**made, "rules/index.md": _index()}


def _index() -> str:
    lines = [
        "# Rules",
        "",
        "The codes are stable: comments, baselines and configurations can rely on them. A code means the same defect",
        "in Python and in [Go](go/index.md). An *error* is a defect. A *warning* is a defect that shows only after an",
        "exception, with an unusual number or on a second call. `fdlint explain CODE` shows these pages in a terminal.",
        "",
        "| code | name | severity | what it finds |",
        "|---|---|---|---|",
    ]
    for loaded in all_rules():
        rule = loaded.rule
        cells = (f"[{rule.code}]({rule.code}.md)", rule.name, rule.severity.value, _cell(_sentence(loaded.summary)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cases() -> defaultdict[str, Counter[str]]:
    """Code -> folder -> how many golden cases in it expect a finding of that code."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted((ROOT / "tests" / "cases").rglob("*.yml")):
        for code in set(EXPECTED.findall(path.read_text(encoding="utf-8"))):
            found[code][path.parent.relative_to(ROOT).as_posix()] += 1
    return found


def _named(cases: Counter[str]) -> str:
    """The folders with most golden cases of a rule. Their numbers would change the page with every case."""
    most = sorted(cases.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    return ", ".join(sorted(f"`{folder}`" for folder, _ in most))


def _page(loaded: LoadedRule, go_rules: list[GoRule], cases: Counter[str]) -> str:
    title, _, rest = loaded.page.partition("\n")
    kin = [rule for rule in go_rules if rule["metadata"]["fdlint"] == loaded.rule.code]
    facts = f"Severity: {loaded.rule.severity.value}."
    if kin:
        facts += " For Semgrep: " + ", ".join(f"[{rule['id']}](go/{path_of(rule)})" for rule in kin) + "."
    if cases:
        facts += f" Test cases of fdlint: {_named(cases)}."
    return f"{title}\n{_linked(rest, loaded.rule.code)}\n\n{_filled(facts)}\n"


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _linked(text: str, own: str) -> str:
    """The text with each code in its prose, but for the page's own, made a link."""
    known = {loaded.rule.code for loaded in all_rules()} - {own}
    parts = VERBATIM.split(text)
    parts[::2] = [CODE.sub(lambda m: f"[{m[0]}]({m[0]}.md)" if m[0] in known else m[0], part) for part in parts[::2]]
    return "".join(parts)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
