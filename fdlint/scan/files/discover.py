"""Finds the files of a scan.

A path of the command line is always scanned, ignored or not. Below a named directory, every ``.py`` and ``.go`` file
counts, except in directories that hold no code of the project: version control, caches, installed packages, virtual
environments (recognised by their contents, not by their name), build output, and paths that .gitignore leaves out and
git does not track. Go files do not count below a ``vendor`` either. The scan follows links to files, but not links to
directories: a link inside the tree would show the same files again, and another could lead anywhere. An executable file
without a suffix counts if its first line names an interpreter. The configuration can leave out more (``exclude``), or
restrict the scan (``include``).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import (
    COPIES,
    INTERPRETERS,
    LANGUAGES,
    SCRIPTS,
    SEARCHED,
    SUFFIXES,
    TITLES,
    is_copy,
    is_script,
    language_of,
)
from fdlint.report.findings.finding import Skipped
from fdlint.report.findings.silencing import NOTHING, Means, Silencing, counted
from fdlint.scan.config import UNCONFIGURED, Choose, Config, no_config
from fdlint.scan.git import ignore as gitignore
from fdlint.scan.git.repository import Repository, at, enclosing
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.scan.git.tracked import Tracked

INSTALLED = frozenset({"site-packages", "dist-packages"})
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr"})
NEVER_THE_PROJECT = frozenset(
    VERSION_CONTROL
    | {".venv", ".direnv", ".pixi", "node_modules", "__pypackages__", ".eggs"}
    | {".tox", ".nox", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".fdlint_cache"}
    | {".ipynb_checkpoints"}
)
ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
REPOSITORY = ".git"
TOP_MARKS = (REPOSITORY, *(mark for one in LANGUAGES for mark in one.top_marks))
"""The names that mark the top directory of a project."""
MAYBE_OUTPUT = frozenset({"build", "dist"})
_NO_SOURCE = (
    f"not a {TITLES} file: no {' or '.join(SEARCHED)} suffix, no {' or '.join(INTERPRETERS)} in a first line #!"
)


@dataclass(frozen=True, slots=True)
class FileToScan:
    """A file to scan: its ``name`` on disk, its path in reports, and its configuration. ``real`` is the resolved path,
    if known. ``within``: the path that the user named, as reports show it: the file itself, or a directory above it."""

    name: str
    shown: str
    config: Config = UNCONFIGURED
    real: str = ""
    within: str = "."

    @property
    def below(self) -> str:
        """The path below what the user named."""
        if self.shown == self.within:
            return os.path.basename(self.shown)
        return self.shown.removeprefix(self.within.rstrip("/") + "/")

    @property
    def path(self) -> Path:
        """The file's path. It is computed on demand, because most files never need it."""
        return Path(self.name)

    @property
    def place(self) -> Path:
        """The resolved path."""
        return Path(self.real) if self.real else self.path.resolve()

    @property
    def size(self) -> int:
        """The size of the file in bytes, at least 1."""
        try:
            return os.path.getsize(self.name) + 1
        except OSError:
            return 1

    @property
    def language(self) -> LanguageDescription:
        """The language that it is in."""
        return language_of(self.name)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to scan and the paths that could not be read, both in the order of their paths, and the parts that the
    scanned tree leaves out."""

    files: tuple[FileToScan, ...]
    skipped: tuple[Skipped, ...]
    silencing: Silencing = NOTHING


class MissingPathError(Exception):
    """A path of the command line does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"no such file or directory: {path}")
        self.path = path


def discover(paths: Sequence[str | os.PathLike[str]], config_of: Choose = no_config) -> Discovery:
    """Returns the files named by ``paths`` or below them, each once. Raises ``MissingPathError``.

    ``config_of`` returns the configuration for each of the ``paths``. It applies to the files that are first reached
    from that path.
    """
    search = _Search(config_of)
    for path in paths:
        search.named(os.fspath(path))
    search.follow_links()
    files = sorted(search.files.values(), key=lambda file: file.shown)
    skipped = sorted(search.skipped, key=lambda skipped: skipped.path)
    return Discovery(tuple(files), tuple(skipped), search.silencing())


def shown(path: str | os.PathLike[str]) -> str:
    """Returns a path as reports show it: relative to the working directory if it is below that, otherwise as given."""
    here = os.getcwd()
    absolute = os.path.abspath(path)
    inside = absolute == here or absolute.startswith(here.rstrip(os.sep) + os.sep)
    text = os.path.relpath(absolute, here) if inside else os.path.normpath(path)
    return text.replace(os.sep, "/")


