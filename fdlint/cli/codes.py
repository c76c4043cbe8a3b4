"""Rule codes on the command line: comma-separated, repeatable, prefixes allowed, typing errors answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from fdlint.checks import LoadedRule


def expand(_context: click.Context, _option: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """The codes given to a repeatable option, in capitals; a click callback. Raises ``BadParameter``."""
    return tuple(code for value in values for code in _split(value))


def completed(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that begin like what is being written, for a shell."""
    from click.shell_completion import CompletionItem

    from fdlint.checks import all_rules

    done, comma, last = incomplete.rpartition(",")
    rules = [loaded.rule for loaded in all_rules() if loaded.rule.code.startswith(last.upper())]
    return [CompletionItem(f"{done}{comma}{rule.code}", help=rule.name) for rule in rules]


def _split(value: str) -> tuple[str, ...]:
    from fdlint.checks import all_rules

    codes = tuple(code for part in value.split(",") if (code := part.strip().upper()))
    for code in codes:
        if not any(loaded.rule.code.startswith(code) for loaded in all_rules()):
            raise click.BadParameter(f"there is no rule {code}{suggestion(code)}")
    if not codes:
        raise click.BadParameter("no code given")
    return codes


def find_rule(text: str) -> LoadedRule:
    """The rule with this code or name. Raises ``BadParameter`` with a suggestion."""
    from fdlint.checks import all_rules, by_code

    for loaded in all_rules():
        if text.lower() == loaded.rule.name:
            return loaded
    try:
        return by_code(text)
    except KeyError:
        raise click.BadParameter(f"there is no rule {text}{suggestion(text)}", param_hint="'RULE'") from None


def suggestion(text: str) -> str:
    """``; did you mean FD101 (never-closed)?`` when a rule is called something like ``text``, else nothing."""
    import difflib

    from fdlint.checks import all_rules

    rules = [loaded.rule for loaded in all_rules()]
    spellings = {spelling.upper(): rule for rule in rules for spelling in (rule.code, rule.name)}
    close = difflib.get_close_matches(text.upper(), spellings, n=1)
    if not close:
        return "; `fdlint rules` lists them"
    rule = spellings[close[0]]
    return f"; did you mean {rule.code} ({rule.name})?"
