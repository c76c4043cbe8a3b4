"""``fdlint why-not PATH:LINE``, and ``fdlint explain PATH:LINE``: why a line has no finding, or why it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from fdlint.cli.configured import chosen, configured
from fdlint.cli.output import emit, emit_lines, wants_colour
from fdlint.languages.registry import MAIN, SUFFIXES
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.report.findings.explanation import Answer
    from fdlint.report.line import Line
    from fdlint.scan.files.discover import FileToScan

_HIGHEST = 1_000_000_000


def is_place(text: str) -> bool:
    """Whether an argument is meant as ``PATH:LINE`` and not as a rule: it has a colon, a slash or the suffix of a
    source file."""
    return ":" in text or "/" in text or text.endswith(SUFFIXES)


@click.command("why-not")
@click.argument("place", metavar="PATH:LINE")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@configured
def why_not(place: str, output_format: str, config: str | None, isolated: bool) -> None:
    """Show why there is no finding at PATH:LINE.

    For each descriptor that the line acquires: what closes it, takes it over or keeps it, how it is on each way out of
    the function, and where fdlint gave up. For another line: what fdlint knows of its calls.
    """
    from fdlint.report.explanation import explanation

    _print(explanation, place, output_format, config, isolated)


def explain_place(place: str, output_format: str, config: str | None, isolated: bool) -> None:
    """Prints the whole story of each finding at ``PATH:LINE``, or why there is none."""
    from fdlint.report.explanation import story

    _print(story, place, output_format, config, isolated)


def _print(
    lines: Callable[[Answer], Iterable[Line]],
    place: str,
    output_format: str,
    config: str | None,
    isolated: bool,
) -> None:
    found = answered(*parsed(place), config, isolated)
    if output_format == "json":
        from fdlint.report.documents import as_json
        from fdlint.report.explanation import document

        emit(as_json(document(found)))
    else:
        emit_lines(list(lines(found)), colour=wants_colour())


def answered(path: str, line: int, config: str | None, isolated: bool) -> Answer:
    """Returns what is known of a line. Raises ``UsageError``."""
    from fdlint.scan.explain.answers import NoSuchLineError, answer

    try:
        return answer(_file(path, config, isolated), line)
    except OSError as error:
        raise click.UsageError(f"{path}: {intake.why(error)}") from None
    except NoSuchLineError as error:
        raise click.UsageError(str(error)) from None


def parsed(place: str) -> tuple[str, int]:
    """Returns the path and the line of ``PATH:LINE``; a column after it is allowed, as reports print it. Raises
    ``UsageError``."""
    path, _, number = place.removesuffix(":").rpartition(":")
    before, _, line_before = path.rpartition(":")
    if before and _is_number(line_before) and _is_number(number):
        path, number = before, line_before
    if not path:
        raise click.UsageError(f"name the line as PATH:LINE, for example {number or f'spam{MAIN.suffix}'}:12")
    if not _is_number(number):
        raise click.UsageError(f"{number} is not a number of a line: write PATH:LINE")
    line = int(number) if len(number) < len(str(_HIGHEST)) else _HIGHEST
    if line < 1:
        raise click.UsageError("lines count from 1")
    return path, line


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _file(path: str, config: str | None, isolated: bool) -> FileToScan:
    """Returns the file to analyse. Raises ``UsageError`` if there is none."""
    import os

    from fdlint.scan.files.discover import MissingPathError, discover

    if os.path.isdir(path):
        raise click.UsageError(f"{path} is a directory: name a file")
    try:
        found = discover((path,), chosen(config, isolated))
    except MissingPathError:
        raise click.UsageError(f"no such file: {path}") from None
    if not found.files:
        reason = found.skipped[0].reason if found.skipped else "the configuration excludes it (`force-exclude`)"
        raise click.UsageError(f"{path} is not scanned: {reason}")
    return found.files[0]
