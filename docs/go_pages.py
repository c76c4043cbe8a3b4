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
    return f"""# Rules for Semgrep

`fdlint scan` follows Go [as it follows Python](../../engine-objects.md#go), and needs no Semgrep.
[Semgrep](https://semgrep.dev) finds some defects without fdlint, those visible within one function, with rules that are
generated from fdlint's catalog. Use them where Semgrep runs already.

## Running the rules with Semgrep

The rules need Semgrep 1.176.1 or newer: an older one leaves them out.

```console
$ pip install 'semgrep>=1.176.1'
$ fdlint export-rules rules
$ semgrep scan --config rules/go --metrics=off .
$ semgrep scan --config rules/go-audit --metrics=off .     # findings that need manual review
$ semgrep scan --test --metrics=off rules/go               # the rules' own tests
```

The metadata of each rule has fdlint's `code` as `fdlint: FD101`, with the meaning that it has in Python. To silence a
rule on one line, write `// nosemgrep: never-closed` at its end. `fdlint scan` has
[comments of its own](../../suppressing.md#in-go); one line can have both.

## Compared with `fdlint scan`

A rule sees one function at a time: no callees, no fields, no items of a slice, and paths only where a pattern spells
them out.

| | rules in Semgrep | `fdlint scan` |
|---|---|---|
| never closed, thrown away, closed twice, inheritable | in one function | through a module's functions and fields |
| closed on one path only (FD102) | only after a wrong number of received descriptors | yes |
| lost in loops, slices and fields (FD105, FD106, FD108, FD110) | no | yes |
| closed by a helper | if its name suggests that | if it does |
| the index is closed, not the descriptor | by the name of the list | if the module acquires the descriptors |
| libraries that are not in the tree | by names such as `util.RecvMsg` | those in the catalog or the configuration |
| a parameter that is sent or wrapped, and stays open | yes | if the module passes a descriptor |
| the path that leads to the leak | no | yes |

## For every scan

Each page ends with the file on which the rule is tested. In it, `ruleid:` is right above a defect that the rule finds,
and `ok:` above correct code.

{_table([rule for rule in rules if rule["folder"] == "go"])}

## For an audit

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

[Running the rules with Semgrep](index.md#running-the-rules-with-semgrep) has the commands. To silence this one on one
line, write `// nosemgrep: {rule["id"]}` at the end of the line.

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
