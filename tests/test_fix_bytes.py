"""Fixes in files with unusual bytes: what a fix does not change stays, byte for byte."""

from __future__ import annotations

import ast
import stat
from pathlib import Path

import pytest

from fdlint.cli import main

CODE = """\
import os


def size(p):
    fd = os.open(p, 0)
    n = os.fstat(fd).st_size
    os.close(fd)
    return n
"""
BEFORE = "    n = os.fstat"
FORMS = {
    "crlf": CODE.replace("\n", "\r\n"),
    "lone carriage returns": CODE.replace("\n", "\r"),
    "tabs": CODE.replace("    ", "\t"),
    "byte order mark": "\ufeff" + CODE,
    "no newline at the end": CODE.rstrip("\n"),
    "form feed": CODE.replace("\n\n\ndef", "\n\n\x0c\ndef"),
    "separators in a string": CODE.replace(BEFORE, f"    x = 'a\x0bb\u2028c'\n{BEFORE}"),
    "text on several lines": CODE.replace(BEFORE, f'    x = """a\n  b\n"""\n{BEFORE}'),
    "a string with a backslash": CODE.replace(BEFORE, f"    x = 'a\\\nb'\n{BEFORE}"),
    "a continued line": CODE.replace("n = os.fstat(fd)", "n = \\\n        os.fstat(fd)"),
    "f-strings": CODE.replace(BEFORE, f"    x = f'{{p!r:>{{len(p)}}}}'\n{BEFORE}"),
    "wide characters": CODE.replace("os.open(p, 0)", "os.open('ü€𝒳' + p, 0)"),
    "a decorator": CODE.replace("def size", "@staticmethod\ndef size"),
    "a coroutine": CODE.replace("def size", "async def size").replace(BEFORE, f"    await work()\n{BEFORE}"),
    "a branch on one line": CODE.replace(BEFORE, f"    if p: return 1\n{BEFORE}"),
    "a comment behind the close": CODE.replace("os.close(fd)", "os.close(fd)  # done"),
}


@pytest.mark.parametrize("form", FORMS)
def test_form(tmp_path: Path, form: str) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(FORMS[form].encode())
    file.chmod(0o750)
    main(["scan", "--isolated", "--no-cache", "-q", "--persona=auditor", "--fix", str(file)])
    found = file.read_bytes()
    assert b"finally:" in found
    ast.parse(found)
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    lines = {line.strip() for line in FORMS[form].encode().split(b"\r" if b"\r" in found else b"\n")}
    assert lines <= {line.strip() for line in found.split(b"\r" if b"\r" in found else b"\n")}
    assert found.endswith((b"\n", b"\r")) == FORMS[form].endswith(("\n", "\r"))
    main(["scan", "--isolated", "--no-cache", "-q", "--persona=auditor", "--fix", str(file)])
    assert file.read_bytes() == found


def test_what_has_no_place_for_a_line_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    code = "import os\n\n\ndef size(p):\n    fd = os.open(p, 0); n = os.fstat(fd).st_size; os.close(fd); return n\n"
    file.write_text(code)
    main(["scan", "--isolated", "--no-cache", "-q", "--persona=auditor", "--fix", str(file)])
    assert file.read_text() == code
