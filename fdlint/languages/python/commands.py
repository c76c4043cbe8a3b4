"""The programs that a Python project declares: in pyproject.toml, setup.cfg and setup.py, which are only read."""

from __future__ import annotations

import ast
import configparser
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fdlint.languages.index.facts import dotted_name
from fdlint.languages.index.outline import parsed
from fdlint.scan.reading import intake

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MAX_BYTES = 1_000_000  # a larger file declares no programs
_SCRIPT = re.compile(r"^\s*([^\s=]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)")
_GROUPS = ("console_scripts", "gui_scripts")


def commands(top: Path) -> Mapping[str, str]:
    """Returns the declared programs of the project in a directory: the name of each by the full name of its function.
    A file that is no valid declaration declares none."""
    found: dict[str, str] = {}
    for name, read in (("pyproject.toml", _pyproject), ("setup.cfg", _setup_cfg), ("setup.py", _setup_py)):
        try:
            data = intake.read(top / name, intake.SOURCE)
            if len(data) <= _MAX_BYTES:
                found.update((function, command) for command, function in read(data))
        except (OSError, ValueError, configparser.Error, RecursionError, MemoryError):
            continue
    return found


@lru_cache(maxsize=1)  # an editor asks for those of one project after each edit
def _pyproject(data: bytes) -> tuple[tuple[str, str], ...]:
    return tuple(_of_pyproject(data))


def _of_pyproject(data: bytes) -> Iterator[tuple[str, str]]:
    document = tomllib.loads(data.decode())
    project = _table(document, "project")
    tool = _table(document, "tool")
    poetry, flit = _table(tool, "poetry"), _table(tool, "flit")
    tables = [
        _table(project, "scripts"),
        _table(project, "gui-scripts"),
        _table(poetry, "scripts"),
        _table(flit, "scripts"),
    ]
    tables += [_table(_table(project, "entry-points"), group) for group in _GROUPS]
    for table in tables:
        for command, target in table.items():
            if isinstance(target, str):
                yield from _script(f"{command} = {target}")


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _setup_cfg(data: bytes) -> Iterator[tuple[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(data.decode())
    for group in _GROUPS:
        if parser.has_option("options.entry_points", group):
            for line in parser.get("options.entry_points", group).split("\n"):
                yield from _script(line)


def _setup_py(data: bytes) -> Iterator[tuple[str, str]]:
    """Yields what strings in a call of ``setup`` declare, in whatever list they stand."""
    found = parsed(data)
    for node in ast.walk(found[2]) if found is not None else ():
        if isinstance(node, ast.keyword) and node.arg == "entry_points":
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    for line in one.value.split("\n"):
                        yield from _script(line)
        elif isinstance(node, ast.Assign) and any("entry_points" in (dotted_name(one) or "") for one in node.targets):
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield from _script(one.value)


def _script(line: str) -> Iterator[tuple[str, str]]:
    found = _SCRIPT.match(line)
    if found is not None:
        command, module, function = found.groups()
        yield command, f"{module}.{function}"
