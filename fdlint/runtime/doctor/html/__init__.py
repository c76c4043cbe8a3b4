"""The examination as one self-contained HTML page without a script. It has the style of the audit report.

Names of processes, paths and code are text: escaped in the page, and its policy lets nothing run.
"""

from __future__ import annotations

from fdlint.report.html.page import page
from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.text import (
    blocked,
    family,
    fit,
    fullness,
    fuse,
    kinds,
    rate,
    sharing,
    summary,
    traced,
    trail,
    unseen,
)


def render(found: Examination) -> str:
    """Returns the document. Escapes all text that comes from processes and from code."""
    return page(
        __name__,
        "examination.html.j2",
        found=found,
        summary=summary(found),
        fullness=fullness,
        rate=rate,
        kinds=kinds,
        blocked=blocked,
        sharing=sharing,
        family=family,
        fuse=fuse,
        unseen=unseen,
        fit=fit,
        traced=traced,
        trail=trail,
    )
