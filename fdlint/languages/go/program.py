"""Connects the packages of a Go module: a package is a directory under a ``go.mod``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import Callee, Graph
from fdlint.languages.go.description import COPIES, SUFFIX, is_test
from fdlint.languages.go.lowering.constraints import is_usual
from fdlint.languages.go.lowering.facts import Texts, facts_of
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.lowering.module import lower_package
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.go.lowering.source import GoFile, GoSource
from fdlint.languages.go.modules import Modules, stands_alone
from fdlint.languages.packages import PackageProgram
from fdlint.program.modules import Program
from fdlint.program.units import File, Function
from fdlint.scan.files.discover import shown
from fdlint.scan.git.repository import enclosing
from fdlint.scan.reading import intake

_CALLS_C = b'\nimport "C"\n'
_REPOSITORY = 3  # the parts of a path that name the repository: host, owner, name


@dataclass(slots=True)
class GoProgram(PackageProgram):
    """The packages seen so far, by directory. ``unsaved``: texts that stand for files on disk."""

    unsaved: Mapping[Path, bytes] = field(default_factory=dict)
    _packages: dict[Path, tuple[GoSource, Package] | None] = field(default_factory=dict)
    _loaded: dict[Path, File] = field(default_factory=dict)
    _modules: Modules = field(default_factory=Modules)
    _places: dict[tuple[Path, str], Path | None] = field(default_factory=dict)
    _same: dict[Path, Path] = field(default_factory=dict)  # one object for each directory, which is fast to compare
    _parsed: int = 0

    @property
    def size(self) -> int:
        """The number of bytes that were parsed."""
        return self._parsed

    def forget(self) -> None:
        """Drops all packages. Each refers to the program, to find others."""
        Program.forget(self)
        self._replaced.clear()
        for known in (self._files, self._targets, self._packages, self._loaded):
            known.clear()

    def package(self, place: Path) -> File | None:
        """Returns the package in a directory, None if it has no Go files. ``place`` may also be a file that no build
        includes: it is a package of its own."""
        place = self._same.setdefault(place, place)
        if place not in self._loaded:
            found = self._declared(place)
            if found is None:
                return None
            self._loaded[place] = self._enter(self._file(place, *found))
        return self._loaded[place]

    def _file(self, place: Path, source: GoSource, package: Package) -> File:
        lowered, names = lower_package(package, self.catalog)
        read = functools.partial(facts_of, package)
        return File(
            source, names, "", None, True, place, lambda _: lowered, Texts(package), "", read=read, language=GO
        )  # fmt: skip

    def _declared(self, directory: Path) -> tuple[GoSource, Package] | None:
        if directory not in self._packages:
            self._packages[directory] = None
            contents = _contents(directory) | self._unsaved_in(directory)
            files = sorted((GoFile(path, shown(path), data) for path, data in contents.items()), key=_by_build)
            if files:
                package = Package(files, self.catalog, lambda path: self._imported(directory, path))
                homes = {name: declared.file for name, declared in package.functions.items()}
                self._packages[directory] = GoSource(files, homes), package
                self._parsed += sum(len(one.data) for one in files)
        return self._packages[directory]

    def _unsaved_in(self, place: Path) -> dict[Path, bytes]:
        """Returns the unsaved texts of a package. The file of one may not exist yet."""
        return {path: data for path, data in self.unsaved.items() if place in (path, path.parent)}

    def _imported(self, directory: Path, path: str) -> Package | None:
        """Returns the declarations of an imported package of the same module. To read the types of all that a module
        has copied would take several times as long as the module itself, and gigabytes."""
        place = self._place(directory, path)
        found = self._declared(place) if place is not None and not _is_copy(place, directory) else None
        return found[1] if found is not None else None

    def _place(self, directory: Path, path: str) -> Path | None:
        """Returns the directory of an imported package, if the tree has it: in the same module, or as a copy."""
        key = directory, path
        if key not in self._places:
            found = self._look_for(directory, path)
            self._places[key] = self._same.setdefault(found, found) if found is not None else None
        return self._places[key]

    def _look_for(self, directory: Path, path: str) -> Path | None:
        """Looks below the module's directory. Without a ``go.mod``, a path begins with a host, an owner and the name of
        the repository, and the rest is looked for below that."""
        module = self._modules.around(directory)
        if module is not None:
            inside = path == module[1] or path.startswith(f"{module[1]}/")
            return _below(module[0], path.removeprefix(module[1])) if inside else _copied(module[0], directory, path)
        top = _top(directory)
        if top is None:
            return None
        rest = "/".join(path.split("/")[_REPOSITORY:])
        return (_below(top, rest) if rest else None) or _copied(top, directory, path)

    def locate(self, file: File, dotted: str, thorough: bool, hops: int = 0) -> tuple[File, str] | None:
        """Returns the package that defines the target of a dotted name, and the name there. Not ``thorough``: only in
        the same module, not in what it has copied."""
        head, slash, last = dotted.rpartition("/")
        first, _, name = last.partition(".")
        if file.place is None or not slash:
            return None
        place = self._place(file.place, f"{head}/{first}")
        if place is not None and not thorough and _is_copy(place, file.place):
            return None
        home = self.package(place) if place is not None else None
        return (home, name) if home is not None and home.defines(name) else None

    def _only_method(self, file: File, caller: Graph, callee: Callee) -> Function | None:
        """Returns None: an object of unknown type may have any method of this name, because of interfaces."""
        return None

    def guessed(self, file: File, caller: Graph, callee: Callee) -> str | None:
        """Returns the method that a call through an exported interface means, if the package has no other."""
        return callee.function if callee.owner is not None and isinstance(callee.function, str) else None

    def read_for(self, file: File) -> list[Path]:
        """Returns the files of a package and of the packages that its imports lead to, directly or not."""
        start = file.place
        led_to = closure((start,), self._led_to_by) if start is not None else ()
        found = (self._packages.get(one) for one in led_to)
        return [one.place for each in found if each is not None for one in each[0].files]

    def _led_to_by(self, directory: Path) -> list[Path]:
        known = self._packages.get(directory)
        if known is None:
            return []
        paths = {path for imports in known[1].imports for path in imports.values() if "/" in path}
        places = (self._place(directory, path) for path in sorted(paths))
        return [one for one in places if one is not None and one in self._packages]


def _top(directory: Path) -> Path | None:
    """Returns the repository of a directory. An exported tree has none: there it is the working directory."""
    repository = enclosing(str(directory))
    if repository is not None:
        return Path(repository.top)
    here = Path.cwd()
    return here if directory.resolve().is_relative_to(here) else None


def _copied(top: Path, directory: Path, path: str) -> Path | None:
    """Returns the copy of an imported package in the ``vendor`` of a module. A copy's own imports lead no further than
    its repository: what a module has copied is many times as large as the module. The standard library, whose paths
    have no host, is never copied."""
    first, *_ = parts = path.split("/")
    if "." not in first:
        return None
    around = directory.relative_to(top).parts if directory.is_relative_to(top) else ()
    if COPIES in around and list(around[1 : 1 + _REPOSITORY]) != parts[:_REPOSITORY]:
        return None
    return _below(top / COPIES, path)


def _is_copy(place: Path, directory: Path) -> bool:
    """Whether a package is in a ``vendor`` that another package is not in."""
    return place.parts.count(COPIES) > directory.parts.count(COPIES)


def _below(top: Path, path: str) -> Path | None:
    """Returns the directory at a path below another. The path is a name in code that nobody trusts: it must not lead
    out of there, by dots or by links."""
    if {".", ".."}.intersection(path.split("/")):
        return None
    found = (top / path.lstrip("/")).resolve()
    return found if found.is_dir() and found.is_relative_to(top.resolve()) else None


def _contents(place: Path) -> dict[Path, bytes]:
    """Returns the files of a package without its tests, and without those that stand alone."""
    found = {}
    for path in [place] if place.suffix == SUFFIX and not place.is_dir() else _sources_in(place):
        try:
            data = intake.read(path, intake.SOURCE)
        except OSError:  # a link that leads nowhere does not hide the others
            continue
        if path == place or not stands_alone(data):
            found[path] = data
    return found


def _sources_in(directory: Path) -> list[Path]:
    try:
        names = [path for path in directory.iterdir() if path.name.endswith(SUFFIX)]
    except OSError:
        return []
    return [path for path in names if not is_test(path.name)]


def _by_build(file: GoFile) -> tuple[bool, bool, bool, str]:
    """Sorts files for other systems last, before them those that call C, and before them those that need a tag of the
    project: of two functions with one name, the first is the one that is called, and C tells nothing."""
    return file.for_others, _CALLS_C in file.data, not is_usual(file.data), file.place.name
