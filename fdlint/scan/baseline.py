"""A baseline: findings that a project accepts for now, identified by their fingerprints.

A fingerprint depends on the path as seen from the working directory of the scan. So a baseline stores that directory
(``root``, relative to its own file), and the comparison uses paths from there.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fdlint.core.finding import Finding, fingerprint_of
from fdlint.report.findings.pairing import paired
from fdlint.scan.config import ConfigError, resolved
from fdlint.scan.reading import intake

VERSION = 1


class BaselineError(ConfigError):
    """The baseline cannot be read. The message names the file."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One finding. Everything except the fingerprint is for the reader."""

    path: str
    code: str
    function: str
    message: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """``root``: the directory that the paths are relative to, absolute and resolved."""

    root: str
    entries: tuple[Entry, ...] = ()


def entry(finding: Finding, root: str) -> Entry:
    """Returns the entry of a finding, as seen from a directory."""
    path = os.path.relpath(resolved(finding.span.path), root).replace(os.sep, "/")
    return Entry(path, finding.code, finding.function or "", finding.message, fingerprint_of(path, finding.likeness))


def unknown(findings: Sequence[Finding], baseline: Baseline) -> tuple[Finding, ...]:
    """Returns the findings that are not in a baseline. An entry stands for one finding."""
    known = (one.fingerprint for one in baseline.entries)
    return paired(findings, lambda one: entry(one, baseline.root).fingerprint, known)[1]


def found_again(findings: Sequence[Finding], baseline: Baseline) -> tuple[Entry, ...]:
    """Returns the entries that still have a finding."""
    now = (entry(finding, baseline.root).fingerprint for finding in findings)
    return paired(baseline.entries, lambda one: one.fingerprint, now)[0]


def read(file: str) -> Baseline:
    """Reads a baseline. Raises ``BaselineError``."""
    try:
        status = os.stat(file)
    except OSError as error:
        raise BaselineError(f"{file}: no such baseline: {error.strerror}; see `fdlint baseline -h`") from None
    return _read(file, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _read(file: str, _changed: int, _size: int) -> Baseline:
    try:
        document = json.loads(intake.read(file, intake.BASELINE))
    except OSError as error:
        raise BaselineError(f"{file}: {intake.why(error)}") from None
    except RecursionError:
        raise BaselineError(f"{file}: is not a baseline: nested too deeply") from None
    except ValueError as error:
        raise BaselineError(f"{file}: is not a baseline: {error}") from None
    if not isinstance(document, Mapping) or document.get("version") != VERSION:
        raise BaselineError(f"{file}: is not a baseline of version {VERSION}")
    root, found = document.get("root"), document.get("findings")
    if not isinstance(root, str) or not isinstance(found, list):
        raise BaselineError(f"{file}: is not a baseline: `root` and `findings` are missing")
    base = os.path.realpath(os.path.join(os.path.dirname(file), root))
    return Baseline(base, tuple(_entry(one, file) for one in found))


def _entry(raw: object, file: str) -> Entry:
    keys = ("path", "code", "function", "message", "fingerprint")
    if not isinstance(raw, Mapping) or not all(isinstance(raw.get(key), str) for key in keys):
        raise BaselineError(f"{file}: is not a baseline: a finding needs {', '.join(keys)}, not {raw!r}")
    return Entry(*(raw[key] for key in keys))


def render(baseline: Baseline, file: str) -> str:
    """Returns the text of a baseline for the place ``file``, sorted so that its changes are easy to read."""
    root = os.path.relpath(baseline.root, os.path.dirname(resolved(file))).replace(os.sep, "/")
    document: dict[str, Any] = {"version": VERSION, "root": root, "findings": _documents(baseline.entries)}
    return json.dumps(document, indent=2) + "\n"


def _documents(entries: Iterable[Entry]) -> list[dict[str, str]]:
    return [
        {
            "path": one.path,
            "code": one.code,
            "function": one.function,
            "message": one.message,
            "fingerprint": one.fingerprint,
        }
        for one in sorted(entries)
    ]
