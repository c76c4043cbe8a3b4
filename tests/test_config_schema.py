"""The JSON Schema accepts and refuses what the strict loader does. That it is up to date is in ``test_site``."""

from __future__ import annotations

import enum
import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from fdlint.catalog.decode import keys
from fdlint.catalog.entries import ApiEntry
from fdlint.cli import main
from fdlint.languages.registry import SETTINGS
from fdlint.scan import config
from fdlint.scan.config.schema import KEYS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install 'fdlint[test]'")
SCHEMA: Mapping[str, Any] = json.loads(resources.files("fdlint").joinpath("schema.json").read_text("utf-8"))
DOCS = Path(__file__).parent.parent / "docs"
CONFIGURATION = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("configuration.md", "models.md"))


def by_schema(text: str) -> bool:
    return bool(jsonschema.Draft7Validator(SCHEMA).is_valid(tomllib.loads(text)))


def by_loader(text: str, folder: Path) -> bool:
    file = folder / "fdlint.toml"
    file.write_text(text, encoding="utf-8")
    try:
        config.load(file)
    except config.ConfigError:
        return False
    return True


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def nodes(node: Any, inside: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """All objects of the schema, each with the key that it stands under."""
    if isinstance(node, dict):
        yield inside, node
        for key, one in node.items():
            yield from nodes(one, key)
    elif isinstance(node, list):
        for one in node:
            yield from nodes(one)


def test_schemastore_takes_it() -> None:
    """https://github.com/SchemaStore/schemastore/blob/master/CONTRIBUTING.md and the checks of its ``cli.js``."""
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert SCHEMA["$id"] == "https://www.schemastore.org/fdlint.json"
    known = {"$schema", "$id", "$ref", "title", "description", "default", "type", "enum", "const", "definitions"}
    known |= {"properties", "additionalProperties", "propertyNames", "required", "minProperties", "pattern"}
    known |= {"items", "minItems", "uniqueItems", "oneOf"}
    for inside, node in nodes(SCHEMA):
        if inside in ("properties", "definitions"):  # these have names for keys
            continue
        assert set(node) <= known, inside
        assert not node.get("description", "").endswith(":")
        if "properties" in node or "additionalProperties" in node:
            assert node["type"] == "object"
        if "items" in node:
            assert node["type"] == "array"
        for key, one in node.get("properties", {}).items():
            assert one["description"], key
        if "$ref" in node:
            assert node["$ref"].removeprefix("#/definitions/") in SCHEMA["definitions"]
    used = {node["$ref"] for _, node in nodes(SCHEMA) if "$ref" in node}
    assert used == {f"#/definitions/{name}" for name in SCHEMA["definitions"]}


def test_the_defaults_are_those_of_the_loader() -> None:
    for key, said in SCHEMA["properties"].items():
        if "default" in said and key != "unknown-calls":
            default = config.UNCONFIGURED
            value = key in default.flags if key in FLAGS else getattr(default, key.replace("-", "_"))
            assert (value.value if isinstance(value, enum.Enum) else value) == said["default"]


FLAGS = {one.key for one in SETTINGS}
API = "[[api]]\nname = 'lib.f'\nparams = ['fd', 'how', '*args']\n"
GOOD = [
    "",
    "[[worker]]\nname = 'lib.Farm'\nparams = ['size']\nwhen.size = {not = 0}\ntorn_down_by = ['stop']\nborrowed = true",
    "[[worker]]\nname = 'lib.Farm'\ntorn_down_by = ['stop']\nborrowed = true\nall_torn_down_by = ['lib.stop']",
    "select = []\nignore = [' fd103 ']",
    "include = ['/src']\nexclude = ['*.py', '!a.py']\nextend-exclude = []\nforce-exclude = true",
    "baseline = 'a/b.json'\nunknown-calls = 'take'",
    "go-generated = true\ngo-tests = false\ngo-vendor = true",
    "persona = 'pedantic'\nmin-confidence = 'low'\nmin-impact = 'high'\nmin-severity = 'error'",
    "tests = 'none'\ntest-files = ['*_check.py']",
    "per-file-ignores = {}\nseverity = {}",
    "[per-file-ignores]\n'tests/**' = ['FD1']\n'!src' = []",
    "[severity]\nFD103 = 'error'\nfd2 = 'warning'",
    "[aliases]\n'lib.shut' = 'os.close'",
    "api = []",
    f"{API}uses = ['fd']\nraises = false\nreturns = 'arg fd'\nwords = ['lib']\nsource = 'x'\nsince = '3.11'",
    f"{API}closes = ['fd']\nraises = 'ValueError'\nadopts = true\nplatform = 'linux'",
    f"{API}applies = true\ncallee = 'how'\npasses = '*args'",
    f"{API}when.how = 1\ntakes = ['fd']\n{API}when.how = [true, 'x']\n{API}when.how = {{absent = true}}",
    f"{API}when.how = {{not = {{values = [1], absent = true}}}}\n{API}when.how = {{not = 'r'}}",
    f"{API}when.how = {{mentions = ['lib.A']}}\n{API}when.how = {{constant = true}}",
    "[[api]]\nnames = ['lib.f', '*.method']\ncontainer = 'add'",
]
BAD = [
    "[[worker]]\nname = 'lib.Farm'",
    "[[worker]]\nname = 'lib.Farm'\ntorn_down_by = []",
    "[[worker]]\nname = 'lib.Farm'\ntorn_down_by = ['stop']\nreturns = 'fd'",
    "selct = []",
    "[[api]]\nparams = []",
    "[[api]]\nname = 'lib.f'\nnames = ['lib.g']",
    "[[api]]\nname = 'f'",
    "[[api]]\nname = 'lib.f()'",
    "[[api]]\nnames = []",
    "[api]\nname = 'lib.f'",
    "api = [1]",
    f"{API}close = ['fd']",
    f"{API}params2 = []",
    f"{API}uses = ['fd', 'fd']",
    f"{API}raises = true",
    f"{API}container = 'push'",
    f"{API}when.how = {{}}",
    f"{API}when.how = []",
    f"{API}when.how = 1.5",
    f"{API}when.how = {{not = 1, absent = true}}",
    f"{API}when.how = {{not = {{not = 1}}}}",
    f"{API}when.how = {{abset = true}}",
    "[aliases]\n'a.b' = 1",
    "[per-file-ignores]\n'!' = ['FD1']",
    "[per-file-ignores]\n'a' = 'FD1'",
    "[severity]\nFD1 = 'note'",
    "[severity]\n'1' = 'error'",
    "unknown-calls = 'takes'",
    "exclude = ['# all']",
    "exclude = ['']",
    "ignore = ['']",
    "baseline = ''",
]


@pytest.mark.parametrize("text", GOOD)
def test_good(text: str, tmp_path: Path) -> None:
    assert by_schema(text)
    assert by_loader(text, tmp_path)


@pytest.mark.parametrize("text", BAD)
def test_bad(text: str, tmp_path: Path) -> None:
    assert not by_schema(text)
    assert not by_loader(text, tmp_path)


@pytest.mark.parametrize("text", re.findall(r"^```toml\n(.*?)^```$", CONFIGURATION, re.DOTALL | re.MULTILINE))
def test_what_the_page_shows_is_good(text: str) -> None:
    document = tomllib.loads(text)
    section = document["tool"]["fdlint"] if "tool" in document else document
    assert not [error.message for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(section)]


VALUES = ["1", "1.5", "true", "'x'", "['x', 1]", "[[]]", "{a = 1}", "1979-05-27"]


@pytest.mark.parametrize("key", KEYS)
def test_every_key_with_values_of_every_type(key: str, tmp_path: Path) -> None:
    for value in VALUES:
        text = f"{key} = {value}"
        assert by_schema(text) == by_loader(text, tmp_path), text


@pytest.mark.parametrize("key", sorted({one.name for one in keys(ApiEntry)} - {"name", "names"}))
def test_every_key_of_a_model_with_values_of_other_types(key: str, tmp_path: Path) -> None:
    for value in ("1", "1.5", "['x', 1]", "[[]]", "1979-05-27"):
        text = f"[[api]]\nname = 'lib.f'\n{key} = {value}"
        assert not by_schema(text), text
        assert not by_loader(text, tmp_path), text


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
