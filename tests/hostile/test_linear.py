"""No regular expression, and no scan, over what a tree contains takes more than linear time.

Each is run over strings of one unit again and again, and over twice as many of them. A quadratic one takes four times
as long for them, an exponential one never ends.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import fdlint
from fdlint.languages.go.suppressions import suppressions as go_suppressions
from fdlint.languages.go.words import is_generated
from fdlint.languages.index import imports, mentions
from fdlint.languages.index.facts import facts_of
from fdlint.languages.python.comments import speaks_of_fdlint, suppressions
from fdlint.scan.reading import nesting
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import split_at_newlines

SIZE = 2_200
# What is measured is the time of the processor, which is not that of a busy machine; yet it is no exact number.
FLOOR = 0.004  # seconds: what is done sooner is not worth a comparison; a quadratic pattern takes several times as long
RATIO = 3.0
_ATTEMPTS = 4

UNITS = [
    " ", "\n", "\t", "\r", "\r\n", "\\\n", "\f", "\u00a0", "a", "A", "0", "_", "\u00e9", ".", ",", ";", ":", "=", "*",
    "-", "@", "!", "(", ")", "[", "]", "{", "}", "'", "\"", "'''", "\"\"\"", "`", "#", "/", "\\", "$", "<", "|", "%",
    "a ", " \n", "a\n", "a.", "a .", "a. ", "a,", "a(", "(a", "a[", "a:", ".a ", "self.a ", "a.fd ", "a.fd(", "'fd'",
    "f'", "f\"{", "f'''{", "# noqa ", "# noqa: A1 ", "#noqa:A1,", "noqa:", "# flake8: noqa ", "# fdlint: ",
    "# fdlint: ignore[", "# fdlint: ignore[A1 ", "from a import ", "from a import (", "from a import (\n", "from .",
    "import a", "import ", "import a.", "\nfrom a import (b,", "import fd ", "return ", "return  1 ", "def ", "def a",
    "def a(", "def a[", "@a.", "\n@", "case ", "elif ", "lambda ", "not ", "**", "__slots__ = [", "__slots__=(",
    "close(", "close", "close(]", "].fd", "AB = ", "\nAB = ", "\nAB =  #", "\nAB = 1 ", "// nolint ", "//nolint:",
    "//nolint:a, ", "func (", "func (a ", "func (a *", "\nfunc (a", "// Code generated ", " DO NOT EDIT. ",
    "\n// Code generated  DO NOT EDIT. ", "send", "Send", "UnixRights", "UnixRights(", "from `", "`a", "#!",
    "#!python", "FD1", "bsd", "macos", "@@ -1,1 ", "::a", "[:a:]", "1/1", "coding:", "# coding: ", "a(b, ", "a(, ",
    "%d", "{%d", "(%s, ", "import\n", "Error", "read", "recv_", "close_", "re_", "Aa", "\u001b[", "\ud800",
]  # fmt: skip
ENDS = ["", "x"]

# These see no text of a tree: names that were found in it have been looked at first, or only the first bytes count.
BOUNDED = {
    "catalog.loader._NAME": "of a whole value in a configuration",
    "catalog.shape._TYPE": "of a whole value in a configuration",
    "languages.registry._SCRIPT": "in 200 bytes",
    "scan.files.owners._OWNER": "of a whole word of 100 characters",
    "scan.files.owners._SECTION": "where a line begins",
    "scan.reading.globs._MEMBER": "in a pattern of 1,000 characters",
    "scan.reading.globs._PIECE": "in a pattern of 1,000 characters",
    "scan.reading.nesting._LINE": "where a line begins",
    "report.printable._COMMAND": "where a line begins",
    "languages.python.comments._BEFORE_REASON": "where a comment's codes end",
    "fleet.manifest._ADDRESS": "of a whole value in a manifest",
    "scan.git.fetch._REF": "of a whole value in a manifest",
}


PACKAGE = Path(fdlint.__file__).parent
# Where patterns stand: found in the text, so that no process that collects the tests imports all modules.
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "re.compile(" in path.read_text(encoding="utf-8"))


def patterns(path: Path) -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """All that stand in a module."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    yield from _in(importlib.import_module(".".join(one for one in parts if one != "__init__")))


