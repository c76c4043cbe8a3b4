"""Documents in JSON and XML, which other programs read."""

from __future__ import annotations

import json
import re

from fdlint.report.printable import printable

_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)")  # see ``printable``
_MARKUP = re.compile("[<>&]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")


def as_json(document: object) -> str:
    """A document in ASCII, in which a CI system that shows it finds no command."""
    return _COMMAND.sub(r"\\u0023", json.dumps(document, indent=2))


def embedded(document: object) -> str:
    """A document in ASCII that can stand in a ``script`` element of HTML: nothing in it ends the element, or begins a
    comment. Raises ``ValueError`` for a number that JSON does not have."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return _COMMAND.sub(r"\\u0023", _MARKUP.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def sound(text: str) -> str:
    """``text`` without lone surrogates (from a file name that is not UTF-8), which strict readers of JSON refuse."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def in_xml(text: str) -> str:
    """What XML can have in it: U+FFFE and U+FFFF it cannot."""
    return printable(text).translate(_NOT_XML)
