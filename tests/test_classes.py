"""Classes as their objects see them: members, evidence of a release, and the life of an attribute."""

from __future__ import annotations

import textwrap

import pytest

from fdlint.catalog import default_catalog
from fdlint.core.domain.event import LET_GO_EVENTS
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.ir import Field
from fdlint.core.objects.class_view import Members, members_of, members_of_module, plain_members
from fdlint.core.objects.release import Releases
from fdlint.core.objects.typestate import Fault, Life, Past, live
from fdlint.languages.python.lowering.source import parse
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.report.findings.finding import Skipped

OPEN = "os.open(path, os.O_RDONLY)"


def callees(code: str) -> CallResolver:
    """A file that stands alone, and what is known of its functions."""
    found = parse(f"import os\n{textwrap.dedent(code)}".encode(), "a.py")
    assert not isinstance(found, Skipped)
    source, tree = found
    catalog = default_catalog()
    program = Program(catalog, frozenset())
    return CallResolver(AnalysisContext(program, catalog, Relevance(catalog)), program.add(source, None, None, tree))


def box(*methods: str) -> str:
    """A class with these methods: ``name(parameters): statement; statement``."""
    written = []
    for method in methods:
        head, _, body = method.partition(": ")
        name, _, parameters = head.partition("(")
        inside = "".join(f"        {line}\n" for line in body.replace("; ", "\n").split("\n"))
        written.append(f"    def {name}(self, {parameters}:\n{inside}")
    return "class Box:\n" + "".join(written)


def members(code: str, name: str = "Box") -> Members:
    found = members_of(callees(code), name)
    assert found is not None
    return found


def life(code: str) -> Life:
    inside = callees(code)
    found = members_of(inside, "Box") or members_of_module(inside)
    assert found is not None
    return live(found, inside)


def overwrites(code: str) -> set[tuple[str, str, str]]:
    """The method, the attribute that lost a descriptor in it, and the method that had put it there."""
    return {(one.method, one.attribute, one.past.born) for one in life(code).faults if one.what.event in LET_GO_EVENTS}


def recloses(code: str) -> list[Fault]:
    return [one for one in life(code).faults if one.what.event is Violation.DOUBLE_CLOSE]


class TestMembers:
    def test_a_field_is_an_attribute_in_which_something_acquired_is_stored(self) -> None:
        found = members(box(f"__init__(path): self._path = path; self._fd = {OPEN}"))
        assert found.fields == {"._fd"}

    def test_both_ends_of_a_pipe_are_fields(self) -> None:
        assert members(box("start(): self.reader, self.writer = os.pipe()")).fields == {".reader", ".writer"}

    def test_a_field_of_a_record_is_told_by_its_path(self) -> None:
        assert members(box(f"fill(path): self.files.reader = {OPEN}")).fields == {".files.reader"}

    def test_what_a_function_of_the_file_acquires_counts(self) -> None:
        code = f"def fresh(path):\n    return {OPEN}\n" + box("fill(path): self._fd = fresh(path)")
        assert members(code).fields == {"._fd"}

    def test_a_class_that_stores_none_is_not_followed(self) -> None:
        code = box(f"size(path): fd = {OPEN}; os.close(fd); self._size = 1")
        assert members_of(callees(code), "Box") is None

    def test_a_property_is_no_field(self) -> None:
        code = box(f"__init__(path): self.fd = {OPEN}") + "    @property\n    def fd(self):\n        return self._fd\n"
        assert members_of(callees(code), "Box") is None

    def test_a_parameter_that_a_method_closes_is_the_objects_own(self) -> None:
        found = members(box("__init__(fd): self._fd = fd", "close(): os.close(self._fd)"))
        assert found.fields == {"._fd"}
        assert set(found.given()) == {"fd"}

    def test_a_flag_is_a_plain_attribute_that_a_condition_asks_about(self) -> None:
        found = members(
            box(
                f"__init__(path): self._fd = {OPEN}; self._closed = False; self._size = 0",
                "close(): if not self._closed: os.close(self._fd)",
            )
        )
        assert set(found.flags) == {"._closed"}
        assert found.followed == {"._fd", "._closed"}

    def test_what_the_class_says_is_the_default(self) -> None:
        code = "class Box:\n    _fd = -1\n    _name = 'box'\n" + box(f"fill(path): self._fd = {OPEN}")[11:]
        assert {path: known.value for path, known in members(code).defaults.items()} == {"._fd": -1}

    def test_private_methods_run_as_they_are_called(self) -> None:
        found = members(box("fill(path): self._open(path)", f"_open(path): self._fd = {OPEN}"))
        assert set(found.entries()) == {"fill"}

    @pytest.mark.parametrize("use", ["register(self._open)", "self.on_ready = self._open"], ids=["given", "stored"])
    def test_a_private_method_that_is_a_value_may_be_called_by_anybody(self, use: str) -> None:
        found = members(box(f"fill(register): {use}; self._open('a')", f"_open(path): self._fd = {OPEN}"))
        assert set(found.entries()) == {"fill", "_open"}

    def test_a_private_method_that_nobody_calls_may_be_called_by_anybody(self) -> None:
        assert set(members(box(f"_open(path): self._fd = {OPEN}")).entries()) == {"_open"}

    def test_special_methods_are_called_by_others_and_the_constructor_is_not(self) -> None:
        found = members(box(f"__init__(path): self._fd = {OPEN}", "__exit__(*what): print()", "__del__(): print()"))
        assert set(found.entries()) == {"__exit__", "__del__"}

    def test_the_methods_of_bases_belong_to_it_and_the_overridden_are_hidden(self) -> None:
        base = "class Base:\n    def close(self):\n        pass\n    def stop(self):\n        pass\n"
        code = base + box(f"__init__(path): self._fd = {OPEN}", "close(): pass").replace("Box:", "Box(Base):")
        found = members(code)
        assert found.methods["stop"].graph.name == "Base.stop"
        assert found.methods["close"].graph.name == "Box.close"
        assert [one.graph.name for one in found.hidden] == ["Base.close"]

    @pytest.mark.parametrize(
        ("base", "complete"),
        [("object", True), ("threading.Thread", True), ("io.RawIOBase", False), ("elsewhere.Base", False)],
    )
    def test_is_complete_when_no_base_can_have_to_do_with_its_attributes(self, base: str, complete: bool) -> None:
        code = "import io, threading, elsewhere\n" + box("stop(): pass").replace("Box:", f"Box({base}):")
        assert plain_members(callees(code), "Box").complete is complete

    def test_relatives_are_the_class_its_bases_and_its_heirs(self) -> None:
        code = "class Base: pass\nclass Box(Base): pass\nclass Crate(Box): pass\nclass Lamp: pass\n"
        assert plain_members(callees(code), "Box").relatives == {"Base", "Box", "Crate"}

    def test_a_module_is_a_class_of_one_object(self) -> None:
        found = members_of_module(callees(f"lock = None\ndef take(path):\n    global lock\n    lock = {OPEN}\n"))
        assert found is not None
        assert found.name == ""
        assert found.fields == {"lock"}
        assert {"take", "__init__"} <= set(found.methods)


