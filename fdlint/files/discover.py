"""Which files a scan looks at.

What is named is scanned, ignored or not. Below a named directory, every ``.py`` and ``.go`` file counts except in
directories that hold no code of the project: version control, caches, installed packages, virtual environments
(told by what is in them, not by their name), build output, and what .gitignore leaves out and git does not track; Go
files also not below a ``vendor``. Links to files are followed, links to directories are not: a link inside the tree
would show the same files again, one that leads out of it could lead anywhere. The configuration can leave out more
(``exclude``), or look at less (``include``).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.config import UNCONFIGURED, Choose, Config, no_config
from fdlint.findings.finding import Skipped
from fdlint.findings.silencing import NOTHING, Means, Silencing, counted
from fdlint.git import ignore as gitignore
from fdlint.git.repository import Repository, at, enclosing
from fdlint.reading import intake

if TYPE_CHECKING:
    from fdlint.git.tracked import Tracked

INSTALLED = frozenset({"site-packages", "dist-packages"})
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr"})
NEVER_THE_PROJECT = frozenset(
    VERSION_CONTROL
    | {".venv", ".direnv", ".pixi", "node_modules", "__pypackages__", ".eggs"}
    | {".tox", ".nox", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".fdlint_cache"}
    | {".ipynb_checkpoints"}
)
ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
TOP_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
"""What lies in the top directory of a project."""
MAYBE_OUTPUT = frozenset({"build", "dist"})
SUFFIXES = (".py", ".pyw", ".pyi", ".go")
SEARCHED = (".py", ".go")
"""What counts below a directory."""
VENDOR, GO = "vendor", ".go"
SHEBANG = re.compile(rb"#!.*\b(?:python|pypy)")


@dataclass(frozen=True, slots=True)
class FileToScan:
    """A file by the ``name`` it was found under, the path that reports show for it, and the configuration by which it
    is judged. ``real`` is its resolved path, if that was found out."""

    name: str
    shown: str
    config: Config = UNCONFIGURED
    real: str = ""

    @property
    def path(self) -> Path:
        """Where it is; of most files of a project nobody ever asks that."""
        return Path(self.name)

    @property
    def place(self) -> Path:
        """The same, resolved."""
        return Path(self.real) if self.real else self.path.resolve()

    @property
    def is_go(self) -> bool:
        """Whether it is a Go file; all others are Python."""
        return self.name.endswith(GO)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to scan and what could not be looked into, both in the order of their paths; what the scanned tree
    leaves out of itself."""

    files: tuple[FileToScan, ...]
    skipped: tuple[Skipped, ...]
    silencing: Silencing = NOTHING


