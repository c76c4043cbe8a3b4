"""``fdlint init`` looks at a project, and adds configuration and hook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdlint.cli.output import emit_printable, say, writable
from fdlint.languages.registry import TITLES

if TYPE_CHECKING:
    from fdlint.cli.onboarding.change import Change
    from fdlint.cli.onboarding.look import Project

INCOMPLETE = 1


@click.command(short_help="Write a configuration and a pre-commit hook.")
@click.argument("directory", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--hook", "create_hook", is_flag=True, help="Create .pre-commit-config.yaml if there is none.")
@click.option("--dry-run", is_flag=True, help="Print the changes as a diff and write nothing.")
def init(directory: Path, create_hook: bool, dry_run: bool) -> int:
    """Write configuration and hook for the project in DIRECTORY (default: the working directory).

    Adds [tool.fdlint] to pyproject.toml, or creates fdlint.toml if there is none; adds the hook to
    `.pre-commit-config.yaml`; tells ruff about FD codes if the project uses `noqa`. Existing settings stay as they are.

    Exits with 0 when all is in place, 1 when something is left to add by hand (with --dry-run also when something
    would change), 2 when a file is broken or cannot be written.
    """
    from fdlint.cli.onboarding.change import State
    from fdlint.cli.onboarding.look import look
    from fdlint.cli.onboarding.tables import BrokenError

    project = look(directory)
    try:
        changes = list(_changes(directory, project, create_hook))
    except BrokenError as error:
        raise click.ClickException(f"{error}; nothing was written") from None
    if dry_run:
        for change in changes:
            if text := change.diff():
                emit_printable(text.removesuffix("\n"))
    _show(changes, dry_run=dry_run)
    if not dry_run:
        _write(changes, directory)
    _advise(changes, project, created=create_hook)
    left = [one for one in changes if one.state is State.BY_HAND or (dry_run and one.state is State.WRITE)]
    return INCOMPLETE if left else 0


def _changes(directory: Path, project: Project, create_hook: bool) -> Iterator[Change]:
    from fdlint.cli.onboarding.change import Change, State
    from fdlint.cli.onboarding.hook import hook
    from fdlint.cli.onboarding.tables import configuration, external, with_table

    own = configuration(directory)
    ruff = external(directory) if project.noqa else None
    if ruff is not None and ruff.name == own.name and State.WRITE is own.state is ruff.state:
        what = f"{own.what}, {ruff.what}"
        own = Change(own.name, own.state, what, ruff.before, with_table(ruff.after))
        ruff = None
    yield own
    yield from filter(None, [ruff, hook(directory, project.languages, create=create_hook)])


def _show(changes: Sequence[Change], *, dry_run: bool) -> None:
    from fdlint.cli.onboarding.change import State

    verb = {True: "would be written", False: "written"}[dry_run]
    for change in changes:
        if change.state is State.WRITE:
            say(f"fdlint: {change.name} {verb}: {change.what}")
        elif change.state is State.KEPT:
            say(f"fdlint: {change.name} {change.what}")
        else:
            say(f"fdlint: {change.name} {change.what}; add this yourself:\n\n{change.text}")


def _write(changes: Sequence[Change], directory: Path) -> None:
    from fdlint.cli.onboarding.change import State

    for change in changes:
        if change.state is State.WRITE:
            with writable(directory / change.name):
                change.write(directory)


def _advise(changes: Sequence[Change], project: Project, *, created: bool) -> None:
    from fdlint.cli.onboarding.hook import FILE

    if not created and all(change.name != FILE for change in changes):
        say(f"fdlint: there is no {FILE}: `fdlint init --hook` creates one")
    if project.flake8 is not None:
        say(f"fdlint: {project.flake8} configures flake8, which reports FD codes where fdlint is installed beside it")
    for one in project.languages:
        if one.parser.extra and not one.parser.is_installed:
            say(f"fdlint: {one.title} files need a parser: pip install 'fdlint[{one.parser.extra}]'")
    if not project.languages:
        say(f"fdlint: there are no {TITLES} files here")
