"""What fdlint may be installed with, and what CI is: a range for each dependency, and a version with hashes in it."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

from packaging.requirements import Requirement
from test_layers import HOMES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FILE = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8")
NOT_IN_CI = "benchmark"
HASHES = re.compile(r"( --hash=sha256:[0-9a-f]{64})+")


def normal(name: str) -> str:
    """Names that differ only in case, dots, dashes and underscores are one."""
    return re.sub(r"[-_.]+", "-", name).lower()


def ranges(but: str = "") -> list[Requirement]:
    """All that pyproject.toml names, for use, for tests and for the build; without that of one extra."""
    extras = PROJECT["project"]["optional-dependencies"]
    lists = [PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]]
    lists += [names for extra, names in extras.items() if extra != but]
    unlike = dict.fromkeys(itertools.chain.from_iterable(lists))
    return [one for one in map(Requirement, unlike) if one.name != "fdlint"]


def entries() -> list[str]:
    """The file's requirements, each on one line with its hashes."""
    lines = [line for line in FILE.splitlines() if not line.startswith("#")]
    return re.sub(r" *\\\n *", " ", "\n".join(lines)).splitlines()


def pinned() -> dict[str, list[Requirement]]:
    """By name; there are several of one that differs between Pythons."""
    found: dict[str, list[Requirement]] = {}
    for entry in entries():
        requirement = Requirement(entry.partition(" --hash")[0])
        found.setdefault(normal(requirement.name), []).append(requirement)
    return found


def test_ranges_have_both_ends() -> None:
    ends = {one.name: sorted(part.operator for part in one.specifier) for one in ranges()}
    assert not {name: found for name, found in ends.items() if found != ["<", ">="]}


def exact_with_hashes(entry: str) -> bool:
    text, _, _ = entry.partition(" --hash")
    operators = [one.operator for one in Requirement(text).specifier]
    return operators == ["=="] and HASHES.fullmatch(entry[len(text) :]) is not None


def test_versions_are_exact_and_have_hashes() -> None:
    assert entries()
    assert not [entry for entry in entries() if not exact_with_hashes(entry)]


def test_all_that_the_package_imports_comes_with_it() -> None:
    """The HTML report, too, is there after `pip install fdlint`."""
    optional = {"ahocorasick-rs", "dask", "distributed", "lsprotocol", "mcp", "pygls", "pytest"}
    optional |= {"tree-sitter", "tree-sitter-go"}
    needed = {normal(Requirement(one).name) for one in PROJECT["project"]["dependencies"]}
    assert {normal(name) for name in HOMES} - optional <= needed
    assert PROJECT["project"]["optional-dependencies"]["html"] == []


def test_nothing_says_where_to_get_it() -> None:
    assert "://" not in FILE
    assert not re.search(r"^\s*-(?!-hash=)", FILE, re.MULTILINE)


def test_what_ci_needs_is_there_and_within_its_range() -> None:
    for requirement in ranges(but=NOT_IN_CI):
        for one in pinned()[normal(requirement.name)]:
            (exact,) = one.specifier
            assert requirement.specifier.contains(exact.version), f"{requirement} is not {exact}: see CONTRIBUTING.md"


def test_ci_uses_it() -> None:
    assert "--require-hashes --requirement .ci/constraints.txt" in (ROOT / ".ci/run").read_text(encoding="utf-8")
