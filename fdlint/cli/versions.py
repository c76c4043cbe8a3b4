"""``fdlint --version``: also of what has a say in what is found."""

from __future__ import annotations

import platform

import click

from fdlint.cli.output import emit
from fdlint.version import __version__

PARTS = ("libcst", "semgrep")


def say_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """Prints one line and ends; a click callback. Nothing of what it names is imported."""
    if not asked or context.resilient_parsing:
        return
    from importlib import metadata

    said = [f"Python {platform.python_version()}"]
    for part in PARTS:
        try:
            said.append(f"{part} {metadata.version(part)}")
        except metadata.PackageNotFoundError:
            continue
    emit(f"fdlint {__version__} ({', '.join(said)})")
    context.exit()
