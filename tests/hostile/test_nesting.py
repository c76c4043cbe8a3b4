"""Code that is nested so deeply that parsers crash, or take all memory: it is refused before any of them sees it."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from fdlint.scan.reading.nesting import (
    MAX_BLOCKS,
    MAX_BRACKETS,
    MAX_CHAIN,
    TooDeepError,
    _Scan,
    check,
    is_surely_shallow,
)
from fdlint.scan.scan import scan_bytes
from hostile.running import LEAK, MEMORY, scan

Code = Callable[[int], str]
SOUP = [
    *('"', "'", '"""', "'''", 'f"', "f'", 'f"""', "rf'''", "{", "}", "{{", "}}", "\\", "\\\n", "\n", "\r\n"),
    *("{' '}", '{" ".x}', "{x:#x}"),
    *("#", "(", ")", "[", "]", "a", "+", "a+" * 2600, "(" * 60, ")" * 60, "[" * 51, "{x}", "{x!r:>{w}}", "if x:\n    "),
    *("elif", "not ", "lambda: ", "del ", "case ", " ", '"a"', "f'{x}'", "x = 1\n", ";", ":", ",", "-" * 2600),
]


def blocks(head: str) -> Code:
    return lambda depth: "".join(f"{' ' * number}{head}:\n" for number in range(depth)) + " " * depth + "pass\n"


def chain(first: str, more: str, last: str = "\n") -> Code:
    return lambda depth: first + more * depth + last


def around(before: str, inside: str, after: str) -> Code:
    return lambda depth: f"x = {before * depth}{inside}{after * depth}\n"


BRACKETS: dict[str, Code] = {
    "calls": around("a(", "", ")"),
    "parentheses": around("(", "1", ")"),
    "lists": around("[", "", "]"),
    "dictionaries": around("{1: ", "1", "}"),
    "subscripts": around("a[", "1", "]"),
    "tuples": around("(", "", ",)"),
    "comprehensions": around("[a for b in ", "c", "]"),
    "lambdas in calls": around("a(lambda: ", "c", ")"),
    "keywords": around("a(b=", "c", ")"),
    "never closed": around("a(", "", ""),
    "in an f-string": lambda depth: f"x = f'{{{'(' * depth}1{')' * depth}}}'\n",
    "formats": lambda depth: f"x = f'{'{a:' * depth}{'}' * depth}'\n",
    "targets": lambda depth: f"{'(' * depth}a{',)' * depth} = b\n",
    "annotations": lambda depth: f"x: {'a[' * depth}1{']' * depth} = 2\n",
    "bases": lambda depth: f"class A({'a(' * depth}{')' * depth}): pass\n",
}
BLOCKS: dict[str, Code] = {
    head: blocks(head) for head in ("if a", "def g()", "class A", "with a", "for a in b", "while a", "async def g()")
}
CHAINS: dict[str, Code] = {
    "not": chain("x = ", "not ", "a\n"),
    "minus": chain("x = ", "-", "a\n"),
    "invert": chain("x = ", "~ ", "a\n"),
    "lambda": chain("x = ", "lambda: ", "a\n"),
    "lambda with parameters": chain("x = ", "lambda a, b=1: ", "a\n"),
    "await": chain("async def g():\n    x = ", "await ", "a\n"),
    "power": chain("x = a", "**a"),
    "negative powers": chain("x = a", "**-a"),
    "conditions": chain("x = a", " if b else c"),
    "sum": chain("x = a", " + a"),
    "and": chain("x = a", " and a"),
    "comparisons": chain("x = a", " < a"),
    "not in": chain("x = a", " not in a"),
    "attributes": chain("x = a", ".b"),
    "calls of calls": chain("x = a", "()"),
    "methods": chain("x = a", ".b()"),
    "items of items": chain("x = a", "[0]"),
    "strings": chain("x = 'a'", " 'b'"),
    "f-strings": chain("x = f'a'", " f'{b}'"),
    "elif": chain("if a: pass\n", "elif a: pass\n"),
    "for in a comprehension": chain("x = [a", " for a in b", "]\n"),
    "a dotted import": chain("import a", ".b"),
    "in an f-string": chain("x = f'{", "not ", "a}'\n"),
}
ALL = {**BRACKETS, **BLOCKS, **CHAINS}
# libcst tries each bracket of these in several ways, all of them again for each bracket inside.
EXPONENTIAL: dict[str, Code] = {
    "list patterns": lambda depth: f"match x:\n    case {'[' * depth}{']' * depth}: pass\n",
    "class patterns": lambda depth: f"match x:\n    case {'A(' * depth}{')' * depth}: pass\n",
    "mapping patterns": lambda depth: f"match x:\n    case {'{1: ' * depth}1{'}' * depth}: pass\n",
    "tuple patterns": lambda depth: f"match x:\n    case {'(' * depth}1{',)' * depth}: pass\n",
    "del": lambda depth: f"del {'(' * depth}a b{')' * depth}\n",
    "del after a colon": lambda depth: f"if x: del {'(' * depth}a b{')' * depth}\n",
}


