"""The packages of a language that is analysed package by package: what a scan asks of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from fdlint.catalog import Catalog
from fdlint.languages.description import LanguageDescription
from fdlint.program.modules import Program
from fdlint.program.units import File
from fdlint.scan.files.discover import FileToScan


class PackagedFile(Protocol):
    """One file of a package."""

    @property
    def path(self) -> str:
        """Its path in reports."""

    @property
    def place(self) -> Path:
        """Its resolved path."""

    @property
    def data(self) -> bytes:
        """Its contents."""


@dataclass(slots=True)
class PackageProgram(Program):
    """A program whose files are packages. ``first``: its size once the first of them was analysed."""

    first: int = 0

    def package(self, place: Path) -> File | None:
        """Returns the package at a place, None if it has no files."""
        raise NotImplementedError

    def read_for(self, file: File) -> Sequence[Path]:
        """Returns the files of a package and of the packages that its imports lead to, directly or not."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRules:
    """``modules``: those around some directories, each its
    directory and its path. ``place``: that of the package of a file with these contents. ``program``: one that
    knows a catalog, and texts that stand for files. ``left_out``: why a scan leaves a file out, with what it contains;
    None if it does not. ``files`` and ``homes``: those of a package, and the number of the file of each function.
    ``unparsed``: why parts of a file were not parsed. ``silent``: the codes that are not reported in a file of this
    name.
    """

    modules: Callable[[Collection[Path]], Collection[tuple[Path, str]]]
    place: Callable[[FileToScan, bytes], Path]
    program: Callable[[Catalog, Mapping[Path, bytes]], PackageProgram]
    left_out: Callable[[FileToScan, bytes], str | None]
    files: Callable[[File], Sequence[PackagedFile]]
    homes: Callable[[File], Mapping[str, int]]
    unparsed: Callable[[PackagedFile], Sequence[str]]
    silent: Callable[[str], frozenset[str]]


@functools.cache
def packages_of(language: LanguageDescription) -> PackageRules:
    """Returns the rules of a language."""
    return cast(PackageRules, language.part("packages").PACKAGES)
