"""The rules, one per module. There is no list: a new ``fdNNN_name.py`` is found by its name.

A rule's module has ``RULE`` (its identity), ``check`` (facts in, verdict out) and a docstring, which is its page.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.facts import Fact, Happened, Lifetime
from fdlint.core.domain.typestate import Mark

_GOOD = re.compile(r"^## Good\n(?:(?!## )[^\n]*\n)*?```\w+\n(?P<code>.*?)\n```", re.MULTILINE | re.DOTALL)
RULE_MODULE = re.compile(r"(fd\d+)_\w+")


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule for the rest of fdlint. ``page`` is Markdown."""

    rule: Rule
    page: str
    check: Callable[[Any], Verdict | None]

    def judge(self, fact: Fact) -> Verdict | None:
        """Returns the rule's verdict on a fact; None if the rule does not hold or is about other facts."""
        about = self.rule.about
        meant = isinstance(fact, about) if isinstance(about, type) else _event(fact) in about
        verdict = self.check(fact) if meant else None
        if verdict is not None and isinstance(fact, Lifetime) and fact.once and not self.rule.even_once:
            return replace(verdict, unlikely=True)  # it adds up to nothing
        return verdict

    @property
    def summary(self) -> str:
        """The first sentence of the page after its headings, on one line."""
        prose = [line for line in self.page.split("\n") if not line.startswith("#")]
        paragraph = "\n".join(prose).strip().partition("\n\n")[0]
        return " ".join(paragraph.split()).partition(". ")[0]

    @property
    def good(self) -> str:
        """The first correct example of the page, without its imports; empty if there is none."""
        found = _GOOD.search(self.page)
        lines = found["code"].split("\n") if found else []
        return "\n".join(line for line in lines if not line.startswith(("import ", "from "))).strip("\n")


def _event(fact: Fact) -> Mark | None:
    return fact.event if isinstance(fact, Happened) else None


@functools.cache
def all_rules() -> tuple[LoadedRule, ...]:
    """Returns every rule, in the order of the codes."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if RULE_MODULE.fullmatch(module.name))
    return tuple(_load(importlib.import_module(f"{__name__}.{name}")) for name in names)


def left_to_callers() -> frozenset[str]:
    """Returns the codes of rules whose findings a caller in another file may refute."""
    return frozenset(loaded.rule.code for loaded in all_rules() if loaded.rule.left_to_callers)


def by_code(code: str) -> LoadedRule:
    """Returns the rule with this code, in any case. Raises ``KeyError``."""
    return {loaded.rule.code: loaded for loaded in all_rules()}[code.upper()]


def _load(module: ModuleType) -> LoadedRule:
    return LoadedRule(module.RULE, inspect.cleandoc(module.__doc__ or ""), module.check)
