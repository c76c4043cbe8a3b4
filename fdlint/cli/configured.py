"""Chooses the configuration: the nearest one, a named one, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from fdlint.scan.config import Choose, Config

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Overrides:
    """The options of the command line that replace or extend values of the configuration."""

    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    baseline: str | None = None
    dependencies: tuple[str, ...] = ()

    def over(self, config: Config) -> Config:
        """Returns the configuration with these options; patterns are relative to the working directory."""
        from fdlint.scan.config import Patterns, resolved

        here = resolved(".")
        changed = config
        if self.exclude:
            changed = replace(changed, more_excluded=Patterns(here, self.exclude, elsewhere=True))
        if self.baseline is not None:
            changed = changed.overridden("baseline", self.baseline)
        if self.dependencies:
            places = tuple(str(resolved(one)) for one in self.dependencies)
            changed = replace(changed, models=replace(changed.models, dependencies=places))
        return replace(changed, force_exclude=True) if self.force_exclude else changed


NO_OVERRIDES = Overrides()


def patterns(_context: click.Context, _option: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Returns the patterns of a repeatable option, separated by commas; a click callback."""
    from fdlint.scan.git.ignore import pattern

    found = []
    for line in (part.strip() for value in values for part in value.split(",") if part.strip()):
        read = pattern(line)
        if read is None:
            raise click.BadParameter(f"`{line}` is not a pattern as in .gitignore")
        found.append(read)
    return tuple(found)


def configured(command: Command) -> Command:
    """Adds the options that choose the configuration."""
    named = click.option(
        "--config",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="Use this configuration for all paths.",
    )
    isolated = click.option(
        "--isolated",
        is_flag=True,
        help="Ignore configuration files, .gitignore and marks of environments.",
    )
    return named(isolated(command))


def chosen(
    file: str | None, isolated: bool, overrides: Overrides = NO_OVERRIDES, *, baseline_must_exist: bool = True
) -> Choose:
    """Returns a function from a path to its configuration. An invalid configuration becomes a ``ClickException``."""
    from fdlint.scan import config
    from fdlint.scan.select import checked

    if isolated and file is not None:
        raise click.UsageError("--config and --isolated exclude each other")
    choose = config.isolated if isolated else config.named(file) if file is not None else config.nearest()

    def choose_or_say_why_not(path: str) -> Config:
        try:
            found = overrides.over(choose(path))
            if found.baseline is not None and baseline_must_exist:
                from fdlint.scan import baseline

                baseline.read(found.baseline)
            return checked(found)
        except config.ConfigError as error:
            raise click.ClickException(str(error)) from None

    return choose_or_say_why_not
