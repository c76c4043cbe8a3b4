"""# FD900 unused-suppression

## What it does
Finds comments that silence a rule where that rule finds nothing: `# fdlint: ignore[FD101]`, `# fdlint: ignore`,
`# noqa: FD101`. It also reports a comment that names a rule that does not exist, or that asks for something that fdlint
does not know. Which other rules are selected does not matter: `--fix --select FD900` removes all unused comments.

## Why is this bad?
An unused suppression silences the next defect on that line, which nobody has looked at. It also makes readers look for
a problem in correct code.

## Bad
```python
import os


def touch(path: str) -> None:
    fd = os.open(path, os.O_CREAT | os.O_WRONLY)  # fdlint: ignore[FD101] closed below
    os.close(fd)
```

## Good
```python
import os


def touch(path: str) -> None:
    fd = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.close(fd)


def reserve(path: str) -> None:
    os.open(path, os.O_CREAT | os.O_WRONLY)  # fdlint: ignore[FD107] held until the process ends
```

## What to do
Remove the comment. `fdlint scan --fix` does so in Python files, and keeps the reason that the comment gives;
`--diff` prints the changes as a diff. A comment with an unknown request may be misspelled, so `--fix` does not
remove it. To keep unused suppressions, ignore this rule.

## What it does not report
A `# noqa` without codes, or with codes of other tools, may be for another tool. Comments are not reported in a file
that was not fully analysed, and not for a rule that is off.

## References
- [ruff RUF100](https://docs.astral.sh/ruff/rules/unused-noqa/), the same for its own comments
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.finding import Severity, Unused

RULE = Rule(
    "FD900", "unused-suppression", Severity.WARNING, rank=99, about=Unused,
    defect="A suppression comment silences nothing", precision="very-high", cwe=None,
)  # fmt: skip


def check(unused: Unused) -> Verdict:
    """Holds for every such comment."""
    return Verdict(
        (), f"{unused.why}: remove this from the comment" if unused.keeps else f"{unused.why}: remove the comment"
    )
