"""The facts about Go that the analyses need."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.ir import AccessPath, Constant
from fdlint.core.ir.language import Decorators, Exceptions, Language, Methods, Types
from fdlint.languages.go.catalog import ERROR

_PANIC = "go.panic"
_FILE = frozenset(
    {
        "os.File",
        *(f"io.{name}" for name in ("Reader", "Writer", "Closer", "Seeker", "ReaderAt", "WriterAt", "ReaderFrom")),
        *(f"io.{name}" for name in ("ReadCloser", "WriteCloser", "ReadWriter", "ReadWriteCloser", "StringWriter")),
        *(f"io.{name}" for name in ("ReadSeeker", "WriteSeeker", "ReadWriteSeeker", "ReadSeekCloser", "WriterTo")),
        "fs.File",
        "syscall.Conn",
    }
)
"""The type of a file, and the interfaces of the standard library that it implements."""


def _base_of(kind: str, known: Iterable[str]) -> str | None:
    return kind if kind in known else None


def _type_of(value: Constant) -> str:
    return {type(None): "go.nil", bool: "go.bool", int: "go.int", str: "go.string"}[type(value)]


GO = Language(
    Exceptions(_PANIC, ERROR, _PANIC, _PANIC, _base_of, for_mistakes=False),
    Types(
        none="go.nil",
        text="go.string",
        unknown="?",
        plain=frozenset({"go.int", "go.string", "go.bool"}),
        numbers=frozenset({"go.int"}) | _FILE,
        of=_type_of,
        number_has=lambda _: True,
    ),
    Methods(
        "<constructor>",
        after_constructor=(),
        makers=frozenset(),
        of_classes=frozenset(),
        finalizer="<finalizer>",
        call="<call>",
        managers={},
    ),
    Decorators("", "static", frozenset(), frozenset(), frozenset(), frozenset(), "", frozenset()),
    AccessPath("<receiver>"),
    class_receiver=AccessPath("<class>"),
    builtins="go.",
    is_constant=lambda _: False,
    is_private=lambda name: name[:1].islower(),
    records=True,
    says_it_takes=True,
    returns_errors=True,
    words={
        "in a `finally`": "in a `defer`",
        "os.set_inheritable(fd, False)": "unix.CloseOnExec(fd)",
        "can raise": "fails",
        "None or -1 (`is not None`, `>= 0`)": "-1 (`>= 0`)",
        "a method of the class": "a method of the type",
        "before the `raise`": "before that",
        "when the function raises": "when the function panics",
        "<receiver>.": "",
    },
)
