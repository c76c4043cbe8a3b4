"""Loads entries from TOML, strictly: an error names the file, the entry and the key.

A file of the catalog also has ``[defaults]`` for its entries, and ``[constants]``: dotted names with the same value on
every platform. A name with ``()`` is a call. For Go, ``[packages]`` maps import paths to the catalog's names of
modules, if these are not the last parts of the paths, ``owners`` are types whose objects own a descriptor, and
``[structs]`` has the fields of structs that keep them, none for one that lends what it gets. A ``source`` that ends in
``#`` is completed with the entry's name, as the anchors of the Python documentation are.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any, TypeVar

from fdlint.catalog.decode import WrongValueError, decoded, keys
from fdlint.catalog.entries import NAME, AnyCondition, ApiEntry, CatalogFile, PlainCondition, WorkerEntry
from fdlint.catalog.errors import CatalogError, suggestion
from fdlint.catalog.model import ACTIONS, Api, Condition, ReturningProperties, Shape, Teardown, Worker
from fdlint.catalog.shape import parse_shape
from fdlint.core.domain.event import MARKS, Event

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Entry = TypeVar("Entry", ApiEntry, WorkerEntry)
Made = TypeVar("Made", Api, Worker)
_KEYS = {event: key for key, event in ACTIONS.items()}
_NAME = re.compile(NAME)
_PROPERTIES = keys(ReturningProperties)
_O_CLOEXEC = 0o2000000  # also that of sockets, eventfd, epoll, inotify, timers and signals
_CLOEXEC = {"MFD_CLOEXEC": 1, "FAN_CLOEXEC": 1, "PERF_FLAG_FD_CLOEXEC": 8, "MSG_CMSG_CLOEXEC": 0x40000000}


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of one file: its entries in order, aliases, constants, calls that create workers, the modules of
    import paths, types that own a descriptor, and structs that keep some."""

    apis: tuple[Api, ...]
    aliases: Mapping[str, str]
    constants: Mapping[str, object]
    workers: tuple[Worker, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    owners: tuple[str, ...] = ()
    structs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def load_contents(
    mapping: Mapping[str, Any], origin: str, source: str | None = None, kind: type[ApiEntry] = ApiEntry
) -> Contents:
    """Reads a parsed file. ``origin`` names it in errors; ``source`` is the default for entries without one; ``kind``
    is that of the entries."""
    try:
        file = decoded(mapping, CatalogFile)
    except WrongValueError as error:
        raise CatalogError(f"{origin}: {error.said('[{}]')}") from None
    defaults = {"source": source or "", **mapping.get("defaults", {})}
    apis = tuple(_read(file.api, kind, _apis, f"{origin}: entry", defaults))
    workers = tuple(_read(file.worker, WorkerEntry, _workers, f"{origin}: worker", defaults))
    _reject_unreachable(apis, origin)
    _reject_unreachable([worker.api for worker in workers], origin)
    tables = file.packages, file.owners, file.structs
    return Contents(apis, file.aliases, file.constants, workers, *tables)


def load_default(package: str = "fdlint.catalog", kind: type[ApiEntry] = ApiEntry) -> Contents:
    """Reads the TOML files that come with fdlint for a language, in the order of their names."""
    folder = resources.files(package)
    paths = sorted((path for path in folder.iterdir() if path.name.endswith(".toml")), key=lambda path: path.name)
    parts = [load_contents(_parsed(path.read_text("utf-8"), path.name), path.name, kind=kind) for path in paths]
    origins: dict[str, str] = {}
    for path, part in zip(paths, parts, strict=True):
        for name in {api.name for api in part.apis}:
            if origins.setdefault(name, path.name) != path.name:
                raise CatalogError(f"{path.name}: `{name}`: `name`: already in {origins[name]}")
    aliases = {alias: name for part in parts for alias, name in part.aliases.items()}
    constants = {name: value for part in parts for name, value in part.constants.items()}
    workers = tuple(worker for part in parts for worker in part.workers)
    packages = {path: name for part in parts for path, name in part.packages.items()}
    owners = tuple(name for part in parts for name in part.owners)
    structs = {name: fields for part in parts for name, fields in part.structs.items()}
    apis = tuple(api for part in parts for api in part.apis)
    return Contents(apis, aliases, constants, workers, packages, owners, structs)


def table_of(package: str, name: str) -> dict[str, Any]:
    """Reads a TOML file that comes with fdlint."""
    return _parsed((resources.files(package) / name).read_text("utf-8"), name)


def _parsed(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"{origin}: {error}") from error


def _reject_unreachable(apis: Sequence[Api], origin: str) -> None:
    """Rejects an alternative that can never apply, because an earlier one has the same conditions or none."""
    seen: dict[str, set[object]] = {}
    for api in apis:
        earlier = seen.setdefault(api.name, set())
        if api.when in earlier or () in earlier:
            raise CatalogError(f"{origin}: `{api.name}`: `when`: a duplicate, an earlier entry always wins")
        earlier.add(api.when)


def _read(
    raws: Iterable[Any],
    kind: type[Entry],
    made: Callable[[Entry, Mapping[str, Any]], Iterator[Made]],
    where: str,
    defaults: Mapping[str, Any],
) -> Iterator[Made]:
    """Yields the entries in an array of tables. Raises ``CatalogError``, which begins with the place of the entry."""
    inherited = {key: value for key, value in defaults.items() if key in kind.__struct_fields__}
    for index, raw in enumerate(raws, 1):
        try:
            entry = decoded({**inherited, **raw} if isinstance(raw, dict) else raw, kind)
            _reject_duplicates(entry)
            yield from made(entry, raw)
        except WrongValueError as error:
            name = _name_of(raw)
            place = f"{where.rpartition(': ')[0]}: `{name}`" if name else f"{where} {index}"
            key = f"`{'.'.join(error.path)}`: " if error.path else ""
            raise CatalogError(f"{place}: {key}{error.message}") from None


def _name_of(raw: object) -> str | None:
    """Returns the name of an entry for errors, or None."""
    if not isinstance(raw, dict):
        return None
    listed: object = raw.get("names", [raw.get("name")])
    names: list[object] = listed if isinstance(listed, list) else []
    return next((name for name in names if isinstance(name, str) and _NAME.fullmatch(name)), None)


def _reject_duplicates(entry: ApiEntry | WorkerEntry) -> None:
    for key in entry.__struct_fields__:
        listed = getattr(entry, key)
        if isinstance(listed, tuple) and len(set(listed)) < len(listed):
            raise WrongValueError([key], "has a duplicate")


def _apis(entry: ApiEntry, raw: Mapping[str, Any]) -> Iterator[Api]:
    found = {one.name: getattr(entry, one.name) for one in _PROPERTIES if one.name in entry.__struct_fields__}
    for one in _PROPERTIES:
        if one.expected == "a parameter" and (name := found.get(one.name)) is not None:
            _reject_unknown(one.name, name, entry.params)
    if entry.applies or entry.registers or entry.lazy:
        found.update(_callee(entry))
    returns, actions, marks, raises = _returns(entry), _actions(entry, raw), _marks(entry), _raises(entry.raises)
    for name, source, when in _calls(entry, raw):
        for flags, inheritable in _by_flags(entry):
            found["inheritable"] = inheritable
            yield Api(name, source, entry.params, returns, actions, marks, (*when, *flags), raises, **found)


def _by_flags(entry: ApiEntry) -> Iterator[tuple[tuple[Condition, ...], bool]]:
    """Yields the alternatives of an entry by its flags for close-on-exec, and whether the result is inheritable. Flags
    that are computed elsewhere may have the right one."""
    for name, flags in entry.cloexec_flags.items():
        _reject_unknown("cloexec_flags", name, entry.params)
        yield (Condition(name, mentions=flags, values=flags),), False
        yield (Condition(name, (0,), flags=True, lacking=_cloexec_bit(flags)),), True
    yield (), entry.inheritable


def _cloexec_bit(flags: Iterable[str]) -> int:
    """Returns the bit of the kernel's flag for close-on-exec, for code that writes a number."""
    return next((_CLOEXEC[last] for one in flags if (last := one.rpartition(".")[2]) in _CLOEXEC), _O_CLOEXEC)


def _workers(entry: WorkerEntry, raw: Mapping[str, Any]) -> Iterator[Worker]:
    ends = {key: getattr(entry, key) for key in Teardown.__struct_fields__}
    for name, source, when in _calls(entry, raw):
        yield Worker(Api(name, source, entry.params, when=when, words=entry.words), **ends)


def _calls(entry: ApiEntry | WorkerEntry, raw: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[Condition, ...]]]:
    """Yields the name, the source and the conditions of each call that an entry describes."""
    if (entry.name is None) == (not entry.names):
        raise WrongValueError(["name"], "exactly one of `name` and `names` is required")
    if not entry.source:
        raise WrongValueError(["source"], "is required")
    when = tuple(_condition(name, said, raw["when"][name], entry.params) for name, said in entry.when.items())
    for name in entry.names or (entry.name or "",):
        yield name, entry.source + name if entry.source.endswith("#") else entry.source, when


