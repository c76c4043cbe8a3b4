"""The results of the files of a scan, before a report selects from them."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.report.findings.finding import FileResult
from fdlint.scan.cache import Cache
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.options import Options
from fdlint.scan.scan import _Scan
from fdlint.scan.schedule import Count


def file_results(
    files: Sequence[FileToScan], cache: Cache | None = None, seconds: float | None = None
) -> dict[str, FileResult]:
    """Scans files in one process. Returns the result of each, by the path that reports show."""
    work = _Scan(files, Options(jobs=1, seconds=seconds), Count(len(files), None), cache)
    work.run()
    return work.results