class MissingPathError(Exception):
    """A path was named that does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"no such file or directory: {path}")
        self.path = path


def discover(paths: Sequence[str | os.PathLike[str]], config_of: Choose = no_config) -> Discovery:
    """The Python files named by ``paths`` or below them, each once. Raises ``MissingPathError``.

    ``config_of`` gives the configuration for each of the ``paths``, and so for what is first reached from there.
    """
    search = _Search(config_of)
    for path in paths:
        search.named(os.fspath(path))
    search.follow_links()
    files = sorted(search.files.values(), key=lambda file: file.shown)
    skipped = sorted(search.skipped, key=lambda skipped: skipped.path)
    return Discovery(tuple(files), tuple(skipped), search.silencing())


def shown(path: str | os.PathLike[str]) -> str:
    """How reports write a path: relative to the working directory when it is below that, else as it was given."""
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
    repository: Repository | None
    rules: tuple[gitignore.IgnoreFile, ...]
    excluded: frozenset[str]
    config: Config
    named: bool = False
    vendored: bool = False
    asked_for: bool = False
    """Named, or below a named directory, that the configuration leaves out: it is wanted all the same."""
    ignored: bool = False
    """.gitignore leaves it out, but git tracks something in it."""

    def below(self, path: str, real: str, shown: str, *, vendored: bool, ignored: bool) -> _Directory:
        """A directory in this one, by the same rules."""
        same = self.repository, self.rules, self.excluded, self.config
        return _Directory(path, real, shown, *same, vendored=vendored, asked_for=self.asked_for, ignored=ignored)

    def ignores(self, path: str) -> bool:
        """Whether .gitignore leaves it out."""
        return self.ignored or gitignore.is_ignored(self.rules, path)

    def entry(self, name: str) -> tuple[str, str, str]:
        """Path, resolved path and shown path of what is called ``name`` in here."""
        prefix = "" if self.shown == "." else self.shown.rstrip("/") + "/"
        return os.path.join(self.path, name), _slash(self.real) + name, prefix + name


@dataclass(slots=True)
class _Search:
    """What was found so far, by resolved path, so that nothing is found twice."""

    config_of: Choose
    files: dict[str, FileToScan] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    walked: set[str] = field(default_factory=set)
    links: list[tuple[str, str, Config]] = field(default_factory=list)
    tracked: dict[Repository, Tracked] = field(default_factory=dict)
    left_out: dict[str, Means] = field(default_factory=dict)
    configurations: set[str] = field(default_factory=set)

    def silencing(self) -> Silencing:
        """What the tree leaves out of what is named."""
        means = (one for path, one in self.left_out.items() if path not in self.files and path not in self.walked)
        return Silencing(paths=counted(means), configurations=tuple(sorted(self.configurations)))

    def configured(self, path: str) -> Config:
        """The configuration for a path of the command line."""
        config = self.config_of(path)
        if config.found and config.file is not None:
            self.configurations.add(config.file)
        return config

    def named(self, path: str) -> None:
        """Takes up a path of the command line."""
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
                place = path, real, display, enclosing(real)
                self.walk(_Directory(*place, rules, left_out, config, named=True, asked_for=asked_for))
            elif not stat.S_ISREG(mode):
                self.skipped.append(Skipped(display, "not a regular file"))
            elif not _is_source(path):
                self.skipped.append(
                    Skipped(display, "not a Python or Go file: no .py or .go suffix, no python in a first line #!")
                )
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
        self.files.setdefault(real, FileToScan(path, display, config, real))

    def left_out_by_force(self, path: str, config: Config) -> None:
        """A path of the command line that is excluded all the same."""
        real = _resolve(path)
        if config.excludes_itself(_slash(real) if os.path.isdir(path) else real):
            self.left_out[real] = Means.EXCLUDE

    def refuse(self, path: str, reason: str) -> None:
        """Takes note of a file that says what to look at and cannot be used."""
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
        """Adds the files of one directory and returns the directories in it that are worth a visit."""
        names = {entry.name for entry in entries}
        if not directory.named and _is_environment(directory, names):
            self.left_out[directory.real] = Means.ENVIRONMENT
            return []
        if not directory.named and directory.config.exclude is None and _is_output(directory.real, names):
            return []
        if not directory.ignored:  # else it may also be named, and then all of it counts
            self.walked.add(directory.real)
        directory.rules = self.rules_inside(directory, names)
        if ".git" in names:
            directory.repository, directory.ignored = at(directory.real) or directory.repository, False
        below = []
        for entry in entries:
            path, real, display = directory.entry(entry.name)
            if entry.is_dir(follow_symlinks=False):
                ignored = directory.ignores(_slash(real))
                if not _is_excluded(entry.name, directory) and self.is_wanted(_slash(real), directory, ignored=ignored):
                    vendored = directory.vendored or entry.name == VENDOR
                    below.append(directory.below(path, real, display, vendored=vendored, ignored=ignored))
            elif not _is_searched(entry.name, path, real, directory):
                if entry.name.endswith(SEARCHED) and directory.config.include is not None:
                    self.left_out[real] = Means.INCLUDE
            elif self.is_wanted(real, directory, ignored=directory.ignores(real)):
                if entry.is_symlink():
                    self.links.append((path, display, directory.config))
                elif entry.is_file(follow_symlinks=False):
                    self.files.setdefault(real, FileToScan(path, display, directory.config, real))
        return below

    def is_wanted(self, real: str, directory: _Directory, *, ignored: bool) -> bool:
        """Whether patterns let what is in a directory (a directory with a slash at its end) be looked at. ``ignored``:
        .gitignore leaves it out, which does not count if git tracks it."""
        if ignored and not self.tracks(directory.repository, real):
            self.left_out[real.rstrip("/")] = Means.GITIGNORE
            return False
        if directory.asked_for or not directory.config.excludes(real):
            return True
        if directory.config.excludes_itself(real):
            self.left_out[real.rstrip("/")] = Means.EXCLUDE
        return False

    def tracks(self, repository: Repository | None, real: str) -> bool:
        """Whether git tracks it, or something in it. git is asked once for each repository."""
        if repository is None:
            return False
        if repository not in self.tracked:
            from fdlint.git.tracked import tracked

            self.tracked[repository] = tracked(repository)
        return self.tracked[repository].holds(real)

    def rules_inside(self, directory: _Directory, names: Collection[str]) -> tuple[gitignore.IgnoreFile, ...]:
        """The rules for what is right in a directory."""
        if directory.config.isolated:
            return ()
        own = gitignore.own_rules(directory.real, names, self.refuse)
        if directory.named:
            own = tuple(rule for rule in own if not rule.swallows_everything())
        # A repository within a repository goes by its own rules alone, as with git.
        return own if ".git" in names else directory.rules + own

    def follow_links(self) -> None:
        """Adds the targets of links last, so that a file found under its own name is shown by that."""
        for path, display, config in sorted(self.links, key=lambda link: link[:2]):
            if os.path.isfile(path):
                self.add(path, display, config)


def _is_searched(name: str, path: str, real: str, directory: _Directory) -> bool:
    config = directory.config
    if name.endswith(GO) and directory.vendored and not config.go_vendor:
        return False
    if config.include is None:
        return name.endswith(SEARCHED)
    return config.include.match(real) and (name.endswith(SUFFIXES) or ("." not in name and _is_script(path)))


def _left_out_below(named: str, config: Config) -> frozenset[str]:
    """Names of directories to leave out below a named one; who names a virtual environment means what it holds, and
    who configures ``exclude`` says it himself."""
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
    """A ``build`` or ``dist`` without a source file right in it (a package has one)."""
    return os.path.basename(path) in MAYBE_OUTPUT and not any(name.endswith(SEARCHED) for name in names)


def _is_source(path: str) -> bool:
    if path.endswith(SUFFIXES):
        return True
    return SHEBANG.match(intake.read_start(path, 200)) is not None


def _is_script(path: str) -> bool:
    try:
        return os.path.isfile(path) and _is_source(path)
    except OSError:
        return False


def _resolve(path: str) -> str:
    return os.path.realpath(path).replace(os.sep, "/")


def _slash(path: str) -> str:
    return path.rstrip("/") + "/"
