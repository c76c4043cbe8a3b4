"""Which configuration holds: the one found near what is looked at, the one named, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fdlint.checks import all_rules
from fdlint.cli.codes import suggestion

if TYPE_CHECKING:
    from fdlint.config import Choose, Config

Command = TypeVar("Command", bound=Callable[..., Any])


def configured(command: Command) -> Command:
    """Adds the options that say where the configuration comes from."""
    named = click.option(
        "--config",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="The configuration for all paths, instead of the nearest one.",
    )
    isolated = click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
    return named(isolated(command))


def chosen(file: str | None, isolated: bool) -> Choose:
    """What gives the configuration for a path; a configuration that is wrong becomes a ``ClickException``."""
    from fdlint import config

    if isolated:
        if file is not None:
            raise click.UsageError("--config and --isolated exclude each other")
        return config.no_config
    choose = config.named(file) if file is not None else config.nearest()

    def choose_or_say_why_not(path: str) -> Config:
        try:
            found = choose(path)
        except config.ConfigError as error:
            raise click.ClickException(str(error)) from None
        _check_codes(found)
        return found

    return choose_or_say_why_not


def _check_codes(config: Config) -> None:
    rules = [loaded.rule.code for loaded in all_rules()]
    given = {"select": config.select, "extend-select": config.extend_select, "ignore": config.ignore}
    for key, codes in given.items():
        for code in codes:
            if not any(rule.startswith(code) for rule in rules):
                raise click.ClickException(f"{config.file}: `{key}`: there is no rule {code}{suggestion(code)}")
