"""Reads which repositories a fleet has: from a TOML file, a directory of checkouts, or lines of text.

The manifest is trusted: it names addresses, places on this machine and options. The names of checkouts in a directory
are not, so they only become text.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from fdlint.report.documents import sound
from fdlint.report.findings.persona import levels_of
from fdlint.report.printable import printable
from fdlint.scan.git.fetch import HEAD, is_ref
from fdlint.scan.git.head import public
from fdlint.scan.reading import intake
from fdlint.scan.select import codes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST = 20_000
"""The most repositories of a fleet."""
_ADDRESS = re.compile(r"(?:https?|ssh|git|file)://[^\s\0]+|[\w.-]+@[\w.-]+:[^\s\0]+")
_DEPTH = 3  # directories between a directory of checkouts and one of them
_LEVELS = ("persona", "min_confidence", "min_impact", "min_severity", "tests")


class ManifestError(Exception):
    """The manifest is wrong. The message says where, and what."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of one repository; ``isolated``: its own configuration does not count."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    persona: str | None = None
    min_confidence: str | None = None
    min_impact: str | None = None
    min_severity: str | None = None
    tests: str | None = None
    isolated: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """One repository of the manifest: an address of git (``url``) or a ``path`` on this machine, and the ``ref`` to
    scan. ``owner``: who gets the findings in files that the repository gives to nobody."""

    name: str
    url: str | None = None
    path: str | None = None
    ref: str = HEAD
    owner: str = ""
    choice: Choice = field(default_factory=Choice)

    @property
    def source(self) -> str:
        """The address or the path."""
        return self.url or self.path or ""

    @property
    def shown(self) -> str:
        """The same for a report: without credentials."""
        return public(self.url) or self.name if self.url is not None else self.source


def read(place: str, lines: Iterable[str] = ()) -> tuple[Listed, ...]:
    """Returns the repositories that a TOML file or a directory names; for ``-``, those of ``lines``, one a line:
    SOURCE, then any of NAME=…, OWNER=…, REF=…. Raises ``ManifestError``."""
    if place == "-":
        found = [_of_line(number, line) for number, line in enumerate(lines, 1) if line.split("#")[0].strip()]
    elif os.path.isdir(place):
        found = [Listed(_name_of(path, place), path=path) for path in _checkouts(place)]
    else:
        found = list(_of_toml(Path(place)))
    if not found:
        raise ManifestError(f"{place}: it names no repository")
    if len(found) > MOST:
        raise ManifestError(f"{place}: {len(found):,} repositories; the limit is {MOST:,}")
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise ManifestError(f"{place}: two repositories are called {twice!r}")
    return tuple(found)


def _of_toml(file: Path) -> Iterator[Listed]:
    try:
        document = tomllib.loads(intake.read(file, intake.CONFIGURATION * 10).decode("utf-8"))
    except OSError as error:
        raise ManifestError(f"{file}: {intake.why(error)}") from None
    except ValueError as error:
        raise ManifestError(f"{file}: it is not TOML: {error}") from None
    rest = document.keys() - {"defaults", "repository"}
    if rest:
        raise ManifestError(f"{file}: there is no key {min(rest)!r}: write [[repository]], and [defaults]")
    defaults, tables = document.get("defaults", {}), document.get("repository", [])
    if not isinstance(defaults, dict) or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise ManifestError(f"{file}: write [[repository]] for each repository, and one [defaults]")
    for number, table in enumerate(tables, 1):
        where = f"{file}: repository {number}"
        if isinstance(table.get("name"), str):
            where = f"{where} ({printable(table['name'])})"
        yield _listed({**defaults, **table}, where, file.parent)


def _of_line(number: int, line: str) -> Listed:
    source, *words = line.split("#", maxsplit=1)[0].split()
    table: dict[str, Any] = {"url" if _ADDRESS.fullmatch(source) else "path": source}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key.lower() not in ("name", "owner", "ref"):
            raise ManifestError(f"line {number}: {printable(word)!r} is not name=…, owner=… or ref=…")
        table[key.lower()] = value
    return _listed(table, f"line {number}", Path())


def _listed(table: Mapping[str, Any], where: str, base: Path) -> Listed:
    """Checks one repository. Relative paths begin at ``base``."""
    texts = {key: table[key] for key in ("name", "url", "path", "ref", "owner") if key in table}
    wrong = next((key for key, value in texts.items() if not isinstance(value, str) or not value.strip()), None)
    if wrong is not None:
        raise ManifestError(f"{where}: `{wrong}` is not a text")
    if ("url" in texts) == ("path" in texts):
        raise ManifestError(f"{where}: say `url` or `path`, one of them")
    if "url" in texts and not _ADDRESS.fullmatch(texts["url"]):
        raise ManifestError(f"{where}: {printable(texts['url'])!r} is no address of git")
    if not is_ref(texts.get("ref", HEAD)):
        raise ManifestError(f"{where}: {printable(texts['ref'])!r} is no branch, tag or commit")
    known = {one.name.replace("_", "-") for one in fields(Choice)} | {"name", "url", "path", "ref", "owner"}
    unknown = table.keys() - known
    if unknown:
        raise ManifestError(f"{where}: there is no key {min(unknown)!r}; there are {', '.join(sorted(known))}")
    if "path" in texts:
        texts["path"] = str((base / texts["path"]).absolute())
    texts.setdefault("name", _short(texts.get("url") or texts["path"]))
    if printable(texts["name"]) != texts["name"]:
        raise ManifestError(f"{where}: the name has characters that are not printable")
    return Listed(**texts, choice=_choice(table, where))


def _choice(table: Mapping[str, Any], where: str) -> Choice:
    """Checks the options."""
    given = {one.name: table[key] for one in fields(Choice) if (key := one.name.replace("_", "-")) in table}
    try:
        for key in ("select", "ignore"):
            if key in given:
                given[key] = codes(given[key], key)
        levels_of(**{key: given.get(key) for key in _LEVELS})
    except (ValueError, TypeError, AttributeError) as error:
        raise ManifestError(f"{where}: {error}") from None
    if not isinstance(given.get("isolated", False), bool):
        raise ManifestError(f"{where}: `isolated` is true or false")
    return Choice(**given)


def _short(source: str) -> str:
    """Returns the last two parts of an address or a path, without the suffix."""
    parts = [part for part in re.split(r"[/:\\]", source.rstrip("/").removesuffix(".git")) if part]
    return "/".join(parts[-2:])


def _checkouts(top: str) -> list[str]:
    """Returns the repositories below a directory, in order. It follows no link, and looks into none of them."""
    found: list[str] = []
    waiting = [(os.path.abspath(top), 0)]
    while waiting:
        directory, depth = waiting.pop()
        with os.scandir(directory) as entries:
            inside = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
        names = {os.path.basename(path) for path in inside}
        bare = {"objects", "refs"} <= names and os.path.isfile(os.path.join(directory, "HEAD"))
        if bare or os.path.lexists(os.path.join(directory, ".git")):
            found.append(directory)
        elif depth < _DEPTH:
            waiting += [(path, depth + 1) for path in inside]
    return sorted(found)


def _name_of(path: str, top: str) -> str:
    return sound(printable(os.path.relpath(path, top).replace(os.sep, "/")))
