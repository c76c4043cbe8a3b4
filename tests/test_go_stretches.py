"""A large Go file is parsed stretch by stretch."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.go.lowering.source import GoFile
from fdlint.languages.go.lowering.stretches import LARGEST, stretches
from tests.memory import forget_peak, held, own_peak

_FUNCTION = 'func f%d(a int) (string, error) { if a > 1 { return "", nil }; return g(a, []int{1, 2, 3}) }\n'
_TRAP = b'var text = `\nfunc no() {\n`\n/* {\nfunc no() {\n*/\nvar brace = \'{\' // {\nfunc yes() { a("\\"{") }\n'


def _file(data: bytes) -> GoFile:
    return GoFile(Path("p.go"), "p.go", data)


def _many(count: int) -> bytes:
    return b"package p\n" + "".join(_FUNCTION % number for number in range(count)).encode()


def test_the_stretches_are_the_whole_file() -> None:
    data = _many(2_000)
    found = stretches(data)
    assert len(found) > 5
    assert b"".join(data[start:end] for start, end in found) == data


def test_no_stretch_begins_in_a_text_or_in_a_comment() -> None:
    data = _many(1) + _TRAP * 1_000
    assert all(data[start:].startswith((b"var text", b"var brace", b"func yes")) for start, _ in stretches(data)[1:])
    names = [one.child_by_field_name("name") for one in _file(data).declarations() if one.type[:4] == "func"]
    assert [one.text for one in names if one is not None] == [b"f0"] + [b"yes"] * 1_000


def test_a_node_of_any_stretch_is_found_in_its_place() -> None:
    data = _many(2_000)
    file = _file(data)
    for name in (b"f0", b"f999", b"f1999"):
        start = data.index(name + b"(")
        node = file.node(start, start + len(name))
        assert node is not None and node.text == name and node.parent is not None
        assert node.start_point.row == file.position(start)[0] - 1


def test_what_is_too_large_or_does_not_parse_is_named_and_hides_nothing_else() -> None:
    table = b"var t = []int{\n" + b"1,\n" * LARGEST + b"}\n"
    file = _file(_many(200) + table + b"func broken() { ( }\n" + _many(200))
    names = [one for one in file.declarations() if one.type == "function_declaration"]
    assert len(names) >= 400
    large, broken = file.troubles()
    assert large.startswith("line 202: too large: ")
    assert "does not parse" in broken


def test_a_large_file_takes_little_memory() -> None:
    data = _many(30_000)
    before = held()
    forget_peak()
    for node in _file(data).declarations():
        assert node.named_children
    assert own_peak() - before < 150 << 20
