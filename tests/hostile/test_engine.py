"""Small programs that mean much work: they are given up in time, and what else is in the file is reported."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fdlint.core.dataflow.makers import makers
from fdlint.core.dataflow.worklist import Flow, Limits, solve
from fdlint.core.engine import call_resolution, numbers_of_objects
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.summarize import Task
from fdlint.core.engine.summary import Summary
from fdlint.core.ir import AccessPath, Call, Condition, Live, Place, Step
from fdlint.core.objects import typestate
from fdlint.core.objects.class_view import Members
from fdlint.core.objects.typestate import Life, StateExplorer
from fdlint.languages.python import comments
from fdlint.languages.python.lowering.source import Source
from fdlint.languages.python.lowering.trees import Tree
from fdlint.program import relevance
from fdlint.scan.scan import scan_source

_LEAK = "def g(p):\n    fd = os.open(p, 0)\n    print(fd)\n"


def test_more_managers_than_python_allows_cost_one_function() -> None:
    managers = ", ".join(f"m{number}()" for number in range(300))
    source = f"import os\n\ndef f(p):\n    with {managers}:\n        fd = os.open(p, 0)\n\n{_LEAK}"
    report = scan_source(source.encode(), "many.py")
    assert [one.left_out for one in report.skipped] == ["f"]
    assert "too large to follow" in report.skipped[0].reason
    assert [one.function for one in report.findings] == ["g"]


def test_all_numbers_of_an_object_cost_one_search_for_what_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []
    original = numbers_of_objects.Numbers._kept_beside

    def counted(self: numbers_of_objects.Numbers, owner: object) -> frozenset[int] | None:
        searched.append(owner)
        return original(self, owner)  # type: ignore[arg-type]

    monkeypatch.setattr(numbers_of_objects.Numbers, "_kept_beside", counted)
    stored = "".join(f"        self.a{n} = s.fileno()\n        self.b{n} = x.Reader(s.fileno())\n" for n in range(50))
    source = f"import socket\nimport x\n\nclass A:\n    def f(self):\n        s = socket.socket()\n{stored}"
    report = scan_source(source.encode(), "many.py")
    assert len(report.findings) == 100
    assert len(searched) == 1


def test_the_names_of_an_object_cost_one_search_each_for_what_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[object] = []

    def counted(bound: dict[Place, list[Step]], place: Place) -> list[tuple[Step, Call, bool]]:
        searched.append(place)
        return makers(bound, place)

    monkeypatch.setattr(numbers_of_objects, "makers", counted)
    names = "".join(f"    s{n} = s{n - 1}\n    x.a{n} = s{n}.fileno()\n" for n in range(1, 60))
    report = scan_source(f"import socket\n\ndef f(x):\n    s0 = socket.socket()\n{names}".encode(), "many.py")
    assert len(report.findings) == 59
    assert len(searched) == len(set(searched))


def test_closes_of_borrowed_numbers_ask_each_call_once_whether_it_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    original = numbers_of_objects.Numbers._gives_up

    def counted(self: numbers_of_objects.Numbers, call: Call) -> bool:
        asked.append(call)
        return original(self, call)

    monkeypatch.setattr(numbers_of_objects.Numbers, "_gives_up", counted)
    closes = "    os.close(s.fileno())\n" * 50
    report = scan_source(f"import os\nimport socket\n\ndef f(s: socket.socket):\n{closes}".encode(), "many.py")
    assert len(report.findings) == 50
    assert len(asked) == 100


def test_a_lookup_in_a_dict_is_no_number_of_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    original = Source.parse_more

    def counted(self: Source, text: str, line: int) -> Tree | None:
        parsed.append(text)
        return original(self, text, line)

    monkeypatch.setattr(Source, "parse_more", counted)
    lookups = "".join(f"def f{n}(d):\n    print(d.get({n}))\n\n" for n in range(50))
    scan_source(f"import os\n\n{lookups}{_LEAK}".encode(), "many.py")
    assert not any("d.get(" in one for one in parsed)


def test_states_that_take_much_memory_are_turned_away() -> None:
    def flow(size: int) -> Flow[int]:
        return Flow(lambda _, n: [(0, n + 1)] if n < 50 else [], lambda n: n, lambda n: n, {}, size=lambda _: size)

    assert solve(flow(1), 0, [0], Limits(size=100)).complete
    assert not solve(flow(10), 0, [0], Limits(size=100)).complete


def test_what_is_live_is_told_by_bits() -> None:
    a, b, c = map(AccessPath, "abc")
    live = Live((Condition("a > b"),), (a, b, c), (0, 0b1011, 0b1110))
    found = [live.at(block) for block in range(3)]
    assert [one.places for one in found] == [frozenset(), {a, c}, {a, b, c}]
    assert [one.conditions for one in found] == [frozenset(), {"a > b"}, frozenset()]


def test_a_class_is_not_followed_with_more_attributes_once_one_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    original = typestate._told

    def counted(members: Members, callees: CallResolver, coarse: bool, visits: int) -> tuple[Life, bool]:
        passes.append(len(members.flags))
        life, complete = original(members, callees, coarse, visits)
        return life, complete and not members.flags

    monkeypatch.setattr(typestate, "_told", counted)
    source = (
        "import os\n\nclass A:\n    def __init__(self, p):\n        self.a = self.b = self.c = False\n"
        "        self.fd = os.open(p, 0)\n\n    def reopen(self, p):\n        if self.a and self.b and not self.c:\n"
        "            self.fd = os.open(p, 0)\n\n    def set(self):\n        self.a = self.b = True\n\n"
        "    def close(self):\n        if not self.c:\n            os.close(self.fd)\n        self.c = True\n"
    )
    assert [one.code for one in scan_source(source.encode(), "a.py").findings] == ["FD105"]
    assert [one for one in passes if one] == [1]


def test_a_file_is_searched_once_for_the_words_of_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    relevance._has.cache_clear()
    lookups = "".join(f"    x = d.get({n}, x)\n" for n in range(200))
    scan_source(f"import os\n\ndef f(d, x, p):\n{lookups}    return x or os.open(p, 0)\n".encode(), "many.py")
    assert relevance._has.cache_info().misses < 10


def test_comments_are_not_read_where_there_is_nothing_to_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    original = comments.lines_of_code

    def counted(text: str) -> Iterator[comments.CodeLine]:
        texts.append(text)
        return original(text)

    monkeypatch.setattr(comments, "lines_of_code", counted)
    closing = "import os  # noqa\n\ndef f(fd):\n    os.close(fd)\n"
    scan_source(closing.encode(), "a.py")
    assert not texts
    scan_source(f"{closing}{_LEAK}".encode(), "a.py")
    assert len(texts) == 1


def test_the_length_of_a_list_is_compared_with_a_huge_number_at_once() -> None:
    filled = "    fds = []\n    for path in paths:\n        fds.append(os.open(path, 0))\n"
    tested = f"    if len(fds) > {10**15}:\n        return\n    [os.close(fd) for fd in fds]\n"
    source = f"import os\n\ndef f(paths):\n{filled}{tested}"
    report = scan_source(source.encode(), "many.py")
    assert [one.code for one in report.findings] == ["FD102"]


def test_what_has_ended_in_a_dict_of_an_object_makes_no_states(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import os\n\n\nclass Locks:\n    def __init__(self):\n        self._fds = {}\n\n    def take(self, keys):\n"
        "        for key in keys:\n            self._fds[key] = os.open(key, os.O_RDWR)\n\n    def close(self):\n"
        "        for fd in self._fds.values():\n            os.close(fd)\n        self._fds.clear()\n"
    )
    for n in range(4):
        code += (
            f"\n    def drop_{n}(self, keys, store):\n        for key in keys:\n"
            "            fd = self._fds.pop(key, None)\n"
            f"            if fd is not None and store.ready_{n}(key):\n                store.adopt(fd)\n"
            "            elif fd is not None:\n                os.close(fd)\n"
        )
    explorers: list[StateExplorer] = []
    original = StateExplorer.tell

    def counted(self: StateExplorer) -> None:
        explorers.append(self)
        original(self)

    monkeypatch.setattr(StateExplorer, "tell", counted)
    assert not scan_source(code.encode(), "locks.py").skipped
    assert max(len(one._states) for one in explorers) < 15


def test_a_function_is_not_followed_for_what_was_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[str | None] = []
    original = call_resolution.summarise

    def counted(task: Task, context: AnalysisContext) -> Summary | None:
        followed.append(task.target.name)
        return original(task, context)

    monkeypatch.setattr(call_resolution, "summarise", counted)
    handed = "import os\n\ndef f(p, store):\n    fd = os.open(p, 0)\n    store.adopt(fd)\n    {}(fd)\n\n"
    shown = "def show(fd):\n    if fd > 2:\n        print(fd)\n"
    assert not scan_source((handed.format("show") + shown).encode(), "a.py").findings
    assert "show" not in followed
    ended = "def end(fd):\n    if fd > 2:\n        os.close(fd)\n"
    scan_source((handed.format("end") + ended).encode(), "b.py")
    assert "end" in followed
