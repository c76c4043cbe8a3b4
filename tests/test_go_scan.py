"""``fdlint scan`` on trees with Go in them: which files, what a report says, and what is missing without the parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fdlint.cli import main
from fdlint.languages.description import Parser
from fdlint.languages.go.description import GO
from fdlint.scan import package
from fdlint.scan import scan as project
from fdlint.scan.files.discover import discover

LEAK = """\
package p

import "golang.org/x/sys/unix"

func probe(path string) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)%s
	if err != nil {
		return err
	}
	return unix.Fsync(fd)
}
"""

KEPT = """\
package p

import "golang.org/x/sys/unix"

type C struct {
	fd   int
	path string
}

func New(path string) (*C, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &C{fd: fd, path: path}, nil
}

func (c *C) Close() {
	unix.Close(c.fd)
	c.fd = -1
}
"""
SPLIT = """\
package p

import "golang.org/x/sys/unix"

func (c *C) Reset() {
	unix.Close(c.fd)
	c.fd = -1
}
"""

with_parser = pytest.mark.skipif(not GO.parser.is_installed, reason="no parser of Go: pip install 'fdlint[go]'")


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def scan(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main(["scan", "-q", "--no-cache", "--output-format", "json", *arguments])
    return status, json.loads(capsys.readouterr().out)


def put(path: str, text: str = LEAK % "") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


@with_parser
class TestWithParser:
    def test_a_finding_like_any_other(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("pkg/probe.go")
        put("leak.py", "import os\n\n\ndef probe(path):\n    os.open(path, os.O_RDONLY)\n")
        status, report = scan(capsys, ".")
        assert status == 1
        python, go = report["findings"]
        assert (python["language"], python["code"]) == ("python", "FD107")
        assert (go["language"], go["code"], go["path"]) == ("go", "FD101", "pkg/probe.go")
        assert (go["function"], go["api"], go["line"]) == ("probe", "unix.Open", 6)
        assert [event["event"] for event in go["trace"]] == ["acquired", "leaked"]
        assert len(go["fingerprint"]) == 16
        assert report["summary"]["counts"] == {"FD101": 1, "FD107": 1}

    @pytest.mark.parametrize("cache", [["--no-cache"], ["--cache-dir", "cache"]], ids=["first", "cached"])
    def test_only_files_whose_functions_can_have_a_descriptor_use_descriptors(
        self, cache: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        put("pkg/c.go", KEPT)
        put("pkg/path.go", "package p\n\nfunc (c *C) Path() string { return c.path }\n")
        for _ in range(2):
            assert main(["scan", "--output-format", "json", *cache, "."]) == 0
            summary = json.loads(capsys.readouterr().out)["summary"]
            assert (summary["files"], summary["files_analysed"]) == (2, 1)

    def test_the_methods_of_a_struct_for_another_system_belong_to_another_build(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        refill = SPLIT.replace("c.fd = -1", "c.fd, _ = unix.Open(c.path, unix.O_RDWR|unix.O_CLOEXEC, 0)")
        put("pkg/c.go", KEPT)
        put("pkg/c_unix.go", "//go:build unix\n\n" + SPLIT)
        put("pkg/c_windows.go", refill.replace("\tunix.Close(c.fd)\n", ""))
        assert scan(capsys, ".")[1]["findings"] == []
        put("pkg/c_unix.go", refill.replace("\tunix.Close(c.fd)\n", ""))
        assert [(one["code"], one["path"]) for one in scan(capsys, ".")[1]["findings"]] == [("FD105", "pkg/c_unix.go")]

    def test_exported_rules_bring_test_files_that_are_no_code_of_the_project(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["export-rules", "exported"]) == 0
        capsys.readouterr()
        copied = Path("exported/go/descriptors/double-close.go")
        assert scan(capsys, ".")[0] == 0
        copied.write_bytes(copied.read_bytes().replace(b"\n", b"\r\n"))
        assert scan(capsys, ".")[0] == 0
        copied.write_bytes(copied.read_bytes() + (LEAK % "").removeprefix("package p\n").encode())
        assert {one["path"] for one in scan(capsys, ".")[1]["findings"]} == {copied.as_posix()}

    @pytest.mark.parametrize("comment", [" //nolint:fdlint", " // fdlint: ignore", " //nolint:FD101 // on purpose"])
    def test_comments(self, comment: str, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go", LEAK % comment)
        assert scan(capsys, ".")[0] == 0

    @pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
    def test_a_comment_on_another_line(self, mark: str, capsys: pytest.CaptureFixture[str]) -> None:
        text = LEAK.replace("package p\n", f"package p //{mark}x\n").replace("error {", "error { //nolint") % ""
        Path("a.go").write_bytes(text.encode())
        status, report = scan(capsys, ".")
        assert status == 1
        assert [(one["line"], one["function"]) for one in report["findings"]] == [(6, "probe")]

    def test_codes_are_chosen_as_ever(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        assert scan(capsys, "--ignore", "FD101", ".")[0] == 0
        assert scan(capsys, "--select", "FD101", ".")[0] == 1

    def test_vendored_generated_and_tests(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("vendor/dep/a.go")
        put("gen.go", "// Code generated by gen. DO NOT EDIT.\n" + LEAK % "")
        put("a_test.go")
        assert [one["path"] for one in scan(capsys, ".")[1]["findings"]] == ["a_test.go"]
        put("fdlint.toml", "go-vendor = true\ngo-generated = true\ngo-tests = false\n")
        assert [one["path"] for one in scan(capsys, ".")[1]["findings"]] == ["gen.go", "vendor/dep/a.go"]

    def test_what_is_named_is_scanned(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("vendor/dep/a.go")
        assert [one["path"] for one in scan(capsys, "vendor/dep")[1]["findings"]] == ["vendor/dep/a.go"]


class TestWithoutParser:
    @pytest.fixture(autouse=True)
    def none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Parser, "is_installed", False)

    def test_says_what_was_not_checked(self, capsys: pytest.CaptureFixture[str]) -> None:
        put("a.go")
        put("c.go", "package p\n\nfunc f() {}\n")
        status, report = scan(capsys, ".")
        assert status == 2
        assert [one["path"] for one in report["skipped"]] == ["a.go"]
        assert "pip install 'fdlint[go]'" in report["skipped"][0]["reason"]

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


def test_what_one_package_needs_is_not_read_again_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = []
    monkeypatch.setattr(package, "_MAX_KEPT", 100)
    monkeypatch.setattr(package, "_forget", lambda context: forgotten.append(context.program.size))
    (tmp_path / "go.mod").write_text("module example.org/m\n")
    for number in range(4):
        home = tmp_path / f"p{number}"
        home.mkdir()
        (home / "p.go").write_text(LEAK % "" + "// " + "x" * 400 + "\n")
    project.scan(discover([tmp_path]).files, project.Options(jobs=1))
    one = (tmp_path / "p0" / "p.go").stat().st_size
    assert forgotten[:1] == [3 * one]  # each package is over the limit, and what is kept may be twice as large
