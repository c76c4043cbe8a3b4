"""What is not a Python file of today: each has its reason in ``skipped``, and the scan of the rest goes on."""

from __future__ import annotations

import codecs
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import loaded
import pytest

from fdlint.cli import main
from fdlint.cli.formats import FORMATS
from fdlint.scan.scan import scan_bytes
from tests.hostile import running
from tests.hostile.running import Run

LEAK = b"import os\ndef f(path):\n    fd = os.open(path, os.O_RDONLY)\n"


def reasons(data: bytes) -> list[str]:
    result = scan_bytes(data, "a.py")
    assert not result.findings
    return [skipped.reason for skipped in result.skipped]


def test_what_only_python_can_parse_is_said() -> None:
    head = b"import os\n\n\ndef plain(path):\n    return path\n\n\nclass Box:\n"
    body = b"    def open(self, path):\n        \\\n        fd = os.open(path, 0)\n"
    assert reasons(head + body)[0].startswith("not analysed in full: invalid syntax at 11:")


def lines(data: bytes) -> list[int]:
    """Where a leak is found."""
    result = scan_bytes(data, "a.py")
    assert not result.skipped
    return [finding.span.line for finding in result.findings]


class TestUnreadable:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"\x7fELF\x02\x01\x01\0\0\0os.open\0\xff\xfe", "null bytes"),
            (LEAK + b"x = '\0'\n", "null bytes"),
            (LEAK + b"x = '\xff\xfe'\n", "cannot be decoded"),
            (b"# coding: no-such-codec\n" + LEAK, "cannot be decoded"),
            (b"# coding: rot13\n" + LEAK, "cannot be decoded"),
            (b"# coding: ascii\nx = '\xe4'\n" + LEAK, "cannot be decoded"),
            (codecs.BOM_UTF8 + b"# coding: latin-1\n" + LEAK, "cannot be decoded"),
            (LEAK + b"    print fd\n", "invalid syntax at 4:11; Python 2?"),
            (LEAK + b"    return (fd\n", "invalid syntax at the end of the file"),
            (b"import os\nos.open(p, 0)\n  indented()\n", "invalid syntax at 3:3"),
            (b"os.open" + bytes(range(1, 32)), "invalid syntax"),
            (LEAK + b"#" * 8_000_000, "too large"),
        ],
        ids=lambda value: value[:24] if isinstance(value, str) else None,
    )
    def test_the_reason_is_said(self, data: bytes, reason: str) -> None:
        said = reasons(data)
        assert len(said) == 1
        assert reason in said[0]
        assert "internal error" not in said[0]
        assert "\n" not in said[0]

    @pytest.mark.parametrize("depth", [150, 400, 1100])  # the last one beyond Python's limit of recursion
    @pytest.mark.parametrize(
        ("before", "repeated", "after"),
        [
            ("if a: pass\n", "    elif a: pass\n", ""),
            ("x = 1", " + 1", ""),
            ("x = 1", " if a else 1", ""),
            ("x = a", " and a", ""),
            ("x = a", ".b()", ""),
            ("x = a", "[0]", ""),
            ("x = 'a'", " 'b'", ""),
            ("x = ", "not ", "a"),
            ("x = ", "lambda: ", "a"),
        ],
    )
    def test_nesting_is_analysed_or_said_to_be_too_deep(
        self, before: str, repeated: str, after: str, depth: int
    ) -> None:
        if repeated in (".b()", "[0]"):
            depth = min(depth, 500)  # libcst walks such a chain again for each of its links
        failure, skipped, findings = _outcome(LEAK + f"    {before}{repeated * depth}{after}\n".encode())
        assert failure is None
        assert skipped == ["not analysed in full: nested too deeply"] or (skipped, findings) == ([], ["FD101"])

    def test_a_chain_that_is_deep_in_the_tree_only(self) -> None:
        failure, skipped, findings = _outcome(LEAK + b"    if a: pass\n" + b"    elif a: pass\n" * 600)
        assert (failure, skipped, findings) == (None, [], ["FD101"])


def _outcome(data: bytes) -> tuple[str | None, list[str], list[str]]:
    """What came out of a scan: the name of an exception (its text would be as deep), reasons, codes."""
    try:
        result = scan_bytes(data, "a.py")
    except Exception as error:
        return type(error).__name__, [], []
    reasons = [skipped.reason.partition(" to ")[0] for skipped in result.skipped]
    return None, reasons, [finding.code for finding in result.findings]


class TestReadable:
    @pytest.mark.parametrize(
        ("data", "line"),
        [
            (codecs.BOM_UTF8 + LEAK, 3),
            (codecs.BOM_UTF8 + b"# coding: utf-8\n" + LEAK, 4),
            (b"# -*- coding: latin-1 -*-\nx = '\xe4\xff'\n" + LEAK, 5),
            (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n" + LEAK, 6),
            (LEAK.replace(b"\n", b"\r\n"), 3),
            (LEAK.replace(b"\n", b"\r"), 3),
            (LEAK.replace(b"def", b"\x0cdef"), 3),
            (b"'''\n\x0c\n\x0b\n\xc2\x85\n\xe2\x80\xa8\n'''\n" + LEAK, 9),
            (LEAK.rstrip(b"\n"), 3),
            (LEAK.replace(b"    ", b"\t"), 3),
            (LEAK.replace(b"(path,", b"(\\\n path,"), 3),
            (LEAK + b"\x1a" if os.name == "nt" else LEAK + b"# \x1a\n", 3),
        ],
    )
    def test_the_leak_is_found_on_its_line(self, data: bytes, line: int) -> None:
        assert lines(data) == [line]

    @pytest.mark.parametrize("data", [b"", b"\n", b"# os.open", codecs.BOM_UTF8, b"\x0c", b"pass"])
    def test_a_file_with_nothing_in_it(self, data: bytes) -> None:
        assert lines(data) == []


def scan(directory: Path, *arguments: str) -> Run:
    (run,) = scans(directory, arguments or (".",))
    return run


def scans(directory: Path, *several: Sequence[str]) -> list[Run]:
    """Several scans of a directory in one process."""
    options = ["scan", "-j1", "--output-format=json"]
    runs = running.run_all([(directory, [*options, *arguments]) for arguments in several])
    assert all(bool(run.errors) is (run.status == 2) for run in runs)
    return runs


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "leak.py").write_bytes(LEAK)
    return tmp_path


