"""What all of fdlint knows of a language: its names, its files, and what else it brings."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Parser:
    """What a language needs beside fdlint itself. ``modules``: those to import. ``extra``: the extra that installs
    them. ``distribution``: the one whose version affects findings."""

    modules: tuple[str, ...]
    distribution: str
    extra: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether all modules are there."""
        return all(map(_is_there, self.modules))


@functools.cache
def _is_there(module: str) -> bool:
    """Whether a module can be imported. Each file asks, and the answer looks into every directory of the path."""
    return importlib.util.find_spec(module) is not None


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the configuration that only one language has. It is true or false. ``isolated``: its value for code that
    nobody trusts."""

    key: str
    meaning: str
    default: bool
    isolated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageDescription:
    """One language. ``key``: its name in reports, and that of its folder. ``title``: its name in messages.

    ``suffixes``: those of its files, the usual one first. ``searched``: those of the files that a scan looks for
    below a directory. ``interpreters``: programs in the first line of scripts, and ``scans_scripts``: the setting
    by which a scan looks for scripts below a directory. ``test_files``: patterns of its usual test files, as the
    documentation has them; ``is_test_name`` tells one by its name. ``copies``: the name of the directories with
    copies of other projects, which a scan leaves out unless the setting ``scans_copies`` is true; likewise its
    tests and ``scans_tests``. ``project_files``: other files that a scan depends on. ``top_marks``: the names of
    files in the top directory of a project. ``package_file``: the name of the file that makes a directory a
    package. ``rules``: its folder has rules for Semgrep. ``by_package``: a package is analysed at once, not a file.
    ``settings``: keys of the configuration. ``hook``: the identifier of its hook for pre-commit. ``ignore``: the
    comment that silences a code. ``parser``: what it needs.
    """

    key: str
    title: str
    suffixes: tuple[str, ...]
    searched: tuple[str, ...]
    test_files: tuple[str, ...]
    is_test_name: Callable[[str], bool]
    hook: str
    ignore: str
    parser: Parser
    interpreters: tuple[str, ...] = ()
    scans_scripts: str = ""
    copies: str = ""
    scans_copies: str = ""
    scans_tests: str = ""
    project_files: tuple[str, ...] = ()
    top_marks: tuple[str, ...] = ()
    package_file: str = ""
    rules: bool = False
    by_package: bool = False
    settings: tuple[Setting, ...] = ()

    @property
    def suffix(self) -> str:
        """The usual suffix of its files."""
        return self.suffixes[0]

    @property
    def not_installed(self) -> str:
        """The reason for skipped files whose parser is missing."""
        return f"not checked, as the parser of {self.title} is not installed: pip install 'fdlint[{self.parser.extra}]'"

    def leaves_out_test(self, name: str, flags: Collection[str]) -> bool:
        """Whether a file is a test that the configuration leaves out. ``flags``: the settings that are true."""
        return bool(self.scans_tests) and self.scans_tests not in flags and self.is_test_name(name)

    def part(self, name: str) -> ModuleType:
        """Returns a module of the language's folder. It is imported when it is needed: most of them are slow."""
        return importlib.import_module(f"fdlint.languages.{self.key}.{name}")
