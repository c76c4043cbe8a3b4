"""From TOML to entries, strictly: what is not understood is an error that says where it stands.

A file has optional ``[defaults]`` (``source``, ``raises``, ``since``, ``platform``), optional ``[aliases]`` (another
name = the catalog's name, for modules, types and functions alike), optional ``[constants]`` (a dotted name = the value
it has wherever a program runs; with ``()`` for a call) and ``[[api]]`` tables. A ``source`` that ends in
``#`` is completed with the entry's name, as the anchors of the Python documentation are.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

from fdlint.catalog.condition import parse_condition
from fdlint.catalog.errors import CatalogError, suggestion
from fdlint.catalog.model import Action, Api, AttributeOp, ContainerOp, Insisted, Nothing, Worker
from fdlint.catalog.shape import parse_shape

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Word = TypeVar("Word")
_FLAGS = frozenset({
    "adopts", "applies", "borrows", "by_number", "calm_enter", "calm_if_taken", "calm_iteration", "closes_all",
    "endless", "expects", "inheritable", "lazy", "noreturn", "on_exit", "probes", "received", "registers",
    "suppresses",
})  # fmt: skip
_ACTIONS = {action.value: action for action in Action}
_CONTAINER_OPS = {op.value: op for op in ContainerOp}
_INSISTED = {one.value: one for one in Insisted}
_ATTRIBUTE_OPS = {op.value: op for op in AttributeOp}
_PARAMETERS = frozenset({"at_least", "callee", "closes_on_exec", "duplicates_onto", "max_bytes", "max_fds", "passes"})
_STRINGS = frozenset({"platform", "since"})
_SHARED = frozenset({"platform", "raises", "since", "source"})
_OWN = frozenset({"asserts", "attribute", "container", "name", "names", "params", "returns", "when", "words"})
_NAME = re.compile(r"(\*|[^\W\d]\w*)(\.[^\W\d]\w*)+")
_KEYS = _OWN | _FLAGS | _PARAMETERS | _SHARED | frozenset(_ACTIONS)
_ENDS = ("torn_down_by", "swept_by", "collected_by")
_WORKER_KEYS = frozenset({"lent", "name", "names", "params", "source", "when", "words", *_ENDS})


@dataclass(frozen=True, slots=True)
class Contents:
    """What one file says: its entries in order, other names for what the catalog knows, constants, and what has
    workers."""

    apis: tuple[Api, ...]
    aliases: Mapping[str, str]
    constants: Mapping[str, object]
    workers: tuple[Worker, ...] = ()


def load_contents(mapping: Mapping[str, Any], origin: str, source: str | None = None) -> Contents:
    """Read a parsed file. ``origin`` names it in errors; ``source`` stands in where an entry gives none."""
    _known(mapping, {"aliases", "api", "constants", "defaults", "worker"}, origin)
    defaults = _table(mapping, "defaults", origin)
    _known(defaults, _SHARED, f"{origin}: [defaults]")
    aliases = _table(mapping, "aliases", origin)
    for alias, name in aliases.items():
        if not isinstance(name, str):
            raise CatalogError(f"{origin}: [aliases]: `{alias}` must be a string")
    inherited = {"source": source, **defaults} if source else defaults
    apis = tuple(api for where, raw in _tables(mapping, "api", origin) for api in _entry(raw, inherited, where))
    workers = tuple(one for where, raw in _tables(mapping, "worker", origin) for one in _worker(raw, inherited, where))
    _reject_unreachable(apis, origin)
    _reject_unreachable([worker.api for worker in workers], origin)
    constants = _table(mapping, "constants", origin)
    for name, value in constants.items():
        _reject_other_than_constant(name, value, origin)
    return Contents(apis, aliases, {name: _frozen(value) for name, value in constants.items()}, workers)


def _tables(mapping: Mapping[str, Any], key: str, origin: str) -> Iterator[tuple[str, object]]:
    """The tables of an array, each with where it stands."""
    raws = mapping.get(key, [])
    if not isinstance(raws, list):
        raise CatalogError(f"{origin}: `{key}` must be an array of tables ([[{key}]])")
    for index, raw in enumerate(raws, 1):
        yield f"{origin}: {'entry' if key == 'api' else key} {index}", raw


def load_entries(mapping: Mapping[str, Any], origin: str, source: str | None = None) -> tuple[Api, ...]:
    """The entries of an already parsed mapping, such as a project's own ``[tool.fdlint]``."""
    return load_contents(mapping, origin, source).apis


