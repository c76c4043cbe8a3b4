"""The states in which a large function is followed for its callers."""

from __future__ import annotations

from fdlint.core.domain.contents import Contents
from fdlint.core.domain.state import Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import (
    Age,
    Box,
    Container,
    ContainerSite,
    Descriptor,
    Fd,
    IncomingSite,
    Known,
    Maker,
    Sym,
)
from fdlint.core.engine.start_states import starts
from fdlint.core.ir import AccessPath, Graph, InitialValue
from tests.paths import lower

FD = Descriptor(IncomingSite.of_lot(0), 0, Age.NEWEST)
FILES, NUMBERS = (Container(ContainerSite(Maker.CALLER, number), Age.NEWEST) for number in (0, 1))
A, B, C = map(AccessPath, "abc")
START = State(
    {A: Box(FILES), B: Box(NUMBERS), C: Known.SOME, InitialValue.of(C): Sym(C)},
    {FILES: Contents((Fd(FD),)), NUMBERS: Contents((Known.UNKNOWN,), exact=False)},
    {FD: Resource(Status.BORROWED)},
)


def function(tests: int) -> Graph:
    code = "def f(a, b, c):\n" + "    if a and b and c:\n        print()\n" * tests
    return next(graph for graph in lower(code) if graph.name == "f")


def test_a_small_function_knows_all() -> None:
    assert list(starts(START, function(5))) == [START]


def test_a_large_one_is_followed_without_knowledge_and_then_with_its_descriptors() -> None:
    ignorant, descriptors = starts(START, function(100))
    assert (ignorant.env, ignorant.heap, ignorant.resources) == ({A: Sym(A), B: Sym(B), C: Sym(C)}, {}, {})
    assert descriptors.env == {A: Box(FILES), B: Sym(B), C: Sym(C)}
    assert descriptors.heap == {FILES: START.heap[FILES]}
    assert descriptors.resources == START.resources


def test_of_the_keywords_of_a_large_one_nothing_is_known() -> None:
    code = "def f(a, **c):\n" + "    if a and c:\n        print()\n" * 100
    ignorant, descriptors = starts(START, next(one for one in lower(code) if one.name == "f"))
    assert (ignorant.env, ignorant.heap) == ({A: Sym(A)}, {})
    assert (descriptors.env, descriptors.heap) == ({A: Box(FILES)}, {FILES: START.heap[FILES]})


def test_without_descriptors_the_ignorant_one_decides() -> None:
    (ignorant,) = starts(State({A: Known.SOME}), function(100))
    assert ignorant.env == {A: Sym(A), B: Sym(B), C: Sym(C)}
