"""A parsed configuration, and its effect on a path, a code or a finding."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from fdlint.catalog import NO_MODELS, Models
from fdlint.core.finding import Confidence, Cost, Severity
from fdlint.languages.registry import FLAGS, SETTINGS
from fdlint.report.findings.persona import Levels, Persona
from fdlint.report.findings.tests import Tests, in_tests


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns in the language of .gitignore, relative to the directory ``base`` (absolute, resolved). ``elsewhere``:
    patterns without a slash also match files outside ``base``."""

    base: str
    lines: tuple[str, ...]
    elsewhere: bool = False

    def match(self, path: str) -> bool:
        """Whether a pattern matches a path (absolute, resolved) or a directory above it. A directory ends in a
        slash."""
        from fdlint.scan.git.ignore import matching

        if self.elsewhere and not path.startswith(self.base.rstrip("/") + "/"):
            return matching("/", _bare_names(self.lines), path)
        return matching(self.base, self.lines, path)


@functools.lru_cache(maxsize=16)
def _bare_names(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the patterns without a slash, which match a name in any directory."""
    return tuple(line for line in lines if "/" not in line.rstrip("/"))


@dataclass(frozen=True, slots=True)
class FileIgnores:
    """Codes, or prefixes of codes, that are not reported in the files that match a pattern. ``others``: in all other
    files instead."""

    patterns: Patterns
    codes: tuple[str, ...]
    others: bool = False

    def hides(self, code: str, path: str) -> bool:
        """Whether findings of a code are hidden in a file."""
        return code.startswith(self.codes) and self.patterns.match(path) is not self.others


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration; codes in it may be prefixes (``FD1``).

    ``file`` is the name of its file in messages, or None. ``found``: the file is in the scanned tree, and the user has
    not named it. Paths are relative to ``directory``. ``given`` are the keys of the file that nothing has overridden.
    ``isolated``: the tree hides no code, neither by .gitignore nor by marks of environments. ``exclude`` is None by
    default: the directories that never hold a project's code. ``more_excluded`` comes from the command line.
    ``test_files`` is None for the usual names. ``flags``: the settings of single languages that are
    true. ``baseline`` is an absolute path.
    """

    file: str | None = None
    directory: str = ""
    given: frozenset[str] = frozenset()
    found: bool = False
    isolated: bool = False
    models: Models = NO_MODELS
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnores, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    persona: Persona | None = None
    min_confidence: Confidence | None = None
    min_impact: Cost | None = None
    min_severity: Severity | None = None
    tests: Tests | None = None
    test_files: Patterns | None = None
    include: Patterns | None = None
    exclude: Patterns | None = None
    extend_exclude: Patterns | None = None
    more_excluded: Patterns | None = None
    force_exclude: bool = False
    baseline: str | None = None
    flags: frozenset[str] = FLAGS

    def wants(self, code: str) -> bool:
        """Whether findings of a code are reported, unless the command line decides otherwise."""
        return wanted(code, self.select, self.ignore, otherwise=True)

    def hides(self, code: str, path: str) -> bool:
        """Whether findings of a code are hidden in one file, independent of the selection."""
        if not any(code.startswith(one.codes) for one in self.per_file_ignores):
            return False
        place = resolved(path)
        return any(one.hides(code, place) for one in self.per_file_ignores)

    def severity_of(self, code: str, otherwise: Severity) -> Severity:
        """Returns the severity of a code's findings: that of the longest matching prefix."""
        found = [(len(prefix), severity) for prefix, severity in self.severity if code.startswith(prefix)]
        return max(found, key=lambda pair: pair[0])[1] if found else otherwise

    @property
    def levels(self) -> Levels:
        """What is shown of what is found, as far as the file says it."""
        return Levels(self.persona, self.min_confidence, self.min_impact, self.min_severity, self.tests)

    def in_tests(self, path: str) -> bool:
        """Whether a file belongs to the tests of the project."""
        return self.test_files.match(resolved(path)) if self.test_files is not None else in_tests(path)

    def overridden(self, key: str, value: object) -> Config:
        """Returns the configuration with the user's value of a key."""
        changed: dict[str, Any] = {key: value}
        return replace(self, **changed, given=self.given - {key})

    def excludes_itself(self, path: str) -> bool:
        """Whether the scanned tree asks to leave out a path, see ``excludes``."""
        exclude = self.exclude if "exclude" in self.given else None
        listed = (exclude, self.extend_exclude)
        return self.found and any(patterns is not None and patterns.match(path) for patterns in listed)

    def excludes(self, path: str) -> bool:
        """Whether the configuration leaves out a path (absolute, resolved) below a named directory."""
        listed = (self.exclude, self.extend_exclude, self.more_excluded)
        return any(patterns is not None and patterns.match(path) for patterns in listed)

    def codes(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Yields all lists of codes: the key, the place of the list, and the list."""
        for key, listed in (("select", self.select), ("ignore", self.ignore)):
            if listed:
                yield key, f"`{key}`", listed
        for one in self.per_file_ignores:
            pattern = f"{'!' if one.others else ''}{one.patterns.lines[0]}"
            yield "per-file-ignores", f"`per-file-ignores`: `{pattern}`", one.codes
        if self.severity:
            yield "severity", "`severity`", tuple(code for code, _ in self.severity)

    def with_codes(self, resolve: Callable[[tuple[str, ...], str], tuple[str, ...]]) -> Config:
        """Returns the configuration with other codes. ``resolve`` gets each list of codes and its key."""
        severities = resolve(tuple(code for code, _ in self.severity), "severity")
        return replace(
            self,
            select=resolve(self.select, "select"),
            ignore=resolve(self.ignore, "ignore"),
            per_file_ignores=tuple(
                replace(one, codes=resolve(one.codes, "per-file-ignores")) for one in self.per_file_ignores
            ),
            severity=tuple((code, severity) for code, (_, severity) in zip(severities, self.severity, strict=True)),
        )


UNCONFIGURED = Config()
ISOLATED = Config(isolated=True, flags=frozenset(one.key for one in SETTINGS if one.isolated))
"""For untrusted code: nothing in the tree hides code, not even a mark that it is generated."""


def wanted(code: str, select: tuple[str, ...], ignore: tuple[str, ...], *, otherwise: bool) -> bool:
    """Whether a code is selected. ``otherwise``: the result if no option selects or ignores."""
    return (code.startswith(select) if select else otherwise) and not code.startswith(ignore)


def resolved(path: str) -> str:
    """Returns the absolute path. Resolves links, except for the last part: a link is judged by its own name."""
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name).replace(os.sep, "/")