@dataclass(slots=True)
class _Directory:
    path: str
    real: str
    shown: str
    within: str
    repository: Repository | None
    rules: tuple[gitignore.IgnoreFile, ...]
    excluded: frozenset[str]
    config: Config
    named: bool = False
    copies: frozenset[str] = frozenset()
    """The names of directories with copies of other projects that it is, or is below."""
    asked_for: bool = False
    """The user named it, or a directory above it, although the configuration leaves it out: scan it anyway."""
    ignored: bool = False
    """.gitignore leaves it out, but git tracks a file in it."""

    def below(self, path: str, real: str, shown: str, *, ignored: bool) -> _Directory:
        """Returns a directory in this one, with the same rules."""
        same = self.within, self.repository, self.rules, self.excluded, self.config
        copies = self.copies | {os.path.basename(path)} & COPIES
        return _Directory(path, real, shown, *same, copies=copies, asked_for=self.asked_for, ignored=ignored)

    def ignores(self, path: str) -> bool:
        """Whether .gitignore leaves a path out."""
        return self.ignored or gitignore.is_ignored(self.rules, path)

    def entry(self, name: str) -> tuple[str, str, str]:
        """Returns the path, the resolved path and the shown path of the entry ``name``."""
        prefix = "" if self.shown == "." else self.shown.rstrip("/") + "/"
        return os.path.join(self.path, name), _slash(self.real) + name, prefix + name


@dataclass(slots=True)
class _Search:
    """The results so far, by resolved path, so that each file counts once."""

    config_of: Choose
    files: dict[str, FileToScan] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    walked: set[str] = field(default_factory=set)
    links: list[tuple[str, str, Config]] = field(default_factory=list)
    tracked: dict[Repository, Tracked] = field(default_factory=dict)
    left_out: dict[str, Means] = field(default_factory=dict)
    configurations: set[str] = field(default_factory=set)

    def silencing(self) -> Silencing:
        """Returns the parts that the tree leaves out below the named paths."""
        means = (one for path, one in self.left_out.items() if path not in self.files and path not in self.walked)
        return Silencing(paths=counted(means), configurations=tuple(sorted(self.configurations)))

    def configured(self, path: str) -> Config:
        """Returns the configuration for a path of the command line."""
        config = self.config_of(path)
        if config.found and config.file is not None:
            self.configurations.add(config.file)
        return config

    def named(self, path: str) -> None:
        """Adds a path of the command line."""
        display = shown(path)
        try:
            mode = os.stat(path).st_mode
            if stat.S_ISDIR(mode):
                real, config = _resolve(path), self.configured(path)
                if config.force_exclude and config.excludes(_slash(real)):
                    self.left_out_by_force(path, config)
                    return
                rules = gitignore.rules_above(real, self.refuse) if not config.isolated else ()
                left_out = _left_out_below(real, config)
                asked_for = config.excludes(_slash(real))
                place = path, real, display, display, enclosing(real)
                self.walk(_Directory(*place, rules, left_out, config, named=True, asked_for=asked_for))
            elif not stat.S_ISREG(mode):
                self.skipped.append(Skipped(display, "not a regular file"))
            elif not _is_source(path):
                self.skipped.append(Skipped(display, _NO_SOURCE))
            else:
                self.add(path, display, self.configured(path), named=True)
        except (FileNotFoundError, NotADirectoryError):
            raise MissingPathError(path) from None
        except OSError as error:
            self.skip(display, error)

    def add(self, path: str, display: str, config: Config, *, named: bool = False) -> None:
        if named and config.force_exclude and config.excludes(_resolve(path)):
            self.left_out_by_force(path, config)
            return
        real = _resolve(path)
        self.files.setdefault(real, FileToScan(path, display, config, real, display if named else "."))

    def left_out_by_force(self, path: str, config: Config) -> None:
        """Notes that the configuration excludes a path of the command line although the user named it."""
        real = _resolve(path)
        if config.excludes_itself(_slash(real) if os.path.isdir(path) else real):
            self.left_out[real] = Means.EXCLUDE

    def refuse(self, path: str, reason: str) -> None:
        """Notes that a file with rules for the scan, such as .gitignore, cannot be used."""
        skipped = Skipped(shown(path), reason)
        if skipped not in self.skipped:
            self.skipped.append(skipped)

    def skip(self, display: str, error: OSError) -> None:
        self.skipped.append(Skipped(display, intake.why(error)))

    def walk(self, root: _Directory) -> None:
        waiting = [root]
        while waiting:
            directory = waiting.pop()
            if directory.real in self.walked:
                continue
            try:
                with os.scandir(directory.path) as entries:
                    waiting.extend(self.look_into(directory, list(entries)))
            except OSError as error:
                self.skip(directory.shown, error)

    def look_into(self, directory: _Directory, entries: list[os.DirEntry[str]]) -> list[_Directory]:
        """Adds the files of one directory and returns the subdirectories to visit."""
        names = {entry.name for entry in entries}
        if not directory.named and _is_environment(directory, names):
            self.left_out[directory.real] = Means.ENVIRONMENT
            return []
        if not directory.named and directory.config.exclude is None and _is_output(directory.real, names):
            return []
        if not directory.ignored:  # otherwise the user may also name it, and then all of it counts
            self.walked.add(directory.real)
        directory.rules = self.rules_inside(directory, names)
        if ".git" in names:
            directory.repository, directory.ignored = at(directory.real) or directory.repository, False
        below = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and directory.config.include is None and not _may_be_source(entry, directory.config):
                continue
            path, real, display = directory.entry(entry.name)
            if is_directory:
                ignored = directory.ignores(_slash(real))
                if not _is_excluded(entry.name, directory) and self.is_wanted(_slash(real), directory, ignored=ignored):
                    below.append(directory.below(path, real, display, ignored=ignored))
            elif not _is_searched(entry.name, path, real, directory):
                if entry.name.endswith(SEARCHED) and directory.config.include is not None:
                    self.left_out[real] = Means.INCLUDE
            elif self.is_wanted(real, directory, ignored=directory.ignores(real)):
                if entry.is_symlink():
                    self.links.append((path, display, directory.config))
                elif entry.is_file(follow_symlinks=False):
                    self.files.setdefault(real, FileToScan(path, display, directory.config, real, directory.within))
        return below

    def is_wanted(self, real: str, directory: _Directory, *, ignored: bool) -> bool:
        """Whether patterns allow to scan an entry of a directory (a directory ends in a slash). ``ignored``: .gitignore
        leaves it out, which does not count if git tracks it."""
        if ignored and not self.tracks(directory.repository, real):
            self.left_out[real.rstrip("/")] = Means.GITIGNORE
            return False
        if directory.asked_for or not directory.config.excludes(real):
            return True
        if directory.config.excludes_itself(real):
            self.left_out[real.rstrip("/")] = Means.EXCLUDE
        return False

    def tracks(self, repository: Repository | None, real: str) -> bool:
        """Whether git tracks the path, or something in it. Starts git once per repository."""
        if repository is None:
            return False
        if repository not in self.tracked:
            from fdlint.scan.git.tracked import tracked

            self.tracked[repository] = tracked(repository)
        return self.tracked[repository].holds(real)

    def rules_inside(self, directory: _Directory, names: Collection[str]) -> tuple[gitignore.IgnoreFile, ...]:
        """Returns the rules for the entries of a directory."""
        if directory.config.isolated:
            return ()
        own = gitignore.own_rules(directory.real, names, self.refuse)
        if directory.named:
            own = tuple(rule for rule in own if not rule.swallows_everything())
        # A nested repository uses its own rules alone, as with git.
        return own if ".git" in names else directory.rules + own

    def follow_links(self) -> None:
        """Adds the targets of links last, so that reports show a file by its own name if that is found."""
        for path, display, config in sorted(self.links, key=lambda link: link[:2]):
            if os.path.isfile(path):
                self.add(path, display, config)


