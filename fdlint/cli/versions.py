"""``fdlint --version``: also of what has a say in what is found."""

from __future__ import annotations

import os
import platform
import re
import sys

import click

from fdlint.cli.output import emit
from fdlint.version import __version__

PARTS = ("libcst", "semgrep")


def say_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """Prints one line and ends; a click callback. Nothing of what it names is imported."""
    if not asked or context.resilient_parsing:
        return
    said = [f"Python {platform.python_version()}"]
    for part in PARTS:
        version = installed_version(part)
        if version is not None:
            said.append(f"{part} {version}")
    emit(f"fdlint {__version__} ({', '.join(said)})")
    context.exit()


def installed_version(part: str) -> str | None:
    """The version of a distribution, None if it is not there. The name of its directory tells it: importlib.metadata
    takes longer to import than all the rest."""
    said = re.compile(rf"{part}-([^-]+)\.dist-info")
    for place in sys.path:
        try:
            names = os.listdir(place or ".")
        except OSError:  # not there, or a zip file
            continue
        found = next((match for name in names if (match := said.fullmatch(name))), None)
        if found is not None:
            return found[1]
    return None
