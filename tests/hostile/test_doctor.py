"""``fdlint doctor`` shows names of processes, paths and code as text, in every format."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from proctree import ON_LINUX, build

from fdlint.runtime.doctor import document, html
from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.ranking import read, with_code
from fdlint.runtime.doctor.text import render

pytestmark = ON_LINUX

ATTACK = "</style><script>alert(1)</script>\n::error::a\x1b[31m\u202e##[error]b \udcff"
CODE = 'import os\nos.open("/dev/vfio/7", 0)  # </code><script>alert(1)</script> \x1b[1m ##[error]c\n'


@pytest.fixture
def found(tmp_path: Path) -> Examination:
    tree, project = tmp_path / "tree", tmp_path / "::error::project"
    tree.mkdir()
    project.mkdir()
    (project / "a.py").write_text(CODE, encoding="utf-8")
    fds = [f"/tmp/{ATTACK.replace('/', '_')}{{}} (deleted)", f"anon_inode:[{ATTACK}]", f"/memfd:{ATTACK} (deleted)"]
    process = {
        "pid": 50,
        "name": ATTACK,
        "cgroup": ATTACK.replace("\n", " "),
        "threads": [{"tid": 50, "name": ATTACK, "state": "D", "wchan": ATTACK}],
        "fds": [
            *({"link": link, "count": 9, "fdinfo": [f"fuse_connection: {ATTACK}"], "bytes": 512} for link in fds),
            {"link": "/dev/vfio/7", "count": 9},
            {"link": "/dev/net/tun", "count": 2, "fdinfo": [f"iff: {ATTACK}{{}}"]},
            {"link": f"/dev/vfio/{ATTACK.replace('/', '_')}", "count": 9},
        ],
    }
    examined = examine(build(tree, [{"pid": 1}, process], {}), [50, 51])
    assert examined.has_findings
    return with_code(examined, read(str(project)))


def controls(text: str) -> set[str]:
    return {one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def commands(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"\s*::", line) or re.search(r"##\w*\[", line)]


def test_text(found: Examination) -> None:
    text = "\n".join(line.plain for line in render(found))
    assert (controls(text), commands(text)) == (set(), [])
    assert r"\x1b[31m" in text
    assert "a.py:2 makes exactly these; 9 open" in text


def test_json(found: Examination) -> None:
    text = document.render(found)
    assert text.isascii()
    assert commands(text) == []
    assert json.loads(text)["processes"][0]["name"].startswith("</style><script>")


def test_html(found: Examination) -> None:
    text = html.render(found)
    assert "<script" not in text
    assert text.count("</style>") == 1
    assert (controls(text), commands(text)) == (set(), [])
    assert "default-src &#39;none&#39;" in text
