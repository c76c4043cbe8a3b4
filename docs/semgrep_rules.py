"""The Semgrep rules for Go and their annotated test files, made from fdlint's catalog and the templates in
``docs/semgrep``.

A template names a role (``raw``, ``closes``); which functions have it is read from the catalog. Only the templates know
what Semgrep can say about a role.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from fdlint.catalog.model import Api, Argument, Condition, Fresh, FreshList, Nothing, TupleOf
from fdlint.core.checks import all_rules
from fdlint.core.domain.event import Event
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.names import KEEPS, TELLS
from fdlint.report.cwe import NAMES

TEMPLATES = Path(__file__).parent / "semgrep"
SKYPILOT = "https://github.com/skypilot-org/skypilot/pull/9463"
OLDEST = "1.176.1"  # an older Semgrep finds less, without an error
ANY = "*."
FLAGS, BUFFER = "opened-inheritable", "oob"

# What names suggest, for rules that see one function and no types. Each is a regular expression.

RECEIVES = r"[Rr]ec(?:v|eive)(?:Msg|F[dD]|File|Descriptor|RawF[dD])"
SENDS = r"[Ss]end(?:Msg|F[dD]s?|Descriptors?|RawF[dD]|File|MsgWithFds?)|[Pp]utF[dD]s?|[Ww]riteF[dD]s?|ExecuteGetF[dD]"
"""Functions of a project or a library that pass descriptors between processes."""

HOLDS = r"(?i)\w*(?:fd|desc|file|sock|tun|tap|dev|handle|pipe|pty|tty|master)"
"""Variables that hold a descriptor."""

LISTS = r"(?i).*(?:fd|file|sock|desc|rights)"
"""Variables that hold many."""

POSITIONS = r"^(?!k$|(?i:.*(?:fd|file|sock|desc|handle|key|conn|pipe)))"
"""Loop variables that count, and hold no descriptor."""

LOOKS_UP = r"strconv|Atoi|Parse|[Gg]et(?!Connection|Socket)|[Ll]oad|[Ll]ookup|[Ff]ind|[Pp]eek|fmt|[Ff]d"
"""Functions whose result another owner keeps."""

CONVERTS = (
    r"u?int(?:8|16|32|64|ptr)?|C\.int|unsafe\.Pointer|string"
    r"|(?:\w+\.)?(?!(?i:send|recv|put|write|get|dup|stat|sync|read))\w*(?:[Ff]d|FD|Handle|Descriptor)"
)
"""Conversions, whose result is still the descriptor."""

FORKS = r"ForkLock\.\w+|Exec"
"""Calls that keep others from starting a program, or start one that is meant to inherit."""


@dataclass(frozen=True)
class Flag:
    """A flag for close-on-exec, and patterns of the calls that take it."""

    id: str
    code: str
    name: str
    names: str
    patterns: list[str]
    without: list[str]
    calls: list[str]


def pages() -> dict[str, str]:
    """Path below ``rules`` -> text: two sets of rules, and the files on which they are tested."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True,
        variable_start_string="<<", variable_end_string=">>", block_start_string="<%", block_end_string="%>",
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    known = roles()
    return {
        name.removesuffix(".j2"): environment.get_template(name).render(known)
        for name in environment.list_templates(extensions=["j2"])
        if "/" in name
    }


