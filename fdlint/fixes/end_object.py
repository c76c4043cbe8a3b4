"""FD101 to FD103: an object that owns a descriptor is used in a ``with``, or its closing method runs in a ``finally``.

It is sound if the code calls that method at the end anyway. Other methods that end an object may do more than close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fdlint.core.finding import Finding, Holding
from fdlint.fixes.acquiring import rebinds
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.managing import Made, ended, made_by, managed
from fdlint.fixes.python_file import PythonFile, nodes

CODES = ("FD101", "FD102", "FD103")

_OBJECT = ", which holds a descriptor)"
_CALL = re.compile(r": call its `(\w+)\(\)` in a `finally`")
_BLOCK = re.compile(r": use (`with |it in a `with`)")
_CLOSING = ("close", "stop", "shutdown")


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes what the message says. A call of the closing method at the end of the uses becomes needless."""
    if _OBJECT not in finding.message or finding.holding is not Holding.SOLE:
        return
    made, call = made_by(file, finding), _CALL.search(finding.message)
    if made is None or rebinds(made.place.later, [made.name]):
        return
    if call is not None:
        close = f"{made.name}.{call[1]}()"
        yield from ended(made, [close], needless=close)
    elif _BLOCK.search(finding.message):
        for close in _closes(made):
            yield from managed(made, close)


def _closes(made: Made) -> list[str]:
    """Returns the calls of closing methods among the uses of an object, and none at all."""
    called = {made.file.code(node) for one in made.place.later for node in nodes(one)}
    return [*(f"{made.name}.{name}()" for name in _CLOSING if f"{made.name}.{name}()" in called), ""]
