"""The user's options of a scan."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.config import UNCONFIGURED, Config, wanted
from fdlint.files.shard import WHOLE, Shard
from fdlint.findings.silencing import Means


@dataclass(frozen=True, slots=True)
class Options:
    """The options. Codes may be prefixes (``FD1``); an empty ``select`` means every rule.

    ``jobs``: 0 means one process per core. ``audit``: also search Go with rules that need a reader's judgement.
    ``shard``: the part of the files to report; the others are read for their effects on it. ``suppressions``: whether
    comments silence findings. ``seconds``: the time for one file, whose process is then ended; None means no limit, and
    a few files are scanned in this process. ``noqa``: whether ``# noqa`` silences findings too; flake8 itself applies
    it.
    """

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
        """Whether a rule is on by the command line and a configuration. The command line comes first."""
        return wanted(code, self.select, self.extend_select, self.ignore, otherwise=config.wants(code))

    def removed(self, code: str, config: Config, path: str) -> Means | None:
        """Returns the means by which the scanned tree hides findings of a code in a file; None if it does not."""
        if not config.found or not self.chooses(code):
            return None
        if not self.chooses(code, config):
            return Means.RULES
        return Means.PER_FILE if config.hides(code, path) else None

    def ignores(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether a code is ignored explicitly in a file, and not only missing from the selection."""
        listed = (*self.ignore, *(() if self.select else config.ignore))
        return code.startswith(listed) or config.hides(code, path)

    def wants(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether findings of a code are reported under a configuration. These options come first, except before the
        configuration's settings for single files."""
        return self.chooses(code, config) and not config.hides(code, path)


NO_OPTIONS = Options()