def _in(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    for name, value in vars(module).items():
        values = value.items() if isinstance(value, dict) else [("", value)]
        for key, one in values:
            if isinstance(one, re.Pattern):
                yield f"{module.__name__.removeprefix('fdlint.')}.{name}{key!r}".removesuffix("''"), one


def find_all(pattern: re.Pattern[str] | re.Pattern[bytes]) -> Callable[[str], object]:
    """Runs a pattern over a text in every way."""
    if isinstance(pattern.pattern, bytes):
        return lambda text: [*pattern.finditer(text.encode(errors="replace"))]  # type: ignore[arg-type]
    return lambda text: [*pattern.finditer(text)]  # type: ignore[arg-type]


SCANS: dict[str, Callable[[str], object]] = {
    "module_imports": mentions.module_imports,
    "facts_of": lambda text: _unless_it_fails(lambda: facts_of(ast.parse(text))),
    "imported": lambda text: [*imports._IMPORT.finditer(text.encode(errors="replace"))],
    "suppressions": lambda text: suppressions(f"# noqa{text}".encode(errors="replace"), "a.py"),
    "speaks_of_fdlint": lambda text: speaks_of_fdlint(f"noqa:{text}".encode(errors="replace")),
    "decoded": lambda text: _unless_it_fails(lambda: decoded(text.encode(errors="replace"))),
    # The two parts of a check, each alone: together they have a step where the quick one gives up.
    "quick nesting": nesting.is_surely_shallow,
    "exact nesting": lambda text: _unless_it_fails(nesting._Scan(text, 1, nesting.MAX_COST).run),
    "go": lambda text: go_suppressions("a.go", split_at_newlines(text)),
    "go generated": lambda text: is_generated(text.encode(errors="replace")),
}


def _unless_it_fails(work: Callable[[], object]) -> None:
    with contextlib.suppress(ValueError, LookupError, SyntaxError, RecursionError, MemoryError):
        work()


def seconds(work: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def is_linear(work: Callable[[str], object], unit: str, end: str, size: int = SIZE) -> bool:
    """Whether twice as much takes twice as long. A memory that is filled, or a quick bound that gives up, makes one
    step in the time, so twice as much again is measured too."""
    text = (unit * (size // len(unit)))[:size]
    if seconds(work, text + text + end) < FLOOR:
        return True
    return _doubles(work, text, end) or _doubles(work, text + text, end)


def _doubles(work: Callable[[str], object], text: str, end: str) -> bool:
    """One measurement of each shows most of what is linear. Only the rest is worth three."""
    for times in (1, 3):
        once, twice = (min(seconds(work, one + end) for _ in range(times)) for one in (text, text + text))
        if twice < max(FLOOR, RATIO * once):
            return True
    return False


def check(work: Callable[[str], object], name: str) -> None:
    # One measurement in a thousand is off on a busy machine. What is quadratic is so each time.
    slow = (
        (unit, end) for unit in UNITS for end in ENDS if not any(is_linear(work, unit, end) for _ in range(_ATTEMPTS))
    )
    assert next(slow, None) is None, name


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """Turns the collector off: its runs depend on what other tests have left, and they count as time of the scan."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_patterns(path: Path) -> None:
    for name, pattern in patterns(path):
        if name not in BOUNDED:
            check(find_all(pattern), name)


@pytest.mark.parametrize("name", SCANS)
def test_scan(name: str) -> None:
    check(SCANS[name], name)


def test_the_test_tells_them_apart() -> None:
    for pattern, unit, size in ((r"(\w+)\((?=[^()]*$)", "a", SIZE // 2), (r"\([^)]*\)", "(", SIZE)):
        # On a busy machine one measurement may be off.
        assert not all(is_linear(find_all(re.compile(pattern)), unit, "", size) for _ in range(5))
    assert is_linear(find_all(re.compile(r"\b\w+\(")), "a", "")


def test_what_is_bounded_is_there() -> None:
    assert BOUNDED.keys() <= {name for path in MODULES for name, _ in patterns(path)}
