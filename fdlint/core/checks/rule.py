"""The parts of a check: a rule's identity, and a function from facts to verdicts."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from fdlint.core.domain.facts import Fact, Happened, Lifetime
from fdlint.core.domain.typestate import Mark
from fdlint.core.finding import Confidence, Event, Severity, Span


@dataclass(frozen=True, slots=True)
class Rule:
    """The identity of a rule.

    ``rank`` orders leak rules: of those that hold for one acquisition, the lowest is reported. ``about``: the kind of
    fact, or the events, that it judges. ``defect``: a sentence on the defect, without its full stop. ``cwe``: the
    number of the weakness in https://cwe.mitre.org, None for no defect. ``precision``: how often it is right, in the
    words of code scanning: ``very-high``, ``high``, ``medium`` or ``low``. ``in_tests``: whether its findings in test
    files are reported by default. ``one_per_exception``: whether one finding tells of all that an exception leaves
    open. ``left_to_callers``: a caller, in this or another file, may do what the rule demands. ``even_once``: one
    descriptor does harm, even in code that a process runs once: a peer or a child waits for its end.
    """

    code: str
    name: str
    severity: Severity
    rank: int
    about: type[Fact] | AbstractSet[Mark] = Lifetime
    defect: str = ""
    precision: str = "high"
    in_tests: bool = True
    one_per_exception: bool = False
    left_to_callers: bool = False
    even_once: bool = False
    cwe: int | None = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule holds: the trace as evidence, and the message.

    ``names``: the names of attributes; the verdict holds only if no other file closes or takes them. ``relatives``: the
    names of the class, of its bases and of its subclasses. ``causes``: see ``Finding``. ``pedantic``: true by the
    rule's page, but nothing that a maintainer would fix; with ``where_inherited``, only in a project that starts no
    program which inherits what is open.
    """

    trace: tuple[Event, ...]
    message: str
    names: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    confidence: Confidence = Confidence.HIGH
    causes: tuple[Span, ...] = ()
    pedantic: bool = False
    where_inherited: bool = False


def subject(lifetime: Lifetime) -> str:
    """Returns the descriptor's name in messages: its variable, otherwise its origin."""
    if lifetime.variable and lifetime.shared:
        return f"each of `{lifetime.variable}` from {origin(lifetime)}"
    if lifetime.variable:
        return f"`{lifetime.variable}` from {origin(lifetime)}"
    return f"the descriptor from {origin(lifetime)}"


def origin(lifetime: Lifetime) -> str:
    """Returns the acquiring call's name in messages: for a method of an object of unknown type, its own name."""
    return f"{lifetime.api.removeprefix('*.')}()"


def named(misuse: Happened) -> str:
    """Returns the name in messages of a descriptor that was closed or handed over."""
    from_api = f" from {misuse.api}()" if misuse.api is not None else ""
    return f"`{misuse.variable}`{from_api}" if misuse.variable is not None else f"the descriptor{from_api}"