def _returns(entry: ApiEntry) -> Shape:
    try:
        return parse_shape(entry.returns, entry.params, entry.name or (entry.names or ("",))[0])
    except ValueError as error:
        raise WrongValueError(["returns"], str(error)) from error


def _actions(entry: ApiEntry, raw: Mapping[str, Any]) -> dict[str, Event]:
    """Returns the event of each parameter, in the order of the file."""
    found: dict[str, Event] = {}
    for key in raw:
        for name in getattr(entry, key) if key in ACTIONS else ():
            if name in found:
                raise WrongValueError([key], f"`{name}` is already in `{_KEYS[found[name]]}`")
            _reject_unknown(key, name, entry.params)
            found[name] = ACTIONS[key]
    return found


def _marks(entry: ApiEntry) -> dict[str, Event]:
    """Returns the additional events of parameters, by the names of events."""
    found: dict[str, Event] = {}
    if entry.closes_on_exec is not None:
        _reject_unknown("closes_on_exec", entry.closes_on_exec, entry.params)
        found[entry.closes_on_exec] = Event.CLOEXEC_SET
    for name, event in entry.events.items():
        _reject_unknown("events", name, entry.params)
        if event not in MARKS:
            raise WrongValueError(["events", name], f"no event {event!r}{suggestion(event, MARKS)}")
        found[name] = MARKS[event]
    return found


