"""What ends a scan before it is complete."""

from __future__ import annotations


class Ended(SystemExit):
    """A signal has asked for the end; ``code`` is what a shell reports for it."""

    @property
    def status(self) -> int:
        """What to exit with."""
        return int(str(self.code))
