"""The JSON Schema of the configuration, and the tables of its keys, made from the structs that the loader reads."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from fdlint.catalog.decode import Key, keys
from fdlint.catalog.entries import AnyCondition, ApiEntry, OwnModels, PlainCondition, ReturningEntry, WorkerEntry
from fdlint.scan.config.schema import Configuration

DEFINITIONS = {
    "api": ApiEntry,
    "own_models": OwnModels,
    "own_api": ReturningEntry,
    "worker": WorkerEntry,
    "condition": AnyCondition,
    "plain_condition": PlainCondition,
}
HEAD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://www.schemastore.org/fdlint.json",
    "title": "fdlint",
    "description": Configuration.__doc__,
}


def schema() -> str:
    """The text of ``fdlint/schema.json``."""
    structs = (Configuration, *DEFINITIONS.values())
    _, found = msgspec.json.schema_components(structs, ref_template="{name}")
    whole = _table(Configuration, found)
    definitions = {name: _table(struct, found) for name, struct in DEFINITIONS.items()}
    return json.dumps({**HEAD, **whole, "definitions": definitions}, indent=2, ensure_ascii=False) + "\n"


def _table(struct: type[Struct], found: Mapping[str, Any]) -> dict[str, Any]:
    """One struct with its properties."""
    made = found[struct.__name__]
    properties: dict[str, Any] = {}
    for one in keys(struct):
        properties[one.name] = {"description": _sentence(one.meaning), **_plain(made["properties"][one.name], found)}
    required = {"required": made["required"]} if made["required"] else {}
    extra: dict[str, Any] = getattr(struct, "SCHEMA", {})
    return {"type": "object", "additionalProperties": False, **required, **extra, "properties": properties}


def _plain(node: Any, found: Mapping[str, Any]) -> Any:
    """The same for draft 7 and TOML, which has no null: with no empty default, and no reference to a list of words."""
    if isinstance(node, list | tuple):
        return [_plain(one, found) for one in node]
    if not isinstance(node, dict):
        return node
    shown = {key: _plain(one, found) for key, one in node.items() if key not in ("description", "anyOf", "editors")}
    options = [_plain(one, found) for one in node.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:
        shown.update(options[0])
    elif options and "oneOf" not in shown:
        shown["oneOf"] = options
    if shown.get("default", True) in (None, "", [], {}):
        del shown["default"]
    if "pattern" in shown:
        shown["pattern"] = shown["pattern"].replace(r"\Z", "$")
    shown.update(node.get("editors", {}))
    return _resolved(shown, found)


def _resolved(node: dict[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    target = found.get(node.get("$ref", ""))
    if target is None:
        return node
    if "enum" in target:
        return {"enum": target["enum"], **{key: one for key, one in node.items() if key != "$ref"}}
    (name,) = (name for name, struct in DEFINITIONS.items() if struct.__name__ == node["$ref"])
    return {**node, "$ref": f"#/definitions/{name}"}


def _sentence(meaning: str) -> str:
    """A description for an editor, which shows no links."""
    text = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", meaning)
    return f"{text[0].upper()}{text[1:]}."


def page(text: str) -> str:
    """A page with its generated sections as they should be."""
    sections = {
        "keys": _markdown(keys(Configuration), "key", "value", "meaning", "default"),
        "api": _markdown(keys(ApiEntry), "key", "value", "meaning"),
        "returning": _markdown(
            [one for one in keys(ReturningEntry) if one not in keys(ApiEntry)], "key", "value", "meaning"
        ),
        "worker": _markdown([one for one in keys(WorkerEntry) if one not in keys(ApiEntry)], "key", "value", "meaning"),
    }
    for name, made in sections.items():
        start, end = f"<!-- generated: {name} -->\n\n", "\n<!-- end -->\n"
        before, found, rest = text.partition(start)
        if found:
            text = f"{before}{start}{made}{end}{rest.partition(end)[2]}"
    return text


def _markdown(rows: Iterable[Key], *columns: str) -> str:
    lines = [columns, ["---"] * len(columns), *([_cells(one)[column] for column in columns] for one in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cells(one: Key) -> dict[str, str]:
    expected = re.sub(r'"(.+?)"', r'`"\1"`', one.expected)
    return {"key": f"`{one.name}`", "value": expected, "meaning": one.meaning, "default": _default(one)}


def _default(one: Key) -> str:
    if isinstance(one.default, enum.Enum | bool):
        return f"`{json.dumps(msgspec.to_builtins(one.default))}`"
    return one.default_in_words or "none"