def roles() -> dict[str, Any]:
    """What the templates know."""
    rules = {one.rule.code: one.rule for one in all_rules()}
    apis = list(_apis())
    raw = [one for one in apis if _gives_one(one) and not one.finalized and not one.received]
    files = [one for one in apis if _gives_one(one) and one.finalized]
    closes = [one for one in apis if Event.CLOSED in one.actions.values() and one.params[:1] != ("self",)]
    sends = [one for one in apis if _sends_descriptors(one)]
    closing = "|".join(one.name.rpartition(".")[2] for one in closes)
    packages = "|".join(_packages("unix"))
    received = [one for one in apis if one.received and isinstance(one.returns, FreshList)]
    wraps = [one for one in apis if isinstance(one.returns, Argument) and Event.FINALIZED in one.marks.values()]
    afterwards = [one for one in apis if Event.CLOEXEC_SET in one.marks.values()]
    return {
        "oldest": OLDEST,
        "severities": {code: one.severity.name for code, one in rules.items()},
        "weaknesses": {code: f"CWE-{one.cwe}: {NAMES[one.cwe]}" for code, one in rules.items() if one.cwe is not None},
        "names": {code: one.name for code, one in rules.items()},
        "wrapped": _wrapped,
        "skypilot": SKYPILOT,
        "open": _call(raw[0]),
        "open_file": _call(files[0]),
        "close": closes[0].name,
        "send": sends[0].name,
        "wrap": wraps[0].name,
        "receive": received[0].name,
        "raw": _pattern(raw),
        "files": _pattern(files),
        "closes": _pattern(closes),
        "sends": rf"^(?:{_pattern(sends)}|(?:.*\.)?(?:{SENDS}))$",
        "takes": rf"^(?!(?:{packages})\.(?!(?:{closing})$)|(?:{TELLS})\.).*{KEEPS}\w*$",
        "converts": CONVERTS,
        "methods": "|".join(_methods(apis)),
        "number": next(one.name for one in apis if one.name.startswith(ANY) and _returns_self(one)).removeprefix(ANY),
        "receives": RECEIVES,
        "received": _pattern(received),
        "holds": HOLDS,
        "lists": LISTS,
        "positions": POSITIONS,
        "looks_up": LOOKS_UP,
        "duplicates": _pattern(one for one in apis if one.duplicates),
        "wraps": _pattern(wraps),
        "afterwards": rf"{_pattern(afterwards)}|(?:{packages})\.(?:{FORKS})",
        "packages": packages,
        "unix": "unix",
        "after": next(one.name for one in afterwards if not one.when),
        "set": next(_call(one) for one in afterwards if one.when),
        "flags": list(_flags(apis)),
        "raw_binding": [(_bound(one), _call(one)) for one in _once(raw)],
        "file_binding": [(_bound(one), _call(one)) for one in _once(files)],
        "duplicate_calls": [one.name for one in apis if one.duplicates],
        "use": next(one.name for one in apis if set(one.actions) == {"*args"} and not _gives_one(one)),
        "method": _methods(apis)[0],
    }


def _sends_descriptors(api: Api) -> bool:
    """Whether a function gets the descriptors that it sends, and not a message that has them already."""
    return any(action is Event.SENT and name != "oob" for name, action in api.actions.items())


def _apis() -> Iterator[Api]:
    """The functions of Go, with their alternatives by arguments. System calls by number, and fields that a call fills,
    are left to the engine."""
    apis = (one for found in go_catalog().by_name.values() for one in found)
    yield from (one for one in apis if not (one.returns_errno or one.filled_by))


def _once(apis: Iterable[Api]) -> list[Api]:
    """The first alternative of each function."""
    found: dict[str, Api] = {}
    for one in apis:
        found.setdefault(one.name, one)
    return list(found.values())


def _gives_one(api: Api) -> bool:
    """Whether a call gives one descriptor. Not for a method of a type: these rules see no types."""
    if "." in api.name.rpartition(".")[0]:
        return False
    shape = api.returns.items[0] if isinstance(api.returns, TupleOf) else api.returns
    rest = api.returns.items[1:] if isinstance(api.returns, TupleOf) else ()
    return isinstance(shape, Fresh) and all(isinstance(one, Nothing) for one in rest)


def _returns_self(api: Api) -> bool:
    return isinstance(api.returns, Argument) and api.returns.name == "self"


def _methods(apis: Iterable[Api]) -> list[str]:
    """The methods that only use their object."""
    found = {one.name for one in apis if one.actions.get("self") is Event.USED and isinstance(one.returns, Nothing)}
    return sorted(name.removeprefix(ANY) for name in found)


def _packages(module: str) -> list[str]:
    """A module and those with the same functions."""
    return [module, *sorted(alias for alias, name in go_catalog().aliases.items() if name == module)]


