"""What the graphs alone tell of fresh descriptors is never less than what following the functions shows."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import yaml

from fdlint.catalog import default_catalog
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.explore import entry_state
from fdlint.core.ir import RESULT, AccessPath
from fdlint.languages.python.lowering.source import parse
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import Function
from fdlint.report.findings.finding import Skipped

CATALOG = default_catalog()
CASES = Path(__file__).parent.parent / "cases"


def callees(code: str) -> CallResolver | None:
    parsed = parse(code.encode(), "a.py")
    if isinstance(parsed, Skipped):
        return None
    source, tree = parsed
    program = Program(CATALOG)
    file = program.add(source, None, None, tree)
    return CallResolver(AnalysisContext(program, CATALOG, Relevance(CATALOG)), file)


def may_be_fresh(code: str, name: str = "f") -> set[str]:
    found = callees(f"import os, tempfile, functools\n{textwrap.dedent(code)}")
    assert found is not None
    return {str(place) for place in found.may_be_fresh(Function(found.file, name))}


@pytest.mark.parametrize(
    "body",
    [
        "return os.open(p, 0)",
        "fd = other = os.open(p, 0); return [other]",
        "fds = []; fds.append(os.open(p, 0)); return fds",
        "fd, path = tempfile.mkstemp(); return fd",
        "return same(os.open(p, 0))",
        "return opened(p)",
        "act = os.open; return act(p, 0)",
        "return called(os.open, p)",
        "return again(p)",
        "return {'fd': os.open(p, 0)}.get(p)",
        "\n  def inner():\n    return os.open(p, 0)\n  return inner()",
    ],
)
def test_what_may_be_returned(body: str) -> None:
    lines = body if body.startswith("\n") else f"\n  {body.replace('; ', chr(10) + '  ')}"
    helpers = (
        "def same(x):\n  return x\n"
        "def opened(x):\n  return os.open(x, 0)\n"
        "def called(act, x):\n  return act(x, 0)\n"
        "def again(x):\n  if x:\n    return again(x)\n  return os.open(x, 0)\n"
    )
    assert "%return" in may_be_fresh(f"{helpers}def f(p):{lines}\n")


@pytest.mark.parametrize(
    "body",
    [
        "fd = os.open(p, 0); data = os.read(fd, 1); os.close(fd); return data",
        "fd, path = tempfile.mkstemp(); os.close(fd); return path",
        "fd = os.open(p, 0); return size(fd)",
        "fd = os.open(p, 0); count = 0; count += size(fd); return count",
        "fd = os.open(p, 0); return again(fd)",
        "self.fd = os.open(p, 0); return p",
    ],
)
def test_what_is_never_returned(body: str) -> None:
    lines = f"\n  {body.replace('; ', chr(10) + '  ')}"
    helpers = (
        "def size(x):\n  return os.fstat(x).st_size\n"
        "def again(x):\n  if size(x):\n    return again(x)\n  return size(x)\n"
    )
    assert "%return" not in may_be_fresh(f"{helpers}def f(self, p):{lines}\n")


def test_what_may_be_put_into_a_parameter() -> None:
    assert "into" in may_be_fresh("def f(p, into):\n  fd = os.open(p, 0)\n  into.append(fd)\n")
    assert "into" in may_be_fresh("def g(a, b):\n  a[0] = b\ndef f(p, into):\n  g(into, os.open(p, 0))\n")
    assert "into" not in may_be_fresh("def f(p, into):\n  fd = os.open(p, 0)\n  into.append(os.read(fd, 1))\n")


def test_whatever_following_shows_was_foretold() -> None:
    foretold = 0
    for path in sorted(CASES.rglob("*.yml"))[::8]:
        found = callees(yaml.safe_load(path.read_text(encoding="utf-8"))["code"])
        for name, graph in found.file.lowered.functions.items() if found is not None else ():
            function = Function(found.file, name)
            if not graph.generator and RESULT not in found.may_be_fresh(function):
                foretold += 1
                outcomes = found.alone(function, entry_state(graph))
                fresh = {one.descriptor for outcome in outcomes for one in outcome.fresh}
                star = graph.signature.double_star or AccessPath("")
                assert not fresh or star in found.may_be_fresh(function), (path, name)
    assert foretold > 150
