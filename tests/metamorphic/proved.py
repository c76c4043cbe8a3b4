"""Runs a program and what a rewrite makes of it: if the descriptors have the same fate in both, it is proved and not
believed that the rewrite keeps the meaning."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.differential.decisions import TooManyPaths
from tests.differential.execute import InvalidProgram, compile_program, run_all
from tests.differential.oracle import code_of
from tests.differential.owner_program import generate_owners
from tests.differential.program import generate, generate_calls
from tests.metamorphic.agreement import REWRITES

_GENERATORS: tuple[Callable[[int], str], ...] = (generate, generate_calls, generate_owners)
UNKNOWN_TO_THE_DRIVER = frozenset(
    {"import os as os_", "from os import close", "opened by another name", "self by another name"}
    | {"functions as coroutines"}
)
"""The driver knows calls by their usual names, and awaits nothing."""


@dataclass
class Proof:
    """How many programs had the same fate after a rewrite, and how many could not be run; and those that differ."""

    same: int = 0
    not_run: int = 0
    differences: list[str] = field(default_factory=list)


def proofs(seeds: range) -> dict[str, Proof]:
    """Returns what the runs of generated programs prove of each rewrite that the driver can run."""
    found = {one.name: Proof() for one in REWRITES if one.name not in UNKNOWN_TO_THE_DRIVER}
    for name, source in _programs(seeds):
        before = fates(source)
        for rewrite in (one for one in REWRITES if before is not None and one.name in found):
            written = rewrite(source)
            if written is None:
                continue
            runs = _left_out(written) <= _left_out(source)
            proof, after = found[rewrite.name], fates(written) if runs else None
            if after is None:
                proof.not_run += 1
            elif after == before:
                proof.same += 1
            else:
                proof.differences.append(f"{rewrite.name}, {name}: {before} -> {after}")
    return found


def _programs(seeds: range) -> Iterator[tuple[str, str]]:
    for make in _GENERATORS:
        for seed in seeds:
            yield f"{make.__name__}({seed})", ast.unparse(ast.parse(make(seed))) + "\n"


def _left_out(source: str) -> set[str]:
    """Returns the statements of the module that the driver does not run."""
    body = ast.parse(source).body
    return {ast.unparse(node) for node in body if not isinstance(node, ast.FunctionDef | ast.ClassDef)}


def fates(source: str) -> Counter[str] | None:
    """Returns the codes of the leaks in all runs of a program, and how many of each; None if it cannot be run."""
    try:
        runs = run_all(compile_program(source))
    except (InvalidProgram, TooManyPaths, KeyError):  # such as an exception of its own
        return None
    return Counter(filter(None, map(code_of, runs.sites.values())))
