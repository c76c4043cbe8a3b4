"""What is said of an attribute gives way to any other file that has to do with it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fdlint.languages.python import usage as python_usage
from fdlint.program import witness
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import Options, scan
from tests.test_cases import EVERYTHING

KEEPER = """
import os


class Radio:
    def __init__(self, path):
        self.radio_fd = os.open(path, os.O_RDWR)

    def send(self, frame):
        os.write(self.radio_fd, frame)
"""
FORGETTER = (
    KEEPER
    + """
    def stop(self):
        self.radio_fd = -1
"""
)


def codes(tree: Path, *names: str, options: Options = EVERYTHING) -> list[str]:
    found = discover([str(tree / name) for name in names] or [str(tree)])
    return [finding.code for finding in scan(found.files, options).findings]


def write(tree: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return tree


@pytest.mark.parametrize(("text", "code"), [(KEEPER, "FD108"), (FORGETTER, "FD105")])
class TestClaim:
    def test_holds_in_a_file_alone(self, tmp_path: Path, text: str, code: str) -> None:
        assert codes(write(tmp_path, {"radio.py": text})) == [code]

    @pytest.mark.parametrize(
        "other",
        [
            "import os\n\ndef stop(radio):\n    os.close(radio.radio_fd)\n",
            "def stop(pool, radio):\n    pool.recycle(radio.radio_fd)\n",
            "import os\n\ndef stop(radio):\n    os.close(getattr(radio, 'radio_fd'))\n",
            "import os\nfrom radio import Radio\n\nclass Quiet(Radio):\n"
            "    def stop(self):\n        os.close(self.radio_fd)\n",
        ],
        ids=["closed", "given to somebody", "by its name", "by an heir"],
    )
    def test_gives_way_to_another_file(self, tmp_path: Path, text: str, code: str, other: str) -> None:
        assert codes(write(tmp_path, {"radio.py": text, "other.py": other})) == []

    def test_gives_way_to_a_file_that_is_not_scanned(self, tmp_path: Path, text: str, code: str) -> None:
        other = "import os\n\ndef stop(radio):\n    os.close(radio.radio_fd)\n"
        tree = write(tmp_path, {"pyproject.toml": "", "src/radio.py": text, "tools/other.py": other})
        assert codes(tree, "src/radio.py") == []

    @pytest.mark.parametrize(
        "other",
        [
            "import os\n\nclass Lamp:\n    def off(self):\n        os.close(self.radio_fd)\n",
            "def fill(radio, fd):\n    radio.radio_fd = fd\n",
            "radio_fd = 3\nprint(radio_fd)\n",
            "def show(radio):\n    print(\n        radio.name,\n        radio.radio_fd,\n    )\n",
            "def busy(radio):\n    return (\n        radio.radio_fd > 2\n    )\n",
            "class Lamp:\n    def off(self):\n        return getattr(self, 'radio_fd')\n",
            "def stop(radio):\n    'Closes radio.radio_fd.'\n",
        ],
        ids=[
            "another class's own",
            "filled from outside",
            "another name",
            "printed",
            "compared",
            "its own by name",
            "in a docstring",
        ],
    )
    def test_stands_against_what_has_nothing_to_do_with_it(
        self, tmp_path: Path, text: str, code: str, other: str
    ) -> None:
        assert codes(write(tmp_path, {"radio.py": text, "other.py": other})) == [code]


def test_a_file_of_another_language_says_nothing_about_an_attribute(tmp_path: Path) -> None:
    other = "package p\n\nfunc stop(radio *Radio) { unix.Close(radio.radio_fd) }\n"
    assert codes(write(tmp_path, {"radio.py": KEEPER, "other.go": other})) == ["FD108"]


def test_a_base_class_in_another_file_closes_an_attribute(tmp_path: Path) -> None:
    base = "import os\n\nclass Base:\n    def close(self):\n        os.close(self.radio_fd)\n"
    heir = "import os\nfrom base import Base\n\nclass Radio(Base):\n    def __init__(self, path):\n"
    heir += "        self.radio_fd = os.open(path, os.O_RDWR)\n"
    assert codes(write(tmp_path, {"radio.py": heir, "base.py": base})) == []
    assert codes(write(tmp_path, {"base.py": base.replace("radio_fd", "other")})) == ["FD108"]


def test_a_base_class_in_another_file_closes_one_of_a_pair(tmp_path: Path) -> None:
    base = "import os\n\nclass Base:\n    def close(self):\n        fd, self.one = self.one, -1\n        os.close(fd)\n"
    heir = "import pty\nfrom base import Base\n\nclass Radio(Base):\n    def __init__(self):\n"
    heir += "        self.one, self.other = pty.openpty()\n"
    assert codes(write(tmp_path, {"radio.py": heir, "base.py": base})) == ["FD108"]
    assert codes(write(tmp_path, {"base.py": base + "        os.close(self.other)\n"})) == []


def test_a_function_of_another_module_only_uses_an_attribute(tmp_path: Path) -> None:
    """The other module mentions nothing that acquires."""
    use = "import os\n\ndef wait(fd):\n    os.read(fd, 1)\n"
    ring = "import os\nfrom .use import wait\n\nclass Ring:\n    def __init__(self, path):\n"
    ring += "        self.ring_fd = os.open(path, os.O_RDWR)\n\n    def take(self):\n        wait(self.ring_fd)\n"
    assert codes(write(tmp_path, {"p/__init__.py": "", "p/ring.py": ring, "p/use.py": use})) == ["FD108"]
    assert codes(write(tmp_path, {"p/use.py": use + "    os.close(fd)\n"})) == []


def test_a_file_that_cannot_be_parsed_may_close_an_attribute(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"radio.py": KEEPER, "other.py": "print 'radio_fd'\n"})) == []
    assert codes(write(tmp_path, {"radio.py": KEEPER, "other.py": "print radio. radio_fd\n"})) == []


def test_a_variable_in_a_file_that_cannot_be_parsed_is_no_attribute(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"radio.py": KEEPER, "other.py": "print radio_fd\n"})) == ["FD108"]


def test_the_next_rule_holds_when_an_attribute_is_closed_elsewhere(tmp_path: Path) -> None:
    text = KEEPER.replace("os.O_RDWR)", "os.O_RDWR)\n        os.stat(0)")
    assert codes(write(tmp_path / "one", {"radio.py": text})) == ["FD108"]
    other = "import os\n\ndef stop(radio):\n    os.close(radio.radio_fd)\n"
    assert codes(write(tmp_path / "two", {"radio.py": text, "other.py": other})) == ["FD103"]


IN_VAIN = """
import os


