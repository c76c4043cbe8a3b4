"""Lines are counted in one way: the one of Python's parser, of libcst and of editors."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fdlint.languages.python.comments import suppressions
from fdlint.languages.python.lowering.positions import positions
from fdlint.report.findings.finding import lines_of
from fdlint.scan.reading.lines import normalised, split, split_at_newlines, with_ends

ENDS = ["\n", "\r\n", "\r"]
INSIDE = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
"""What ``str.splitlines`` takes for the end of a line, and nobody else does."""

texts = st.text(st.sampled_from(["\n", "\r", *INSIDE, "a", " ", "é"]), max_size=30)
ends = st.sampled_from(ENDS)
insides = st.text(st.sampled_from([*INSIDE, "a", "é"]), max_size=4)
statements = st.one_of(
    insides.map(lambda text: f"name = '{text}', name  # fdlint: ignore {text}"),
    insides.map(lambda text: f"# {text}"),
    st.tuples(insides, ends, insides).map(lambda parts: f"'''{''.join(parts)}''', name"),
    ends.map(lambda end: f"(name,{end}  # noqa: FD101{end} name)"),
    ends.map(lambda end: f"name + \\{end}    name"),
    st.just("\x0c"),
    st.just(""),
)
programs = st.lists(st.tuples(statements, ends).map("".join), max_size=8).map("".join)


@pytest.mark.parametrize("inside", INSIDE)
def test_characters_inside_of_a_line(inside: str) -> None:
    assert split(f"a{inside}b\nc") == (f"a{inside}b", "c")
    assert with_ends(f"a{inside}b\r\nc") == [f"a{inside}b\r\n", "c"]
    assert split_at_newlines(f"a{inside}b\nc\n") == (f"a{inside}b", "c")
    assert lines_of(f"a{inside}b\nc\n".encode(), "utf-8") == (f"a{inside}b", "c")


def test_ends_of_lines() -> None:
    assert split("a\nb\r\nc\rd\n\r") == ("a", "b", "c", "d", "")
    assert split_at_newlines("a\r\nb\rc\n\n") == ("a", "b\rc", "")
    assert split("") == split_at_newlines("") == ()


@given(texts)
def test_the_ways_to_ask_agree(text: str) -> None:
    assert "".join(with_ends(text)) == text
    assert split(text) == tuple(line.rstrip("\r\n") for line in with_ends(text))
    assert split(normalised(text)) == split(text)


@given(programs)
def test_lines_are_those_of_the_parsers(program: str) -> None:
    lines = split(program)
    names = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)]
    for node in names:
        assert lines[node.lineno - 1].encode()[node.col_offset :].startswith(b"name")
    module = cst.parse_module(program)
    places = [place for node, (place, _) in positions(module).items() if isinstance(node, cst.Name)]
    assert sorted(line for line, _ in places) == sorted(node.lineno for node in names)


@given(programs)
def test_comments_are_where_they_are_said_to_be(program: str) -> None:
    lines = split(program)
    found = suppressions(program.encode(), "a.py")
    assert len(found) == program.count("# fdlint: ignore") + program.count("# noqa")
    for one in found:
        assert lines[one.span.line - 1][one.span.column - 1 :].startswith(("# fdlint: ignore", "# noqa: FD101"))
