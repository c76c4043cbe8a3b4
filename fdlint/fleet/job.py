"""What a task gets, and what it gives back: plain data, so that it can travel to another machine."""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fdlint.fleet.manifest import Listed
from fdlint.scan.git.fetch import NO_TIP, Tip
from fdlint.version import __version__

_NO_NAME = re.compile(r"[^a-zA-Z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one repository: the ``seconds`` of a scan and of a fetch, and the files and bytes of a commit."""

    seconds: float = 3_600
    fetch_seconds: float = 900
    files: int = 200_000
    size: int = 2_000_000_000
    part: int = 20_000_000
    """The bytes of source from which on a repository is scanned in parts: about 500,000 lines."""


@dataclass(frozen=True, slots=True)
class Job:
    """One repository, or the ``part`` of it with this number. ``known``: the commit whose scan is complete; it is not
    scanned again. ``tip``: what to scan, if that is known. ``home``: the directory for what is
    fetched and for the cache, on the machine that does the job."""

    listed: Listed
    home: str
    limits: Limits = field(default_factory=Limits)
    known: str = ""
    tip: Tip = NO_TIP
    part: int = 1
    parts: int = 1
    patch: bool = False
    """Whether to give back a patch of the safe fixes instead of a report."""

    @property
    def key(self) -> str:
        """A name that is a file name, too."""
        name = self.listed.name
        digest = hashlib.blake2b(f"{name}\0{self.listed.source}".encode(), digest_size=6).hexdigest()
        return f"{_NO_NAME.sub('_', name)[-40:]}-{digest}"

    @property
    def place(self) -> str:
        """The name of its own directories: each part has some."""
        return f"{self.key}.{self.part}" if self.parts > 1 else self.key

    @property
    def cache(self) -> Path:
        """The directory of its cache, on the machine that does the job."""
        return Path(self.home, "cache", self.place)


class State(enum.Enum):
    """How a job ended. ``SCANNED``: completely. ``ENDED``: a limit or a signal ended the scan, and some files were not
    scanned. ``SPLIT``: it is too large for one job. ``FAILED``: there is nothing, for a ``reason``."""

    UNCHANGED = "unchanged"
    SCANNED = "scanned"
    ENDED = "ended"
    SPLIT = "split"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a job. ``report``: a document in the JSON format. ``code``: lines around the steps of findings, by
    path and number. ``parts``: into how many it is to be split. ``patch``: a file for `git am`. ``version``: that of
    the fdlint which did it."""

    state: State
    tip: Tip = NO_TIP
    reason: str = ""
    parts: int = 1
    report: dict[str, Any] = field(default_factory=dict)
    code: dict[str, dict[str, str]] = field(default_factory=dict)
    patch: str = ""
    version: str = __version__


def choice_of(listed: Listed) -> str:
    """Returns the options of a repository as a short text; a scan with others is another scan."""
    given = {key: value for key, value in asdict(listed.choice).items() if value}
    return ", ".join(f"{key.replace('_', '-')}={_as_text(value)}" for key, value in sorted(given.items()))


def _as_text(value: object) -> str:
    return "+".join(value) if isinstance(value, tuple) else str(value).lower()
