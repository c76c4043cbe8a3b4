"""Edits of goldens and of Python's own library: after each, the results must be those of a complete analysis."""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from test_live_edits import CODE, EVERYTHING, shown

from fdlint.scan import analysis
from fdlint.scan.live import Live

CASES = sorted((Path(__file__).parent / "cases").rglob("*.yml"))
LIBRARY = Path(sysconfig.get_path("stdlib"))
Lines = list[str]
Functions = ast.FunctionDef | ast.AsyncFunctionDef
_WORTH = re.compile("close|open|fd|pipe|dup|return")


class Text:
    """A text with its lines and its syntax tree."""

    def __init__(self, text: str, choose: random.Random) -> None:
        self.lines, self.tree, self.choose = text.split("\n"), ast.parse(text), choose
        functions = [node for node in ast.walk(self.tree) if isinstance(node, Functions)]
        inside = [node for one in functions for node in ast.walk(one) if isinstance(node, ast.stmt) and node is not one]
        worth = [node for node in inside if _WORTH.search("\n".join(self.of(node)))]
        self.functions, self.statements = functions, worth if worth and choose.random() < 0.6 else inside

    def of(self, node: ast.stmt) -> Lines:
        return self.lines[node.lineno - 1 : node.end_lineno]

    def replaced(self, node: ast.stmt, new: Lines) -> str:
        return "\n".join([*self.lines[: node.lineno - 1], *new, *self.lines[node.end_lineno or 0 :]])


def called(text: Text, node: ast.stmt, before: str) -> Lines:
    return [f"{before}changed({text.choose.randrange(9)})", *text.of(node)]


def dropped(text: Text, node: ast.stmt, before: str) -> Lines:
    return [f"{before}pass"]


def left(text: Text, node: ast.stmt, before: str) -> Lines:
    return [before + text.choose.choice(["return", "return fd", "return self", "raise OSError(1)"]), *text.of(node)]


def doubled(text: Text, node: ast.stmt, before: str) -> Lines:
    return [*text.of(node), *text.of(node)]


def guarded(text: Text, node: ast.stmt, before: str) -> Lines:
    inside = [f"    {line}" for line in text.of(node)]
    return text.choose.choice(
        [
            [f"{before}if changed:", *inside],
            [f"{before}try:", *inside, f"{before}except OSError:", f"{before}    pass"],
            [f"{before}try:", *inside, f"{before}finally:", f"{before}    os.close(fd)"],
        ]
    )


def other_callee(text: Text, node: ast.stmt, before: str) -> Lines:
    names = [one.name for one in text.tree.body if isinstance(one, Functions)] + ["os.close", "os.dup", "open"]
    return [re.sub(r"\b[a-z_.]+\(", f"{text.choose.choice(names)}(", text.of(node)[0], count=1), *text.of(node)[1:]]


def spaced(text: Text, node: ast.stmt, before: str) -> Lines:
    return [text.choose.choice(["", f"{before}# a comment", f"{before}'a text'"]), *text.of(node)]


OF_STATEMENTS: list[Callable[[Text, ast.stmt, str], Lines]] = [
    called, dropped, left, doubled, guarded, other_callee, other_callee, spaced,
]  # fmt: skip


def renamed(text: Text) -> str:
    function = text.choose.choice(text.functions)
    stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    name = text.choose.choice(sorted(stored) or ["fd"])
    return text.replaced(function, [re.sub(rf"(?<![.\w]){name}\b", f"{name}_2", line) for line in text.of(function)])


def more(text: Text) -> str:
    new = "\n\ndef added(fd):\n    import os\n    os.close(fd)\n"
    return "\n".join(text.lines) + text.choose.choice([new, "\nimport sys as other\n", "\nLIMIT = 4\n"])


def fewer(text: Text) -> str:
    return text.replaced(text.choose.choice(text.functions), [])


def of_class(text: Text) -> str:
    classes = [one for one in text.tree.body if isinstance(one, ast.ClassDef) and one.body[-1].col_offset]
    if not classes:
        return more(text)
    last = text.choose.choice(classes).body[-1]
    return text.replaced(last, [*text.of(last), f"{' ' * last.col_offset}extra = {text.choose.randrange(9)}"])


OF_TEXTS = [renamed, renamed, more, fewer, of_class]


def is_python(text: str) -> bool:
    """Whether this version of Python can read a case."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def edits(text: str, choose: random.Random, times: int) -> Iterator[str]:
    """Yields texts. Each has one more edit than one before it."""
    for _ in range(20 * times):
        now = Text(text, choose)
        if not times or not now.statements:
            return
        if choose.random() < 0.2:
            after = choose.choice(OF_TEXTS)(now)
        else:
            node = choose.choice(now.statements)
            after = now.replaced(node, choose.choice(OF_STATEMENTS)(now, node, " " * node.col_offset))
        if not is_python(after):
            continue
        times -= 1
        yield after
        text = after if choose.random() < 0.6 else text


def compare(code: str, path: Path, choose: random.Random, times: int) -> None:
    live = Live()
    live.look(code.encode(), path, options=EVERYTHING)
    for text in edits(code, choose, times):
        found, whole = (one.look(text.encode(), path, options=EVERYTHING) for one in (live, Live()))
        assert shown(found) == shown(whole), text
        assert Counter(found.closings) == Counter(whole.closings), text


@pytest.mark.parametrize("part", range(3))
def test_edits_of_goldens(tmp_path: Path, part: int) -> None:
    choose = random.Random(part)
    for case in choose.sample(CASES, 12):
        code = yaml.safe_load(case.read_text()).get("code")
        if isinstance(code, str) and is_python(code):
            compare(code, tmp_path / "case.py", choose, 4)


@pytest.mark.parametrize(("name", "times"), [("pty", 4), ("getpass", 4)])
def test_edits_of_the_library(name: str, times: int) -> None:
    path = LIBRARY / f"{name}.py"
    compare(path.read_text(), path, random.Random(name), times)


def test_most_edits_keep_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the other tests would compare complete analyses with complete ones."""
    complete: list[object] = []
    original = analysis.edit_of

    def counted(*given: object) -> object:
        if (found := original(*given)) is None:  # type: ignore[arg-type]
            complete.append(given)
        return found

    monkeypatch.setattr(analysis, "edit_of", counted)
    compare(CODE, tmp_path / "a.py", random.Random(0), 8)
    assert len(complete) <= 4  # of eight edits