def _pattern(apis: Iterable[Api]) -> str:
    """A regular expression for the names of functions, and for arguments that they must have."""
    by_module: dict[str, set[str]] = defaultdict(set)
    for one in apis:
        module, _, name = one.name.rpartition(".")
        by_module[module].add(name + _arguments(one))
    found = []
    for module, names in sorted(by_module.items()):
        packages = r"[\w.()]+" if module == "*" else "|".join(_packages(module))
        found.append(rf"{_group([packages])}\.{_group(sorted(names))}")
    return "|".join(found)


def _group(alternatives: list[str]) -> str:
    joined = "|".join(alternatives)
    return f"(?:{joined})" if "|" in joined else joined


def _arguments(api: Api) -> str:
    """What must follow the name of a function that acquires for some constants only."""
    values = sorted(one.rpartition(".")[2] for one in _needed(api).values())
    return rf"(?=\(.*\b{_group(values)}\b)" if values else ""


def _needed(api: Api) -> dict[str, str]:
    """The constants that arguments must be, by parameter. Flags may be anything."""
    return {one.argument: str(one.values[0]) for one in api.when if one.values and not one.flags and not one.mentions}


def _written(api: Api) -> list[str]:
    """The parameters without the room for messages, which another call tells."""
    return [one for one in api.params if one != api.max_bytes]


def _call(api: Api) -> str:
    """A call with the names of its parameters as arguments, and the constants that it needs."""
    given = {**_needed(api), **{one.argument: one.mentions[0] for one in api.when if one.mentions}}
    given = {name: constant.replace(ANY, "unix.") for name, constant in given.items()}
    arguments = [given.get(one, f"{one[1:]}..." if one.startswith("*") else one) for one in _written(api)]
    if api.name.startswith(ANY):
        return f"{api.name.replace('*', 'self')}({', '.join(arguments[1:])})"
    return f"{api.name}({', '.join(arguments)})"


def _bound(api: Api) -> str:
    others = len(api.returns.items) - 1 if isinstance(api.returns, TupleOf) else 0
    return ", ".join(["fd", *["_"] * others, "err"])


def _flags(apis: list[Api]) -> Iterator[Flag]:
    """The flags for close-on-exec, and the functions that take them: those that are inheritable for other constants."""
    by_flag: dict[tuple[str, ...], list[Api]] = defaultdict(list)
    for one in filter(_has_flags, apis):
        by_flag[next(each.mentions for other in apis for each in other.when if _is_safe(other, one, each))].append(one)
    for number, (flags, found) in enumerate(by_flag.items()):
        constants = [one.rpartition(".")[2] for one in flags]
        short = constants[0].partition("_CLOEXEC")[0].replace("_", "-").lower()
        without = [_flagged(one, "$FLAGS", "nil") for one in found if BUFFER in one.params]
        calls = [_flagged(one, "%s") for one in found]
        patterns = [_flagged(one, "$FLAGS") for one in found]
        code = "FD301" if found[0].received else "FD302"
        name = f"{code.lower()}-{short}" if number else FLAGS
        yield Flag(name, code, constants[0], _group(constants), patterns, without, calls)


def _has_flags(api: Api) -> bool:
    return api.inheritable and any(one.flags for one in api.when)


def _is_safe(api: Api, inheritable: Api, condition: Condition) -> bool:
    return api.name == inheritable.name and not api.inheritable and bool(condition.mentions)


def _flagged(api: Api, flags: str, buffer: str = "") -> str:
    """A pattern of a call with flags, or a call if ``flags`` is one for Go."""
    module, _, name = api.name.rpartition(".")
    is_pattern = flags.startswith("$")
    flag = next(one.argument for one in api.when if one.flags)
    given = {flag: flags, **({BUFFER: buffer} if buffer else {})}
    names = {one: f"${one.strip('_').replace('_', '').upper()}" if is_pattern else one for one in api.params}
    arguments = [given.get(one, names[one]) for one in _written(api)]
    if is_pattern and len(arguments) > 1:
        arguments = [*arguments[: api.params.index(flag) + 1], "..."]
    return f"{'$PKG' if is_pattern else module}.{name}({', '.join(arguments)})"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 116, initial_indent=" " * 4, subsequent_indent=" " * 4,
                         break_long_words=False, break_on_hyphens=False)  # fmt: skip
