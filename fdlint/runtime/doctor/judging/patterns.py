"""The patterns that a running process can show: their pages in docs/patterns, and the rules for the code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern: its name, its page, and the codes of the rules that find it in code, the likeliest first."""

    name: str
    page: str
    codes: tuple[str, ...] = ()

    @property
    def explained_by(self) -> str:
        """The command that shows the page of the likeliest rule; empty if no rule finds the pattern."""
        return f"fdlint explain {self.codes[0]}" if self.codes else ""


KEPT_AFTER_SEND = Pattern("Kept after the send", "kept-after-send.md", ("FD104",))
RECEIVED = Pattern("Received and forgotten", "received.md", ("FD109",))
SENTINEL = Pattern("The sentinel that overwrites", "overwritten.md", ("FD105", "FD106"))
OBJECT = Pattern("Kept by an object that never closes", "object-never-closes.md", ("FD108",))
THROWN_AWAY = Pattern("Thrown away: temporary files and probes", "thrown-away.md", ("FD107", "FD101"))
KEPT_AFTER_SPAWN = Pattern("Kept after the child has it", "kept-after-spawn.md", ("FD110",))
MISSED_PATH = Pattern("The path that misses the close", "missed-path.md", ("FD102", "FD101"))
ZERO = Pattern("Zero is a descriptor", "zero.md", ("FD205",))
EXEC = Pattern("Open across exec", "exec.md", ("FD301", "FD302"))
POOL = Pattern("A new pool for each job", "pool-per-job.md", ("FD401",))
EMERGENCY = Pattern("In an emergency", "running-system.md#in-an-emergency")
PATTERNS = (
    *(KEPT_AFTER_SEND, RECEIVED, SENTINEL, OBJECT, THROWN_AWAY, KEPT_AFTER_SPAWN, MISSED_PATH, ZERO, EXEC, POOL),
    EMERGENCY,
)
