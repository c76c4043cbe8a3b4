"""The gate of real code, on wheels that the test makes."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.ecosystem import __main__ as command
from tests.ecosystem.gate import Wheel, difference, found_in, unpack, wheels

LEAK = "import os\n\n\ndef f(path):\n    fd = os.open(path, 0)\n    print(path)\n"


def wheel(directory: Path, name: str, **files: str) -> Wheel:
    path = directory / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in files.items():
            archive.writestr(place.replace("__", "/") + ".py", text)
    return Wheel(path)


def test_each_finding_and_each_skipped_file_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    wheel(tmp_path / "wheels", "Leaky", pkg__a=LEAK, pkg__b="import os\nos.open(\n")
    found = [json.loads(one) for one in found_in(tmp_path / "wheels", tmp_path / "work")]
    assert [(one["package"], one["path"], one.get("line"), one.get("code")) for one in found] == [
        ("leaky", "pkg/a.py", 5, "FD101"),
        ("leaky", "pkg/b.py", None, None),
    ]


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    path = tmp_path / "evil-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../out.py", "/tmp/out_of_the_wheel.py", "in.py", "lib.so"):
            archive.writestr(name, "x = 1\n")
    unpack(Wheel(path), tmp_path / "work" / "evil")
    assert [one.relative_to(tmp_path).as_posix() for one in sorted(tmp_path.rglob("*")) if one.is_file()] == [
        "evil-1.0-py3-none-any.whl",
        "work/evil/in.py",
    ]


def test_what_differs() -> None:
    assert difference(["a", "b", "b"], ["b", "c"]) == ["-a", "-b", "+c"]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "packages.txt").write_text("one==1.0 --hash=sha256:0\n")
    monkeypatch.setattr(command, "HERE", tmp_path)
    monkeypatch.setattr(command, "FINDINGS", tmp_path / "findings.jsonl")
    monkeypatch.setattr("sys.argv", ["gate", str(tmp_path)])
    assert command.main() == 2
    wheel(tmp_path, "one", a=LEAK)
    assert [one.name for one in wheels(tmp_path)] == ["one"]
    assert command.main() == 1
    assert '+{"package": "one", "path": "a.py", "line": 5' in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["gate", str(tmp_path), "--update"])
    assert command.main() == 0
    monkeypatch.setattr("sys.argv", ["gate", str(tmp_path)])
    assert command.main() == 0
