"""The user's options of a scan."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.finding import Confidence, Finding
from fdlint.report.findings.silencing import Means
from fdlint.report.findings.tests import Tests
from fdlint.scan.config import UNCONFIGURED, Config, wanted
from fdlint.scan.files.shard import WHOLE, Shard


@dataclass(frozen=True, slots=True)
class Options:
    """The options. Codes may be prefixes (``FD1``); an empty ``select`` means every rule.

    ``jobs``: 0 means one process per core. ``shard``: the part of the files to report; the others are read for their
    effects on it. ``suppressions``: whether comments silence findings. ``seconds``: the time for one file, whose
    process is then ended; None means no limit, and a few files are scanned in this process. ``noqa``: whether
    ``# noqa`` silences findings too; flake8 itself applies it. ``confidence``: the least with which findings are
    reported. ``tests``: what is reported in test files. None in these two means as configured.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int = 0
    shard: Shard = WHOLE
    suppressions: bool = True
    seconds: float | None = None
    noqa: bool = True
    confidence: Confidence | None = None
    tests: Tests | None = None

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
        if not self._is_sure(finding, config):
            return Means.CONFIDENCE
        return None if self.shows(finding, config) else Means.TESTS

    def ignores(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether a code is ignored explicitly in a file, and not only missing from the selection."""
        listed = (*self.ignore, *(() if self.select else config.ignore))
        return code.startswith(listed) or config.hides(code, path)

    def wants(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether findings of a code are reported under a configuration. These options come first, except before the
        configuration's settings for single files."""
        return self.chooses(code, config) and not config.hides(code, path)

    def shows(self, finding: Finding, config: Config = UNCONFIGURED) -> bool:
        """Whether a finding is sure enough to be reported, and for test files, whether it matters there."""
        if not self._is_sure(finding, config):
            return False
        tests = self.tests or config.tests
        return not finding.in_tests or tests is Tests.ALL or (tests is Tests.LEAKS and _matters_in_tests(finding.code))

    def _is_sure(self, finding: Finding, config: Config) -> bool:
        return finding.confidence.reaches(self.confidence or config.confidence_of(finding.code))


def _matters_in_tests(code: str) -> bool:
    from fdlint.core.checks import by_code  # only if there are findings in tests: it imports all rules

    return by_code(code).rule.in_tests


NO_OPTIONS = Options()
