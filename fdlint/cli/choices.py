"""The options that choose rules and files. Commands that scan share them with those that explain a scan."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from fdlint.cli.codes import completed, expand
from fdlint.cli.configured import patterns
from fdlint.core.finding import Confidence, Cost, Severity
from fdlint.report.findings.persona import Persona, levels_of
from fdlint.report.findings.tests import Tests

STDIN = "-"
"""The path that stands for standard input."""
TIME_LIMIT = "FDLINT_TIMEOUT_PER_FILE"
_SECONDS = 300
Command = TypeVar("Command", bound=Callable[..., Any])


def choosing_rules(command: Command) -> Command:
    """Adds ``--select`` and ``--ignore``."""
    codes = functools.partial(click.option, multiple=True, callback=expand, shell_complete=completed, metavar="CODES")
    select = codes("--select", help="Report only these: codes, prefixes (FD1), names (never-closed), or ALL.")
    ignore = codes("--ignore", help="Do not report these. --no-suppressions: report what comments silence.")
    return select(ignore(command))


_LEVELS = {
    "persona": (Persona, "WHO", "Show findings worth a fix (regular, the default), true (pedantic), or all (auditor)."),
    "min_confidence": (Confidence, "LEVEL", "Show findings that are at least so sure: high, medium or low."),
    "min_impact": (Cost, "LEVEL", "Show findings that cost at least so much: high, medium or low."),
    "min_severity": (Severity, "LEVEL", "Show findings that are at least so severe: error or warning."),
    "tests": (Tests, "WHAT", "In test files, show all, leaks (not FD103 and FD204) or none."),
}  # fmt: skip


def judging(command: Command) -> Command:
    """Adds ``--persona`` and what refines it. The command gets ``Levels``."""

    @functools.wraps(command)
    def called(*given: Any, **rest: Any) -> Any:
        return command(*given, levels=levels_of(*(rest.pop(name) for name in _LEVELS)), **rest)

    for name, (words, metavar, text) in reversed(_LEVELS.items()):
        kind = click.Choice([one.value for one in words])
        called = click.option(f"--{name.replace('_', '-')}", metavar=metavar, type=kind, help=text)(called)
    return cast(Command, called)


def leaving_out(command: Command) -> Command:
    """Adds ``--exclude``, ``--force-exclude`` and ``--baseline``."""
    exclude = click.option(
        "--exclude",
        multiple=True,
        callback=patterns,
        metavar="PATTERNS",
        help="Skip matching files, too (as in .gitignore), unless you name them; --force-exclude: even then.",
    )
    force = click.option(
        "--force-exclude", is_flag=True, hidden=True, help="Skip excluded files even if you name them, as hooks do."
    )
    baseline = click.option("--baseline", metavar="FILE", help="Do not report the findings of this baseline.")
    return exclude(force(baseline(command)))


def time_limit() -> float | None:
    """Returns the processor seconds that a file or a package of Go may take, from the environment; None for no limit.
    Raises ``UsageError``."""
    try:
        seconds = float(os.environ.get(TIME_LIMIT) or _SECONDS)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise click.UsageError(f"{TIME_LIMIT} is not a number of seconds")
    return seconds or None


def caching(command: Command) -> Command:
    """Adds ``--cache-dir`` and ``--no-cache``."""
    directory = click.option(
        "--cache-dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="FDLINT_CACHE_DIR",
        metavar="DIR",
        hidden=True,
        help="The directory of the cache; otherwise $FDLINT_CACHE_DIR, or the user's cache directory.",
    )
    none = click.option(
        "--no-cache", is_flag=True, envvar="FDLINT_NO_CACHE", help="Ignore the cache. --cache-dir DIR moves it."
    )
    return directory(none(command))
