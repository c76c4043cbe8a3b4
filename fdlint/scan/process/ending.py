"""The exception that ends a scan before it is complete."""

from __future__ import annotations


class Ended(SystemExit):
    """A signal has ended the process. ``code`` is the exit status that a shell reports for it."""

    @property
    def status(self) -> int:
        """The exit status of the process."""
        return int(str(self.code))
