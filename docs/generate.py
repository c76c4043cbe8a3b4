"""Writes ``docs/rules/``: a page a rule out of its docstring, one about the rules for Go, and an index.

python docs/generate.py            # write what has changed
python docs/generate.py --check    # say what would change; exit status 1 if anything would
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from fdlint.checks import LoadedRule, all_rules

GoRule: TypeAlias = dict[str, Any]
"""One as it stands in its file, and the ``folder`` that the file is in."""

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "rules"
WIDTH = 120
# What is code is left as it is, and so is what is a link already.
VERBATIM = re.compile(r"(^```.*?^```$|`[^`]+`|\[[^\]]*\]\([^)]*\))", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"\bFD\d{3}\b")


def main(arguments: list[str]) -> int:
    """Write the pages, or check them."""
    wanted = pages()
    here = {path.name: path.read_text(encoding="utf-8") for path in TARGET.glob("*.md")}
    changed = sorted(name for name in wanted.keys() | here.keys() if wanted.get(name) != here.get(name))
    for name in changed:
        print(f"docs/rules/{name}")
    if "--check" in arguments:
        return 1 if changed else 0
    TARGET.mkdir(exist_ok=True)
    for name in changed:
        if name in wanted:
            (TARGET / name).write_text(wanted[name], encoding="utf-8")
        else:
            (TARGET / name).unlink()
    return 0


def pages() -> dict[str, str]:
    """File name -> text, of every page."""
    sure, audit = _go_rules("go"), _go_rules("go-audit")
    made = {f"{loaded.rule.code}.md": _rule_page(loaded, [*sure, *audit]) for loaded in all_rules()}
    return {**made, "go.md": _go_page(sure, audit), "index.md": _index()}


def _index() -> str:
    lines = [
        "# Rules",
        "",
        "The codes are stable: comments, baselines and configurations can rely on them. The same code means the same",
        "defect in Python and in [Go](go.md). An *error* is a defect; a *warning* is one that takes an exception, an",
        "unusual number or a second call to show. `fdlint explain CODE` shows the same pages in a terminal.",
        "",
        "| code | name | severity | what it finds |",
        "|---|---|---|---|",
    ]
    for loaded in all_rules():
        rule = loaded.rule
        cells = (f"[{rule.code}]({rule.code}.md)", rule.name, rule.severity.value, _cell(_sentence(loaded.summary)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _rule_page(loaded: LoadedRule, go_rules: list[GoRule]) -> str:
    title, _, rest = loaded.page.partition("\n")
    kin = [rule for rule in go_rules if rule["metadata"]["fdlint"] == loaded.rule.code]
    facts = f"Severity: {loaded.rule.severity.value}."
    if kin:
        facts += " For Go: " + ", ".join(f"[{rule['id']}](go.md#{rule['id']})" for rule in kin) + "."
    return f"{title}\n\n{_filled(facts)}\n{_linked(rest, loaded.rule.code)}\n"


def _go_page(sure: list[GoRule], audit: list[GoRule]) -> str:
    intro = f"""# Rules for Go

[Semgrep](https://semgrep.dev) rules, which `fdlint scan` runs over Go files and which `fdlint export-rules DIR` writes
for use without fdlint. They see one function at a time: [how they work](../how-it-works.md#go). Under each rule stands
the file on which it is tested: `ruleid:` is right above what it finds, `ok:` above correct code, `todoruleid:` above
what it cannot see, and `todook:` above what it gets wrong.

`$NAME` in a sentence stands for what the rule has found there.

{_go_table(sure)}

With `--audit` these are run, too. What they find needs a reader's judgement:

{_go_table(audit)}
"""
    return intro + "".join(f"\n{_go_section(rule)}" for rule in [*sure, *audit])


def _go_table(rules: list[GoRule]) -> str:
    rows = [
        f"| [{rule['id']}](#{rule['id']}) | {_code_link(rule)} | {rule['severity'].lower()} |"
        f" {rule['metadata']['confidence'].lower()} |"
        for rule in rules
    ]
    return "\n".join(["| rule | code | severity | confidence |", "|---|---|---|---|", *rows])


def _go_section(rule: GoRule) -> str:
    metadata = rule["metadata"]
    annotated = (ROOT / "rules" / rule["folder"] / f"{rule['id']}.go").read_text(encoding="utf-8").strip()
    return f"""## {rule["id"]}

{_filled(f"{_code_link(rule)} {metadata['name']}. {rule['message']}")}

```go
{annotated}
```
"""


def _go_rules(folder: str) -> list[GoRule]:
    found = []
    for path in sorted((ROOT / "rules" / folder).glob("*.yaml")):
        for rule in yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]:
            found.append({**rule, "folder": folder})
    return found


def _code_link(rule: GoRule) -> str:
    code = rule["metadata"]["fdlint"]
    return f"[{code}]({code}.md)"


def _linked(text: str, own: str) -> str:
    """The text with each code in its prose, but for the page's own, made a link."""
    known = {loaded.rule.code for loaded in all_rules()} - {own}
    parts = VERBATIM.split(text)
    parts[::2] = [CODE.sub(lambda m: f"[{m[0]}]({m[0]}.md)" if m[0] in known else m[0], part) for part in parts[::2]]
    return "".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
