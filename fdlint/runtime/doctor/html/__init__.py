"""The examination as one self-contained HTML page without a script. It has the style of the audit report.

Names of processes, paths and code are text: escaped in the page, and its policy lets nothing run.
"""

from __future__ import annotations

import base64
import hashlib

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fdlint.report.printable import printable
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
from fdlint.version import __version__

_STYLE = "audit.css"


def render(found: Examination) -> str:
    """Returns the document. Escapes all text that comes from processes and from code."""
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("fdlint.runtime.doctor.html", "."), PackageLoader("fdlint.report.html", ".")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    style = _style(environment)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("examination.html.j2").render(
        version=__version__,
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        style=style,
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


def _style(environment: Environment) -> Markup:
    """The style with the newlines that a browser sees, because the policy has a hash of it."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, _STYLE)[0].replace("\r\n", "\n"))
