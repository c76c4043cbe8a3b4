"""What texts say of functions is never less than what their graphs say."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from fdlint.catalog import default_catalog
from fdlint.core.dataflow.derivation import closed_by
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.ir import Call, Graph
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.program import GoProgram
from fdlint.languages.python.lowering.source import sketched
from fdlint.program.facts import Kind
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.grounds import REST

CATALOG = default_catalog()
GO_CASES = Path(__file__).parent / "go_cases"
MODULES = (
    "asyncio.unix_events",
    "multiprocessing.connection",
    "multiprocessing.forkserver",
    "pty",
    "shutil",
    "socket",
    "subprocess",
    "tempfile",
)


def known() -> AnalysisContext:
    return AnalysisContext(Program(CATALOG), CATALOG, Relevance(CATALOG))


def added(knowledge: AnalysisContext, path: Path) -> File:
    data = path.read_bytes()
    cut = sketched(data, str(path))
    assert cut is not None
    return knowledge.program.add(cut[0], path, data, cut[1])


def of_library(name: str) -> tuple[AnalysisContext, File]:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        pytest.skip("not in this Python's library")
    knowledge = known()
    return knowledge, added(knowledge, Path(found.origin))


def of_go(case: Path, place: Path) -> tuple[AnalysisContext, File]:
    place.mkdir()
    (place / "case.go").write_text(yaml.safe_load(case.read_text(encoding="utf-8"))["code"], encoding="utf-8")
    program = GoProgram(go_catalog())
    package = program.package(place)
    assert package is not None
    return AnalysisContext(program, program.catalog, Relevance(program.catalog)), package


@pytest.fixture(params=[*MODULES, "go"])
def modules(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[AnalysisContext, File]]:
    if request.param == "go":
        return (of_go(case, tmp_path / case.stem) for case in sorted(GO_CASES.glob("*.yml")))
    return iter([of_library(request.param)])


def calls_in(graph: Graph) -> Iterator[Call]:
    return (step.effect for block in graph.blocks for step in block.steps if isinstance(step.effect, Call))


def does(knowledge: AnalysisContext, file: File, kind: Kind, graph: Graph) -> bool:
    match kind:
        case Kind.ACQUIRES:
            return knowledge.relevance.may_acquire(graph, file.source.code)
        case Kind.CLOSES:
            return any(closed_by(call, knowledge.catalog) for call in calls_in(graph))
        case Kind.UNREGISTERS:
            apis = (api for call in calls_in(graph) for api in knowledge.catalog.lookup(call.callee.dotted or ""))
            return any(api.unregisters_all for api in apis)


def test_what_a_function_does_itself_is_in_its_text(modules: Iterator[tuple[AnalysisContext, File]]) -> None:
    """So is whom it calls. One test, because the graphs take longest."""
    missing: list[object] = []
    for knowledge, file in modules:
        for kind in Kind:
            doing = [one.name or "" for one in file.lowered.graphs if does(knowledge, file, kind, one)]
            missing += [(kind, name) for name in doing if kind not in knowledge.facts.itself(file.unit(name))]
        for graph in file.lowered.graphs:
            here = file.unit(graph.name or "")
            called = {here, *(one.unit for one in knowledge.facts.units.calls(here))}
            for call in calls_in(graph):
                target = knowledge.program.target(file, graph, call.callee)
                if target is not None and target.file.unit(target.graph.name or "") not in called:
                    missing.append((file, graph.name, call.callee.name))
    assert not missing


def project(tmp_path: Path, files: dict[str, str]) -> tuple[AnalysisContext, dict[str, File]]:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    knowledge = known()
    return knowledge, {name: added(knowledge, tmp_path / name) for name in files}


HELPERS = """\
import os

def opened(path):
    return os.open(path, 0)

def sized(path):
    fd = os.open(path, 0)
    size = os.fstat(fd).st_size
    os.close(fd)
    return size

def outer(path):
    return opened(path)

def shut(fd):
    os.close(fd)

class Box:
    def __init__(self, fd):
        self._fd = fd

    def close(self, why):
        os.close(self._fd)
"""
CALLER = """\
from helpers import Box, opened, outer, shut, sized

def near(path):
    return opened(path)

def far(path):
    return outer(path)

def none(path):
    return sized(path)

def ends(fd):
    shut(fd)

def boxed(fd):
    box = Box(fd)
    box.close("done")

def plain(path):
    return len(path)
"""


def test_only_those_matter_that_call_what_gives(tmp_path: Path) -> None:
    knowledge, files = project(tmp_path, {"helpers.py": HELPERS, "caller.py": CALLER})
    file = files["caller.py"]
    CallResolver(knowledge, file).candidates.lower(file, (Kind.ACQUIRES,))
    assert {name for name, _ in file.lowered.functions.known()} == {"near", "far"}


def test_what_a_method_closes_of_its_own_is_not_the_callers_affair(tmp_path: Path) -> None:
    knowledge, files = project(tmp_path, {"helpers.py": HELPERS, "caller.py": CALLER})
    file = files["caller.py"]
    CallResolver(knowledge, file).candidates.lower(file, (Kind.CLOSES,))
    assert {name for name, _ in file.lowered.functions.known()} == {"ends"}


def test_functions_that_call_each_other_are_settled(tmp_path: Path) -> None:
    text = """\
import os

def ping(path, n):
    return pong(path, n - 1) if n else os.open(path, 0)

def pong(path, n):
    return ping(path, n)

def round_(path):
    return pang(path)

def pang(path):
    return round_(path)
"""
    knowledge, files = project(tmp_path, {"both.py": text})
    file = files["both.py"]
    prospects = CallResolver(knowledge, file).candidates
    prospects.lower(file, (Kind.ACQUIRES,))
    assert {name for name, _ in file.lowered.functions.known()} == {"ping", "pong"}
    assert not prospects.is_settled(Kind.ACQUIRES, Function(file, "ping"))


def test_functions_that_call_each_other_do_what_any_of_them_does(tmp_path: Path) -> None:
    text = """\
import os

def first(fd, n):
    return second(fd, n)

def second(fd, n):
    return third(fd, n)

def third(fd, n):
    first(fd, n - 1)
    if n:
        second(fd, n - 1)
    os.close(fd)

def outside(fd):
    first(fd, 3)

def idle(fd):
    idle(fd)
"""
    knowledge, files = project(tmp_path, {"three.py": text})
    file = files["three.py"]
    units, facts = {name: Unit(file, name) for name in file.pieces}, knowledge.facts
    assert {name for name, unit in units.items() if Kind.CLOSES in facts.itself(unit)} == {"third"}
    closing = {name for name, unit in units.items() if facts.may(Kind.CLOSES, unit)}
    assert closing == {"first", "second", "third", "outside"}


def test_what_is_in_no_piece_is_one_unit(tmp_path: Path) -> None:
    text = """\
import os

class Box:
    @property
    def fd(self):
        return os.dup(0)

    def size(self):
        return os.fstat(self.fd).st_size

    def name(self):
        return "box"
"""
    knowledge, files = project(tmp_path, {"box.py": text})
    file = files["box.py"]
    assert file.unit("Box.fd") == Unit(file, REST)
    CallResolver(knowledge, file).candidates.lower(file, (Kind.ACQUIRES,))
    assert {name for name, _ in file.lowered.functions.known()} == {"Box.fd", "Box.size"}
