"""The shape of the code: small files, small functions, names with a meaning, and API names in the catalog only."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fdlint.catalog import default_catalog
from tests.package import Module, modules

MAX_LINES = 600
MAX_FUNCTION = 60
DRAWERS = {"util", "utils", "helper", "helpers", "common", "misc", "tools", "base"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def without_docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes except strings that stand alone as a statement."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(
            child
            for child in ast.iter_child_nodes(node)
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
        )


def api_names() -> set[str]:
    """Dotted names of the catalog, without builtins that the language itself gives a meaning (``case int():``)."""
    names = {name for name in default_catalog().by_name if "." in name and not name.startswith("*.")}
    return {name for name in names if not name.startswith("builtins.")} | {"builtins.open"}


def shape(module: Module) -> Iterator[str]:
    """What is wrong with the sizes and names of one module."""
    if module.text.count("\n") > MAX_LINES:
        yield f"{module.name}: over {MAX_LINES} lines"
    for node in module.nodes:
        if isinstance(node, FUNCTIONS) and (node.end_lineno or node.lineno) - node.lineno >= MAX_FUNCTION:
            yield f"{module.name}.{node.name}: over {MAX_FUNCTION} lines"
    if not DRAWERS.isdisjoint(module.name.split(".")):
        yield f"{module.name}: a name without a meaning"


def test_files_and_functions_are_short_and_names_have_a_meaning() -> None:
    assert not [complaint for module in modules() for complaint in shape(module)]


def test_api_names_are_in_the_catalog_only() -> None:
    names = api_names()
    found = {
        (module.name, node.value)
        for module in modules()
        if module.name.partition(".")[0] != "catalog"
        for node in without_docstrings(module.tree)
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert not found


@functools.cache
def calls(module: Module) -> set[str]:
    return {ast.unparse(node.func) for node in module.nodes if isinstance(node, ast.Call)}


def test_lines_are_split_in_one_way() -> None:
    assert not {(module.name, call) for module in modules() for call in calls(module) if call.endswith(".splitlines")}


def test_only_the_command_line_prints_and_exits() -> None:
    prints = {"print", "exit", "sys.exit", "sys.stdout.write", "sys.stderr.write"}
    others = [module for module in modules() if module.name.partition(".")[0] not in {"cli", "__main__"}]
    assert not {(module.name, call) for module in others for call in calls(module) & prints}


# Who opens files, and why not through `scan.reading.intake`.
OPENS = {
    "scan.reading.intake": "the reader itself",
    "scan.cache.place": "its own file, which must belong to the user",
    "scan.rewrite": "a file that is to be replaced, and must have no other name",
    "fleet.scanning": "the pipes of its own process, and a lock",
    "fleet.store": "fdlint's own files",
    "scan.git.tree": "files that it creates",
    "catalog.loader": "fdlint's own files",
    "languages.go.words": "fdlint's own files",
    "cli.config": "fdlint's own files",
    "cli.output": "the null device",
    "cli.streams": "the null device",
    "runtime.proof.machinery.descriptors": "the null device",
    "runtime.proof.writing": "fdlint's own files",
    "runtime.recording.recording": "the record of its own process",
}
READS = {"open", "io.open", "os.open", "os.fdopen", "tokenize.open", "codecs.open"}


def test_files_are_read_in_one_place_only() -> None:
    """Whatever else opens a file of a scanned tree can be made to wait at a pipe, or to read gigabytes."""
    reading = (".read_bytes", ".read_text", ".open")
    found = {module.name for module in modules() for name in calls(module) if name in READS or name.endswith(reading)}
    assert found <= OPENS.keys()


def test_the_package_says_that_it_is_typed() -> None:
    assert (modules()[0].path.parent / "py.typed").exists()


@pytest.mark.parametrize("page", ["docs/engine.md", "docs/engine-objects.md", "CONTRIBUTING.md"])
def test_pages_name_modules_that_exist(page: str) -> None:
    root = Path(__file__).parent.parent
    named = re.findall(r"`((?:\w+/)+[a-z_0-9]+\.(?:py|toml))`", (root / page).read_text(encoding="utf-8"))
    assert named
    assert not [name for name in named if not any((home / name).is_file() for home in (root, root / "fdlint"))]
