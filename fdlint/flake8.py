"""The flake8 plugin: returns the findings of one file at a time, in flake8's form.

flake8 finds it by its entry point (https://flake8.pycqa.org/en/stable/plugin-development/). The plugin follows the
imports of a file if it can read the project, as in ``fdlint scan``. flake8 itself selects, ignores and applies ``#
noqa``, so that its ``--disable-noqa`` works; the plugin applies ``# fdlint: ignore``.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from fdlint.core.finding import Confidence, Cost, Severity
from fdlint.report.findings.finding import Report, Summary
from fdlint.report.findings.persona import Persona, levels_of
from fdlint.report.findings.tests import Tests
from fdlint.scan.config import Choose, ConfigError, isolated, named, nearest, resolved
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_alone, scan_source
from fdlint.scan.select import checking
from fdlint.version import __version__

NOTHING_TO_SAY = Report((), (), Summary(0, 0, 0, 0.0))
OPTIONS = Options(noqa=False)
_LEVELS = {
    "persona": ([one.value for one in Persona], "What fdlint shows, in one word."),
    "min_confidence": ([one.value for one in Confidence], "How sure its findings must be."),
    "min_impact": ([one.value for one in Cost], "How much they must cost."),
    "min_severity": ([one.value for one in Severity], "How severe they must be."),
    "tests": ([one.value for one in Tests], "What it shows in test files."),
}
_STDIN = frozenset({"stdin", "-"})
_FIRST_REST, _GROWTH = 16, 1.5


class Plugin:
    """One file. flake8 creates the plugin and runs it once."""

    name = "fdlint"
    version = __version__
    _config: ClassVar[Choose] = staticmethod(nearest())
    _options: ClassVar[Options] = OPTIONS
    _scanned: ClassVar[int] = 0
    _next_rest: ClassVar[float] = _FIRST_REST

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        """flake8 runs the plugin once per file because it has the parameter ``tree``. ``lines`` are the text that
        flake8 read."""
        self._filename = filename
        self._lines = lines

    @classmethod
    def add_options(cls, manager: Any) -> None:
        """Adds fdlint's options to flake8's command line and configuration file."""
        manager.add_option(
            "--fdlint-config",
            metavar="FILE",
            default=None,
            parse_from_config=True,
            normalize_paths=True,
            help="fdlint's configuration, instead of the one nearest to each file.",
        )
        manager.add_option(
            "--fdlint-isolated",
            action="store_true",
            default=False,
            parse_from_config=True,
            help="Use no configuration of fdlint's.",
        )
        for name, (words, text) in _LEVELS.items():
            manager.add_option(
                f"--fdlint-{name.replace('_', '-')}",
                choices=words,
                default=None,
                parse_from_config=True,
                help=text,
            )

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Stores the options. Exits if the configuration is invalid."""
        if options.fdlint_isolated:
            cls._config = staticmethod(isolated)
        elif options.fdlint_config:
            cls._config = staticmethod(checking(named(options.fdlint_config)))
        else:
            cls._config = staticmethod(checking(nearest()))
        cls._options = replace(OPTIONS, levels=levels_of(*(getattr(options, f"fdlint_{name}") for name in _LEVELS)))
        try:
            cls._config(".")
        except ConfigError as error:
            raise SystemExit(f"fdlint: {error}") from None

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Yields each finding as line, column from 0, code with message, and plugin class."""
        for finding in self._report().findings:
            text = f"{finding.code} {finding.message}"
            yield finding.span.line, finding.span.column - 1, text, type(self)

    def _report(self) -> Report:
        if self._filename in _STDIN:
            return scan_source("".join(self._lines).encode(errors="replace"), self._filename, self._options)
        try:
            config = type(self)._config(self._filename)
        except ConfigError as error:
            raise SystemExit(f"fdlint: {error}") from None
        if config.excludes(resolved(self._filename)):
            return NOTHING_TO_SAY
        report = scan_alone(Path(self._filename), config, self._options)
        self._leave_to_rest()
        return report

    @classmethod
    def _leave_to_rest(cls) -> None:
        """Excludes the objects kept about files from garbage collection, which would take longer than the analysis.

        This also keeps what flake8 has in memory about the present file. So it happens at 16 files, 24, 36 and so on:
        a dozen times in a thousand files.
        """
        cls._scanned += 1
        if cls._scanned >= cls._next_rest:
            cls._next_rest *= _GROWTH
            gc.collect()
            gc.freeze()
