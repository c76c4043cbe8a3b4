"""``fdlint doctor --source``: from the descriptors of a process to the calls that make them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from proctree import ON_LINUX, build

from fdlint.languages.go.description import GO
from fdlint.runtime.doctor.examination import Examination, examine
from fdlint.runtime.doctor.ranking import matches, read, with_code
from fdlint.runtime.doctor.sites import sites_of
from fdlint.runtime.doctor.text import render
from fdlint.scan.files.discover import discover

pytestmark = ON_LINUX
BROKER = """
import os
import socket

DEVICE = "/dev/fuse"


def hand_out(peer: socket.socket) -> None:
    fd = os.open(DEVICE, os.O_RDWR)
    socket.send_fds(peer, [b"mounted"], [fd])


def read_configuration(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
"""


def write(directory: Path, **files: str) -> str:
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text, encoding="utf-8")
    return str(directory)


def examined(tmp_path: Path, project: str, fds: Sequence[Any], **process: Any) -> Examination:
    tree = tmp_path / "tree"
    tree.mkdir()
    found = examine(build(tree, [{"pid": 1}, {"pid": 50, "name": "broker", "fds": fds, **process}]), [50])
    return with_code(found, read(project))


def suspects(found: Examination) -> list[tuple[int, bool, int, list[str]]]:
    return [(one.site.line, one.exact, one.open, [each.code for each in one.findings]) for one in found.suspects[50]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def test_the_call_that_opens_exactly_these(tmp_path: Path, project: Path) -> None:
    fds = [{"link": "/dev/null", "count": 3}, "socket:[5]", {"link": "/dev/fuse", "count": 17}]
    found = examined(tmp_path, write(project, broker=BROKER), fds, unix=[5])
    assert suspects(found) == [(9, True, 17, ["FD104"])]
    text = "\n".join(line.plain for line in render(found))
    assert "broker.py:9 makes exactly these; 17 open" in text
    assert "  FD104   at " in text


def test_paths_in_parts(tmp_path: Path, project: Path) -> None:
    code = (
        "import os\n\n\ndef save(step, base):\n"
        "    os.open(f'/scratch/step-{step}.bin', os.O_WRONLY)\n"
        "    os.open(os.path.join(base, 'log', 'x.bin'), os.O_WRONLY)\n"
        "    os.open('/elsewhere/' + step, os.O_WRONLY)\n"
    )
    found = examined(
        tmp_path, write(project, save=code), [{"link": "/scratch/step-{}.bin (deleted)", "count": 6, "bytes": 512}]
    )
    assert suspects(found) == [(5, True, 6, ["FD107"])]


def test_pools(tmp_path: Path, project: Path) -> None:
    code = (
        "import multiprocessing\n\n\ndef work(jobs):\n    for job in jobs:\n"
        "        pool = multiprocessing.Pool(1)\n        pool.apply(print, (job,))\n"
    )
    ends = [{"link": "pipe:[{}]", "count": 20, "flags": flags} for flags in ("00", "01")]
    found = examined(tmp_path, write(project, work=code), ["/dev/null", "/dev/null", "/dev/null", *ends])
    assert suspects(found) == [(6, True, 40, ["FD401"])]


def test_a_call_that_fits_better_leaves_others_out(tmp_path: Path, project: Path) -> None:
    loses = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
    fds = [{"link": "/dev/null", "count": 3}, "socket:[5]", {"link": "/dev/fuse", "count": 17}]
    found = examined(tmp_path, write(project, broker=BROKER, loses=loses), fds, unix=[5])
    assert suspects(found) == [(9, True, 17, ["FD104"])]


def test_a_finding_that_may_fit(tmp_path: Path, project: Path) -> None:
    loses = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
    fds = [{"link": "/dev/null", "count": 3}, {"link": "/dev/fuse", "count": 17}]
    found = examined(tmp_path, write(project, loses=loses), fds)
    assert suspects(found) == [(5, False, 17, ["FD107"])]
    assert "can make these (device); 17 open" in "\n".join(line.plain for line in render(found))


def test_without_a_pattern_only_what_fits_for_certain(tmp_path: Path, project: Path) -> None:
    fds = [{"link": "/dev/null", "count": 3}, "/dev/fuse", "/etc/passwd", "socket:[5]"]
    found = examined(tmp_path, write(project, broker=BROKER), fds)
    assert suspects(found) == [(9, True, 1, ["FD104"])]


def sites(project: Path, code: str) -> list[tuple[int, str, tuple[str | None, ...]]]:
    (file,) = discover([write(project, module=code)]).files
    return [(one.line, one.api.rpartition(".")[2], one.parts) for one in sites_of(file)]


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("'/dev/fuse'", ("/dev/fuse",)),
        ("file='/dev/fuse'", ("/dev/fuse",)),
        ("NAME", ("/dev/x",)),
        ("TWICE", ()),
        ("LOOP", ()),
        ("f'/a/{x}/b'", ("/a/", None, "/b")),
        ("'/a/' + x", ("/a/", None)),
        ("os.path.join('/a', 'b', x)", ("/a/b/", None)),
        ("pathlib.Path('/a') / 'b'", ("/a/b",)),
        ("x", ()),
        ("f'{x}/{y}'", ()),
        ("b'/a'", ()),
    ],
)
def test_spelled_paths(project: Path, argument: str, parts: tuple[str | None, ...]) -> None:
    head = "import os, pathlib\nNAME = '/dev/x'\nTWICE = '/a'\nTWICE = '/b'\nLOOP = LOOP\n"
    assert sites(project, f"{head}open({argument})\n") == [(6, "open", parts)]


def test_names_that_mean_acquiring_calls(project: Path) -> None:
    head = "import os as system\nfrom os import pipe as p\nimport socket\n"
    code = f"{head}system.open(x, 0)\np()\nsocket.socket()\nx.open()\n"
    assert sites(project, code) == [(4, "open", ()), (5, "pipe", ()), (6, "socket", ())]


NAMES = "".join(f"A{n} = join({', '.join([f'A{n - 1}'] * 90)})\n" for n in range(1, 8))
HOSTILE = [
    "def (",
    "\0",
    "(" * 5000,
    "x = " + "-" * 100_000 + "1",
    "open(" + "'a' + " * 3000 + "'')",
    f"{NAMES}open(A7)",
]


@pytest.mark.parametrize("code", HOSTILE)
def test_code_that_cannot_be_read(project: Path, code: str) -> None:
    assert [one for one in sites(project, code) if one[2]] == []


@pytest.mark.parametrize(
    ("parts", "path", "fits"),
    [
        (("/dev/fuse",), "/dev/fuse", True),
        (("/dev/fuse",), "/dev/fuse2", False),
        (("a.bin",), "/srv/a.bin", True),
        (("./a.bin",), "/srv/a.bin", True),
        (("a.bin",), "/srv/ba.bin", False),
        (("/a/", None, "/b"), "/a/x/y/b", True),
        (("/a/", None, "/b"), "/a/b", False),
        (("/a/", None), "/a/x", True),
        ((None, "/b"), "/a/b", True),
        ((None, "/b", None), "/a/b/c", True),
        ((None, "/b", None), "/a/c", False),
        ((None, "/b", None, "/b"), "/b", False),
        ((None, "/b", None, "/b"), "/b/b", True),
    ],
)
def test_matching(parts: tuple[str | None, ...], path: str, fits: bool) -> None:
    assert matches(parts, path) is fits


@pytest.mark.skipif(not GO.parser.is_installed, reason="the parser of Go is not installed: pip install 'fdlint[go]'")
def test_a_call_in_go(tmp_path: Path, project: Path) -> None:
    (project / "go.mod").write_text("module example.org/probe\n")
    code = (
        'package probe\n\nimport "golang.org/x/sys/unix"\n\nfunc Busy() bool {\n'
        '\t_, err := unix.Open("/dev/vfio/7", unix.O_RDWR|unix.O_CLOEXEC, 0)\n\treturn err != nil\n}\n'
    )
    (project / "probe.go").write_text(code)
    found = examined(tmp_path, str(project), [{"link": "/dev/null", "count": 3}, {"link": "/dev/vfio/7", "count": 9}])
    assert suspects(found) == [(6, True, 9, ["FD107"])]
