"""Tests the oracle itself on functions with an obvious answer. ``# FD102`` marks a line's expected code."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from random import Random

import pytest

from .call_cases import CALL_CASES
from .cases import CASES
from .class_program import generate_class
from .decisions import Decisions, explore
from .execute import InvalidProgram, compile_program, misdeeds_by_chance, run_all
from .mutate import mutate
from .oracle import expected
from .program import generate, generate_calls


def due(source: str) -> dict[int, str]:
    """Returns the codes in the comments of ``source``."""
    lines = enumerate(source.splitlines(), 1)
    return {number: line.rpartition("# ")[2] for number, line in lines if "# FD" in line}


@pytest.mark.parametrize("name", [*CASES, *CALL_CASES])
def test_case(name: str) -> None:
    source = textwrap.dedent((CASES | CALL_CASES)[name])
    assert {line: code for (line, _), code in expected(source).items() if code} == due(source)
    assert expected(source), "no acquisition was seen"


def test_every_combination_is_run_once() -> None:
    """Two yes-or-no choices, the second only after a yes."""
    seen: list[tuple[int, ...]] = []

    def run(decisions: Decisions) -> None:
        first = decisions.choose(2)
        seen.append((first, decisions.choose(3)) if first else (first,))

    assert explore(run, max_paths=10) == 4
    assert seen == [(0,), (1, 0), (1, 1), (1, 2)]


CAUGHT = "try:\n        use(fd)\n    except Exception:\n        pass"


@pytest.mark.parametrize("statement", ["os.close(fd)", "os.close(None)", "use(unknown)", CAUGHT])
def test_what_the_contract_does_not_speak_of_is_rejected(statement: str) -> None:
    source = f"def run(a):\n    if a:\n        fd = os.dup(0)\n    {statement}\n"
    with pytest.raises(InvalidProgram):
        run_all(compile_program(source))


def test_a_function_that_always_takes_from_an_empty_list_is_rejected() -> None:
    always = "def run():\n    fds = [os.dup(0)]\n    work()\n    fds.pop()\n    fds.pop()\n"
    with pytest.raises(InvalidProgram):
        run_all(compile_program(always))
    assert run_all(compile_program(always.replace("work()", "fds.append(1)"))).sites


@pytest.mark.parametrize("write", [generate, generate_calls, generate_class])
def test_the_same_seed_gives_the_same_program(write: Callable[[int], str]) -> None:
    assert write(7) == write(7)
    assert len({write(seed) for seed in range(50)}) > 40


def test_calls_are_three_deep() -> None:
    """One program has a function that calls one that calls one that calls one."""
    assert max(_depth(ast.parse(generate_calls(seed)), "run") for seed in range(40)) >= 3


def _depth(tree: ast.Module, name: str) -> int:
    """Returns the depth of calls of the module's own functions from ``name``."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    calls = [node.func for node in ast.walk(functions[name]) if isinstance(node, ast.Call)]
    called = {func.id if isinstance(func, ast.Name) else getattr(func, "attr", "") for func in calls}
    return max((1 + _depth(tree, other) for other in called & functions.keys()), default=0)


def test_a_mutation_leaves_something_that_parses() -> None:
    rng, source = Random(1), generate(3)
    for _ in range(200):
        ast.parse(mutate(source, rng))  # other tests handle a stray ``break``


SWAPS = """def run(n):
    x = None
    y = os.memfd_create('m')
    z = None
    for _ in range(n):
        z, y = y, z
        try:
            cond()
        except OSError:
            x = z
        else:
            if x is not None:
                os.close(x)
"""


def test_what_takes_many_rounds_is_seen_by_chance() -> None:
    """The second close comes in the fourth iteration, if the calls before it raise and return in the right order."""
    program = compile_program(SWAPS)
    seen = next(seen for seen in misdeeds_by_chance(program, rounds=8, count=20_000) if seen)
    assert [(one.code, one.line) for one in seen] == [("FD201", 13)]


CLOSER = "def closer():\n            os.close(fd)"


@pytest.mark.parametrize(
    ("body", "due"),
    [
        ("stack.callback(os.close, fd)\n        os.close(fd)", [("FD203", 5)]),
        ("os.close(fd)\n        stack.callback(os.close, fd)", [("FD201", 5)]),
        (f"{CLOSER}\n        stack.callback(closer)\n        os.close(fd)", [("FD203", 7)]),
        (f"{CLOSER}\n        os.close(fd)\n        stack.callback(closer)", [("FD201", 5)]),
        ("file = os.fdopen(fd)\n        stack.callback(os.close, fd)", [("FD203", 5)]),
        ("stack.callback(os.close, fd)\n        stack.pop_all()\n        os.close(fd)", []),
        ("stack.callback(os.close, fd)", []),
    ],
)
def test_what_an_exit_stack_closes(body: str, due: list[tuple[str, int]]) -> None:
    source = f"def run(src):\n    with ExitStack() as stack:\n        fd = os.dup(src)\n        {body}\n"
    found = run_all(compile_program(source)).misdeeds
    assert [(one.code, one.line) for one in found] == due


@pytest.mark.parametrize(
    ("body", "due"),
    [
        ("os.close(fd)\n    os.close(fd)", {4}),
        ("if cond():\n        os.close(fd)\n    os.close(fd)", {5}),
        ("os.close(fd)\n    if cond():\n        os.close(fd)", {5}),
        ("while cond():\n        if cond():\n            os.close(fd)", {5}),
        ("if cond():\n        os.close(fd)\n    if cond():\n        os.close(fd)", set()),
        ("while cond():\n        os.read(fd, 1)\n        if cond():\n            os.close(fd)", {6}),
    ],
)
def test_halves_with_conditions_of_their_own_may_exclude_each_other(body: str, due: set[int]) -> None:
    """The author may know that the close and the misuse never come together, unless one of them always comes."""
    runs = run_all(compile_program(f"def run(src):\n    fd = os.dup(src)\n    {body}\n"))
    assert {one.line for one in runs.misdeeds if runs.is_due(one)} == due
