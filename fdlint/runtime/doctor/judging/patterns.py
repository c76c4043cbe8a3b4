"""The patterns that a running process can show: named as in docs/patterns, with the rules for the code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern: its name and the codes of the rules that find it in code, the likeliest first."""

    name: str
    codes: tuple[str, ...] = ()

    @property
    def explained_by(self) -> str:
        """The command that shows the page of the likeliest rule; empty if no rule finds the pattern."""
        return f"fdlint explain {self.codes[0]}" if self.codes else ""


KEPT_AFTER_SEND = Pattern("Kept after the send", ("FD104",))
RECEIVED = Pattern("Received and forgotten", ("FD109",))
SENTINEL = Pattern("The sentinel that overwrites", ("FD105", "FD106"))
OBJECT = Pattern("Kept by an object that never closes", ("FD108",))
THROWN_AWAY = Pattern("Thrown away: temporary files and probes", ("FD107", "FD101"))
KEPT_AFTER_SPAWN = Pattern("Kept after the child has it", ("FD110",))
MISSED_PATH = Pattern("The path that misses the close", ("FD102", "FD101"))
ZERO = Pattern("Zero is a descriptor", ("FD205",))
EXEC = Pattern("Open across exec", ("FD301", "FD302"))
POOL = Pattern("A new pool for each job", ("FD401",))
EMERGENCY = Pattern("In an emergency")
