"""The kinds of inputs. Each input can be generated again."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import fdlint

from . import families, grammar, mutate, smith, tokens
from .oracle import Input

_TESTS = Path(__file__).parent.parent
_GENERATED: dict[str, Callable[[Random], bytes]] = {
    "hypothesmith": smith.smithed,
    "grammar": grammar.program,
    "families": families.drawn,
    "tokens": tokens.soup,
}
MUTATED, REAL = "mutated", "real"
KINDS = (*_GENERATED, MUTATED, REAL)
"""``mutated``: real files after some changes. ``real``: unchanged files, in order."""


def own_files() -> list[Path]:
    """Returns files that always exist: the standard library's, fdlint's own, and golden cases."""
    library = Path(sysconfig.get_path("stdlib"))
    cases = (_TESTS / "cases").rglob("*.yml")
    return sorted([*library.glob("*.py"), *Path(fdlint.__file__).parent.rglob("*.py"), *cases])


def files_in(directories: Sequence[Path]) -> list[Path]:
    """The Python files in some directories."""
    return sorted(path for one in directories for path in one.rglob("*.py") if path.is_file())


def inputs(kind: str, count: int, seed: int, files: Sequence[Path]) -> Iterator[Input]:
    """Yields inputs of a kind. The first has the seed, the next one the next seed. Real files start at the seed's
    place."""
    if kind == REAL:
        for path in files[seed : seed + count]:
            yield Input(f"{REAL}:{path}", path.read_bytes())
        return
    for number in range(seed, seed + count):
        rng = Random(f"{kind}:{number}")
        yield Input(f"{kind}-{number}", mutate.mutated(files, rng) if kind == MUTATED else _GENERATED[kind](rng))
