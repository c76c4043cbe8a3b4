"""Splits a scan into parts: N machines get different files, and each reports only its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WRITTEN = re.compile(r"(?a:(\d{1,6})/(\d{1,6}))")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``. Only a file's path decides its part, so other changes do not move it."""

    number: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, path: str) -> bool:
        """Whether the file that reports show as ``path`` belongs to this part."""
        if self.of == 1:
            return True
        import hashlib

        digest = hashlib.sha256(path.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1


WHOLE = Shard()


def parse(text: str) -> Shard:
    """Parses ``2/5``. Raises ``ValueError``, whose message is the reason."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise ValueError(f"{text!r} is not I/N, such as 1/4")
    number, of = int(written[1]), int(written[2])
    if not 1 <= number <= of:
        raise ValueError(f"there is no shard {number} of {of}")
    return Shard(number, of)
