"""Parses rules on the command line: codes, prefixes and names, separated by commas, repeatable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fdlint.core.checks import LoadedRule


def expand(_context: click.Context, option: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Returns the codes of a repeatable option, in capitals; a click callback. Raises ``BadParameter``."""
    given = tuple(values)
    words = [word for value in given for part in value.split(",") if (word := part.strip())]
    if not words:
        if given:
            raise click.BadParameter("no code given")
        return ()
    from fdlint.scan.select import NoSuchRuleError, codes

    try:
        return codes(words, (option.name or "").replace("_", "-"))
    except NoSuchRuleError as error:
        raise click.BadParameter(str(error)) from None


def completed(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the codes, or else the names, with the typed beginning, for a shell."""
    from click.shell_completion import CompletionItem

    from fdlint.core.checks import all_rules

    done, comma, last = incomplete.rpartition(",")
    rules = [loaded.rule for loaded in all_rules()]
    codes = [CompletionItem(f"{done}{comma}{one.code}", help=one.name) for one in rules if _begins(one.code, last)]
    names = [CompletionItem(f"{done}{comma}{one.name}", help=one.code) for one in rules if _begins(one.name, last)]
    return codes or names


def _begins(text: str, start: str) -> bool:
    return text.lower().startswith(start.lower())


def find_rules(text: str) -> tuple[LoadedRule, ...]:
    """Returns the rule with this code or name, or those with this prefix. Raises ``BadParameter`` with a suggestion."""
    from fdlint.scan.select import NoSuchRuleError, matching

    try:
        return matching(text.strip())
    except NoSuchRuleError as error:
        raise click.BadParameter(str(error), param_hint="'RULE'") from None
