"""Changes tables in TOML files: ``[tool.fdlint]``, and ruff's list of foreign codes.

It adds text; the rest keeps its form and its comments. Then it parses the result, which must equal the old contents
plus the addition. Otherwise the user gets the text to add.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fdlint.cli.onboarding.change import Change, State, UnsuitableError, inserted, lines_of
from fdlint.scan.config import OWN_FILE, SHARED_FILE, ConfigError, find

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RUFF_FILES = (".ruff.toml", "ruff.toml", SHARED_FILE)
"""The files in which ruff looks for its configuration, in order."""
TOP = ".git"
"""The mark of a repository's top directory. The search for a configuration ends there."""
_OURS = ("tool", "fdlint")
_PREFIX = "FD"
_EXTERNAL = f'external = ["{_PREFIX}"]\n'
_COMMENTS = (
    "# What is in force, and where it comes from: fdlint config\n"
    '# extend-exclude = ["generated/"]\n'
    '# persona = "pedantic"\n'
    '# ignore = ["FD103"]\n'
)
_TABLE = f"[{'.'.join(_OURS)}]\n{_COMMENTS}"


class BrokenError(Exception):
    """A TOML file cannot be parsed. The message names it."""


def configuration(directory: Path) -> Change:
    """Returns the change that creates fdlint's configuration: in pyproject.toml if that exists, otherwise in
    fdlint.toml. It changes nothing if a directory above has a configuration that applies here. Raises
    ``BrokenError``."""
    if (directory / OWN_FILE).exists() or (directory / OWN_FILE).is_symlink():
        return Change(OWN_FILE, State.KEPT, "is there already")
    shared = directory / SHARED_FILE
    try:
        lines = lines_of(shared)
    except UnsuitableError as error:
        return Change(SHARED_FILE, State.BY_HAND, str(error), text=_TABLE)
    if lines is not None and _get(_parsed(lines, SHARED_FILE), _OURS) is not None:
        return Change(SHARED_FILE, State.KEPT, "has [tool.fdlint] already")
    if (above := _above(directory)) is not None:
        return Change(os.path.relpath(above, directory.resolve()), State.KEPT, "holds here already")
    if lines is None:
        return Change(OWN_FILE, State.WRITE, "new", (), (_COMMENTS,))
    return _checked(lines, with_table(lines), SHARED_FILE, _OURS, {}, "[tool.fdlint]", _TABLE)


def _above(directory: Path) -> Path | None:
    try:
        return find(directory.resolve().parent) if not (directory / TOP).exists() else None
    except ConfigError as error:
        raise BrokenError(str(error)) from None


def with_table(lines: Sequence[str]) -> list[str]:
    """Returns the lines of pyproject.toml with ``[tool.fdlint]`` at the end."""
    return _appended(lines, _TABLE)


def external(directory: Path) -> Change | None:
    """Returns the change that tells ruff that FD codes in ``noqa`` comments belong to another tool; None if the project
    has no ruff configuration. Raises ``BrokenError``."""
    for name in RUFF_FILES:
        path = ("tool", "ruff", "lint") if name == SHARED_FILE else ("lint",)
        text = f"[{'.'.join(path)}]\n{_EXTERNAL}"
        try:
            lines = lines_of(directory / name)
        except UnsuitableError as error:
            return Change(name, State.BY_HAND, str(error), text=text)
        if lines is None:
            continue
        document = _parsed(lines, name)
        if name == SHARED_FILE and _get(document, path[:-1]) is None:
            continue
        return _external(lines, document, name, path, text)
    return None


def _external(lines: Sequence[str], document: Mapping[str, Any], name: str, path: tuple[str, ...], text: str) -> Change:
    lint = _get(document, path)
    known = lint.get("external") if isinstance(lint, Mapping) else None
    if isinstance(known, list) and any(isinstance(one, str) and one and _PREFIX.startswith(one) for one in known):
        return Change(name, State.KEPT, f'has external = ["{_PREFIX}"] already')
    if known is not None:
        return Change(name, State.BY_HAND, "has lint.external already", text=f'add "{_PREFIX}" to lint.external\n')
    pattern = re.compile(r"\s*\[\s*" + r"\s*\.\s*".join(map(re.escape, path)) + r"\s*\]\s*(?:#.*)?$")
    header = next((number for number, line in enumerate(lines) if pattern.match(line)), None)
    after = _appended(lines, text) if header is None else inserted(lines, header + 1, _EXTERNAL)
    return _checked(lines, after, name, path, {"external": [_PREFIX]}, f'external = ["{_PREFIX}"] for ruff', text)


def _appended(lines: Sequence[str], text: str) -> list[str]:
    gap = "\n" if lines and lines[-1].strip() else ""
    return inserted(lines, len(lines), gap + text)


def _checked(
    before: Sequence[str],
    after: Sequence[str],
    name: str,
    path: tuple[str, ...],
    keys: Mapping[str, Any],
    what: str,
    text: str,
) -> Change:
    """Returns the change if it adds exactly these keys to a table, otherwise one with the ``text`` to add by hand."""
    table = expected = _parsed(before, name)
    try:
        for key in path:
            table = table.setdefault(key, {})
        table.update(keys)
        same = _parsed(after, name) == expected
    except (BrokenError, AttributeError):  # AttributeError: a value where a table is expected
        same = False
    if not same:
        return Change(name, State.BY_HAND, "has a form that fdlint cannot add to", text=text)
    return Change(name, State.WRITE, what, before, after)


def _parsed(lines: Sequence[str], name: str) -> dict[str, Any]:
    try:
        return tomllib.loads("".join(lines))
    except (ValueError, RecursionError) as error:
        raise BrokenError(f"{name}: {error or 'nested too deeply'}") from None


def _get(document: Any, path: Sequence[str]) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document
