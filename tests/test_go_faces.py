"""Every face of a scan, on a small module of Go: two packages, and a true finding in each."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fdlint.cli import main
from fdlint.languages.go.description import GO
from fdlint.report.findings.finding import FileResult
from fdlint.scan import package
from fdlint.scan.files.bundle import Bundle

pytestmark = pytest.mark.skipif(not GO.parser.is_installed, reason="no parser of Go: pip install 'fdlint[go]'")
Captured = pytest.CaptureFixture[str]
Places = set[tuple[str, int]]

UTIL = """package util

import "golang.org/x/sys/unix"

func Get(path string) (int, error) {
	return unix.Open(path, unix.O_CLOEXEC, 0)
}

func Probe(path string) bool {
	fd, err := unix.Open(path, unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	return unix.Fsync(fd) == nil
}
"""
USE = """package cmd

import "example.org/tool/util"

func Use(path string) error {
	fd, err := util.Get(path)
	if err != nil {
		return err
	}
	print(fd)
	return nil
}
"""
CLOSES = "\tdefer unix.Close(fd)\n\treturn unix.Fsync(fd) == nil\n"
LEAKS = "\treturn unix.Fsync(fd) == nil\n"
WANTED: Places = {("cmd/use.go", 6), ("util/util.go", 10)}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of two packages: one gives a descriptor to the other, and each leaks one."""
    for name, text in (("go.mod", "module example.org/tool\n"), ("util/util.go", UTIL), ("cmd/use.go", USE)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: Captured, *arguments: str) -> tuple[int, str]:
    status = main(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out


def scan(capsys: Captured, *arguments: str) -> Places:
    """Returns the places of a scan's findings."""
    status, out = run(capsys, "scan", "--no-cache", "--output-format", "json", *arguments)
    found = _json(out)
    assert status == bool(found)
    return found


def _json(text: str) -> Places:
    report = json.loads(text)
    assert not report["skipped"]
    assert {one["language"] for one in report["findings"]} <= {"go"}
    assert {one["code"] for one in report["findings"]} <= {"FD101"}
    return {(one["path"], one["line"]) for one in report["findings"]}


# -- the outputs


def _sarif(text: str) -> Places:
    (found,) = json.loads(text)["runs"]
    places = [one["locations"][0]["physicalLocation"] for one in found["results"]]
    return {(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places}


def _gitlab(text: str) -> Places:
    places = [one["location"] for one in json.loads(text)]
    return {(one["path"], one["positions"]["begin"]["line"]) for one in places}


def _junit(text: str) -> Places:
    cases = ElementTree.fromstring(text).iter("testcase")
    return {(one.attrib["file"], int(one.attrib["line"])) for one in cases if one.find("failure") is not None}


def _github(text: str) -> Places:
    return {(path, int(line)) for path, line in re.findall(r"file=([^,]+),line=(\d+)", text)}


def _markdown(text: str) -> Places:
    return {(path, int(line)) for path, line in re.findall(r"\| <code>(.+?)&#58;(\d+)</code>", text)}


def _lines(text: str) -> Places:
    found = re.findall(r"^(\S+):(\d+):\d+: FD", text, re.MULTILINE)
    return {(path, int(line)) for path, line in found}


OUTPUTS: dict[str, Callable[[str], Places]] = {
    "json": _json,
    "sarif": _sarif,
    "gitlab": _gitlab,
    "github": _github,
    "junit": _junit,
    "text": _lines,
    "concise": _lines,
    "markdown": _markdown,
}


@pytest.mark.parametrize("form", sorted(OUTPUTS))
def test_an_output_has_the_findings(module: Path, capsys: Captured, form: str) -> None:
    status, out = run(capsys, "scan", "--no-cache", "--output-format", form)
    assert (status, OUTPUTS[form](out)) == (1, WANTED)


def test_html_speaks_go(module: Path, capsys: Captured) -> None:
    _, out = run(capsys, "scan", "--no-cache", "--output-format", "html")
    assert all(path in out for path, _ in WANTED)
    assert "unix.Close" in out


# -- what is left out


def _baseline(capsys: Captured) -> None:
    assert run(capsys, "baseline", "create")[0] == 0


def _silenced(capsys: Captured) -> None:
    assert run(capsys, "scan", "--no-cache", "--add-ignores")[0] == 0


@pytest.mark.parametrize(("prepare", "options"), [(_baseline, ("--baseline", "fdlint-baseline.json")), (_silenced, ())])
def test_what_is_known_is_left_out(
    module: Path, capsys: Captured, prepare: Callable[[Captured], None], options: tuple[str, ...]
) -> None:
    prepare(capsys)
    assert scan(capsys, *options) == set()
    text = (module / "util/util.go").read_text()
    (module / "util/util.go").write_text(text + UTIL[UTIL.index("\nfunc Probe") :].replace("Probe", "Again"))
    (new,) = scan(capsys, *options)
    assert new[0] == "util/util.go" and new[1] > 16


@pytest.mark.parametrize(
    "comment", ["//nolint:fdlint", "//nolint:FD101 // on purpose", "// fdlint: ignore[FD101]", "// fdlint: ignore"]
)
def test_a_comment_silences(module: Path, capsys: Captured, comment: str) -> None:
    (module / "util/util.go").write_text(UTIL.replace("0)\n\tif", f"0) {comment}\n\tif"))
    assert scan(capsys) == {("cmd/use.go", 6)}
    assert scan(capsys, "--no-suppressions") == WANTED


def test_a_comment_for_another_rule_does_not(module: Path, capsys: Captured) -> None:
    (module / "util/util.go").write_text(UTIL.replace("0)\n\tif", "0) //nolint:FD107\n\tif"))
    _, out = run(capsys, "scan", "--no-cache", "--output-format", "json", "util")
    found = sorted((one["code"], one["line"], one["language"]) for one in json.loads(out)["findings"])
    assert found == [("FD101", 10, "go"), ("FD900", 10, "go")]


def test_the_added_comments_are_in_go(module: Path, capsys: Captured) -> None:
    _silenced(capsys)
    assert re.search(r"unix\.Open\(.*\) //.*FD101", (module / "util/util.go").read_text())


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_difference_has_what_is_in_changed_functions(module: Path, capsys: Captured) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(["git", *identity, *command], check=True, capture_output=True, env=environment)
    assert scan(capsys, "--changed-since", "HEAD") == set()
    (module / "util/util.go").write_text("// moved\n\n" + UTIL)
    assert scan(capsys, "--changed-since", "HEAD") == set()
    (module / "util/util.go").write_text(UTIL.replace("err != nil", "nil != err"))
    assert scan(capsys, "--changed-since", "HEAD") == {("util/util.go", 10)}


def test_two_reports_are_compared(module: Path, capsys: Captured) -> None:
    main(["scan", "--no-cache", "--output", "json=old.json", "-q"])
    capsys.readouterr()
    (module / "util/util.go").write_text("// moved\n\n" + UTIL.replace(LEAKS, CLOSES))
    _, out = run(capsys, "scan", "--no-cache", "--compare", "old.json")
    assert "1 fixed" in out
    assert re.search(r"\b0 new", out) or "new" not in out.partition("fixed")[0].rpartition("\n")[2]


# -- severities, parts, and single lines


@pytest.mark.parametrize(("options", "status"), [(("--fail-on", "error"), 1), (("--fail-on", "never"), 0)])
def test_the_status(module: Path, capsys: Captured, options: tuple[str, ...], status: int) -> None:
    assert run(capsys, "scan", "--no-cache", "-q", *options)[0] == status


def test_shards_are_merged(module: Path, capsys: Captured) -> None:
    names = [f"part{number}.json" for number in (1, 2, 3)]
    found = []
    for number, name in enumerate(names, 1):
        main(["scan", "--no-cache", "--shard", f"{number}/3", "--output", f"json={name}", "-q"])
        found.append(_json(Path(name).read_text()))
    capsys.readouterr()
    assert sum(map(len, found)) == len(WANTED)
    status, out = run(capsys, "merge", "--output-format", "json", *names)
    assert (status, _json(out)) == (1, WANTED)


def test_explain(module: Path, capsys: Captured) -> None:
    _, out = run(capsys, "explain", "cmd/use.go:6")
    assert "FD101" in out and "util.Get" in out and "//nolint:fdlint" in out and "os.close" not in out


def test_why_not(module: Path, capsys: Captured) -> None:
    (module / "util/util.go").write_text(UTIL.replace(LEAKS, CLOSES))
    _, out = run(capsys, "why-not", "util/util.go:10")
    assert "closed" in out


# -- the cache


@pytest.fixture
def analysed(module: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The directories of the packages that a scan analyses, and a cache of this test."""
    monkeypatch.setenv("FDLINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("FDLINT_TIMEOUT_PER_FILE", "0")
    found: list[str] = []
    real = package.analyse_package

    def noted(bundle: Bundle, *arguments: Any, **named: Any) -> tuple[FileResult, ...]:
        found.append(bundle.package.name if bundle.package is not None else "")
        return real(bundle, *arguments, **named)

    monkeypatch.setattr(package, "analyse_package", noted)
    return found


def cached(capsys: Captured, analysed: list[str]) -> tuple[Places, set[str]]:
    """Returns the findings of a scan with the cache, and the packages that it analysed."""
    analysed.clear()
    time.sleep(0.05)  # a file that has just changed may change again without a new time
    _, out = run(capsys, "scan", "--output-format", "json", "-j", "1")
    return _json(out), set(analysed)


def test_a_second_scan_analyses_nothing(module: Path, capsys: Captured, analysed: list[str]) -> None:
    assert cached(capsys, analysed) == (WANTED, {"cmd", "util"})
    assert cached(capsys, analysed) == (WANTED, set())


@pytest.mark.parametrize(
    ("name", "text", "places", "again"),
    [
        ("util/util.go", UTIL.replace(LEAKS, CLOSES), {("cmd/use.go", 6)}, {"cmd", "util"}),
        ("util/util.go", UTIL.replace("unix.Open(path, unix.O_CLOEXEC, 0)\n}", "1, nil\n}"), None, {"cmd", "util"}),
        ("cmd/use.go", "// moved\n" + USE, {("cmd/use.go", 7), ("util/util.go", 10)}, {"cmd"}),
        ("util/more.go", "package util\n\nvar more = 1\n", WANTED, {"cmd", "util"}),
        ("go.mod", "module example.org/other\n", {("util/util.go", 10)}, {"cmd", "util"}),
        ("go.mod", "module example.org/tool\n\ngo 1.24\n", WANTED, set()),
    ],
)
def test_a_change_is_analysed_where_it_matters(
    module: Path, capsys: Captured, analysed: list[str], name: str, text: str, places: Places | None, again: set[str]
) -> None:
    cached(capsys, analysed)
    (module / name).write_text(text)
    assert cached(capsys, analysed) == (places if places is not None else {("util/util.go", 10)}, again)
    assert cached(capsys, analysed)[1] == set()
