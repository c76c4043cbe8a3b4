"""Writes the safe fixes of a repository as one file for `git am`. Nothing is pushed, and no repository is changed."""

from __future__ import annotations

import email.utils
import os
from collections import Counter
from collections.abc import Iterator

from fdlint.core.finding import Finding
from fdlint.fixes.files import Fixer
from fdlint.fleet.job import Job
from fdlint.report.findings.finding import Report, by_file
from fdlint.report.printable import printable
from fdlint.report.summary import count
from fdlint.scan.config import Choose
from fdlint.scan.patch import patch
from fdlint.scan.rewrite import NotFixedError
from fdlint.version import __version__

_FROM = "fdlint <fdlint@localhost>"
_MOST = 50  # findings that the message explains


def patch_of(job: Job, report: Report, config_of: Choose) -> str:
    """Returns the patch of a scanned tree, which is the working directory; empty if no fix is safe."""
    fixer, fixed, diffs = Fixer(config_of, (os.path.realpath("."),)), list[Finding](), list[str]()
    for path, findings in by_file(report.findings).items():
        if printable(path) != path:
            continue  # a patch cannot name it
        try:
            file = fixer.fixed_file(path, (), findings, report.digests.get(path))
        except NotFixedError:
            continue
        if file.fixed:
            fixed += file.fixed
            diffs.append(f"diff --git a/{path} b/{path}\n{patch(path, file.new.before, file.new.after)}")
    return "\n".join([*_message(job, fixed), "---", "".join(diffs)]) + f"-- \nfdlint {__version__}\n" if diffs else ""


def _message(job: Job, fixed: list[Finding]) -> Iterator[str]:
    """Yields the lines before the diff: what is fixed, and why."""
    codes = Counter(f"{one.code} {one.name}" for one in fixed)
    yield f"From {job.tip.commit} Mon Sep 17 00:00:00 2001"
    yield f"From: {_FROM}"
    yield f"Date: {email.utils.formatdate()}"
    yield f"Subject: [PATCH] Close leaked file descriptors ({count(len(fixed), 'finding')})"
    yield "MIME-Version: 1.0"
    yield "Content-Type: text/plain; charset=UTF-8"
    yield "Content-Transfer-Encoding: 8bit"
    yield ""
    yield "fdlint found these descriptors, which are lost or closed wrongly, and has proved each"
    yield "fix: the finding is gone, no other one came, and no path closes a descriptor twice."
    yield ""
    for one in fixed[:_MOST]:
        yield f"* {one.span.path}:{one.span.line}: {one.code} {one.name}"
        yield f"  {printable(one.message)}"
    if len(fixed) > _MOST:
        yield f"* and {len(fixed) - _MOST:,} more"
    yield ""
    yield f"Rules: {', '.join(f'{name} ({number})' for name, number in sorted(codes.items()))}."
