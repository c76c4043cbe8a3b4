"""The architecture: imports run from the faces to the nouns, never back, and each dependency has its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from package import Module, imports, modules

# The areas of the package, the nouns first: a module imports from its own area and from those before it.
LAYERS = [
    "version", "links", "process", "reading", "findings", "ir", "domain", "git", "catalog", "config", "files",
    "dataflow", "index", "frontend", "callgraph", "engine", "objects", "checks",
    "report", "go", "driver", "fixes", "onboarding", "api", "", "doctor", "flake8", "server", "runtime",
    "pytest_plugin", "cli",
    "__main__",
]  # fmt: skip
# Third-party package -> the only places that may know it.
HOMES = {
    "ahocorasick_rs": {"reading"},
    "click": {"cli"},
    "libcst": {"fixes", "frontend"},
    "tree_sitter": {"frontend"},
    "tree_sitter_go": {"frontend"},
    "jinja2": {"doctor", "report"},
    "lsprotocol": {"server"},
    "markupsafe": {"doctor", "report"},
    "msgspec": {"catalog", "config", "driver"},
    "platformdirs": {"driver"},
    "pygments": {"report"},
    "pytest": {"pytest_plugin"},
    "pygls": {"server"},
    "rich": {"cli", "report"},
    "watchfiles": {"cli"},
}


def area(name: str) -> str:
    return name.partition(".")[0]


def layer(name: str) -> int:
    if area(name) not in LAYERS:
        pytest.fail(f"fdlint.{name} has no place in LAYERS: decide which layer it belongs to")
    return LAYERS.index(area(name))


def internal(module: Module) -> list[str]:
    """What ``module`` imports of the package, as names without ``fdlint.``."""
    known = {other.name for other in modules()}
    found = []
    for name in imports(module):
        if name.partition(".")[0] == "fdlint":
            inner = name.partition(".")[2]
            found.append(inner if inner in known else inner.rpartition(".")[0])
    return found


# What alone some areas may import of the package.
NARROW = {
    "checks": {"checks", "domain", "findings"},
    "report": {"report", "findings", "reading", "version", "links"},
}
# What knows no language: a graph carries its own (`ir/language.py`).
FREE_OF_LANGUAGES = {"ir", "domain", "dataflow", "engine", "objects", "checks", "report"}


def test_no_arrow_runs_back() -> None:
    assert not [
        (module.name, name) for module in modules() for name in internal(module) if layer(name) > layer(module.name)
    ]


def test_no_modules_import_each_other() -> None:
    """Not in a circle of many either, nor for the type checker alone."""
    imported = {module.name: set(internal(module)) - {module.name} for module in modules()}
    while leaves := [name for name, names in imported.items() if not names & imported.keys()]:
        for name in leaves:
            del imported[name]
    assert not imported


def test_dependencies_are_known_in_their_homes_only() -> None:
    assert not [
        (module.name, name)
        for module in modules()
        for name in imports(module)
        if area(name) in HOMES and area(module.name) not in HOMES[area(name)]
    ]


def test_checks_see_facts_only_and_reports_findings_only() -> None:
    assert not [
        (module.name, name)
        for module in modules()
        if area(module.name) in NARROW
        for name in internal(module)
        if area(name) not in NARROW[area(module.name)]
    ]


def test_the_engine_knows_no_language() -> None:
    knowing = {
        module.name
        for module in modules()
        for name in internal(module)
        if area(name) == "frontend" and area(module.name) in FREE_OF_LANGUAGES | {"callgraph"}
    }
    assert knowing == {"callgraph.go_modules", "callgraph.modules", "callgraph.units"}


def test_the_test_sees_what_it_should() -> None:
    names = {module.name for module in modules()}
    assert {"", "cli.scan", "checks", "report.text"} <= names
    assert {area(name) for name in names} == set(LAYERS)
    (scan,) = (module for module in modules() if module.name == "cli.scan")
    assert {"driver.scan", "files.discover", "cli.showing"} <= set(internal(scan))
    assert layer("findings.finding") < layer("frontend.python.names") < layer("engine.log") < layer("report.text")


def test_the_table_for_contributors_has_the_same_order() -> None:
    page = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page.partition("| area | contents |")[2].partition("\n\n")[0], re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert named == [name for name in LAYERS if name.strip("_") not in {"", "main"}]