class TestReleases:
    @pytest.mark.parametrize(
        "statement",
        [
            "os.close(self._fd)",
            "os.fdopen(self._fd)",
            "return self._fd",
            "fd = self._fd; os.close(fd)",
            "pool.adopt(self._fd)",
            "stack.callback(os.close, self._fd)",
            "os.close(getattr(self, '_fd'))",
            "vars(self).clear()",
            "for fd in (self._fd, 3): os.close(fd)",
        ],
    )
    def test_evidence(self, statement: str) -> None:
        inside = callees(box(f"stop(pool, stack): {statement}"))
        assert Releases(inside.file, inside.context.catalog, Candidates(inside.context)).mention(Field("._fd"))

    @pytest.mark.parametrize(
        "statement",
        [
            "os.read(self._fd, 1)",
            "print(self._fd)",
            "if self._fd == -1: return",
            "self._fd = -1",
            "os.close(self._other)",
            "fd = self._fd; os.write(fd, b'x')",
        ],
    )
    def test_mere_use(self, statement: str) -> None:
        inside = callees(box(f"stop(): {statement}"))
        assert not Releases(inside.file, inside.context.catalog, Candidates(inside.context)).mention(Field("._fd"))

    def test_fileno_lends(self) -> None:
        inside = callees(box("fileno(): return self._fd"))
        assert not Releases(inside.file, inside.context.catalog, Candidates(inside.context)).mention(Field("._fd"))

    def test_a_name_in_slots_is_no_evidence(self) -> None:
        inside = callees("class Box:\n    __slots__ = ('_fd', '_name')\n")
        assert not Releases(inside.file, inside.context.catalog, Candidates(inside.context)).mention(Field("._fd"))

    def test_any_part_of_a_path_will_do(self) -> None:
        inside = callees(box("stop(pool): pool.dispose(self.files)"))
        assert Releases(inside.file, inside.context.catalog, Candidates(inside.context)).mention(Field(".files.reader"))

    def test_the_class_itself_is_not_outside(self) -> None:
        inside = callees(box("stop(): os.close(self._fd)") + "def off(box):\n    os.close(box._number)\n")
        found = Releases(inside.file, inside.context.catalog, Candidates(inside.context))
        assert not found.mention(Field("._fd"), but=frozenset({"Box.stop"}))
        assert found.mention(Field("._fd"))
        assert found.mention(Field("._number"), but=frozenset({"Box.stop"}))


