"""The same meaning, the same verdict: each file of ``rewrites`` has one defect in many forms, or correct code.

A form begins with ``=== its name``, and after a plus sign come the other rules that it breaks. What makes a defect
worse or better known may differ between forms, but not which rule finds it, and none has a low confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fdlint.core.finding import Confidence
from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source

REWRITES = Path(__file__).parent / "rewrites"
CORRECT = "correct"
EVERYTHING = Options(levels=Levels(Persona.AUDITOR))
_FORM = re.compile(
    r"^=== (?P<name>[^+\n]+?)(?: \+ (?P<others>[FD\d ]+))?\n(?P<code>.*?)(?=^=== |\Z)", re.DOTALL | re.MULTILINE
)
_OPENED = "FD302"  # most forms do not care about it
_IMPORTS = {
    "python": """\
import array, contextlib, dataclasses, fcntl, functools, itertools, os, selectors, signal, socket, struct, subprocess
import sys, tempfile, threading
from multiprocessing import reduction
from typing import NamedTuple
""",
    "go": """\
package p

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)
""",
}
_SUFFIX = {"python": "py", "go": "go"}


class Form(NamedTuple):
    """One form of a defect, or of correct code (``codes`` is empty)."""

    language: str
    codes: frozenset[str]
    name: str
    code: str


def forms() -> Iterator[Form]:
    for path in sorted(REWRITES.glob("*/*.txt")):
        for found in _FORM.finditer(path.read_text(encoding="utf-8")):
            codes = {path.stem, *(found["others"] or "").split()} - {CORRECT}
            yield Form(path.parent.name, frozenset(codes), found["name"], found["code"])


@pytest.mark.parametrize(
    "form", forms(), ids=lambda form: f"{form.language}-{'-'.join(sorted(form.codes))}-{form.name}"
)
def test_form(form: Form) -> None:
    code = f"{_IMPORTS[form.language]}\n{form.code}"
    report = scan_source(code.encode(), f"case.{_SUFFIX[form.language]}", EVERYTHING)
    assert not report.skipped
    found = {one.code: one.confidence for one in report.findings}
    assert found.keys() - ({_OPENED} - form.codes) == form.codes
    assert Confidence.LOW not in found.values()


def test_names_are_unique() -> None:
    known = [(one.language, one.codes, one.name) for one in forms()]
    assert len(known) == len(set(known))
