"""``fdlint --version`` prints the versions of everything that affects findings."""

from __future__ import annotations

import os
import platform
import re
import sys

import click

from fdlint.cli.output import emit
from fdlint.version import __version__


def say_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """Prints one line and exits; a click callback. It imports none of the parts that it names."""
    if not asked or context.resilient_parsing:
        return
    from fdlint.languages.registry import LANGUAGES

    said = [" ".join(interpreter())]
    for part in (one.parser.distribution for one in LANGUAGES):
        version = installed_version(part)
        if version is not None:
            said.append(f"{part} {version}")
    emit(f"fdlint {__version__} ({', '.join(said)})")
    context.exit()


def interpreter() -> tuple[str, str]:
    """Returns the name and the version of what runs fdlint."""
    return "Python", platform.python_version()


def installed_version(part: str) -> str | None:
    """Returns the version of a distribution, None if it is missing. It reads the name of its directory: importing
    importlib.metadata takes longer than everything else."""
    said = re.compile(rf"{part}-([^-]+)\.dist-info")
    for place in sys.path:
        try:
            names = os.listdir(place or ".")
        except OSError:  # missing, or a zip file
            continue
        found = next((match for name in names if (match := said.fullmatch(name))), None)
        if found is not None:
            return found[1]
    return None