def refused(code: str) -> str:
    with pytest.raises(TooDeepError) as caught:
        check(code, costly=True)
    return str(caught.value)


class TestLimits:
    @pytest.mark.parametrize("kind", BRACKETS)
    def test_brackets(self, kind: str) -> None:
        check(BRACKETS[kind](MAX_BRACKETS - 1), costly=kind != "lambdas in calls")
        where = f"{MAX_BRACKETS + 1} brackets at line 1, the limit is {MAX_BRACKETS}"
        assert refused(BRACKETS[kind](MAX_BRACKETS + 1)) == f"nested too deeply to analyse: {where}"

    @pytest.mark.parametrize("kind", BLOCKS)
    def test_blocks(self, kind: str) -> None:
        check(BLOCKS[kind](MAX_BLOCKS), costly=True)
        assert f"{MAX_BLOCKS + 1} blocks at line {MAX_BLOCKS + 2}" in refused(BLOCKS[kind](MAX_BLOCKS + 1))

    @pytest.mark.parametrize("kind", CHAINS)
    def test_chains(self, kind: str) -> None:
        check(CHAINS[kind](300), costly=True)
        assert "nested too deeply to analyse: " in refused(CHAINS[kind](MAX_CHAIN + 1))

    @pytest.mark.parametrize("kind", {**ALL, **EXPONENTIAL})
    def test_what_is_surely_shallow_is_within_the_limits(self, kind: str) -> None:
        code = {**ALL, **EXPONENTIAL}[kind]
        sizes = [
            depth for depth in (1, 5, 12, 20, 40, 60, 80, 99, 100, 101, 200, 500, 2_000) if len(code(depth)) < 20_000
        ]
        shallow = [depth for depth in sizes if is_surely_shallow(code(depth))]
        assert shallow == sizes[: len(shallow)]
        assert shallow or kind in EXPONENTIAL
        for depth in shallow:
            _Scan(code(depth), 1, math.inf).run()

    @pytest.mark.parametrize("seed", range(4))
    def test_what_is_surely_shallow_is_so_in_any_text(self, seed: int) -> None:
        """Strings, comments and brackets in any order: the quick bounds hide nothing that the tokens show."""
        rng, shallow = Random(seed), 0
        for _ in range(1_500):
            text = "".join(rng.choice(SOUP) for _ in range(rng.choice([3, 6, 12, 25])))
            if is_surely_shallow(text):
                shallow += 1
                _Scan(text, 1, math.inf).run()
        assert shallow > 150

    def test_python_itself_takes_no_more(self) -> None:
        with pytest.raises(SyntaxError, match="too many nested parentheses"):
            ast.parse(BRACKETS["parentheses"](2 * MAX_BRACKETS + 1))
        with pytest.raises(IndentationError, match="too many levels of indentation"):
            ast.parse(BLOCKS["if a"](MAX_BLOCKS + 1))

    def test_the_line_is_that_of_the_file(self) -> None:
        with pytest.raises(TooDeepError, match="at line 43"):
            check("\n\n" + "(" * 200, 41)

    @pytest.mark.parametrize(
        "code",
        [
            "x = [" + "(1, 2), " * 5000 + "]\n",
            "f(" + "a=-1, " * 5000 + ")\n",
            "x = a" + ", a.b.c" * 5000 + "\n",
            "x = -a**2" + " + -a**2" * 2000 + "\n",
            "x = not a" + " and not a" * 2000 + "\n",
            "if a:\n    pass\n" * 5000,
            "if a: pass\nelif b: pass\nelse: pass\n" * 5000,
            "x = '((((' '[[['\n" * 5000,
            "# ((((\n" * 5000,
            'x = """\n' + "((((\n" * 5000 + '"""\n',
            "x = f'(((( {a} {{{{ [['\n" * 200,
            "x = {" + "a: lambda b, c: b, " * 2000 + "}\n",
            "def f(a, *, b=1, **c) -> None: ...\n" * 5000,
            "x = a[1:2, ::3]; y = 1.5e-3; z = 0x1f\n" * 2000,
        ],
    )
    def test_code_that_is_long_and_not_deep(self, code: str) -> None:
        check(code, costly=True)

    def test_depths_add_up(self) -> None:
        many = BRACKETS["calls"](50) * 1000
        check(many)
        assert "the depths of its parts add up to more than" in refused(many)

    @pytest.mark.parametrize("quote", ["'", '"', "'''", '"""'])
    @pytest.mark.parametrize("prefix", ["", "r", "b", "f", "Rb", "fR", "u"])
    def test_the_end_of_a_string(self, prefix: str, quote: str) -> None:
        deep = "(" * 200
        text = rf"\{quote[0]} \\"
        check(f"x = {prefix}{quote}{deep}{text}{quote}\n")
        assert "brackets" in refused(f"x = {prefix}{quote}{text}{quote} + {deep}\n")

    @pytest.mark.parametrize("end", ["", "\\", "{", "{a:", "{'", "{a!r:{", "\n"])
    @pytest.mark.parametrize("start", ["f'", 'f"""', "f'{f\"{", "'", "rb'''"])
    def test_a_string_that_does_not_end(self, start: str, end: str) -> None:
        check(f"x = {start}a{end}", costly=True)


