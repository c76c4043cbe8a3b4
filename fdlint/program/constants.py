"""Finds the constants of a module: names in capitals that it binds to a number or None. Searches the text and parses
nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from fdlint.core.ir import Constant, LoweredModule, ModuleNames
from fdlint.languages.index.imports import absolute
from fdlint.scan.reading import intake

_NAME = re.compile(rb"^([A-Z][A-Z0-9_]+) *=([^#\n]*)", re.MULTILINE)
_VALUE = re.compile(rb"None|-?\d{1,9}")


def import_constants(
    lowered: LoweredModule, names: ModuleNames, package: str, of: Callable[[str], Mapping[str, Constant]]
) -> None:
    """Adds the values of imported constants to a lowered file. ``names``: its resolved names. ``package``: its package.
    ``of``: returns the constants of a module."""
    for name, dotted in names.imports.items():
        if lowered.language.is_constant(name):
            module, _, member = absolute(dotted, package).rpartition(".")
            found = of(module) if module else {}
            if member in found:
                lowered.constants[name] = found[member]
    for star in names.stars:
        module = absolute(star, package)
        for name, value in of(module).items() if module else ():
            lowered.constants.setdefault(name, value)


def constants_in(path: Path) -> dict[str, Constant]:
    """Returns the names in capitals that the module in a file binds once, to None or a number."""
    try:
        return constants_of(intake.read(path, intake.DEPENDENCY))
    except OSError:
        return {}


def constants_of(data: bytes) -> dict[str, Constant]:
    """Returns the names in capitals that a module binds once, to None or a number, according to its text."""
    found = [(name, value.strip(b" \r")) for name, value in _NAME.findall(data)]
    bound = Counter(name for name, _ in found)
    return {
        name.decode(): None if value == b"None" else int(value)
        for name, value in found
        if bound[name] == 1 and _VALUE.fullmatch(value)
    }
