"""Adds the hook to ``.pre-commit-config.yaml`` as text: the form and the comments of the file stay.

It changes only the usual form: ``repos:`` at the margin with a list below it. The new item goes to the end of the list.
With the same indentation it is correct, for any items above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from fdlint.cli.onboarding.change import Change, State, UnsuitableError, inserted, lines_of
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import LANGUAGES, MAIN
from fdlint.links import HOME
from fdlint.version import __version__

FILE = ".pre-commit-config.yaml"
_REPOS = re.compile(r"repos:[ \t]*(?:#.*)?$")
_IDS = tuple(one.hook for one in LANGUAGES)


def hook(directory: Path, languages: Iterable[LanguageDescription], *, create: bool) -> Change | None:
    """Returns the file with fdlint's hook, and those for the other languages of the project. ``create``: even if there
    is no file. None if there is no file and none is wanted."""
    hooks = list(dict.fromkeys((MAIN.hook, *(one.hook for one in languages))))
    try:
        lines = lines_of(directory / FILE)
    except UnsuitableError as error:
        return Change(FILE, State.BY_HAND, str(error), text=f"repos:\n{_entry(hooks, '  ')}")
    if lines is None:
        return Change(FILE, State.WRITE, "new", (), (f"repos:\n{_entry(hooks, '  ')}",)) if create else None
    if any(map(_is_ours, lines)):
        return Change(FILE, State.KEPT, "has a hook of fdlint already")
    place = _end_of_repos(lines)
    if place is None:
        return Change(FILE, State.BY_HAND, "has a form that fdlint cannot add to", text=_entry(hooks, "  "))
    number, indent = place
    after = inserted(lines, number, _entry(hooks, indent))
    return Change(FILE, State.WRITE, " and ".join(f"hook {one}" for one in hooks), lines, after)


def _is_ours(line: str) -> bool:
    """Whether a line names fdlint's repository or one of its hooks."""
    key, _, value = line.strip().removeprefix("-").strip().partition(":")
    value = value.partition(" #")[0].strip().strip("\"'")
    return value in _IDS if key == "id" else key == "repo" and value.removesuffix(".git").endswith("/fdlint")


def _entry(hooks: Sequence[str], indent: str) -> str:
    lines = [f"- repo: {HOME}", f"  rev: v{__version__}", "  hooks:", *(f"    - id: {one}" for one in hooks)]
    return "".join(f"{indent}{line}\n" for line in lines)


def _end_of_repos(lines: Sequence[str]) -> tuple[int, str] | None:
    """Returns the number of the line after the last item, and the indentation of the items; None for an unusual
    form."""
    starts = [number for number, line in enumerate(lines) if line.startswith("repos:")]
    if len(starts) != 1 or not _REPOS.match(lines[starts[0]].rstrip("\r\n")):
        return None
    if any("\t" in line or line.startswith(("---", "...", "%")) for line in lines[starts[0] :]):
        return None
    item = next((line for line in lines[starts[0] + 1 :] if line.lstrip(" ").startswith("- ")), None)
    if item is None:
        return None
    indent = item[: len(item) - len(item.lstrip(" "))]
    last = starts[0]
    for number in range(starts[0] + 1, len(lines)):
        line = lines[number]
        if line.strip() and line.startswith((f"{indent}-", f"{indent}  ")):
            last = number  # also after a comment, which may be text of a block
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return last + 1, indent