def put(directory: Path, depth: Callable[[str], int], kinds: dict[str, Code]) -> list[str]:
    """A file for each kind, as deep as is said."""
    names = []
    for kind, code in kinds.items():
        names.append(f"{kind.replace(' ', '_')}.py")
        (directory / names[-1]).write_text(LEAK + code(depth(kind)))
    return sorted(names)


class TestScan:
    def test_the_files_are_skipped(self, tmp_path: Path) -> None:
        """In one process, whose peak is that of the worst of them. The rest of some of these files is analysed."""
        names = put(tmp_path, lambda kind: 1_000 if kind in BLOCKS else 6_000, {**ALL, **EXPONENTIAL})
        (tmp_path / "leak.py").write_text(LEAK)
        run = scan(tmp_path)
        errors = [one for one in run.errors.splitlines() if " files, " not in one]  # progress, after ten seconds
        assert (run.status, errors) == (1, [])
        assert {"leak.py"} < set(run.found) <= {"leak.py", *names}
        assert sorted(run.skipped) == names
        reasons = [reason.removeprefix("not analysed in full: ") for reason in run.skipped.values()]
        assert all(reason.startswith("nested too deeply to analyse: ") for reason in reasons)
        assert run.peak < MEMORY

    def test_just_below_the_limits(self, tmp_path: Path) -> None:
        def depth(kind: str) -> int:
            return MAX_BRACKETS - 1 if kind in BRACKETS else MAX_BLOCKS - 1 if kind in BLOCKS else MAX_CHAIN // 10

        put(tmp_path, depth, ALL)
        run = scan(tmp_path)
        assert (run.status, run.errors) == (1, "")
        assert len(run.found) > len(ALL) // 2
        assert not any("internal" in reason for reason in run.skipped.values())
        assert run.peak < MEMORY

    @pytest.mark.parametrize("kind", EXPONENTIAL)
    def test_patterns_have_their_own_limit(self, kind: str) -> None:
        check(EXPONENTIAL[kind](6), costly=True)
        assert "add up to more than" in refused(EXPONENTIAL[kind](12))

    def test_what_is_imported(self, tmp_path: Path) -> None:
        (tmp_path / "deep.py").write_text("import os\ndef lend(p):\n    return os.open(p, 0)\n" + "(" * 100_000)
        (tmp_path / "user.py").write_text("from deep import lend\ndef f(p):\n    fd = lend(p)\n" + LEAK)
        assert "user.py" in scan(tmp_path).found

    def test_lines_that_look_like_imports(self) -> None:
        from fdlint.languages.index.mentions import module_imports

        assert module_imports(f"from a import {'-' * 100_000}b\nimport c\n") == "import c\n"

    def test_a_change(self) -> None:
        """In a process of its own, as it could die."""
        program = (
            f"from fdlint.scan.changes.within import units; print(len(units('a.py', b'x = ' + b'{'-' * 50_000}1\\n')))"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"

    def test_where_a_piece_is_too_deep_the_rest_of_the_file_is_analysed(self) -> None:
        deep = "def g(p):\n    fd = os.open(p, 0)\n    return a(" + "(1, " * 60 + ")" * 60 + ")\n"
        many = "".join(deep.replace("def g", f"def g{number}") for number in range(3))
        result = scan_bytes((LEAK + many).encode(), "a.py")
        assert [finding.span.line for finding in result.findings][:1] == [3]
