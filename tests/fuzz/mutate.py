"""Real files, changed at random: lines, tokens, indentation, bytes, encodings, ends of lines, depth."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from .insertions import with_descriptors
from .vocabulary import COMMENTS, NAMES, STATEMENTS

_MAX = 150_000  # bytes: larger files are cut
_CODECS = ("utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-7", "cp1252", "ascii", "utf-32")
_CONTROLS = b"\x00\x01\x08\x0b\x0c\x1a\x1b\x1c\x7f\x85\xa0\xff\xfe"
_WORD = re.compile(rb"[A-Za-z_]\w*|\d+|[^\w\s]")
Lines = list[bytes]


def mutated(files: Sequence[Path], rng: Random) -> bytes:
    """One of the files after some changes."""
    data = rng.choice(files).read_bytes()
    if len(data) > _MAX:
        start = rng.randrange(len(data) - _MAX)
        data = data[start : start + _MAX]
    if rng.random() < 0.5:
        text = data.decode("latin-1").replace("\r", "")
        data = with_descriptors(text, rng).encode("latin-1")
    for _ in range(rng.choice([0, 1, 2, 5, 20])):
        data = rng.choice(_CHANGES)(data, rng)
    return data


def _by_lines(change: Callable[[Lines, int, Random], None]) -> Callable[[bytes, Random], bytes]:
    """A change of the lines near a place."""

    def changed(data: bytes, rng: Random) -> bytes:
        lines = data.splitlines(keepends=True) or [b"\n"]
        change(lines, rng.randrange(len(lines)), rng)
        return b"".join(lines)

    return changed


def _delete(lines: Lines, at: int, rng: Random) -> None:
    del lines[at : at + rng.choice([1, 1, 3])]


def _duplicate(lines: Lines, at: int, rng: Random) -> None:
    region = lines[at : at + rng.choice([1, 2, 10])]
    lines[at:at] = region * rng.choice([1, 1, 2, 20])


def _swap(lines: Lines, at: int, rng: Random) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _indent(lines: Lines, at: int, rng: Random) -> None:
    more = rng.choice([b" ", b"    ", b"\t"])
    end = at + rng.choice([1, 5, 50])
    lines[at:end] = [more + line if rng.random() < 0.95 else line for line in lines[at:end]]


def _dedent(lines: Lines, at: int, rng: Random) -> None:
    lines[at] = lines[at].lstrip(rng.choice([b" ", b" \t"]))


def _put_in(lines: Lines, at: int, rng: Random) -> None:
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, indent + rng.choice(STATEMENTS).encode() + b"\n")


def _comment(lines: Lines, at: int, rng: Random) -> None:
    lines[at] = lines[at].rstrip(b"\r\n") + b"  " + rng.choice(COMMENTS).encode() + b"\n"


def _deepen(lines: Lines, at: int, rng: Random) -> None:
    """Nests the lines in more blocks."""
    end = at + rng.choice([1, 10, 40])
    for _ in range(rng.choice([1, 3, 15])):
        head = rng.choice([b"if a:", b"while a:", b"with a as fd:", b"for fd in fds:", b"def f(fd):", b"class C:"])
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines[at:end] = [indent + head + b"\n", *(b" " + line for line in lines[at:end])]
        end += 1


def _token(data: bytes, rng: Random) -> bytes:
    found = list(_WORD.finditer(data))
    if not found:
        return data
    one, other = rng.choice(found), rng.choice(found)
    new = rng.choice([other.group(), rng.choice(NAMES).encode(), b"", b"os.open(p, 0)"])
    return data[: one.start()] + new + data[one.end() :]


def _flip(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _control(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes([rng.choice(_CONTROLS)]) + data[at:]


def _truncate(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data


def _brackets(data: bytes, rng: Random) -> bytes:
    """Puts a token into more brackets."""
    found = list(_WORD.finditer(data))
    if not found:
        return data
    one, count = rng.choice(found), rng.choice([1, 5, 40])
    left, right = rng.choice([(b"(", b")"), (b"[", b"]"), (b"f(", b")"), (b"{0:", b"}"), (b"not ", b"")])
    return data[: one.start()] + left * count + one.group() + right * count + data[one.end() :]


def _newlines(data: bytes, rng: Random) -> bytes:
    new = rng.choice([b"\r\n", b"\r", b"\n\n", b"\x0c\n", b"\n\r"])
    return b"".join(part + rng.choice([new, b"\n"]) for part in data.split(b"\n"))


def _encode(data: bytes, rng: Random) -> bytes:
    """The text, or only the comment that names its encoding, in another encoding."""
    codec = rng.choice(_CODECS)
    said = b"# -*- coding: " + rng.choice(_CODECS).encode() + b" -*-\n" if rng.random() < 0.5 else b""
    return said + data.decode("latin-1").encode(codec, errors="replace")


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    *map(_by_lines, (_delete, _duplicate, _swap, _indent, _dedent, _put_in, _put_in, _comment, _deepen)),
    _token, _token, _token, _flip, _control, _truncate, _brackets, _newlines, _encode,
)  # fmt: skip
