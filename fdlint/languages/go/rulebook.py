"""Finds the Semgrep rules, and copies them for use without fdlint."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from fdlint.scan.reading import intake

RULES, EXAMPLES = "go", "descriptors"
_RULE = re.compile(rb"^- id: ", re.MULTILINE)
_PACKAGE = Path(__file__).parents[2]
_PLACES = (_PACKAGE / "rules", _PACKAGE.parent / "rules")  # in an installed wheel; in a checkout


def directory() -> Path:
    """Returns the directory of the sets of rules. Raises ``FileNotFoundError`` if fdlint is not installed
    completely."""
    for place in _PLACES:
        if (place / RULES).is_dir():
            return place
    raise FileNotFoundError(f"the Semgrep rules are missing beside {_PACKAGE}")


def files() -> Iterator[Path]:
    """Yields every rule and the annotated Go files beside them, relative to ``directory()``."""
    top = directory()
    for path in sorted(top.rglob("*")):
        if path.is_file() and path.suffix in (".yaml", ".go", ".md"):
            yield path.relative_to(top)


def good(name: str) -> str:
    """Returns the first function in a rule's examples that it does not report; empty if there is none."""
    try:
        text = (intake.content(directory() / RULES / EXAMPLES / f"{name}.go", intake.SOURCE) or b"").decode()
    except FileNotFoundError:
        return ""
    _, *functions = re.split(r"^(?=func )", text, flags=re.MULTILINE)
    found = next((one for one in functions if "// ok:" in one and "ruleid:" not in one), "")
    return re.sub(r"^\s*// ok:.*\n", "", found, flags=re.MULTILINE).strip("\n")


def export(target: Path) -> int:
    """Copies the rules into a directory, and creates it if necessary. Returns the number of rules."""
    number = 0
    for path in files():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(directory() / path, target / path)
        if path.suffix == ".yaml":
            number += len(_RULE.findall(intake.content(directory() / path, intake.SOURCE) or b""))
    return number
