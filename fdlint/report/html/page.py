"""What every HTML page of fdlint is made of: templates, styles and scripts, and a policy that loads, sends and runs
nothing else. Text from a scanned tree is escaped in the document, and never parsed as HTML by a script."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fdlint.report.documents import embedded
from fdlint.report.printable import UNSAFE_CHARACTERS, printable
from fdlint.report.steps import cost
from fdlint.report.summary import count
from fdlint.version import __version__

_HERE = "fdlint.report.html"
_QUOTED = re.compile(r"`([^`]+)`")


def page(
    home: str,
    template: str,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    data: Mapping[str, Any] | None = None,
    **words: Any,
) -> str:
    """Returns a document. ``home``: the package with its template, and with its own styles and scripts; those beside
    this module come before them. ``data``: what the scripts read. ``words``: what the template reads."""
    environment = _environment(home)
    style = _joined(environment, ("audit.css", *styles))
    script = _joined(environment, ("page.js", *scripts)) if scripts else Markup("")
    return environment.get_template(template).render(
        version=__version__,
        policy=_policy(style, script),
        style=style,
        script=script,
        data=Markup(embedded({**(data or {}), "unsafe": UNSAFE_CHARACTERS})),
        **words,
    )


def _environment(home: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(home, "."), PackageLoader(_HERE, ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["printable"] = printable
    environment.filters["coded"] = coded
    environment.filters["counted"] = count
    environment.filters["cost"] = cost
    environment.filters["time"] = lambda started: printable(started.replace("T", " ").replace("Z", " UTC"))
    environment.filters["command"] = lambda arguments: shlex.join(("fdlint", *arguments)) if arguments else ""
    return environment


def _joined(environment: Environment, names: Sequence[str]) -> Markup:
    """Returns files in a form that can stand in the document. The newlines are those that a browser sees, because the
    policy has a hash of the text."""
    assert environment.loader is not None
    texts = [environment.loader.get_source(environment, name)[0] for name in names]
    return Markup("".join(texts).replace("\r\n", "\n"))


def _policy(style: str, script: str) -> str:
    """Returns a policy that loads, sends and runs nothing except this style and this script."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    runs = f"script-src 'sha256-{digest(script)}'; " if script else ""
    style_src = f"style-src 'sha256-{digest(style)}'"
    return f"default-src 'none'; {runs}{style_src}; base-uri 'none'; form-action 'none'"


def coded(text: str) -> Markup:
    """Escapes text, and marks the parts between backticks as code."""
    words = [escape(word) for word in _QUOTED.split(printable(text))]
    words[1::2] = [Markup("<code>{}</code>").format(word) for word in words[1::2]]
    return Markup().join(words)
