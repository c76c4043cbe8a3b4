"""Parses the words that choose rules: codes (``FD101``), prefixes (``FD1``), names (``never-closed``), ``ALL``.

A word without a matching rule is an error, and so is ignoring every rule: a typing error must not look like clean code.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fdlint.scan.config import Choose, Config, ConfigError

if TYPE_CHECKING:
    from fdlint.core.checks import LoadedRule

FAMILY, ALL = "FD", "ALL"
IGNORE = "ignore"


class NoSuchRuleError(ValueError):
    """A word matches no rule, or matches every rule where that is not allowed. The message explains which."""


def codes(words: Iterable[str], key: str) -> tuple[str, ...]:
    """Returns the codes, or prefixes of codes, in a list under a key such as ``select``, without blanks. Raises
    ``NoSuchRuleError``."""
    if isinstance(words, str):
        raise NoSuchRuleError(f"`{key}` must be a list of codes, not the text {words!r}")
    found = tuple(_code(word.strip(), key) for word in words)
    if found and key == IGNORE:
        from fdlint.core.checks import all_rules

        if all(loaded.rule.code.startswith(found) for loaded in all_rules()):
            raise NoSuchRuleError(
                f"{', '.join(found)} matches every rule; with all of them ignored, nothing is reported"
            )
    return found


def matching(word: str) -> tuple[LoadedRule, ...]:
    """Returns the rules with this code, name or prefix, in the order of their codes. Raises ``NoSuchRuleError`` if
    there are none."""
    from fdlint.core.checks import all_rules

    named = tuple(one for one in all_rules() if one.rule.name == word.lower())
    found = named or tuple(one for one in all_rules() if word and one.rule.code.startswith(word.upper()))
    if not found:
        raise NoSuchRuleError(f"there is no rule {word}{_suggestion(word)}")
    return found


@functools.lru_cache(maxsize=256)
def checked(config: Config) -> Config:
    """Returns the configuration with names replaced by codes. Raises ``ConfigError`` for an unknown code."""
    try:
        return config.with_codes(codes) if any(True for _ in config.codes()) else config
    except NoSuchRuleError as error:
        where = _where(config)
        raise ConfigError(f"{config.file}: {f'{where}: ' if where else ''}{error}") from None


def checking(choose: Choose) -> Choose:
    """Returns a function that returns the same configurations, ``checked``."""
    return lambda path: checked(choose(path))


def _where(config: Config) -> str:
    """Returns the first place in a configuration with an invalid word."""
    for key, where, listed in config.codes():
        try:
            codes(listed, key)
        except NoSuchRuleError:
            return where
    return ""


def _code(word: str, key: str) -> str:
    if word.upper() == ALL:
        return FAMILY
    found = matching(word)
    if word.lower() == found[0].rule.name:
        return found[0].rule.code
    code = word.upper()
    if len(code) < len(FAMILY) and key != IGNORE:
        raise NoSuchRuleError(f"{word} is not a code of fdlint's; write {FAMILY} or {ALL} for all rules")
    return code


def _suggestion(word: str) -> str:
    """Returns ``; did you mean FD101 (never-closed)?`` for a similar name, otherwise a hint where to look."""
    import difflib

    from fdlint.core.checks import all_rules

    rules = [loaded.rule for loaded in all_rules()]
    spellings = {spelling.upper(): rule for rule in rules for spelling in (rule.code, rule.name)}
    close = difflib.get_close_matches(word.upper(), spellings, n=1)
    if not close:
        return "; `fdlint rules` lists them"
    rule = spellings[close[0]]
    return f"; did you mean {rule.code} ({rule.name})?"
