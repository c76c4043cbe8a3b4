"""Where nodes stand is what libcst's own provider says."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from fdlint.languages.python.lowering.positions import positions

HERE = Path(__file__).parent
ODD = {
    "nothing": "",
    "no last newline": "x = 1",
    "only a comment": "# spam",
    "returns": "if x:\r\n    y = (\r\n        1)\r\n",
    "feeds": "x = 1\n\x0c\ny = 2\n",
    "strings of lines": 'x = """a\nb\n  c""" + f"""{\n  y\n}"""\n',
    "decorated": "@a\n# why\n@b(\n  1,\n)\nasync def f(a, /, *b, c: int = 1, **d) -> None: ...\n",
    "matches": "match x:\n    case [1, *_] | {'a': b, **c} if d: pass\n    case A(b=1) as e:\n        pass\n",
    "continued": "x = 1 + \\\n    2; y = 3\nwith a as b, \\\n     c: pass\n",
}


def check(code: str) -> None:
    module = cst.parse_module(code)
    found = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    expected = {
        node: ((one.start.line, one.start.column), (one.end.line, one.end.column)) for node, one in found.items()
    }
    assert positions(module) == expected


@pytest.mark.parametrize("name", ODD)
def test_of_odd_layout(name: str) -> None:
    check(ODD[name])


@pytest.mark.parametrize("path", sorted([*HERE.glob("test_*.py"), *(HERE.parent / "fdlint").rglob("*.py")])[::120])
def test_of_real_files(path: Path) -> None:
    check(path.read_text(encoding="utf-8"))
