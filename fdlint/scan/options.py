"""The user's options of a scan."""

from __future__ import annotations

import os
from dataclasses import dataclass

from fdlint.core.finding import Finding
from fdlint.report.findings.hidden import Screen
from fdlint.report.findings.persona import NO_LEVELS, Hiding, Levels
from fdlint.report.findings.silencing import Means
from fdlint.scan.config import UNCONFIGURED, Config, wanted
from fdlint.scan.files.shard import WHOLE, Shard
from fdlint.scan.levels import hiding, screen

_MEANS = {
    Hiding.LOW_CONFIDENCE: Means.CONFIDENCE,
    Hiding.MEDIUM_CONFIDENCE: Means.CONFIDENCE,
    Hiding.LOW_IMPACT: Means.IMPACT,
    Hiding.MEDIUM_IMPACT: Means.IMPACT,
    Hiding.WARNING: Means.SEVERITY,
    Hiding.TEST: Means.TESTS,
}
"""The keys that hide what the defaults show. A persona is none of them: each shows what the default one does."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options. Codes may be prefixes (``FD1``); an empty ``select`` means every rule.

    ``jobs``: 0 means one process per core. ``shard``: the part of the files to report; the others are read for their
    effects on it. ``suppressions``: whether comments silence findings. ``seconds``: the time for one file, whose
    process is then ended; None means no limit, and a few files are scanned in this process. ``noqa``: whether
    ``# noqa`` silences findings too; flake8 itself applies it. ``levels``: what is shown of what is found; the
    configuration decides what they leave open.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int = 0
    shard: Shard = WHOLE
    suppressions: bool = True
    seconds: float | None = None
    noqa: bool = True
    levels: Levels = NO_LEVELS

    def chooses(self, code: str, config: Config = UNCONFIGURED) -> bool:
        """Whether a rule is on by the command line and a configuration. The command line comes first."""
        return wanted(code, self.select, self.ignore, otherwise=config.wants(code))

    def removed(self, finding: Finding, config: Config) -> Means | None:
        """Returns the means by which the scanned tree hides a finding; None if it does not."""
        code = finding.code
        if not config.found or not self.chooses(code) or not self.shows(finding):
            return None
        if not self.chooses(code, config):
            return Means.RULES
        if config.hides(code, finding.span.path):
            return Means.PER_FILE
        why = self.screen(finding, config)
        return _MEANS[why.hiding] if why is not None else None

    def ignores(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether a code is ignored explicitly in a file, and not only missing from the selection."""
        listed = (*self.ignore, *(() if self.select else config.ignore))
        return code.startswith(listed) or config.hides(code, path)

    def wants(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether findings of a code are reported under a configuration. These options come first, except before the
        configuration's settings for single files."""
        return self.chooses(code, config) and not config.hides(code, path)

    def shows(self, finding: Finding, config: Config = UNCONFIGURED) -> bool:
        """Whether the levels show a finding."""
        severity = config.severity_of(finding.code, finding.severity)
        return hiding(self.levels.over(config.levels), finding, severity, asked=self._asks_for(finding, config)) is None

    def screen(self, finding: Finding, config: Config = UNCONFIGURED) -> Screen | None:
        """Returns why the levels do not show a finding; None if they do."""
        severity = config.severity_of(finding.code, finding.severity)
        return screen(self.levels, config.levels, finding, severity, asked=self._asks_for(finding, config))

    def _asks_for(self, finding: Finding, config: Config) -> bool:
        return finding.code in (self.select or config.select)


NO_OPTIONS = Options()


def cores() -> int:
    """Returns the number of the machine's cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
