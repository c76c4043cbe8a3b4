"""After an edit, a text is analysed part by part. The results must be those of a complete analysis."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from fdlint.report.findings.persona import EVERYTHING as EVERYTHING_SHOWN
from fdlint.scan import analysis
from fdlint.scan.live import Live, Seen
from fdlint.scan.options import Options

EVERYTHING = Options(levels=EVERYTHING_SHOWN, suppressions=False, select=("FD",))
CODE = """\
import os
import socket

FDS = []
_lock = None


def opened(path):
    fd = os.open(path, os.O_RDONLY)
    if not path:
        return None
    return fd


def used(path):
    fd = opened(path)
    data = os.read(fd, 10)
    os.close(fd)
    return data


def kept(path):
    global _lock
    if _lock is not None:
        os.close(_lock)
    _lock = opened(path)
    FDS.append(opened(path))


class Base:
    def __init__(self, path):
        self.fd = opened(path)

    def close(self):
        os.close(self.fd)
        self.fd = None


class Device(Base):
    def __init__(self, path):
        super().__init__(path)
        self.pipe = os.pipe()

    def stop(self):
        os.close(self.fd)
        self.release()

    def release(self):
        for fd in self.pipe:
            os.close(fd)


def received(sock):
    msg, fds, flags, addr = socket.recv_fds(sock, 10, 4)
    device = Device(msg)
    device.stop()
    return fds[0]


def drop(device):
    device.fd = None


if os.name == "posix":

    def again(path):
        fd = opened(path)
        return os.dup(fd)


STANDARD = opened("/dev/null")
if __name__ == "__main__":
    used("a")
    kept("b")
"""


def shown(seen: Seen) -> object:
    report = seen.report
    effects = sorted((one.name, one.line, one.said) for one in seen.effects)
    withheld = [(one.finding.code, one.finding.span) for one in report.withheld]
    return report.findings, report.skipped, sorted(withheld), effects


def test_a_function_that_names_attributes_by_strings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what asks whether some code may do so is followed again."""
    code = CODE.replace("    device.fd = None", "    setattr(device, 'fd', None)\n    used(device)")
    kept: list[bool] = []
    original = analysis.edit_of
    monkeypatch.setattr(
        analysis, "edit_of", lambda *given: [found := original(*given), kept.append(found is not None)][0]
    )
    path, live = tmp_path / "a.py", Live()
    live.look(code.encode(), path, options=EVERYTHING)
    for before, after in (
        ("    used(device)", "    opened(device)"),
        ("'fd', None)", "'pipe', None)"),
        ("    used(device)", "    used(getattr(device, 'fd'))"),
    ):
        code = code.replace(before, after)
        found = shown(live.look(code.encode(), path, options=EVERYTHING))
        assert found == shown(Live().look(code.encode(), path, options=EVERYTHING)), code
    assert kept == [True, True]


def test_what_is_analysed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of a function costs that function, and what mentions it."""
    looked: list[str | None] = []
    original = analysis.Search._function
    monkeypatch.setattr(
        analysis.Search,
        "_function",
        lambda self, graph, closes: looked.append(graph.name) or original(self, graph, closes),
    )
    path, live = tmp_path / "a.py", Live()
    live.look(CODE.encode(), path)
    looked.clear()
    live.look(CODE.replace("    data = os.read(fd, 10)", "    data = os.read(fd, 20)").encode(), path)
    assert "used" in looked
    assert not {"opened", "kept", "received", "Device.stop"}.intersection(looked)


COMMENTED = CODE.replace("def kept(path):", 'def kept(path):\n    """Keeps it.\n\n    # no comment\n\n    """').replace(
    "    device = Device(msg)", "    device = Device(\n        msg\n    )  # fdlint: ignore\n    x = \\\n        1"
)


def layouts(text: str, choose: random.Random, times: int) -> Iterator[str]:
    """Yields texts, each one with a comment or an empty line more or less, or with another comment."""
    for _ in range(times):
        lines = text.split("\n")
        at = choose.randrange(2, len(lines))
        new = choose.choice(["", "# new", "    # new", "   ", "# fdlint: ignore", lines[at] + "  # behind", "'' # x"])
        choice = choose.random()
        if choice < 0.5:
            lines.insert(at, new)
        elif choice < 0.8:
            lines[at] = new if "#" in lines[at] or not lines[at].strip() else f"{lines[at]}  # {choice}"
        elif not lines[at].strip():
            del lines[at]
        text = "\n".join(lines)
        yield text


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    looked: list[object] = []
    original = analysis.edit_of
    monkeypatch.setattr(analysis, "edit_of", lambda *given: looked.append(given) or original(*given))
    return looked


def test_edits_of_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, live = tmp_path / "a.py", Live()
    live.look(COMMENTED.encode(), path, options=EVERYTHING)
    looked, texts = looked_at(monkeypatch), list(layouts(COMMENTED, random.Random(0), 10))
    for text in texts:
        found, whole = (one.look(text.encode(), path, options=EVERYTHING) for one in (live, Live()))
        assert shown(found) == shown(whole), text
        assert [one.span for one in found.closings] == [one.span for one in whole.closings]
    assert len(looked) <= len(texts) // 2


def test_a_comment_costs_no_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, live, looked = tmp_path / "a.py", Live(), looked_at(monkeypatch)
    live.look(CODE.encode(), path)
    after = CODE.replace("    data = os", "    # a word\n\n    data = os").replace(
        "global _lock", "global _lock  # why"
    )
    first, last = CODE.replace("    data = os", "    # a word\n\n    data = os"), after
    for text in (first, last):
        assert shown(live.look(text.encode(), path)) == shown(Live().look(text.encode(), path))
    assert not looked
    code = last.replace("fd, 10", "fd, 20")
    assert shown(live.look(code.encode(), path)) == shown(Live().look(code.encode(), path))
    assert len(looked) == 1


def test_files_that_import_each_other_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the other file does not follow what this one defines."""
    (tmp_path / "b.py").write_text(
        "import os\nimport a\n\n\ndef opened(path):\n    return os.open(path, os.O_RDONLY)\n"
    )
    code = "import os\nimport b\n\n\ndef used(path):\n    os.close(b.opened(path))\n    return os.open(path, 10)\n"
    code += "\n\ndef lost(path):\n    fd = b.opened(path)\n    return os.read(fd, 10)\n"
    path, live, made = tmp_path / "a.py", Live(), list[object]()
    path.write_text(code)
    original = analysis.fresh_knowledge
    monkeypatch.setattr(analysis, "fresh_knowledge", lambda *given: made.append(given) or original(*given))
    for number in range(3):
        found = live.look(code.replace("10", str(number)).encode(), path).report.findings
        assert [one.code for one in found] == ["FD101"]
    assert len(made) == 1
    live.look(code.replace("def used", "def other(): pass\n\n\ndef used").encode(), path)
    assert len(made) == 2
