"""The formats of a report, on standard output and in any number of files."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fdlint.cli.output import write_out

if TYPE_CHECKING:
    from fdlint.core.checks import LoadedRule
    from fdlint.report.findings.finding import Report
    from fdlint.report.rulebook import Rulebook

TEXT = "text"
_MODULES = {
    "concise": "concise",
    "json": "jsonv1",
    "markdown": "markdown",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "html": "html",
}
FORMATS = (TEXT, *_MODULES)
Command = TypeVar("Command", bound=Callable[..., Any])


_BY_SUFFIX = {".sarif": "sarif", ".html": "html", ".json": "json", ".md": "markdown", ".xml": "junit", ".txt": TEXT}


class Destination(click.ParamType[tuple[str, Path]]):
    """The type of an option such as ``sarif=out.sarif``. The suffix of a file alone tells its format."""

    name = "FORMAT=FILE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        """Returns the format and the file."""
        form, equals, file = value.partition("=")
        if not equals and (guessed := _BY_SUFFIX.get(Path(value).suffix)) is not None:
            form, equals, file = guessed, "=", value
        if form not in FORMATS:
            self.fail(f"there is no format {form!r}; there are {', '.join(FORMATS)}", param, ctx)
        if not equals or not file:
            self.fail(f"say which file: {form}=FILE", param, ctx)
        if (trouble := _trouble(Path(file))) is not None:
            self.fail(f"{file}: cannot be written: {trouble}", param, ctx)
        return form, Path(file)


def _trouble(file: Path) -> str | None:
    """Returns the reason why a file cannot be written, as far as it is known before the scan."""
    if file.is_dir():
        return "Is a directory"
    if not file.parent.is_dir():
        return f"there is no directory {file.parent}"
    place = file if file.exists() else file.parent
    return None if os.access(place, os.W_OK) or os.access(file.parent, os.W_OK) else "Permission denied"


def writing(command: Command) -> Command:
    """Adds ``--output-format`` and ``--output``."""
    form = click.option(
        "--output-format",
        type=click.Choice(FORMATS),
        default=TEXT,
        metavar="FORMAT",
        help=f"Print the report as {', '.join(FORMATS[:-1])} or {FORMATS[-1]}; otherwise as {TEXT}.",
    )
    outputs = click.option(
        "-o",
        "--output",
        "outputs",
        type=Destination(),
        multiple=True,
        help="Write it to a file as well: sarif=out.sarif. Can be repeated.",
    )
    return form(outputs(command))


def rendered(form: str, report: Report) -> str:
    """Renders a report in a format, without colour."""
    if form == TEXT:
        from fdlint.report import text

        return "\n".join(line.plain for line in text.render(report))
    result = _module(form).render(report, rulebook())
    assert isinstance(result, str)
    return result


def shows_skipped(form: str) -> bool:
    """Whether a format has a place for skipped files."""
    return form == TEXT or getattr(_module(form), "SHOWS_SKIPPED", True)


def _module(form: str) -> ModuleType:
    return importlib.import_module(f"fdlint.report.{_MODULES[form]}")


def write(report: Report, destinations: Iterable[tuple[str, Path]]) -> None:
    """Writes the files, in UTF-8. Raises ``click.ClickException``."""
    for form, file in destinations:
        write_out(file, f"{rendered(form, report)}\n".encode(errors="backslashreplace"))


def rulebook() -> Rulebook:
    """Returns the rules as reports show them."""
    from fdlint.core.checks import all_rules
    from fdlint.languages.registry import LANGUAGES, MAIN
    from fdlint.report.rulebook import Entry

    def entry(one: LoadedRule) -> Entry:
        rule = one.rule
        others = {each.key: each.part("rulebook").good(rule.name) for each in LANGUAGES if each.rules}
        examples = {MAIN.key: one.good, **others}
        known = {language: text for language, text in examples.items() if text}
        entry = Entry(rule.code, rule.name, rule.severity, one.summary, one.page, good=known)
        return replace(entry, defect=rule.defect, cwe=rule.cwe, precision=rule.precision)

    return {one.rule.code: entry(one) for one in all_rules()}
