"""Records the data of a scan: where, at which revision, when and how it ran, and with which programs. Only some formats
need it."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.versions import installed_version, interpreter
from fdlint.languages.registry import LANGUAGES, language_of
from fdlint.version import __version__

if TYPE_CHECKING:
    from fdlint.report.findings.audited import Audited, Revision
    from fdlint.report.findings.finding import Report
    from fdlint.scan.config import Choose

WITH_SCANS = frozenset({"json", "html", "sarif"})
WITH_OWNERS = frozenset({"json", "html", "markdown"})


def with_origin(
    report: Report, forms: Collection[str], paths: Sequence[str], config_of: Choose, started: float
) -> Report:
    """Returns the report with the data of the scan, and the owners of files, if one of the requested formats shows
    them. ``paths``: those of the command line. ``started``: the time in seconds since 1970."""
    if not WITH_OWNERS.isdisjoint(forms) and report.findings:
        from fdlint.scan.files.owners import owners_of
        from fdlint.scan.top import marked_top_of

        paths_found = (one.span.path for one in report.findings)
        report = replace(report, owners=owners_of(paths_found, marked_top_of(Path.cwd())))
    if WITH_SCANS.isdisjoint(forms):
        return report
    return replace(report, scans=(_audited(report, paths, config_of, started),))


def _audited(report: Report, paths: Sequence[str], config_of: Choose, started: float) -> Audited:
    from fdlint.report.findings.audited import Audited

    configurations = {file for path in paths if (file := config_of(path).file) is not None}
    arguments = click.get_current_context().obj
    return Audited(
        directory=os.path.realpath("."),
        paths=tuple(paths),
        revisions=_revisions(paths),
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        command=arguments if isinstance(arguments, tuple) else (),
        configurations=tuple(sorted(configurations)),
        versions=tuple(_versions(report).items()),
    )


def _revisions(paths: Sequence[str]) -> tuple[Revision, ...]:
    """Returns the revisions of the repositories around the paths of the command line."""
    from fdlint.scan.git.head import revision
    from fdlint.scan.git.repository import enclosing

    directories = [path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths]
    repositories = {found: None for one in directories if (found := enclosing(one)) is not None}
    return tuple(known for one in repositories if (known := revision(one)) is not None)


def _versions(report: Report) -> dict[str, str]:
    name, version = interpreter()
    versions = {"fdlint": __version__, name: version}
    unchecked = {one.path for one in report.skipped if one.reason == language_of(one.path).not_installed}
    scanned = {language_of(path).key for path in report.scanned if path not in unchecked}
    optional = (one.parser for one in LANGUAGES if one.parser.extra and one.key in scanned)
    found = ((one.distribution, installed_version(one.distribution)) for one in optional)
    return {**versions, **{distribution: version for distribution, version in found if version is not None}}