def _raises(said: bool | str) -> str | None:
    if said is False:
        return None
    kind = getattr(builtins, str(said), None)
    if said is True or not (_NAME.fullmatch(said) or (isinstance(kind, type) and issubclass(kind, BaseException))):
        raise WrongValueError(["raises"], f"must be false, a builtin exception or a dotted name, not {said!r}")
    return said


def _callee(entry: ApiEntry) -> dict[str, str | None]:
    """Returns the parameter that is called, and the one that holds its arguments. The defaults are the first and
    ``*args``."""
    if not entry.params:
        raise WrongValueError(["params"], "something that calls a function needs parameters")
    rest = (name for name in entry.params if name.startswith("*") and not name.startswith("**"))
    return {"callee": entry.callee or entry.params[0], "passes": entry.passes or next(rest, None)}


def _condition(argument: str, said: object, raw: Any, params: Sequence[str]) -> Condition:
    """Creates a condition from a constant, a list of constants, or a table."""
    _reject_unknown("when", argument, params)
    path = ["when", argument]
    if isinstance(said, AnyCondition) and said.not_ is not None:
        if len(raw) > 1:
            raise WrongValueError(path, "`not` stands alone: put the other keys inside it")
        return replace(_condition(argument, said.not_, raw["not"], params), negated=True)
    if not isinstance(said, PlainCondition):
        return Condition(argument, _constants(said))
    if not raw:
        raise WrongValueError(path, "an empty condition")
    return Condition(argument, _constants(said.values), said.absent, said.mentions, said.constant)


def _constants(said: Any) -> tuple[bool | int | str | None, ...]:
    """Returns one or several values. ``"None"`` stands for None, which TOML lacks."""
    values = said if isinstance(said, tuple) else () if said is None else (said,)
    return tuple(None if value == "None" else value for value in values)


def _reject_unknown(key: str, name: str, params: Sequence[str]) -> None:
    if name not in params:
        raise WrongValueError([key], f"no parameter `{name}`{suggestion(name, params)}")
