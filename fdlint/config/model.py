"""A parsed configuration, and its effect on a path, a code or a finding."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from fdlint.catalog import NO_MODELS, Models
from fdlint.findings.finding import Severity


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns in the language of .gitignore, relative to ``base``: a directory, absolute, resolved."""

    base: str
    lines: tuple[str, ...]

    def match(self, path: str) -> bool:
        """Whether one matches a path (absolute, resolved) or a directory above it. A directory ends in a slash."""
        from fdlint.git.ignore import matching

        return matching(self.base, self.lines, path)


@dataclass(frozen=True, slots=True)
class FileIgnores:
    """Codes, or prefixes of codes, that are not reported in the files that match a pattern; ``others``: in all files
    but these."""

    patterns: Patterns
    codes: tuple[str, ...]
    others: bool = False

    def hides(self, code: str, path: str) -> bool:
        """Whether findings of a code are left out in a file."""
        return code.startswith(self.codes) and self.patterns.match(path) is not self.others


@dataclass(frozen=True, slots=True)
class Config:
    """``file`` is the one it was read from, as messages show it, or None; ``found``: in the scanned tree, nobody has
    named it; ``directory`` what paths in it are relative to; ``given`` the keys that it has and nobody has overridden.
    ``isolated``: the tree hides no code, neither by .gitignore nor by marks of environments. Codes
    may be prefixes (``FD1``). ``exclude`` None: the directories that never hold a project's code; ``more_excluded`` is
    the command line's. ``go_*``: whether generated Go files, tests in Go, and what lies below a ``vendor`` are scanned.
    ``baseline`` is a path, absolute."""

    file: str | None = None
    directory: str = ""
    given: frozenset[str] = frozenset()
    found: bool = False
    isolated: bool = False
    models: Models = NO_MODELS
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnores, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    include: Patterns | None = None
    exclude: Patterns | None = None
    extend_exclude: Patterns | None = None
    more_excluded: Patterns | None = None
    force_exclude: bool = False
    baseline: str | None = None
    go_generated: bool = False
    go_tests: bool = True
    go_vendor: bool = False

    def wants(self, code: str) -> bool:
        """Whether findings of a code are reported, as long as the command line does not say otherwise."""
        return wanted(code, self.select, self.extend_select, self.ignore, otherwise=True)

    def hides(self, code: str, path: str) -> bool:
        """Whether findings of a code are left out in one file, whatever is selected."""
        if not any(code.startswith(one.codes) for one in self.per_file_ignores):
            return False
        place = resolved(path)
        return any(one.hides(code, place) for one in self.per_file_ignores)

    def severity_of(self, code: str, otherwise: Severity) -> Severity:
        """The severity that findings of a code have here: by the longest prefix."""
        said = [(len(prefix), severity) for prefix, severity in self.severity if code.startswith(prefix)]
        return max(said, key=lambda pair: pair[0])[1] if said else otherwise

    def overridden(self, key: str, value: object) -> Config:
        """The same with another value of a key, which is the user's."""
        changed: dict[str, Any] = {key: value}
        return replace(self, **changed, given=self.given - {key})

    def excludes_itself(self, path: str) -> bool:
        """Whether the scanned tree asks for a path to be left out, see ``excludes``."""
        exclude = self.exclude if "exclude" in self.given else None
        listed = (exclude, self.extend_exclude)
        return self.found and any(patterns is not None and patterns.match(path) for patterns in listed)

    def excludes(self, path: str) -> bool:
        """Whether a path (absolute, resolved) is left out of what is below a named directory."""
        listed = (self.exclude, self.extend_exclude, self.more_excluded)
        return any(patterns is not None and patterns.match(path) for patterns in listed)

    def codes(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """All lists of codes that it has: the key, where the list stands, and the list."""
        for key in ("select", "extend-select", "ignore"):
            listed: tuple[str, ...] = getattr(self, key.replace("-", "_"))
            if listed:
                yield key, f"`{key}`", listed
        for one in self.per_file_ignores:
            pattern = f"{'!' if one.others else ''}{one.patterns.lines[0]}"
            yield "per-file-ignores", f"`per-file-ignores`: `{pattern}`", one.codes
        if self.severity:
            yield "severity", "`severity`", tuple(code for code, _ in self.severity)

    def with_codes(self, resolve: Callable[[tuple[str, ...], str], tuple[str, ...]]) -> Config:
        """The same with other codes. ``resolve`` is given each list of codes and its key."""
        severities = resolve(tuple(code for code, _ in self.severity), "severity")
        return replace(
            self,
            select=resolve(self.select, "select"),
            extend_select=resolve(self.extend_select, "extend-select"),
            ignore=resolve(self.ignore, "ignore"),
            per_file_ignores=tuple(
                replace(one, codes=resolve(one.codes, "per-file-ignores")) for one in self.per_file_ignores
            ),
            severity=tuple((code, severity) for code, (_, severity) in zip(severities, self.severity, strict=True)),
        )


UNCONFIGURED = Config()
ISOLATED = Config(isolated=True, go_generated=True)
"""For code that nobody trusts: its own word counts for nothing, not even that it is generated."""


def wanted(
    code: str, select: tuple[str, ...], extend_select: tuple[str, ...], ignore: tuple[str, ...], *, otherwise: bool
) -> bool:
    """Whether a code is chosen; ``otherwise``: when nothing is selected, extended or ignored."""
    chosen = code.startswith(select) if select else otherwise
    return (chosen or code.startswith(extend_select)) and not code.startswith(ignore)


def resolved(path: str) -> str:
    """Absolute, without links above the last part: a link is judged by its own name."""
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name).replace(os.sep, "/")
