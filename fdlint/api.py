"""fdlint as a library: the functions of ``fdlint scan`` without its command line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from fdlint.report.findings.finding import Report
from fdlint.report.findings.persona import Levels, levels_of
from fdlint.scan.config import UNCONFIGURED, Choose, Config, named, nearest
from fdlint.scan.config import isolated as isolated_config
from fdlint.scan.files.discover import discover
from fdlint.scan.files.shard import WHOLE
from fdlint.scan.files.shard import parse as parse_shard
from fdlint.scan.options import Options
from fdlint.scan.scan import scan as scan_files
from fdlint.scan.scan import scan_source as scan_one
from fdlint.scan.select import checked, checking, codes
from fdlint.scan.selection import with_discovery

__all__ = ["scan_paths", "scan_source"]


def scan_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    persona: str | None = None,
    min_confidence: str | None = None,
    min_impact: str | None = None,
    min_severity: str | None = None,
    tests: str | None = None,
    suppressions: bool = True,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    baseline: str | os.PathLike[str] | None = None,
    jobs: int = 0,
    shard: str | None = None,
) -> Report:
    """Scans files and directories.

    ``select`` and ``ignore`` are codes, prefixes of codes or names, as on the command line.
    ``persona`` (``"regular"``, ``"pedantic"`` or ``"auditor"``) chooses the findings that are reported; None means
    as configured. ``min_confidence`` and ``min_impact`` (``"high"``, ``"medium"`` or ``"low"``), ``min_severity``
    (``"error"`` or ``"warning"``) and ``tests`` (``"all"``, ``"leaks"`` or ``"none"``) refine it;
    ``Report.hidden`` counts what is left out. With ``suppressions`` False, comments silence nothing. ``config`` is the
    configuration file for all paths; without it each path has the nearest one. ``isolated`` ignores all configurations,
    and .gitignore hides no code either. ``baseline`` is a file with findings to leave out, instead of the one that the
    configuration names. ``jobs`` is the number of processes, 0 for one per core. ``shard``, such as
    ``"1/4"``, reports only that part of the files.

    Returns a report. Its findings are sorted by place; its paths are relative to the working directory.
    ``Report.skipped`` lists the files that cannot be read or parsed. Raises
    ``fdlint.scan.files.discover.MissingPathError`` for a path that does not exist, ``fdlint.scan.config.ConfigError``
    for an invalid configuration, and ``ValueError`` for an invalid shard, level or word, or an unknown rule.
    """
    part = parse_shard(shard) if shard is not None else WHOLE
    options = _options(select, ignore, levels_of(persona, min_confidence, min_impact, min_severity, tests))
    options = replace(options, jobs=jobs, shard=part, suppressions=suppressions)
    config_of = checking(_choose(config, isolated))
    if baseline is not None:
        config_of = _with_baseline(config_of, os.fspath(baseline))
    found = discover([os.fspath(path) for path in paths], config_of)
    return with_discovery(scan_files(found.files, options), found, part)


def scan_source(
    source: str | bytes,
    filename: str = "<string>",
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    persona: str | None = None,
    min_confidence: str | None = None,
    min_impact: str | None = None,
    min_severity: str | None = None,
    tests: str | None = None,
    config: str | os.PathLike[str] | None = None,
) -> Report:
    """Scans the source code of one module alone, without the modules that it imports.

    ``filename`` is its name in the report. Without ``config`` the defaults apply. Raises
    ``fdlint.scan.config.ConfigError``, and ``ValueError`` for an unknown rule, level or word.
    """
    data = source.encode(errors="surrogatepass") if isinstance(source, str) else source
    chosen: Config = checked(named(os.fspath(config))(filename)) if config is not None else UNCONFIGURED
    levels = levels_of(persona, min_confidence, min_impact, min_severity, tests)
    return scan_one(data, filename, _options(select, ignore, levels), chosen)


def _options(select: Iterable[str], ignore: Iterable[str], levels: Levels) -> Options:
    return Options(codes(select, "select"), codes(ignore, "ignore"), levels=levels)


def _with_baseline(config_of: Choose, file: str) -> Choose:
    return lambda path: config_of(path).overridden("baseline", file)


def _choose(config: str | os.PathLike[str] | None, isolated: bool) -> Choose:
    if isolated:
        return isolated_config
    return named(os.fspath(config)) if config is not None else nearest()
