"""What a scanned tree says in a report is text: no terminal, no CI system and no closed stream makes more of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as xml

import loaded
import pytest

from fdlint.cli.formats import FORMATS

PROGRAM = (sys.executable, "-m", "fdlint")
COMMANDS = '''import os


def quoted(path, give):
    fd = os.open(path, 0)
    text = ("""
::error file=README.md,line=1::injected """ + give(
fd) + """
  ::add-mask::e ##[error]one ##vso[task.complete]two ##teamcity[message text='three'] """ + give(fd))
    os.close(fd)


def named(path, give):
    fd = os.open("""
##[error]v1 \x1b[31m \x9b \u202e \u2066 \x7f
::warning::pwn
""", 0)
    if give("""
::stop-commands::token""", fd):
        return 1
    os.close(fd)
'''
LOSES = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
FULL = Path("/dev/full")


def run(tree: Path, *arguments: str, ok: bool = False, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    done = loaded.run([*PROGRAM, *arguments], cwd=tree, check=ok, env=environment)
    assert b"Traceback" not in done.stderr
    return done


def shell(tree: Path, redirected: str) -> subprocess.CompletedProcess[bytes]:
    """``FDLINT`` stands for the program."""
    loaded.start()
    program = PROGRAM if "&-" in redirected else loaded.program(*PROGRAM[1:])
    text = redirected.replace("FDLINT", " ".join(program))
    done = subprocess.run(["bash", "-c", text], cwd=tree, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done


def commands(text: str) -> list[str]:
    """The lines that a CI system takes for commands."""
    return [line for line in text.splitlines() if re.match(r"\s*::", line) or re.search(r"##\w*\[", line)]


def controls(text: str) -> set[str]:
    return {one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "attack.py").write_text(COMMANDS, encoding="utf-8")
    (tmp_path / "::error file=x::by its name.py").write_text(LOSES)
    (tmp_path / "##[error]\x1b[31m\u202e\n::warning::.py").write_text(LOSES)
    (tmp_path / os.fsdecode(b"\xff.py")).write_text(LOSES)
    (tmp_path / "::set-output::broken.py").write_text("def (\n# os.open\n")
    return tmp_path


class TestNoCommands:
    def test_of_the_tree_are_in_any_format(self, tree: Path) -> None:
        outputs = [f"--output={form}={form}.out" for form in FORMATS]
        assert run(tree, "scan", "--no-cache", "-q", *outputs).returncode == 1
        for form in FORMATS:
            text = (tree / f"{form}.out").read_text(encoding="utf-8")
            assert "FD102" in text
            own = r"::(error|warning|notice) file=[^:]*::[^\n]*" if form == "github" else r"(?!)"
            assert [line for line in commands(text) if not re.fullmatch(own, line)] == []
            assert controls(text) == set()

    def test_are_in_colour(self, tree: Path) -> None:
        text = run(tree, "scan", "--no-cache", FORCE_COLOR="1").stdout.decode()
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert controls(plain) == set()
        assert commands(plain) == []
        assert r"\x1b[31m" in plain

    def test_are_in_messages(self, tree: Path) -> None:
        for name in ("##[error]x", "::error::x\r", "\x1b[31m"):
            (tree / "fdlint.toml").write_text(f"{json.dumps(name)} = 1\n")
            done = run(tree, "scan", "--no-cache")
            assert done.returncode == 2
            assert commands(done.stderr.decode()) == []
            assert controls(done.stderr.decode()) == set()

    def test_are_in_what_the_other_commands_show(self, tree: Path) -> None:
        (tree / "fdlint.toml").write_text('extend-exclude = ["\\u007f\\u009b::error::", "a##[error]x"]\n')
        config = run(tree, "config", ok=True).stdout.decode()
        document = run(tree, "config", "--json", ok=True).stdout.decode()
        for text in (config, document):
            assert commands(text) == []
            assert controls(text) == set()
        assert json.loads(document)["settings"]["extend-exclude"]["value"] == ["\x7f\x9b::error::", "a##[error]x"]


def test_what_other_programs_read_is_what_is_in_the_tree(tree: Path) -> None:
    name = "##[error]\x1b[31m\u202e\n::warning::.py"
    paths = [one["path"] for one in json.loads(run(tree, "scan", "--output-format", "json").stdout)["findings"]]
    assert name in paths
    assert "\N{REPLACEMENT CHARACTER}.py" in paths
    junit = xml.fromstring(run(tree, "scan", "--output-format", "junit").stdout)
    assert r"##[error]\x1b[31m\u202e\n::warning::.py".replace("##", r"#\x23") in {one.get("name") for one in junit}


class TestStreams:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        (tmp_path / "a.py").write_text(LOSES)
        return tmp_path

    @pytest.mark.parametrize(
        "command",
        ["scan -q", "scan --output-format json", "explain FD101", "--version", "--help", "scan --help"],
    )
    def test_standard_output_closed_or_full(self, tree: Path, command: str) -> None:
        full = [" > /dev/full"] if FULL.exists() else []
        for redirection, why in zip([" >&-", *full], [b"Bad file descriptor", b"No space left"], strict=False):
            done = shell(tree, f"FDLINT {command} {redirection}")
            assert done.returncode == 2
            assert done.stderr.startswith(b"fdlint: standard output cannot be written: " + why)
            assert done.stderr.count(b"\n") == 1

    @pytest.mark.parametrize("command", ["explain FD101", "scan --help"])
    def test_a_reader_that_goes_away(self, tree: Path, command: str) -> None:
        done = shell(tree, f"(sleep 1; FDLINT {command}; echo $? >&2) | true")
        assert done.stderr == b"141\n"

    @pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full", "<&-"])
    def test_the_other_streams_do_not_matter(self, tree: Path, redirection: str) -> None:
        if "full" in redirection and not FULL.exists():
            pytest.skip("there is no /dev/full")
        done = shell(tree, f"FDLINT scan --no-cache {redirection}")
        assert done.returncode == 1
        assert b"FD107" in done.stdout
        assert shell(tree, f"FDLINT scan nowhere {redirection}").returncode == 2

    def test_no_stream_at_all(self, tree: Path) -> None:
        assert shell(tree, "FDLINT scan --no-cache -o json=out.json <&- >&- 2>&-").returncode == 2
        assert json.loads((tree / "out.json").read_text())["findings"]

    def test_standard_input_that_is_closed(self, tree: Path) -> None:
        for command in ("scan -", "merge -"):
            done = shell(tree, f"FDLINT {command} <&-")
            assert done.returncode == 2
            assert b"standard input cannot be read: Bad file descriptor" in done.stderr

    @pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
    def test_a_report_that_has_no_room(self, tree: Path) -> None:
        done = shell(tree, "FDLINT scan --no-cache -q -o json=/dev/full")
        assert done.returncode == 2
        assert b"/dev/full: cannot be written: No space left on device" in done.stderr


class TestFiles:
    def test_a_report_replaces_a_file_and_keeps_its_permissions(self, tree: Path) -> None:
        out = tree / "out.json"
        out.write_text("before")
        out.chmod(0o640)
        with out.open() as before:
            run(tree, "scan", "--no-cache", "-o", "json=out.json")
            assert before.read() == "before"
        assert json.loads(out.read_text())["version"] == 1
        assert out.stat().st_mode & 0o777 == 0o640
        assert not list(tree.glob(".fdlint-*"))

    def test_a_pipe_is_written_to(self, tree: Path) -> None:
        assert b'"version": 1' in shell(tree, "FDLINT scan --no-cache -q -o json=/dev/stdout | cat").stdout


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the workers are found in /proc")
class TestSignals:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        """Files that take a while."""
        body = "".join(
            f"    if a{n}:\n        b{n} = os.open(p, 0)\n    else:\n        b{n} = f(p)\n" for n in range(60)
        )
        arguments = ", ".join(f"a{n}" for n in range(60))
        for number in range(40):
            (tmp_path / f"m{number}.py").write_text(f"import os\n\n\ndef g(p, f, {arguments}):\n{body}")
        return tmp_path

    @pytest.fixture
    def scan(self, tree: Path) -> Iterator[subprocess.Popen[bytes]]:
        command = [*PROGRAM, "scan", "--no-cache", "-j", "2", "-o", "json=out.json"]
        process = subprocess.Popen(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        yield process
        process.kill()
        process.communicate()

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_the_workers_end_with_the_scan(self, tree: Path, scan: subprocess.Popen[bytes], number: int) -> None:
        workers = children(scan.pid, at_least=2)
        started = time.monotonic()
        scan.send_signal(number)
        _, errors = scan.communicate(timeout=30)
        assert time.monotonic() - started < 2  # one second, on a machine with other things to do
        assert scan.returncode == 128 + number
        assert [one for one in workers if Path(f"/proc/{one}").exists()] == []
        report = json.loads((tree / "out.json").read_text())
        missing = [one["path"] for one in report["skipped"] if one["reason"] == "not scanned: a signal ended the scan"]
        assert 0 < len(missing) <= 40
        assert errors.decode() == f"fdlint: ended by a signal: {len(missing)} of 40 files were not scanned\n"
        assert not list(tree.glob(".fdlint-*"))

    def test_what_was_found_by_then_is_reported(self, tree: Path) -> None:
        (tree / "a.py").write_text("import os\nos.open('x', 0)\n")
        command = [*PROGRAM, "scan", "--no-cache", "-j", "2", "--output-format", "json", "--exit-zero"]
        process = subprocess.Popen(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        have_worked(children(process.pid, at_least=2), seconds=1)  # their start, and the first of 41 files
        process.terminate()
        out, _ = process.communicate(timeout=30)
        assert process.returncode == 128 + signal.SIGTERM
        assert "a.py" in [one["path"] for one in json.loads(out)["findings"]]

    def test_nothing_is_fixed(self, tree: Path) -> None:
        (tree / "a.py").write_text("x = 1  # noqa: FD101\n")
        command = [*PROGRAM, "scan", "--no-cache", "-j", "2", "--fix"]
        process = subprocess.Popen(command, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        have_worked(children(process.pid, at_least=2), seconds=1)  # their start, and the first of 41 files
        process.terminate()
        process.communicate(timeout=30)
        assert process.returncode == 128 + signal.SIGTERM
        assert (tree / "a.py").read_text() == "x = 1  # noqa: FD101\n"


def children(parent: int, at_least: int) -> list[int]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            break
        if len(found) >= at_least:
            time.sleep(0.3)  # each is at work
            return [int(one) for one in found]
        time.sleep(0.05)
    pytest.fail("the scan has no workers")


def have_worked(workers: Sequence[int], seconds: float) -> None:
    """Waits until each process has used so much processor time, see proc(5): a busy machine needs longer."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        stats = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in workers]
        if all(int(stat[11]) + int(stat[12]) >= seconds * os.sysconf("SC_CLK_TCK") for stat in stats):
            return
        time.sleep(0.05)
    pytest.fail("the workers do nothing")