def load_default() -> Contents:
    """Read the TOML files that come with fdlint, in the order of their names."""
    folder = resources.files("fdlint.catalog")
    paths = sorted((path for path in folder.iterdir() if path.name.endswith(".toml")), key=lambda path: path.name)
    parts = [load_contents(_parsed(path.read_text("utf-8"), path.name), path.name) for path in paths]
    origins: dict[str, str] = {}
    for path, part in zip(paths, parts, strict=True):
        for name in {api.name for api in part.apis}:
            if origins.setdefault(name, path.name) != path.name:
                raise CatalogError(f"{path.name}: `{name}`: `name`: already in {origins[name]}")
    aliases = {alias: name for part in parts for alias, name in part.aliases.items()}
    constants = {name: value for part in parts for name, value in part.constants.items()}
    workers = tuple(worker for part in parts for worker in part.workers)
    return Contents(tuple(api for part in parts for api in part.apis), aliases, constants, workers)


def _parsed(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"{origin}: {error}") from error


def _reject_other_than_constant(name: str, value: object, origin: str) -> None:
    if not _NAME.fullmatch(name.removesuffix("()")):
        raise CatalogError(
            f"{origin}: [constants]: `{name}` must be a dotted name (`module.name`, `module.function()`)"
        )
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, (str, int)) for part in parts):
        raise CatalogError(
            f"{origin}: [constants]: `{name}` must be a string, a number, true, false or a list of these"
        )


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _reject_unreachable(apis: Sequence[Api], origin: str) -> None:
    """An alternative is dead when an earlier one has the same conditions, or none."""
    seen: dict[str, set[object]] = {}
    for api in apis:
        earlier = seen.setdefault(api.name, set())
        if api.when in earlier or () in earlier:
            raise CatalogError(f"{origin}: `{api.name}`: `when`: a duplicate, an earlier entry always wins")
        earlier.add(api.when)


def _worker(raw: object, defaults: Mapping[str, Any], where: str) -> Iterator[Worker]:
    """One ``[[worker]]``: a call as ``[[api]]`` describes it, and how what it makes is torn down."""
    if not isinstance(raw, Mapping):
        raise CatalogError(f"{where}: must be a table")
    where = f"{where.rpartition(': ')[0]}: `{_names_of(raw, where)[0]}`"
    _known(raw, _WORKER_KEYS, where)
    own = {key: value for key, value in raw.items() if key not in (*_ENDS, "lent")}
    reader = _Reader(raw, where)
    ends = {key: reader.strings(key) for key in _ENDS}
    if not ends["torn_down_by"]:
        raise reader.error("torn_down_by", "is required")
    lent = reader.flag("lent") if "lent" in raw else False
    for api in _entry(own, defaults, where):
        yield Worker(api, lent=lent, **ends)


def _entry(raw: object, defaults: Mapping[str, Any], where: str) -> Iterator[Api]:
    if not isinstance(raw, Mapping):
        raise CatalogError(f"{where}: must be a table")
    names = _names_of(raw, where)
    where = f"{where.rpartition(': ')[0]}: `{names[0]}`"
    _known(raw, _KEYS, where)
    values = _Reader({**defaults, **raw}, where)
    fields = values.fields()
    source = values.string("source")
    if not source:
        raise CatalogError(f"{where}: `source`: is required")
    for name in names:
        yield Api(name=name, source=source + name if source.endswith("#") else source, **fields)


