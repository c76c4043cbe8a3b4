"""The tables of a catalog file and of a project's own models, as they are written in TOML."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, cast

from msgspec import Meta, Struct, defstruct, field
from msgspec.structs import fields

from fdlint.catalog.decode import key, value
from fdlint.catalog.model import Parameter, Properties, ReturningProperties, Strings, Teardown, Words
from fdlint.core.domain.event import MARKS

NAME = r"(\*|[^\W\d]\w*|([\w.~-]+/)+[\w-]+)(\.[^\W\d]\w*)+"  # in Go with the import path: `example.org/pkg.Open`
Dotted = Annotated[
    str,
    Meta(pattern=rf"^{NAME}\Z"),
    value("a dotted name", wrong="must be a dotted name (`module.function`, `*.method`)"),
]
Parameters = Annotated[Strings, value("a list of parameters")]
Constant = bool | int | str
Values = Constant | Annotated[tuple[Constant, ...], Meta(min_length=1)]


class PlainCondition(Struct, forbid_unknown_fields=True, frozen=True):
    """A condition on an argument."""

    SCHEMA: ClassVar[dict[str, Any]] = {"minProperties": 1}

    values: Annotated[
        Values | None, key("the argument is one of these constants"), value("a constant or a list of them")
    ] = None
    absent: Annotated[bool, key("the argument is not given")] = False
    mentions: Annotated[
        tuple[str, ...], key("one of these names occurs in the argument"), value("a list of dotted names")
    ] = ()
    constant: Annotated[bool, key("the argument is any constant")] = False


class AnyCondition(PlainCondition, forbid_unknown_fields=True, frozen=True):
    """A condition on an argument, or its opposite."""

    SCHEMA: ClassVar[dict[str, Any]] = {
        "minProperties": 1,
        "oneOf": [
            {"required": ["not"], "propertyNames": {"const": "not"}},
            {"propertyNames": {"pattern": "^(?!not$)"}},
        ],
    }

    not_: Annotated[
        Values | PlainCondition | None,
        key("the argument is not this, or the condition does not hold"),
        value("a constant or a condition"),
    ] = field(default=None, name="not")


Condition = Annotated[
    Values | AnyCondition,
    value("a string, an integer, true, false, a non-empty list of these, or a table"),
]
Name = Annotated[Dotted | None, key("the full dotted name of the function; either this or `names`")]
Names = Annotated[
    tuple[Dotted, ...] | None,
    Meta(extra_json_schema={"uniqueItems": True, "minItems": 1}),
    key("the names of several functions with the same properties"),
    value("a list of dotted names"),
]
Params = Annotated[Strings, key("the names of the parameters, in order")]
When = Annotated[dict[str, Condition], key("it holds only if these arguments are these constants")]
Source = Annotated[str, key("where this is documented; if left out, the name of the configuration file")]
PROPERTIES = frozenset(Properties.__struct_fields__)
_ONE_NAME = {"oneOf": [{"required": ["name"]}, {"required": ["names"]}]}


class ApiEntry(Properties, forbid_unknown_fields=True, frozen=True):
    """``[[api]]``: the effects of a function on descriptors."""

    SCHEMA: ClassVar[dict[str, Any]] = _ONE_NAME

    name: Name = None
    names: Names = None
    params: Params = ()
    returns: Annotated[
        str,
        key(
            "the result: `fd`, `[fd]`, `(fd, _)`, `object METHOD ATTRIBUTE`, `arg NAME`, `each NAME`, `flat NAME`, "
            "`some NAME`, `pairs NAME`, `zip NAME`, `longest NAME`, `text NAME`, `number NAME`, `count NAME`, `range`, "
            "`pid`, `borrowed`, `error`, `ancillary`, `None`, `_`, a number, or the dotted name of a type"
        ),
    ] = "_"
    uses: Annotated[Parameters, key("the caller still owns these")] = ()
    closes: Annotated[Parameters, key("these are closed")] = ()
    takes: Annotated[Parameters, key("these are owned by the callee from here on")] = ()
    sends: Annotated[Parameters, key("these are duplicated into another process")] = ()
    spawns: Annotated[Parameters, key("these are inherited by a child process")] = ()
    events: Annotated[
        dict[str, Annotated[str, Meta(extra_json_schema={"enum": sorted(MARKS)}), value("the name of an event")]],
        key('what else happens to a parameter, such as `{ fd = "cloexec_set" }`'),
        value("a table of parameters"),
    ] = field(default_factory=dict)
    closes_on_exec: Annotated[Parameter | None, key("from here on the next exec closes it")] = None
    cloexec_flags: Annotated[
        dict[str, Annotated[Strings, value("a list of dotted names")]],
        key("arguments made of constants, without one of these, make its result `inheritable`"),
        value("a table of parameters"),
    ] = field(default_factory=dict)
    when: When = field(default_factory=dict)
    raises: Annotated[
        bool | str,
        Meta(
            extra_json_schema={
                "oneOf": [{"const": False}, {"type": "string", "pattern": r"^([A-Z]\w*|[^\W\d]\w*(\.[^\W\d]\w*)+)$"}]
            }
        ),
        key("the exception that it can raise"),
        value("false, a builtin exception or a dotted name"),
    ] = "Exception"
    source: Source = ""


ReturningEntry = cast(
    type[ApiEntry],
    defstruct(
        "ReturningEntry",
        [(one.name, one.type, one.default) for one in fields(ReturningProperties) if one.name not in PROPERTIES],
        bases=(ApiEntry,),
        namespace={"__doc__": "An entry with the keys of ``ReturningProperties``, too."},
        forbid_unknown_fields=True,
        frozen=True,
        kw_only=True,
    ),
)


class OwnModels(Struct, forbid_unknown_fields=True, frozen=True):
    """The models of one language, in a table of its own."""

    api: Annotated[
        tuple[ReturningEntry, ...],  # type: ignore[valid-type]
        value("an array of tables"),
        key("what its functions do with descriptors"),
    ] = ()


class WorkerEntry(Teardown, forbid_unknown_fields=True, frozen=True):
    """``[[worker]]``: a call that creates worker processes, and how code tears them down."""

    SCHEMA: ClassVar[dict[str, Any]] = _ONE_NAME

    name: Name = None
    names: Names = None
    params: Params = ()
    when: When = field(default_factory=dict)
    words: Words = ()
    source: Source = ""


class Defaults(Struct, forbid_unknown_fields=True, frozen=True):
    """Defaults for the entries of a file."""

    source: str = ""
    raises: bool | str = "Exception"
    since: str | None = None
    platform: str | None = None


class CatalogFile(Struct, forbid_unknown_fields=True, frozen=True):
    """All tables of a catalog file."""

    api: Annotated[tuple[Any, ...], value("an array of tables ([[api]])")] = ()
    worker: Annotated[tuple[Any, ...], value("an array of tables ([[worker]])")] = ()
    aliases: dict[str, str] = {}
    packages: dict[str, str] = {}
    owners: tuple[str, ...] = ()
    structs: dict[str, tuple[str, ...]] = {}
    constants: dict[
        Annotated[
            str,
            Meta(pattern=rf"^{NAME}(\(\))?\Z"),
            value("", wrong="must be a dotted name (`module.name`, `module.function()`)"),
        ],
        Annotated[Constant | tuple[Constant, ...], value("a string, a number, true, false or a list of these")],
    ] = {}
    defaults: Defaults = Defaults()
