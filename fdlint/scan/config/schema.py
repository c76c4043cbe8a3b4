"""The keys of a configuration in TOML. The loader, the JSON Schema and the documentation read this table."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, defstruct

from fdlint.catalog.added import UnknownCalls
from fdlint.catalog.decode import key, keys, value
from fdlint.catalog.entries import ApiEntry, OwnModels, WorkerEntry
from fdlint.core.finding import Confidence, Cost, Severity
from fdlint.languages.registry import OWN_TABLES, SEARCHED, SETTINGS
from fdlint.report.findings.persona import Persona
from fdlint.report.findings.tests import USUAL_TEST_FILES, Tests

CODE = r"^\s*([A-Za-z]+[0-9]*|[A-Za-z]+(-[A-Za-z]+)+)\s*$"
# The loader accepts any text: modules that know all rules and patterns report an invalid one. An editor cannot ask
# them.
Code = Annotated[str, Meta(pattern=r"\S", extra_json_schema={"editors": {"pattern": CODE}})]
Codes = Annotated[tuple[Code, ...], value("a list of codes")]
Pattern = Annotated[str, Meta(pattern=r"\S", extra_json_schema={"editors": {"pattern": r"^(?!\s*#).*\S"}})]
Patterns = Annotated[tuple[Pattern, ...], value("a list of patterns")]
CodeOrName = Annotated[str, Meta(pattern=CODE), value("", wrong="is neither a code nor the name of a rule")]


class GeneralKeys(Struct, rename="kebab", forbid_unknown_fields=True, frozen=True):
    """The keys that every language has."""

    api: Annotated[
        tuple[ApiEntry, ...], value("an array of tables"), key("[what functions do with descriptors](models.md)")
    ] = ()
    worker: Annotated[
        tuple[WorkerEntry, ...],
        value("an array of tables"),
        key("[calls that create worker processes](models.md#workers), and how they are torn down"),
    ] = ()
    aliases: Annotated[dict[str, str] | None, key("other names for known functions, types and modules")] = None
    unknown_calls: Annotated[UnknownCalls, key("the effect of an unknown call on a descriptor")] = UnknownCalls.USE
    select: Annotated[
        Codes,
        key('report only these: codes, prefixes (`"FD10"`), names (`"never-closed"`) or `"ALL"`', default="all"),
    ] = ()
    ignore: Annotated[Codes, key("do not report these")] = ()
    per_file_ignores: Annotated[
        dict[str, Codes] | None,
        Meta(extra_json_schema={"propertyNames": {"pattern": r"[^!\s]"}}),
        key("[which codes are not reported](#what-is-reported) in which files; after a `!`, in all other files"),
        value("a table from patterns to lists of codes"),
    ] = None
    severity: Annotated[
        dict[CodeOrName, Severity] | None,
        Meta(extra_json_schema={"propertyNames": {"pattern": CODE}}),  # not every version of msgspec adds it
        key("[which codes are errors](#what-is-reported), which are warnings", default="as in the rules"),
        value("a table from codes to severities"),
    ] = None
    persona: Annotated[Persona | None, key("[what is shown](#what-is-shown), in one word", default='`"regular"`')] = (
        None
    )
    min_confidence: Annotated[
        Confidence | None, key("how sure a finding must be to be shown", default="as the persona has it")
    ] = None
    min_impact: Annotated[
        Cost | None, key("how much a finding must cost to be shown", default="as the persona has it")
    ] = None
    min_severity: Annotated[Severity | None, key("how severe a finding must be to be shown", default='`"warning"`')] = (
        None
    )
    tests: Annotated[
        Tests | None,
        key(
            "what is shown in test files: `all`, `leaks` (all but FD103 and FD204) or `none`",
            default="as the persona has it",
        ),
    ] = None
    test_files: Annotated[
        Patterns | None,
        key(
            "[patterns](#which-files): these are the test files",
            default=", ".join(f"`{pattern}`" for pattern in USUAL_TEST_FILES),
        ),
    ] = None
    include: Annotated[
        Patterns | None,
        key(
            "[patterns](#which-files): scan these files only",
            default=" and ".join(f"`{suffix}`" for suffix in SEARCHED),
        ),
    ] = None
    exclude: Annotated[
        Patterns | None,
        key(
            "[patterns](#which-files): skip these instead of the usual ones",
            default="version control, caches, installed packages",
        ),
    ] = None
    extend_exclude: Annotated[Patterns | None, key("[patterns](#which-files): skip these as well")] = None
    force_exclude: Annotated[bool, key("whether an excluded path is skipped even if you name it")] = False
    baseline: Annotated[
        Annotated[str, Meta(pattern=r"\S"), value("the path of a file")] | None,
        key("the path of a baseline: the findings in it are not reported"),
    ] = None


Configuration = defstruct(
    "Configuration",
    [
        *((one.key.replace("-", "_"), Annotated[bool, key(one.meaning)], one.default) for one in SETTINGS),
        *(
            (one, Annotated[OwnModels | None, key(f"models of functions of {of}")], None)
            for one, of in OWN_TABLES.items()
        ),
    ],
    bases=(GeneralKeys,),
    namespace={"__doc__": "The configuration of fdlint: fdlint.toml, or [tool.fdlint] in pyproject.toml"},
    rename="kebab",
    forbid_unknown_fields=True,
    frozen=True,
)
KEYS = tuple(sorted(one.name for one in keys(Configuration)))
