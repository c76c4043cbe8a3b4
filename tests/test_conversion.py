"""The tree that is made from Python's own equals the tree of libcst, except for the layout."""

from __future__ import annotations

import dataclasses
import sysconfig
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from fdlint.languages.python.lowering.conversion import converted
from fdlint.languages.python.lowering.trees import _LAYOUT

HERE = Path(__file__).parent
LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = [
    *sorted([*HERE.glob("test_*.py"), *(HERE.parent / "fdlint").rglob("*.py")])[::12],
    *sorted(LIBRARY.glob("*.py"))[::16],
    *(
        path
        for name in ("grammar", "fstring", "generators", "unpack_ex", "except_star")
        if (path := LIBRARY / "test" / f"test_{name}.py").is_file()  # which of them there are depends on the Python
    ),
]


def difference(one: Any, other: Any, at: str = "") -> str:
    """Where two trees differ; empty if they do not."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return f"{at}: {len(one)} {len(other)}"
        parts = ((f"{at}[{number}]", *pair) for number, pair in enumerate(zip(one, other, strict=True)))
    elif type(one) is not type(other):
        return f"{at}: {type(one).__name__} {type(other).__name__}"
    elif isinstance(one, cst.CSTNode):
        names = [field.name for field in dataclasses.fields(one) if not field.name.startswith(_LAYOUT)]
        parts = ((f"{at}.{name}", getattr(one, name), getattr(other, name)) for name in names)
    else:
        return f"{at}: {one!r} {other!r}" if one != other else ""
    return next(filter(None, (difference(mine, yours, where) for where, mine, yours in parts)), "")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = converted(text)
    if tree is not None:
        assert difference(cst.parse_module(text), tree) == ""


SIMPLE = """
a; b
a; b;
x = y = 1; z: int; w: int = 2
x += 1; x //= 2; x @= y
del a
del (a)
del a,
del a, b
del (a, b), c[0]
return_ = lambda a, /, b=1, *c, d, e=2, **f: (yield)
x = lambda *, a: a
x = lambda *a: a
raise; raise X; raise X from y
assert a; assert a, "b"
import a, a.b.c as d
from . import a as b, c
from ...x.y import (a, b as c,)
from .. import *
global a, b; nonlocal c
pass; ...
x = a.b.c(1, *d, e=2, *f, **g)(x for x in y)
x = f(a=1, *b); x = f(**a, b=1)
x = a if b else c; x = not a; x = -a + ~b ** +c
x = a and b and c or d; x = (a and b) and c; x = a and (b or c)
x = a < b <= c != d is not e not in f in g is h == i > j >= k
x = a | b ^ c & d << e >> f * g @ h / i // j % k - l
x = [a, *b], {a, *b}, {a: b, **c}, (a,), (), [], {}
x = *a, b
a, (b, *c), [d] = e
x = [a async for a in b if c if d for e in f], {a for a in b}, {a: b for a, b in c}
x = (yield); x = yield a; x = yield from a; x = await b
x = (y := 1)
x = a[b], a[b:c], a[b:c:d], a[:], a[::], a[b:], a[:c:], a[b, c], a[b:c, d], a[(b, c)], a[(b), c], a[()], a[b,]
x = a[(b),], a[((b), c)], a[((b)), (c)], a[b, (c)], a[(b, c), d], a[lambda: 1]
x = 0x_ff, 1_000, 1.5e3, 2j, 0b1, 0o7, True, None, False, ...
x = 'a' "b" r'd', b'e' B"f", '', "", u'g'
x = "it's" 'say "hi"' "\\"" '\\''
x = f"{a}", f'{a!r:>{b}} {{}} {c=}' "d", rf"\\{a}"
x = "é", é.ü("ß"), a[é:ö], "ä" "ö"
""".strip().splitlines(keepends=True)


@pytest.mark.parametrize("text", SIMPLE)
def test_lines(text: str) -> None:
    wrapped = f"async def f():\n    {text}"
    check(text if "import *" in text else wrapped)


BLOCKS = [
    "if a: b\n",
    "if a: b; c\nelif d: e\nelse: f\n",
    "if a:\n    b\nelse:\n    if c:\n        d\n    else:\n        e\n",
    "if a:\n    b\nelse:\n    if c:\n        d\n    e\n",
    "while a: break\nelse: continue\n",
    "for a, b in c, d:\n    pass\nelse:\n    pass\n",
    "async def f():\n    async for a in b: pass\n    async with a as b, c: pass\n",
    "with (a as b, c):\n    pass\n",
    "with (a), b as (c, d): pass\n",
    "try: a\nexcept: b\n",
    "try:\n    a\nexcept (b, c) as d:\n    e\nexcept f: g\nelse: h\nfinally: i\n",
    "try:\n    a\nfinally:\n    b\n",
    "@a.b(c)\n# why\n@d\ndef f(a, b: int = 1, /, c=2, *d: e, g: h, i=3, **j: k) -> l: pass\n",
    "def f(*, a): pass\n\n\ndef g(a, /): pass\n",
    "@a\nclass C(b, *c, metaclass=d, **e): x = 1; y = 2\n",
    "class C: pass\n\nclass D(): pass\n",
    'class _:\n    def f(self):\n        """text\n\n        more"""\n        return [\n            1,\n        ]; x\n',
    'def f(): """\n\n"""\nx = 1\n',
    "x = [  # (\n    a[(b), c],  # d)\n]\n",
    "x = ('a'  # a 'comment'\n     'b'\n\n     # \"more\"\n     \"c\")\n",
    "x = 'a' \\\n    'b'\n",
    "x = '''a\n'b''' \"\"\"c\"\n\"\"\"\n",
    "if a: \\\n    b\n",
    "a; \\\nb\n",
    "x = 1\n\x0cy = 2\n",
    "if True:\n\tx = 'é'; y = 2\n\tz\n",
    "",
    "# only a comment",
]


@pytest.mark.parametrize("text", BLOCKS)
def test_blocks(text: str) -> None:
    check(text)


def check(text: str) -> None:
    tree = converted(text)
    assert difference(cst.parse_module(text), tree if tree is not None else cst.parse_module(text)) == ""


@pytest.mark.parametrize(
    "text", ["match a:\n    case 1: pass\n", "x = = 1\n", "print a\n", "a; \\\nb\n", "x = '\ud800'\n", "x = 1\0\n"]
)
def test_what_only_libcst_can_read(text: str) -> None:
    assert converted(text) is None


def test_nothing_is_said_about_the_text(recwarn: pytest.WarningsRecorder) -> None:
    assert converted("x = '\\d'\nassert (x, 1)\nx is 1\n") is not None
    assert not recwarn


def test_a_deep_text_is_left_to_libcst() -> None:
    assert converted("x = " + "+".join("a" * 4_000) + "\n") is None