def _names_of(raw: Mapping[str, Any], where: str) -> list[str]:
    if ("name" in raw) == ("names" in raw):
        raise CatalogError(f"{where}: `name`: exactly one of `name` and `names` is required")
    if "name" in raw:
        names = [_Reader(raw, where).string("name")]
    else:
        names = list(_Reader(raw, where).strings("names"))
    if not names or not all(names):
        raise CatalogError(f"{where}: `name`: must not be empty")
    for name in names:
        if not _NAME.fullmatch(name or ""):
            raise CatalogError(f"{where}: `name`: `{name}` must be a dotted name (`module.function`, `*.method`)")
    return [name for name in names if name]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to the keys of one entry."""

    raw: Mapping[str, Any]
    where: str

    def error(self, key: str, message: str) -> CatalogError:
        return CatalogError(f"{self.where}: `{key}`: {message}")

    def fields(self) -> dict[str, Any]:
        """Everything of an ``Api`` but its name and source."""
        params = self.strings("params")
        found: dict[str, Any] = {"params": params, "raises": self.raises(), "actions": self.actions(params)}
        found.update((key, self.flag(key)) for key in _FLAGS if key in self.raw)
        found.update((key, self.string(key)) for key in _STRINGS if key in self.raw)
        found.update((key, self.parameter(key, self.string(key), params)) for key in _PARAMETERS if key in self.raw)
        found["returns"] = self.returns(params)
        found["when"] = self.conditions(params)
        found["container"] = self.choice("container", _CONTAINER_OPS)
        found["asserts"] = self.choice("asserts", _INSISTED)
        found["attribute"] = self.choice("attribute", _ATTRIBUTE_OPS)
        found["words"] = self.strings("words")
        if found.get("applies") or found.get("registers") or found.get("lazy"):
            self.add_callee(found, params)
        return found

    def returns(self, params: Sequence[str]) -> object:
        text = self.string("returns")
        if text is None:
            return Nothing()
        try:
            return parse_shape(text, params)
        except ValueError as error:
            raise self.error("returns", str(error)) from error

    def actions(self, params: Sequence[str]) -> dict[str, Action]:
        found: dict[str, Action] = {}
        for key in self.raw:
            for name in self.strings(key) if key in _ACTIONS else ():
                if name in found:
                    raise self.error(key, f"`{name}` is already in `{found[name].value}`")
                found[self.parameter(key, name, params)] = _ACTIONS[key]
        return found

    def conditions(self, params: Sequence[str]) -> tuple[object, ...]:
        raw = self.raw.get("when", {})
        if not isinstance(raw, Mapping):
            raise self.error("when", "must be a table")
        return tuple(self.condition(name, value, params) for name, value in raw.items())

    def condition(self, name: str, value: object, params: Sequence[str]) -> object:
        self.parameter("when", name, params)
        try:
            return parse_condition(name, value)
        except ValueError as error:
            raise self.error(f"when.{name}", str(error)) from error

    def choice(self, key: str, known: Mapping[str, Word]) -> Word | None:
        text = self.string(key)
        if text is None:
            return None
        if text not in known:
            raise self.error(key, f"unknown word `{text}`{suggestion(text, known)}")
        return known[text]

    def raises(self) -> str | None:
        value = self.raw.get("raises", "Exception")
        if value is False:
            return None
        kind = getattr(builtins, value, None) if isinstance(value, str) else None
        builtin = isinstance(kind, type) and issubclass(kind, BaseException)
        if not (builtin or (isinstance(value, str) and _NAME.fullmatch(value))):
            raise self.error("raises", f"must be false, a builtin exception or a dotted name, not {value!r}")
        return str(value)

    def add_callee(self, found: dict[str, Any], params: Sequence[str]) -> None:
        """Unless it is said, the first parameter is called and what ``*args`` collects is passed to it."""
        if not params:
            raise self.error("params", "something that calls a function needs parameters")
        found.setdefault("callee", params[0])
        rest = [name for name in params if name.startswith("*") and not name.startswith("**")]
        if rest:
            found.setdefault("passes", rest[0])

    def parameter(self, key: str, name: str | None, params: Sequence[str]) -> str:
        if name is None or name not in params:
            raise self.error(key, f"no parameter `{name}`{suggestion(name or '', params)}")
        return name

    def string(self, key: str) -> str | None:
        value = self.raw.get(key)
        if value is not None and not isinstance(value, str):
            raise self.error(key, f"must be a string, not {value!r}")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.raw.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, "must be a list of strings")
        if len(set(value)) < len(value):
            raise self.error(key, "has a duplicate")
        return tuple(value)

    def flag(self, key: str) -> bool:
        value = self.raw[key]
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {value!r}")
        return value


def _table(mapping: Mapping[str, Any], key: str, origin: str) -> Mapping[str, Any]:
    table = mapping.get(key, {})
    if not isinstance(table, Mapping):
        raise CatalogError(f"{origin}: `{key}` must be a table")
    return table


def _known(raw: Mapping[str, Any], keys: frozenset[str] | set[str], where: str) -> None:
    for key in raw:
        if key not in keys:
            raise CatalogError(f"{where}: unknown key `{key}`{suggestion(key, sorted(keys))}")