class Radio:
    def __init__(self, fd):
        self.fd = fd

    def stop(self):
        if self.fd is not None:
            self.fd = None
            os.close(self.fd)
"""
IN_TIME = IN_VAIN.replace("            self.fd = None\n            os.close(self.fd)", "            self.fd = None")
OTHER = "from radio import Radio\n\n\ndef stop(radio):\n    return radio.fd.stop()\n"


def test_a_close_of_what_was_just_reset_is_no_claim(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"radio.py": IN_VAIN, "user.py": OTHER})) == ["FD105"]


def test_a_reset_alone_is_a_claim(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"radio.py": IN_TIME, "user.py": OTHER})) == []


RECEIVER = """
import socket


def receive(sock):
    message, fds, flags, address = socket.recv_fds(sock, 1024, 4)
    return fds
"""
GUARDING = """
import os
from wire import receive


def adopt(sock):
    fds = receive(sock)
    for fd in fds:
        os.set_inheritable(fd, False)
    return fds
"""


def test_what_a_function_received_may_be_guarded_by_its_caller_in_another_file(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"wire.py": RECEIVER})) == ["FD301"]
    assert codes(write(tmp_path, {"wire.py": RECEIVER, "adopt.py": GUARDING})) == []


OPENER = "import os\n\n\ndef buffer():\n    return os.memfd_create('x', os.MFD_ALLOW_SEALING)\n"
STARTER = "import os\n\n\ndef become(path):\n    os.execv(path, [path])\n"
GO_OPENER = (
    'package p\n\nimport "golang.org/x/sys/unix"\n\nfunc open(path string) (int, error) {\n'
    "\treturn unix.Open(path, unix.O_RDWR, 0)\n}\n"
)
GO_STARTER = 'package q\n\nimport "os/exec"\n\nfunc run() error { return exec.Command("x").Start() }\n'


@pytest.mark.parametrize(
    ("opener", "starter", "suffix"), [(OPENER, STARTER, ".py"), (GO_OPENER, GO_STARTER, ".go")], ids=["python", "go"]
)
def test_what_is_opened_inheritable_matters_where_any_file_starts_programs(
    tmp_path: Path, opener: str, starter: str, suffix: str
) -> None:
    tree = write(tmp_path, {f"a/opener{suffix}": opener, "pyproject.toml": ""})
    shown = partial(codes, options=Options())
    assert shown(tree) == []
    assert shown(write(tree, {f"tests/starter{suffix}": starter})) == []
    assert shown(write(tree, {f"b/starter{suffix}": starter})) == ["FD302"]
    assert shown(tree, "a") == ["FD302"]  # the other file belongs to the project, too


@pytest.mark.parametrize("method", ["Run", "Output", "CombinedOutput"])
def test_a_program_that_is_waited_for_keeps_nothing(tmp_path: Path, method: str) -> None:
    waiting = GO_STARTER.replace("Start", method) + "func (s *server) Start() { s.other.Start() }\n"
    tree = write(tmp_path, {"a/opener.go": GO_OPENER, "b/runner.go": waiting, "pyproject.toml": ""})
    assert codes(tree, options=Options()) == ["FD302"]  # ``Start`` may be that of a command
    write(tree, {"b/runner.go": GO_STARTER.replace("Start", method)})
    assert codes(tree, options=Options()) == []


def test_a_file_is_read_once_for_an_attribute_of_many_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    usual = python_usage.USAGE
    rules = replace(usual, facts=lambda data: read.append(data) or usual.facts(data))
    monkeypatch.setattr(witness, "usage_rules", lambda _: rules)
    classes = KEEPER + "".join(KEEPER.replace("Radio", f"Radio{number}") for number in range(20))
    assert codes(write(tmp_path, {"radio.py": classes, "other.py": "radio_fd = 1\n"})) == ["FD108"] * 21
    assert read == [b"radio_fd = 1\n"]


BASE = """
import os


class Output:
    def __init__(self, path):
        self.path = path
        self.output_fd = -1

    def open(self):
        self.output_fd = os.open(self.path, os.O_WRONLY)

    def close(self):
        if self.output_fd != -1:
            os.close(self.output_fd)
        self.output_fd = -1
"""
HEIR = """
import os
from output import Output


class Direct(Output):
    def finish(self):
        if self.output_fd == -1:
            return
        self.output_fd = os.open(self.path, os.O_RDONLY)
        self.close()
"""


def test_the_methods_of_a_base_in_another_file_are_known(tmp_path: Path) -> None:
    assert codes(write(tmp_path, {"output.py": BASE, "direct.py": HEIR})) == ["FD105"]


def test_another_heir_may_close_what_the_heir_overwrites(tmp_path: Path) -> None:
    other = "import os\nfrom direct import Direct\n\nclass Safe(Direct):\n"
    other += "    def finish(self):\n        fd = self.output_fd\n        super().finish()\n        os.close(fd)\n"
    assert codes(write(tmp_path, {"output.py": BASE, "direct.py": HEIR, "safe.py": other})) == []
