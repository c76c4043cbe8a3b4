"""The architecture: imports run from the faces to the nouns, never back, and each dependency has its place."""

from __future__ import annotations

import re

import pytest
from package import Module, imports, modules

# By the first part of a module's name, the nouns first. A module that no pattern matches belongs nowhere yet.
LAYERS = [
    r"version|links|budget|words|installed|lines|ending|finding|catalog|graph|solver|deep|heap|replacing|silencing|intake|encoding|nesting|globs|refused|pairing|audited|trend",
    r"guard|source|trees|pieces|mentions|positions|shard|discover|imports|git|gitignore|report|suppress|ignores|baseline|changes|config|cache|go|rewrite|patch|onboarding|owners",
    r"lower|state\w*|program|constants",
    r"facts|ownership\w*|summary|classes|workers|confirm|dump",
    r"checks|judge",
    r"analysis|abroad|options|choosing|reported|claims|rounds|project|pool",
    r"|api|cli|flake8|__main__",
]
# Third-party package -> the only places that may know it.
HOMES = {
    "ahocorasick_rs": {"words"},
    "click": {"cli"},
    "libcst": {"source", "trees", "positions", "lower"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "msgspec": {"cache"},
    "platformdirs": {"cache"},
    "pygments": {"report"},
    "rich": {"cli", "report"},
}


def area(name: str) -> str:
    return name.partition(".")[0]


def layer(name: str) -> int:
    for level, pattern in enumerate(LAYERS):
        if re.fullmatch(pattern, area(name)):
            return level
    pytest.fail(f"fdlint.{name} has no place in LAYERS: decide which layer it belongs to")


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
    "checks": {"checks", "facts", "finding"},
    "report": {"report", "finding", "silencing", "version", "links", "audited", "trend"},
}


def test_no_arrow_runs_back() -> None:
    assert not [
        (module.name, name) for module in modules() for name in internal(module) if layer(name) > layer(module.name)
    ]


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


def test_the_test_sees_what_it_should() -> None:
    names = {module.name for module in modules()}
    assert {"", "cli.scan", "checks", "report.text"} <= names
    (scan,) = (module for module in modules() if module.name == "cli.scan")
    assert {"project", "discover", "cli.showing"} <= set(internal(scan))
    assert layer("finding") < layer("report.text") < layer("lower.names") < layer("facts") < layer("cli")
