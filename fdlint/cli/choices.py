"""The options that choose rules and files. Commands that scan share them with those that explain a scan."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from fdlint.cli.codes import completed, expand
from fdlint.cli.configured import patterns
from fdlint.core.finding import Confidence
from fdlint.languages.registry import PACKAGED
from fdlint.report.findings.tests import Tests

if TYPE_CHECKING:
    from fdlint.scan.options import Options

STDIN = "-"
"""The path that stands for standard input."""
Command = TypeVar("Command", bound=Callable[..., Any])


def choosing_rules(command: Command) -> Command:
    """Adds ``--select``, ``--extend-select`` and ``--ignore``."""
    select = click.option(
        "--select",
        multiple=True,
        callback=expand,
        shell_complete=completed,
        metavar="CODES",
        help="Report these rules only: codes, prefixes of codes (FD1), names (never-closed), or ALL.",
    )
    extend = click.option(
        "--extend-select",
        multiple=True,
        callback=expand,
        shell_complete=completed,
        metavar="CODES",
        help="Report these rules as well.",
    )
    ignore = click.option(
        "--ignore",
        multiple=True,
        callback=expand,
        shell_complete=completed,
        metavar="CODES",
        help="Do not report these rules.",
    )
    return select(extend(ignore(command)))


@dataclass(frozen=True, slots=True)
class Levels:
    """The values of ``--confidence`` and ``--tests``; None if they are not given."""

    confidence: Confidence | None
    tests: Tests | None

    def over(self, options: Options) -> Options:
        """Returns the options with these values."""
        return replace(options, confidence=self.confidence, tests=self.tests)


def judging(command: Command) -> Command:
    """Adds ``--confidence`` and ``--tests``. The command gets ``Levels``."""

    @functools.wraps(command)
    def called(*given: Any, confidence: str | None, tests: str | None, **rest: Any) -> Any:
        level = Confidence(confidence) if confidence is not None else None
        return command(*given, levels=Levels(level, Tests(tests) if tests is not None else None), **rest)

    level = click.option(
        "--confidence",
        type=click.Choice([one.value for one in Confidence]),
        help="Report no finding with less confidence; otherwise as configured, or medium.",
    )
    kind = click.option(
        "--tests",
        type=click.Choice([one.value for one in Tests]),
        help="Report all findings in test files, only leaks (all but FD103 and FD204), or none; otherwise as "
        "configured, or leaks.",
    )
    return level(kind(cast(Command, called)))


def leaving_out(command: Command) -> Command:
    """Adds ``--exclude``, ``--extend-exclude``, ``--force-exclude`` and ``--baseline``."""
    exclude = click.option(
        "--exclude",
        multiple=True,
        callback=patterns,
        metavar="PATTERNS",
        help="Skip matching files (patterns as in .gitignore) instead of the usual ones (caches, installed packages).",
    )
    extend = click.option(
        "--extend-exclude", multiple=True, callback=patterns, metavar="PATTERNS", help="Skip matching files as well."
    )
    force = click.option("--force-exclude", is_flag=True, help="Skip excluded files even if you name them.")
    baseline = click.option("--baseline", metavar="FILE", help="Do not report the findings of this baseline.")
    return exclude(extend(force(baseline(command))))


def limiting(command: Command) -> Command:
    """Adds ``--timeout-per-file``. The command gets seconds, or None for no limit."""

    def or_none(_context: click.Context, _parameter: click.Parameter, seconds: float) -> float | None:
        return seconds or None

    return click.option(
        "--timeout-per-file",
        "seconds",
        type=click.FloatRange(min=0),
        default=300,
        callback=or_none,
        envvar="FDLINT_TIMEOUT_PER_FILE",
        show_default=True,
        show_envvar=True,
        metavar="SECONDS",
        help=f"Give up a file, or a package of {PACKAGED}, that takes longer. 0: no limit.",
    )(command)


def caching(command: Command) -> Command:
    """Adds ``--cache-dir`` and ``--no-cache``."""
    directory = click.option(
        "--cache-dir",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="FDLINT_CACHE_DIR",
        show_default="the user's cache directory",
        show_envvar=True,
        metavar="DIR",
        help="The directory of the cache.",
    )
    none = click.option("--no-cache", is_flag=True, envvar="FDLINT_NO_CACHE", help="Ignore the cache.")
    return directory(none(command))
