"""What the user asks of a scan."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.config import UNCONFIGURED, Config, wanted
from fdlint.files.shard import WHOLE, Shard
from fdlint.findings.silencing import Means


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. Codes may be prefixes (``FD1``); an empty ``select`` means every rule; ``jobs`` 0
    means one a core; ``audit``: Go is searched also for what needs a reader's judgement; ``shard``: the part of the
    files that is reported, the others are read for what they say about it; ``suppressions``: whether comments silence
    findings; ``seconds``: how long one file may take, in a process that is then ended. None: as long as it takes, and
    a few files are scanned in this process. ``noqa``: whether ``# noqa`` silences findings, too; flake8 sees to it
    itself."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int = 0
    audit: bool = False
    shard: Shard = WHOLE
    suppressions: bool = True
    seconds: float | None = None
    noqa: bool = True

    def chooses(self, code: str, config: Config = UNCONFIGURED) -> bool:
        """Whether a rule is on, as the command line and a configuration say; the command line comes first."""
        return wanted(code, self.select, self.extend_select, self.ignore, otherwise=config.wants(code))

    def removed(self, code: str, config: Config, path: str) -> Means | None:
        """How the scanned tree keeps findings of a code from being reported in a file; None if it does not."""
        if not config.found or not self.chooses(code):
            return None
        if not self.chooses(code, config):
            return Means.RULES
        return Means.PER_FILE if config.hides(code, path) else None

    def ignores(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether a code is ignored on purpose in a file, and not only left out of what is selected."""
        listed = (*self.ignore, *(() if self.select else config.ignore))
        return code.startswith(listed) or config.hides(code, path)

    def wants(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether findings of a code are reported where a configuration holds; what is asked here comes first, but
        for what the configuration sets for single files."""
        return self.chooses(code, config) and not config.hides(code, path)


NO_OPTIONS = Options()