class TestScan:
    def test_the_rest_is_scanned(self, directory: Path) -> None:
        (directory / "binary.py").write_bytes(b"os.open\0")
        (directory / "old.py").write_bytes(b"import os\nprint 'x', os.open\n")
        run = scan(directory)
        assert (run.status, run.found) == (1, ["leak.py"])
        assert run.skipped.keys() == {"binary.py", "old.py"}
        assert run.document["summary"]["files"] == 3

    def test_what_could_not_be_parsed_fails_a_strict_scan_only(self, directory: Path) -> None:
        (directory / "leak.py").write_bytes(LEAK + b"    (\n")
        runs = scans(directory, ["."], ["--strict", "."], ["--strict", "--exit-zero", "."])
        assert [run.status for run in runs] == [0, 2, 2]

    @pytest.mark.parametrize(
        "options",
        [
            *(["--output-format", form] for form in FORMATS),
            ["--diff"],
        ],
        ids=" ".join,
    )
    def test_skipped_files_and_the_reason_for_exit_status_2(
        self,
        directory: Path,
        options: list[str],
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        (directory / "old.py").write_bytes(LEAK + b"    (\n")
        monkeypatch.chdir(directory)
        monkeypatch.setenv("FDLINT_TIMEOUT_PER_FILE", "0")

        def run(*more: str) -> tuple[int, str, str]:
            status = main(["scan", "--no-cache", "--jobs", "1", *options, ".", *more])
            return status, *capsys.readouterr()

        reason = "fdlint: --strict: 1 file could not be read, parsed or fully analysed\n"
        for more in ([], ["--strict"], ["--strict", "--quiet"]):
            status, out, err = run(*more)
            assert status == (2 if more else 1)
            assert ("old.py" in out) + ("old.py: not analysed in full: invalid syntax" in err) >= 1
            assert "old.py" not in out or "old.py" not in err
            assert (reason in err) is bool(more)
        assert run("--quiet")[2] == ("fdlint: would fix 1 of 1 finding\n" if "--diff" in options else "")

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or (os.geteuid() == 0 and shutil.which("setpriv") is None),
        reason="root can read everything, and setpriv is not installed",
    )
    def test_a_file_that_may_not_be_read(self, directory: Path) -> None:
        (directory / "secret.py").write_bytes(LEAK)
        (directory / "secret.py").chmod(0)
        less = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        command = [*less, sys.executable, "-m", "fdlint", "scan", "-j1", "--output-format=json", "."]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)
        assert [one["path"] for one in found["findings"]] == ["leak.py"]
        assert found["skipped"] == [{"path": "secret.py", "reason": "cannot be read: Permission denied"}]

    def test_a_directory_named_like_a_module(self, directory: Path) -> None:
        (directory / "package.py").mkdir()
        (directory / "package.py" / "inner.py").write_bytes(LEAK)
        run = scan(directory)
        assert (run.found, run.skipped) == (["leak.py", "package.py/inner.py"], {})

    def test_a_fifo_is_not_waited_for(self, directory: Path) -> None:
        os.mkfifo(directory / "pipe.py")
        below, run = scans(directory, ["."], ["pipe.py", "leak.py"])
        assert below.found == ["leak.py"]
        assert run.found == ["leak.py"]
        assert run.skipped == {"pipe.py": "not a regular file"}

    def test_links_that_lead_nowhere_and_to_a_fifo(self, directory: Path) -> None:
        (directory / "gone.py").symlink_to("nowhere.py")
        (directory / "loop.py").symlink_to("loop.py")
        os.mkfifo(directory / "pipe")
        (directory / "link.py").symlink_to("pipe")
        assert scan(directory).found == ["leak.py"]

    def test_a_file_that_goes_away_while_it_is_scanned(self, directory: Path) -> None:
        from fdlint.scan.files.discover import discover
        from fdlint.scan.scan import scan_file

        (file,) = discover([directory]).files
        (directory / "leak.py").unlink()
        (skipped,) = scan_file(file).skipped
        assert skipped.reason == "cannot be read: No such file or directory"

    def test_a_path_that_is_no_text(self, directory: Path) -> None:
        (directory / os.fsdecode(b"\xff.py")).write_bytes(LEAK)
        assert len(scan(directory).found) == 2

    def test_standard_input_that_is_no_python(self, directory: Path) -> None:
        command = [sys.executable, "-m", "fdlint", "scan", "--strict", "-"]
        done = loaded.run(command, input=b"os.open\0", cwd=directory)
        assert done.returncode == 2
        assert b"null bytes" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit")
def test_too_few_open_files(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"a{number}.py").write_bytes(LEAK)
    command = [sys.executable, "-m", "fdlint", "scan", "--isolated", "--jobs=4", str(tmp_path)]
    limited = ["sh", "-c", 'ulimit -n 12; exec "$@"', "sh", *command]
    found = subprocess.run(limited, check=False, capture_output=True, text=True, timeout=60)
    reason = "this process has reached its limit of 12 open files: raise it (ulimit -n), or use fewer --jobs"
    assert (found.returncode, found.stderr) == (2, f"fdlint: {reason}\n")
