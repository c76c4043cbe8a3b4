"""``fdlint scan`` on trees with Go in them; Semgrep is played by a script, since what it says is its own affair."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fdlint.cli import main
from fdlint.driver import go_engine
from fdlint.go import semgrep

LEAK = """\
package p

func probe(path string) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)%s
	return err
}
"""
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys
files = sys.argv[sys.argv.index("--") + 1:]
pathlib.Path(os.environ["CALLED"]).open("a").write(json.dumps(sys.argv[1:]) + "\\n")
if os.environ.get("BROKEN"):
    sys.exit("it is broken")
results = [
    {{
        "check_id": "go.never-closed", "path": name,
        "start": {{"line": 4, "col": 13, "offset": 0}}, "end": {{"line": 4, "col": 59, "offset": 0}},
        "extra": {{
            "message": "`fd` from `unix.Open(path)` is never closed", "severity": "ERROR",
            "metadata": {{"fdlint": os.environ.get("CODE", "FD101")}},
        }},
    }}
    for name in files
]
errors = [{{"type": "Timeout", "path": name, "message": "slow"}} for name in files if "slow" in name]
version = os.environ.get("VERSION", "1.182.0")
print(json.dumps({{"version": version, "results": results, "errors": errors}}))
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "tree"
    top.mkdir()
    (top / ".git").mkdir()
    monkeypatch.chdir(top)
    monkeypatch.setenv("CALLED", str(tmp_path / "called"))
    return top


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "semgrep"
    program.write_text(STAND_IN)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(semgrep, "executable", lambda: str(program))
    return tmp_path / "called"


def scan(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main(["scan", "-q", "--semgrep", "--output-format", "json", *arguments])
    return status, json.loads(capsys.readouterr().out)


def put(path: str, text: str = LEAK % "") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


@pytest.mark.usefixtures("tree")
class TestWithSemgrep:
    def test_a_finding_like_any_other(self, stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put("pkg/probe.go")
        put("leak.py", "import os\n\n\ndef probe(path):\n    os.open(path, os.O_RDONLY)\n")
        status, report = scan(capsys, ".")
        assert status == 1
        python, go = report["findings"]
        assert (python["language"], python["code"]) == ("python", "FD107")
        assert (go["language"], go["code"], go["path"]) == ("go", "FD101", "pkg/probe.go")
        assert (go["function"], go["api"], go["line"]) == ("probe", "unix.Open", 4)
        assert [event["event"] for event in go["trace"]] == ["acquired", "leaked"]
        assert len(go["fingerprint"]) == 16
        assert report["summary"]["counts"] == {"FD101": 1, "FD107": 1}

    def test_one_offline_call_for_the_files_that_matter(
        self, stand_in: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put("a.go")
        put("b.go")
        put("c.go", "package p\n\nfunc f() {}\n")
        scan(capsys, ".")
        (call,) = [json.loads(line) for line in stand_in.read_text().splitlines()]
        assert [os.path.basename(name) for name in call[call.index("--") + 1 :]] == ["a.go", "b.go"]
        assert {"--metrics=off", "--disable-version-check"} <= set(call)
        assert not any(name.endswith("go-audit") for name in call)

    def test_exported_rules_bring_test_files_that_are_no_code_of_the_project(
        self, stand_in: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["export-rules", "exported"]) == 0
        capsys.readouterr()
        assert list(Path("exported/go").rglob("*.go"))
        assert scan(capsys, ".")[0] == 0
        assert not stand_in.exists()
        (copied, *_) = sorted(Path("exported/go").rglob("*.go"))
        copied.write_bytes(copied.read_bytes().replace(b"\n", b"\r\n"))
        assert scan(capsys, ".")[0] == 0
        copied.write_bytes(copied.read_bytes() + b"\nvar more = 1\n")
        assert [one["path"] for one in scan(capsys, ".")[1]["findings"]] == [copied.as_posix()]

    def test_audit(self, stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        scan(capsys, "--audit", ".")
        assert "go-audit" in stand_in.read_text()

    def test_not_called_unless_it_is_wanted(self, stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        main(["scan", "-q", "."])
        assert not stand_in.exists()
        main(["scan", "-q", "--audit", "."])
        assert "go-audit" in stand_in.read_text()

    def test_own_rules_get_every_file(self, stand_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "mine").mkdir()
        put("c.go", "package p\n\nfunc f() {}\n")
        main(["scan", "-q", "--semgrep-rules", str(tmp_path / "mine"), "."])
        (call,) = [json.loads(line) for line in stand_in.read_text().splitlines()]
        assert [call[at + 1] for at, one in enumerate(call) if one == "--config"] == [str(tmp_path / "mine")]
        assert call[-1].endswith("c.go")
        assert "FD101" in capsys.readouterr().out

    def test_own_rules_need_a_code_of_fdlint(
        self, stand_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put("a.go")
        monkeypatch.setenv("CODE", "XY123")
        status, report = scan(capsys, ".")
        assert (status, report["findings"]) == (0, [])
        assert report["skipped"] == [{"path": "a.go", "reason": "Semgrep: rule never-closed has no code of fdlint"}]

    def test_not_called_for_nothing(self, stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put("c.go", "package p\n\nfunc f() {}\n")
        status, report = scan(capsys, ".")
        assert (status, report["summary"]["files"]) == (0, 1)
        assert not stand_in.exists()

    @pytest.mark.parametrize("comment", [" //nolint:fdlint", " // nosemgrep", " //nolint:FD101 // on purpose"])
    @pytest.mark.usefixtures("stand_in")
    def test_comments(self, comment: str, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go", LEAK % comment)
        assert scan(capsys, ".")[0] == 0

    @pytest.mark.parametrize("mark", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
    @pytest.mark.usefixtures("stand_in")
    def test_a_comment_on_another_line(self, mark: str, capsys: pytest.CaptureFixture[str]) -> None:
        text = LEAK.replace("package p\n", f"package p //{mark}x\n").replace("error {", "error { //nolint") % ""
        Path("a.go").write_bytes(text.encode())
        status, report = scan(capsys, ".")
        assert status == 1
        assert [(one["line"], one["function"]) for one in report["findings"]] == [(4, "probe")]

    @pytest.mark.usefixtures("stand_in")
    def test_is_not_fixed(self, capsys: pytest.CaptureFixture[str]) -> None:
        text = (LEAK % "").replace("return err", "return err //nolint:FD101")
        put("a.go", text)
        assert main(["scan", ".", "--semgrep", "--fix", "--output-format", "concise"]) == 1
        output = capsys.readouterr()
        counts = "fdlint: 0 comments removed\nfdlint: fixed 0 of 1 finding\n"
        assert output.err == f"fdlint: a.go: not fixed: it is a Go file\n{counts}"
        assert "FD900" in output.out
        assert Path("a.go").read_text() == text

    @pytest.mark.usefixtures("stand_in")
    def test_codes_are_chosen_as_ever(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        assert scan(capsys, "--ignore", "FD101", ".")[0] == 0
        assert scan(capsys, "--select", "FD101", ".")[0] == 1

    @pytest.mark.usefixtures("stand_in")
    def test_trouble_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("slow.go")
        status, report = scan(capsys, "--strict", ".")
        assert status == 2
        assert report["skipped"] == [{"path": "slow.go", "reason": "Semgrep: timed out"}]

    @pytest.mark.usefixtures("stand_in")
    def test_no_sense_from_semgrep(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BROKEN", "1")
        put("a.go")
        status, report = scan(capsys, ".")
        assert status == 0
        assert report["skipped"] == [{"path": "a.go", "reason": "not checked, as Semgrep failed: it is broken"}]

    @pytest.mark.usefixtures("stand_in")
    def test_a_semgrep_that_is_too_old(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It finds less, and would say nothing of it."""
        monkeypatch.setenv("VERSION", "1.150.0")
        put("a.go")
        report = scan(capsys, ".")[1]
        assert report["findings"] == []
        assert "it is version 1.150.0, and the rules need 1.176.1" in report["skipped"][0]["reason"]

    @pytest.mark.usefixtures("stand_in")
    def test_vendored_generated_and_tests(self, capsys: pytest.CaptureFixture[str], tree: Path) -> None:
        put("vendor/dep/a.go")
        put("gen.go", "// Code generated by gen. DO NOT EDIT.\n" + LEAK % "")
        put("a_test.go")
        assert [one["path"] for one in scan(capsys, ".")[1]["findings"]] == ["a_test.go"]
        put("fdlint.toml", "go-vendor = true\ngo-generated = true\ngo-tests = false\n")
        assert [one["path"] for one in scan(capsys, ".")[1]["findings"]] == ["gen.go", "vendor/dep/a.go"]
        assert tree.exists()

    @pytest.mark.usefixtures("stand_in")
    def test_what_is_named_is_scanned(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("vendor/dep/a.go")
        assert [one["path"] for one in scan(capsys, "vendor/dep")[1]["findings"]] == ["vendor/dep/a.go"]


@pytest.mark.usefixtures("tree")
class TestWithoutParser:
    @pytest.fixture(autouse=True)
    def none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(semgrep, "executable", lambda: None)
        monkeypatch.setattr(go_engine, "is_installed", lambda: False)

    def test_says_what_was_not_checked(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        put("c.go", "package p\n\nfunc f() {}\n")
        assert main(["scan", "-q", "--output-format", "json", "."]) == 0
        report = json.loads(capsys.readouterr().out)
        assert [one["path"] for one in report["skipped"]] == ["a.go"]
        assert "pip install 'fdlint[go]'" in report["skipped"][0]["reason"]

    def test_says_that_semgrep_is_missing_only_if_it_is_wanted(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        reasons = [one["reason"] for one in scan(capsys, ".")[1]["skipped"]]
        assert any("pip install 'fdlint[semgrep]'" in one for one in reasons)

    def test_says_how_many(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        put("b.go")
        main(["scan", "."])
        assert (
            "2 Go files not checked, as the parser of Go is not installed: pip install 'fdlint[go]'"
            in capsys.readouterr().err
        )


def test_export_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export-rules", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out/go/descriptors.yaml").is_file()
    assert (tmp_path / "out/go-audit").is_dir()
    assert "rules written to" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
def test_semgrep_ends_with_fdlint(tmp_path: Path) -> None:
    """A scan that is told to end (by ``timeout``, by a CI job that is cancelled) leaves nothing running."""
    program = tmp_path / "semgrep"
    said = tmp_path / "pid"
    program.write_text(f"#!/bin/sh\necho $$ > {said}.new && mv {said}.new {said}\nexec sleep 60\n")
    program.chmod(0o755)
    (tmp_path / "a.go").write_text(LEAK % "")
    code = "import sys\nfrom fdlint.go import semgrep\nsemgrep.executable = lambda: sys.argv[1]\n"
    code += "from fdlint.cli import main\nsys.exit(main(['scan', '--semgrep', sys.argv[2]]))\n"
    arguments = [sys.executable, "-c", code, str(program), str(tmp_path / "a.go")]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while not said.exists() and time.monotonic() < until:
            time.sleep(0.05)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(said.read_text()), 0)