def _may_be_source(entry: os.DirEntry[str], config: Config) -> bool:
    """Whether an entry has the name of a source file, or may be a script: an executable file without a suffix."""
    if entry.name.endswith(SEARCHED):
        return True
    if "." in entry.name or SCRIPTS.isdisjoint(config.flags) or entry.is_symlink():
        return False
    try:
        mode = entry.stat().st_mode
        return stat.S_ISREG(mode) and mode & stat.S_IXUSR != 0
    except OSError:
        return False


def _is_searched(name: str, path: str, real: str, directory: _Directory) -> bool:
    config = directory.config
    if directory.copies and is_copy(name, directory.copies, config.flags):
        return False
    if config.include is None:
        return name.endswith(SEARCHED) or _is_script(path)
    return config.include.match(real) and (name.endswith(SUFFIXES) or ("." not in name and _is_script(path)))


def _left_out_below(named: str, config: Config) -> frozenset[str]:
    """Returns the names of directories to leave out below a named one. A user who names a virtual environment wants its
    contents, and a configured ``exclude`` replaces the defaults."""
    if config.exclude is not None:
        return VERSION_CONTROL
    is_environment = any(os.path.exists(os.path.join(named, mark)) for mark in ENVIRONMENT_MARKS)
    inside_one = not NEVER_THE_PROJECT.isdisjoint(named.split("/"))
    return NEVER_THE_PROJECT if is_environment or inside_one else NEVER_THE_PROJECT | INSTALLED


def _is_excluded(name: str, parent: _Directory) -> bool:
    metadata = name.endswith((".egg-info", ".dist-info")) and parent.config.exclude is None
    return metadata or name in parent.excluded


def _is_environment(directory: _Directory, names: Collection[str]) -> bool:
    return not directory.config.isolated and not ENVIRONMENT_MARKS.isdisjoint(names)


def _is_output(path: str, names: Collection[str]) -> bool:
    """Whether a directory is a ``build`` or ``dist`` without a source file directly in it (a package has one)."""
    return os.path.basename(path) in MAYBE_OUTPUT and not any(name.endswith(SEARCHED) for name in names)


def _is_source(path: str) -> bool:
    if path.endswith(SUFFIXES):
        return True
    return is_script(intake.read_start(path, 200))


def _is_script(path: str) -> bool:
    try:
        return os.path.isfile(path) and _is_source(path)
    except OSError:
        return False


def _resolve(path: str) -> str:
    return os.path.realpath(path).replace(os.sep, "/")


def _slash(path: str) -> str:
    return path.rstrip("/") + "/"
