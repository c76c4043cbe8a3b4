"""A page for each Semgrep rule for Go, made from the rule and the file on which it is tested, and an index of all.
Rules that are tested on one file share a page."""

from __future__ import annotations

import re
import textwrap
from typing import Any, TypeAlias

import yaml

GoRule: TypeAlias = dict[str, Any]
"""A rule as it is in its file, the ``folder`` that the file is in, and the ``page`` about it."""

FILE = "descriptors"
WIDTH = 120


def rules(files: dict[str, str]) -> list[GoRule]:
    """All rules, those for an audit last. ``files``: path below ``rules`` -> text."""
    found: list[GoRule] = []
    for folder in ("go", "go-audit"):
        for rule in yaml.safe_load(files[f"{folder}/{FILE}.yaml"])["rules"]:
            has_file = f"{folder}/{FILE}/{rule['id']}.go" in files
            found.append({**rule, "folder": folder, "page": rule["id"] if has_file else found[-1]["page"]})
    return found


def pages(rules: list[GoRule], files: dict[str, str]) -> dict[str, str]:
    """Path below ``docs`` -> text."""
    alone = [rule for rule in rules if rule["page"] == rule["id"]]
    made = {f"rules/go/{path_of(rule)}": _page(rule, files) for rule in alone}
    return {**made, "rules/go/index.md": _index(rules)}


def path_of(rule: GoRule) -> str:
    """The file name of a rule's page."""
    return f"{rule['page']}.md"


def _index(rules: list[GoRule]) -> str:
    return f"""# Rules for Go

`fdlint scan` follows Go as it follows Python. [Semgrep](https://semgrep.dev) finds some defects without fdlint, those
that show in one function, with rules that are generated from fdlint's catalog:

```console
$ fdlint export-rules rules
$ semgrep scan --config rules/go --metrics=off .
```

`fdlint scan --semgrep` runs them, too, and `--semgrep-rules PATH` runs [your own](../../how-it-works.md#go).
A rule sees one function at a time: no callees, no fields, no loops ([how it works](../../how-it-works.md#go)). Each
page ends with the file on which the rule is tested. In it, `ruleid:` is right above a defect that the rule finds, and
`ok:` above correct code.

{_table([rule for rule in rules if rule["folder"] == "go"])}

`fdlint scan --audit` also runs the following rules. Their findings need a reader's judgement:

{_table([rule for rule in rules if rule["folder"] == "go-audit"])}
"""


def _table(rules: list[GoRule]) -> str:
    rows = [
        f"| [{rule['id']}]({path_of(rule)}) | {_code_link(rule)} | {rule['severity'].lower()} |"
        f" {rule['metadata']['confidence'].lower()} |"
        for rule in rules
    ]
    return "\n".join(["| rule | code | severity | confidence |", "|---|---|---|---|", *rows])


def _page(rule: GoRule, files: dict[str, str]) -> str:
    metadata, folder = rule["metadata"], rule["folder"]
    annotated = files[f"{folder}/{FILE}/{rule['id']}.go"].strip()
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
| file | `rules/{folder}/{FILE}.yaml` (`fdlint export-rules rules`) |
| runs | with `fdlint scan {"--semgrep" if folder == "go" else "--audit"}`, or in Semgrep alone |

To silence it on one line, write `//nolint:fdlint` or `// nosemgrep` at the end of the line.

## Examples

`ruleid:` is right above a defect that the rule finds, and `ok:` above correct code.

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
