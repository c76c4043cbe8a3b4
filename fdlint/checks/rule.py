"""What a check is: a rule's name and severity, and a function from facts to a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.domain.facts import Acquisition, Fact, Misuse
from fdlint.findings.finding import Event, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """The identity of a rule. ``rank`` orders leak rules: of those that hold for one acquisition the lowest is said.
    ``about`` is the kind of fact that it judges. ``defect``: a sentence on what is wrong, without its full stop.
    ``cwe``: the number of the weakness in https://cwe.mitre.org. ``precision``: how often it is right, in the words of
    code scanning: ``very-high``, ``high``, ``medium`` or ``low``."""

    code: str
    name: str
    severity: Severity
    rank: int
    about: type[Fact] = Acquisition
    defect: str = ""
    cwe: int | None = None
    precision: str = "high"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule holds: the story that shows it, and the sentence to say."""

    trace: tuple[Event, ...]
    message: str


def subject(acquisition: Acquisition) -> str:
    """How a message names the descriptor: its variable, else its origin."""
    if acquisition.variable and acquisition.shared:
        return f"each of `{acquisition.variable}` from {origin(acquisition)}"
    if acquisition.variable:
        return f"`{acquisition.variable}` from {origin(acquisition)}"
    return f"the descriptor from {origin(acquisition)}"


def origin(acquisition: Acquisition) -> str:
    """How a message names the acquiring call; a method on an object of unknown type by its own name alone."""
    return f"{acquisition.api.removeprefix('*.')}()"


def named(misuse: Misuse) -> str:
    """How a message names a descriptor that came to its end."""
    whence = f" from {misuse.api}()" if misuse.api is not None else ""
    return f"`{misuse.variable}`{whence}" if misuse.variable is not None else f"the descriptor{whence}"
