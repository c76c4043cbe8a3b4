"""Documents in JSON and XML for other programs."""

from __future__ import annotations

import json
import re

from fdlint.report.printable import printable

_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")  # see ``printable``
_MARKUP = re.compile("[<>&]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")


def as_json(document: object) -> str:
    """Returns a document in ASCII. A CI system that prints it finds no command in it."""
    return _COMMAND.sub(r"\\u0023", json.dumps(document, indent=2))


def embedded(document: object) -> str:
    """Returns a document in ASCII for a ``script`` element of HTML: no text in it ends the element, or begins a
    comment. Raises ``ValueError`` for a number that JSON does not have."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return _COMMAND.sub(r"\\u0023", _MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def sound(text: str) -> str:
    """Returns ``text`` without lone surrogates (from a file name that is not UTF-8), which strict readers of JSON
    refuse."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def in_xml(text: str) -> str:
    """Replaces U+FFFE and U+FFFF, which XML cannot contain."""
    return printable(text).translate(_NOT_XML)