class TestLife:
    def test_another_method_loses_what_the_constructor_stored(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}", "stop(): self._fd = -1")
        assert overwrites(code) == {("stop", "self._fd", "__init__")}

    def test_a_private_method_loses_it_for_its_caller(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}", "stop(): self._reset()", "_reset(): self._fd = -1")
        assert overwrites(code) == {("stop", "self._fd", "__init__")}

    def test_nothing_is_lost_where_it_was_closed(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}", "stop(): fd, self._fd = self._fd, -1; os.close(fd)")
        assert overwrites(code) == set()

    def test_a_flag_keeps_the_states_apart(self) -> None:
        close = "if self._closed: return\nos.close(self._fd)\nself._closed = True"
        code = box(f"__init__(path): self._fd = {OPEN}; self._closed = False", f"close(): {close}", f"stop(): {close}")
        assert not life(code).faults

    def test_a_method_may_run_twice(self) -> None:
        code = box("__init__(): self._fd = -1", f"start(path): self._fd = {OPEN}")
        assert overwrites(code) == {("start", "self._fd", "start")}

    def test_what_a_method_itself_stored_is_within(self) -> None:
        code = box(f"start(path): self._fd = {OPEN}; self._fd = -1")
        assert {one.within for one in life(code).faults} == {True}

    def test_a_close_without_reset_is_closed_again_by_the_others(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}", "stop(): os.close(self._fd)", "__del__(): os.close(self._fd)")
        found = recloses(code)
        assert {(one.past.closed, one.method) for one in found} >= {("stop", "__del__"), ("stop", "stop")}
        assert {one.past.raised for one in found} == {False}

    def test_a_reset_that_something_raised_past(self) -> None:
        close = "if self._fd != -1:\n    os.close(self._fd)\n    os.unlink('a')\n    self._fd = -1"
        found = recloses(box(f"__init__(path): self._fd = {OPEN}", f"stop(): {close}"))
        assert {one.past for one in found} == {Past("__init__", "stop", raised=True)}

    def test_nothing_runs_after_the_finalizer(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}", "__del__(): os.close(self._fd)", "size(): os.fstat(self._fd)")
        assert not life(code).faults

    def test_what_a_raising_constructor_had_stored_is_abandoned(self) -> None:
        found = life(box(f"__init__(path): self._fd = {OPEN}; os.fstat(self._fd)", "close(): os.close(self._fd)"))
        assert [attribute for attribute, *_ in found.abandoned.values()] == ["self._fd"]

    def test_a_finalizer_closes_it(self) -> None:
        code = box(f"__init__(path): self._fd = {OPEN}; os.fstat(self._fd)", "__del__(): os.close(self._fd)")
        assert not life(code).abandoned

    def test_an_object_that_somebody_has_is_not_abandoned(self) -> None:
        code = box(f"__init__(path, registry): self._fd = {OPEN}; registry.add(self); os.fstat(self._fd)")
        assert not life(code).abandoned

    def test_a_function_loses_what_another_left_in_a_global(self) -> None:
        code = f"lock = None\ndef take(path):\n    global lock\n    lock = {OPEN}\ndef drop():\n    global lock\n"
        assert overwrites(code + "    lock = None\n") >= {("drop", "lock", "take")}
        assert overwrites(code + "    os.close(lock)\n    lock = None\n") == {("take", "lock", "take")}

    def test_too_many_states_are_said(self) -> None:
        names = "abcdefgh"
        opens = [f"open_{one}(path): if self.{one} == -1: self.{one} = {OPEN}" for one in names]
        closes = [f"close_{one}(): if self.{one} != -1: os.close(self.{one}); self.{one} = -1" for one in names]
        found = life(box("__init__(): " + "; ".join(f"self.{one} = -1" for one in names), *opens, *closes))
        assert found.doubts == {"Box: too many states of its objects to follow"}


class TestTooManyStates:
    def test_what_an_attribute_would_have_told_is_not_lost(self) -> None:
        names = "abcdefgh"
        opens = [f"open_{one}(path): if self.{one} == -1: self.{one} = {OPEN}" for one in names]
        closes = [f"close_{one}(): if self.{one} != -1: os.close(self.{one}); self.{one} = -1" for one in names]
        start = (
            f"start(path): if self.opened:\n    raise ValueError\nself.fd = None\nself.fd = {OPEN}\nself.opened = True"
        )
        stop = "stop(): if self.opened:\n    os.close(self.fd)\n    self.opened = False"
        made = "__init__(): " + "; ".join(f"self.{one} = -1" for one in (*names, "fd")) + "; self.opened = False"
        found = life(box(made, start, stop, *opens, *closes))
        assert found.doubts == {"Box: too many states of its objects to follow"}
        assert not [one for one in found.faults if one.what.event in LET_GO_EVENTS]


def test_an_attribute_is_followed_if_something_is_added_to_it() -> None:
    def added(start: str, name: str) -> str:
        return box(start, f"go(path): self.held.{name}({OPEN})")

    assert members(added("__init__(): self.held = []", "append")).fields == {Field(".held")}
    assert members_of(callees(added("__init__(): self.held = []", "run")), "Box") is None
    assert members_of(callees(added("__init__(held): self.held = held", "append")), "Box") is None


def test_methods_that_only_use_what_nobody_closes_are_not_followed() -> None:
    def visits(uses: int) -> int:
        start = f"start(path): self.fd = {OPEN}"
        inside = callees(box(start, *(f"use_{number}(): return os.fstat(self.fd)" for number in range(uses))))
        found = members_of(inside, "Box")
        assert found is not None
        assert live(found, inside).faults
        return inside.context.budget.visits

    assert visits(2) == visits(20)
