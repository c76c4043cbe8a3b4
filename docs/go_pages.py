"""A page for each Semgrep rule for Go, made from the rule and the file on which it is tested, and an index of all."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any, TypeAlias

import yaml

GoRule: TypeAlias = dict[str, Any]
"""A rule as it is in its file, and the ``folder`` that the file is in."""

RULES = Path(__file__).parent.parent / "rules"
WIDTH = 120


def rules() -> list[GoRule]:
    """All rules, those for an audit last."""
    found = []
    for folder in ("go", "go-audit"):
        for path in sorted((RULES / folder).glob("*.yaml")):
            for rule in yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]:
                found.append({**rule, "folder": folder})
    return found


def pages(rules: list[GoRule]) -> dict[str, str]:
    """Path below ``docs`` -> text."""
    made = {f"rules/go/{path_of(rule)}": _page(rule) for rule in rules}
    return {**made, "rules/go/index.md": _index(rules)}


def path_of(rule: GoRule) -> str:
    """The file name of a rule's page."""
    return f"{rule['id']}.md"


def _index(rules: list[GoRule]) -> str:
    return f"""# Rules for Go

fdlint checks Go files with [Semgrep](https://semgrep.dev) rules, under the same codes as Python. `fdlint scan` runs
them if Semgrep is installed (`pip install 'fdlint[go]'`). They also work without fdlint:

```console
$ fdlint export-rules rules
$ semgrep scan --config rules/go --metrics=off .
```

A rule sees one function at a time: no callees, no fields, no loops ([how it works](../../how-it-works.md#go)). Each
page ends with the file on which the rule is tested. In it, `ruleid:` is right above a defect that the rule finds,
`ok:` above correct code, `todoruleid:` above a defect that it misses, and `todook:` above a false alarm.

{_table([rule for rule in rules if rule["folder"] == "go"])}

`--audit` also runs the following rules. Their findings need a reader's judgement:

{_table([rule for rule in rules if rule["folder"] == "go-audit"])}
"""


def _table(rules: list[GoRule]) -> str:
    rows = [
        f"| [{rule['id']}]({path_of(rule)}) | {_code_link(rule)} | {rule['severity'].lower()} |"
        f" {rule['metadata']['confidence'].lower()} |"
        for rule in rules
    ]
    return "\n".join(["| rule | code | severity | confidence |", "|---|---|---|---|", *rows])


def _page(rule: GoRule) -> str:
    metadata, folder = rule["metadata"], rule["folder"]
    annotated = (RULES / folder / f"{rule['id']}.go").read_text(encoding="utf-8").strip()
    message = _sentence(" ".join(rule["message"].split()))
    placeholders = sorted(set(re.findall(r"\$[A-Z]+", message)))
    meaning = ""
    if placeholders:
        named = ", ".join(f"`{name}`" for name in placeholders)
        meaning = f"\n\nIn a finding, the code that matched replaces {named}."
    cwe, _, weakness = metadata["cwe"].partition(": ")
    number = cwe.removeprefix("CWE-")
    return f"""# {rule["id"]} ({metadata["fdlint"]}, Go)

{_filled(message)}{meaning}

| property | value |
|---|---|
| code | {_code_link(rule)} {metadata["name"]} |
| severity | {rule["severity"].lower()} |
| confidence | {metadata["confidence"].lower()} |
| weakness | [{cwe}](https://cwe.mitre.org/data/definitions/{number}.html): {weakness} |
| runs | {"always" if folder == "go" else "with `--audit` only"} |

To run this rule alone, in a directory with the exported rules (`fdlint export-rules rules`):

```console
$ semgrep scan --config rules/{folder}/{rule["id"]}.yaml --metrics=off .
```

To silence it on one line, write `//nolint:fdlint` or `// nosemgrep` at the end of the line.

## Examples

`ruleid:` is right above a defect that the rule finds, `ok:` above correct code, `todoruleid:` above a defect that it
misses, and `todook:` above a false alarm.

```go
{annotated}
```
"""


def _code_link(rule: GoRule) -> str:
    code = rule["metadata"]["fdlint"]
    return f"[{code}](../{code}.md)"


def _sentence(message: str) -> str:
    """A message with a capital letter and a full stop."""
    return f"{message[0].upper()}{message[1:]}{'' if message.endswith('.') else '.'}"


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
