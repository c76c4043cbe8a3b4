"""What the shards of a scan say together is what the whole scan says, whichever files they are in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import fdlint
from fdlint.cli import command
from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report
from fdlint.scan.files.discover import discover
from fdlint.scan.files.shard import Shard, parse
from fdlint.scan.scan import Options, scan
from fdlint.scan.schedule import Schedule

ROOT = Path(__file__).parent.parent

# Every way in which files know of each other, each file with something in it that hangs on others.
TREE = {
    "pyproject.toml": "",
    "plain.py": "import os\n\ndef f(p):\n    fd = os.open(p, 0)\n    return fd == 3\n",
    # functions that give descriptors, over three files that name no descriptor themselves
    "first.py": "import os\n\ndef make(p):\n    return os.open(p, 0)\n",
    "second.py": "from first import make\n\ndef make_again(p):\n    return make(p)\n",
    "third.py": "from second import make_again\n\ndef make_thrice(p):\n    return make_again(p)\n",
    "caller.py": "from third import make_thrice\n\ndef lose(p):\n    fd = make_thrice(p)\n    return fd == 3\n",
    "nearer.py": "from second import make_again\n\ndef lose(p):\n    fd = make_again(p)\n    return fd == 3\n",
    # claims about attributes: one refuted by another file, one not
    "kept.py": "import os\n\nclass Lamp:\n    def __init__(self, p):\n        self.lamp_fd = os.open(p, 0)\n",
    "off.py": "import os\n\ndef off(lamp):\n    os.close(lamp.lamp_fd)\n",
    "lost.py": "import os\n\nclass Horn:\n    def __init__(self, p):\n        self.horn_fd = os.open(p, 0)\n",
    # received open across exec: guarded by a caller elsewhere, and not
    "receive.py": "import socket\n\ndef receive(sock):\n"
    "    _, fds, _, _ = socket.recv_fds(sock, 1, 1)\n    return fds[0]\n\n\n"
    "def receive_bare(sock):\n    _, fds, _, _ = socket.recv_fds(sock, 1, 1)\n    return fds[0]\n",
    "guard.py": "import os\nfrom receive import receive\n\ndef take(sock):\n    fd = receive(sock)\n"
    "    os.set_inheritable(fd, False)\n    return fd\n",
    # workers made in one file, for a loop in another
    "pools.py": "import multiprocessing\n\ndef pool():\n    return multiprocessing.Pool(4)\n",
    "loop.py": "from pools import pool\n\ndef run(queue):\n    while True:\n        job = queue.get()\n"
    "        p = pool()\n        p.map(print, job)\n",
    # comments: one that silences what another file's loop finds, one that silences nothing
    "quiet.py": "import multiprocessing\n\ndef quiet():\n    return multiprocessing.Pool(4)  # fdlint: ignore[FD401]\n",
    "round.py": "from quiet import quiet\n\ndef run(queue):\n    while True:\n        job = queue.get()\n"
    "        p = quiet()\n        p.map(print, job)\n",
    "idle.py": "import os\n\ndef f(p):\n    fd = os.open(p, 0)  # fdlint: ignore[FD101]\n    os.close(fd)\n",
    # what cannot be parsed
    "broken.py": "import os\ndef f(:\n    os.open(\n",
}


def together(reports: Sequence[Report]) -> list[Finding]:
    findings = [one for report in reports for one in report.findings]
    return sorted(findings, key=lambda one: (one.span, one.code))


def check(paths: Sequence[str], of: int, jobs: int = 1) -> Report:
    """Scans as a whole and in parts, and compares; gives the whole."""
    files = [file for file in discover(paths).files if file.path.suffix != ".go"]
    whole = scan(files, Options(jobs=jobs))
    parts = [scan(files, Options(jobs=jobs, shard=Shard(number, of))) for number in range(1, of + 1)]
    assert together(parts) == list(whole.findings)
    assert sorted(one.path for part in parts for one in part.skipped) == sorted(one.path for one in whole.skipped)
    assert sorted(path for part in parts for path in part.scanned) == sorted(whole.scanned)
    for number in ("files", "files_analysed", "lines"):
        assert sum(getattr(part.summary, number) for part in parts) == getattr(whole.summary, number)
    for number in ("silenced", "baselined"):
        assert sum(getattr(part, number) for part in parts) == getattr(whole, number)
    return whole


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)
    return tmp_path


class TestUnion:
    @pytest.mark.parametrize("of", [1, 2, 20])
    def test_of_files_that_know_of_each_other(self, tree: Path, of: int) -> None:
        whole = check(["."], of)
        found = {(one.span.path, one.code) for one in whole.findings}
        assert found == {
            ("plain.py", "FD101"),
            ("caller.py", "FD101"),
            ("nearer.py", "FD101"),
            ("lost.py", "FD108"),
            ("receive.py", "FD301"),
            ("pools.py", "FD401"),
            ("idle.py", "FD900"),
        }
        assert [one.span.line for one in whole.findings if one.code == "FD301"] == [9]
        assert whole.silenced == 1
        assert [one.path for one in whole.skipped] == ["broken.py"]

    def test_when_it_turns_out_late_that_guards_matter(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real, asked = Schedule._receives, []

        def receives(schedule: Schedule) -> bool:
            asked.append(schedule.own)
            return asked.count(schedule.own) > 4 and real(schedule)  # not after any of the analyses, but at the end

        whole = scan(discover(["."]).files, Options(jobs=1))
        monkeypatch.setattr(Schedule, "_receives", receives)
        parts = [scan(discover(["."]).files, Options(jobs=1, shard=Shard(number, 3))) for number in (1, 2, 3)]
        assert asked.count(asked[0]) == 5
        assert together(parts) == list(whole.findings)

    @pytest.mark.parametrize("name", ["here", "there", "elsewhere"])
    def test_however_they_are_dealt_out(self, tree: Path, name: str) -> None:
        """Their paths decide, so another directory is another deal."""
        (tree / name).mkdir()
        for file in TREE:
            (tree / file).rename(tree / name / file)
        assert len(check([name], 3).findings) == 7

    @pytest.mark.parametrize("sample", ["examples/fast_file_writer"])
    def test_of_files_that_are_there(self, sample: str) -> None:
        check([str(ROOT / sample)], 2)

    def test_with_processes(self, tree: Path) -> None:
        for number in range(200):
            (tree / f"dull_{number}.py").write_text("pass\n")
        check(["."], 2, jobs=2)

    def test_with_a_baseline(self, tree: Path) -> None:
        runner = CliRunner()
        runner.invoke(command, ["baseline", "create", "plain.py", "lost.py"], standalone_mode=False)
        (tree / "more.py").write_text("import os\n\ndef f(p):\n    os.open(p, 0)\n")
        paths = []
        for number in (1, 2, 3):
            line = ["scan", "-q", "--baseline", "fdlint-baseline.json", "--shard", f"{number}/3"]
            result = runner.invoke(command, [*line, "--output-format", "json"], standalone_mode=False)
            paths.append([one["path"] for one in json.loads(result.stdout)["findings"]])
        said = sorted(path for part in paths for path in part)
        assert said == ["caller.py", "idle.py", "more.py", "nearer.py", "pools.py", "receive.py"]


class TestShard:
    @settings(max_examples=30)
    @given(st.text(), st.integers(1, 40))
    def test_a_path_is_in_one_of_them(self, path: str, of: int) -> None:
        assert sum(Shard(number, of).holds(path) for number in range(1, of + 1)) == 1

    def test_they_are_about_as_large(self) -> None:
        paths = [f"package/module_{number}.py" for number in range(4000)]
        sizes = [sum(Shard(number, 4).holds(path) for path in paths) for number in (1, 2, 3, 4)]
        assert max(sizes) < 1.1 * min(sizes)

    def test_the_parts_are_the_same_everywhere(self) -> None:
        """Another split than yesterday's is a lost cache; two machines with different ones lose findings."""
        assert [Shard(2, 3).holds(path) for path in ("a.py", "b.py", "c.py", "d/e.py", "\udcff.py")] == [
            True,
            False,
            True,
            False,
            False,
        ]

    def test_as_it_is_written(self) -> None:
        assert parse("2/5") == Shard(2, 5)

    @pytest.mark.parametrize("text", ["0/4", "5/4", "1/0", "1", "/", "a/b", "1/4/2", "-1/4", "1.0/2", "", "²/3"])
    def test_what_is_wrong_is_said(self, text: str, tree: Path) -> None:
        result = CliRunner().invoke(command, ["scan", "--shard", text])
        assert result.exit_code == 2
        assert "is not I/N, such as 1/4" in result.output or "there is no shard" in result.output
        with pytest.raises(ValueError, match=r"I/N|no shard"):
            fdlint.scan_paths(["."], shard=text)

    def test_standard_input_has_no_parts(self) -> None:
        result = CliRunner().invoke(command, ["scan", "-", "--shard", "1/2"], input="")
        assert result.exit_code == 2
        assert "--shard needs files" in result.output

    def test_what_could_not_be_looked_into_is_in_one_part(self, tree: Path) -> None:
        (tree / "notes.txt").write_text("")
        parts = [fdlint.scan_paths([".", "notes.txt"], shard=f"{number}/3") for number in (1, 2, 3)]
        assert sorted(one.path for part in parts for one in part.skipped) == ["broken.py", "notes.txt"]
