"""The architecture: imports run from the faces to the nouns, never back, and each dependency has its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.package import Module, imports, modules

# The areas of the package, the nouns first: a module imports from its own area and from those before it. The first
# word of an area is its room. A room without areas of its own stands alone.
LAYERS = [
    "version", "links", "core", "runtime",
    "languages.description", "languages.python.description", "languages.go.description", "languages.registry",
    "core.budget", "core.memo", "scan.process", "scan.reading", "core.finding",
    "report.findings", "core.ir", "core.domain", "scan.git", "catalog", "scan.config", "scan.files",
    "core.dataflow", "languages", "languages.index", "languages.front_end", "program",
    "languages.packages", "languages.python", "languages.go", "core.engine", "core.objects", "core.checks",
    "report", "scan.changes", "scan.cache", "scan", "scan.explain", "fixes", "fleet", "cli.onboarding", "api", "",
    "runtime.doctor", "flake8", "editor", "runtime.proof", "runtime.recording", "runtime.sanitizer",
    "runtime.pytest_plugin", "cli", "__main__",
]  # fmt: skip
# At most so many folders lie directly below the package.
ROOMS = {"core", "languages", "program", "catalog", "scan", "report", "fixes", "fleet", "cli", "editor", "runtime"}
# Third-party package -> the only places that may know it.
HOMES = {
    "ahocorasick_rs": {"scan.reading"},
    "click": {"cli"},
    "dask": {"fleet"},
    "distributed": {"fleet"},
    "libcst": {"fixes", "languages.python"},
    "tree_sitter": {"languages.go"},
    "tree_sitter_go": {"languages.go"},
    "jinja2": {"runtime.doctor", "report", "fleet"},
    "lsprotocol": {"editor"},
    "mcp": {"editor"},
    "markupsafe": {"runtime.doctor", "report", "fleet"},
    "msgspec": {"catalog", "scan.config", "scan.cache", "scan", "report"},
    "platformdirs": {"scan.cache"},
    "pygments": {"report"},
    "pytest": {"runtime.pytest_plugin"},
    "pygls": {"editor"},
    "rich": {"cli", "report"},
}


def area(name: str) -> str:
    """The area of a module: the longest prefix of its name that is one."""
    parts = name.split(".")
    prefixes = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((one for one in prefixes if one in LAYERS), parts[0])


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
    "core.checks": {"core.checks", "core.domain", "core.finding", "report.findings"},
    "report": {
        *("report", "report.findings", "core.finding"),
        *("languages.registry", "scan.reading", "version", "links"),
    },
}


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


def test_the_core_knows_no_language() -> None:
    """Nor does the program: a language gives it a front end."""
    assert not [
        (module.name, name)
        for module in modules()
        for name in internal(module)
        if area(name) in {"languages.python", "languages.go"} and module.name.partition(".")[0] in {"core", "program"}
    ]


def test_there_are_few_rooms() -> None:
    assert {module.name.partition(".")[0] for module in modules() if module.path.name == "__init__.py"} == ROOMS | {""}


def test_the_test_sees_what_it_should() -> None:
    names = {module.name for module in modules()}
    assert {"", "cli.scan", "core.checks", "report.text"} <= names
    assert {area(name) for name in names} == set(LAYERS)
    (scan,) = (module for module in modules() if module.name == "cli.scan")
    assert {"scan.scan", "scan.files.discover", "cli.showing"} <= set(internal(scan))
    ordered = ["core.finding", "languages.python.lowering.names", "core.engine.log", "report.text"]
    assert sorted(ordered, key=layer) == ordered


def test_the_table_for_contributors_has_the_same_order() -> None:
    page = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page.partition("| area | contents |")[2].partition("\n\n")[0], re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]
    assert named == [name for name in LAYERS if name.strip("_") not in {"", "main"}]
