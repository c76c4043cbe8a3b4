"""Fixes: golden cases before and after, the proof, and files that are written."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

from fdlint.cli import main
from fdlint.core.finding import Confidence, Cost
from fdlint.fixes import repairing
from fdlint.fixes.alignment import aligned, applied, edits
from fdlint.fixes.go_file import go_differs_only
from fdlint.fixes.proof import Looked, Prover, compared
from fdlint.fixes.repairing import Repair
from fdlint.fixes.trees import Change, Inserted, Removed, Replaced, Wrapped, differs_only
from fdlint.report.findings.fix import Edit, Fix
from fdlint.scan import rewrite
from fdlint.scan.reading.lines import with_ends

Captured = pytest.CaptureFixture[str]

HERE = Path(__file__).parent
CASES = sorted((HERE / "fix_cases").glob("*.yml"))


def prover(directory: Path, name: str = "case.py") -> Prover:
    return Prover(directory / name, "utf-8")


def listed(repair: Repair, before: Looked) -> list[str]:
    """The findings and their fixes: the form of a case's ``fixes``."""
    found = []
    for one in before.shown:
        proved = repair.proved(before, one)
        state = "none" if proved is None else "safe" if proved.safe else "unsafe"
        low = " low" if Confidence.LOW is one.confidence or Cost.LOW is one.impact.cost else ""
        found.append(f"{one.code} {one.span.line}{low} {state}")
    return found


@pytest.mark.golden_test("fix_cases/*.yml")
def test_case(golden, tmp_path: Path) -> None:
    repair = Repair(prover(tmp_path, "case.go" if golden.get("language") == "go" else "case.py"))
    before = repair.look(golden["code"])
    assert listed(repair, before) == golden["fixes"]
    repaired = repair.repaired(golden["code"], before.shown, unsafe=bool(golden.get("unsafe")))
    assert repaired.text == golden.out["after"]
    again = Repair(repair.prover).repaired(repaired.text, repair.look(repaired.text).shown, unsafe=False)
    assert again.text == repaired.text
    assert not again.fixed
    if golden.get("language") != "go":
        ast.parse(repaired.text)


OPEN = "import os\n\n\ndef size(p):\n    fd = os.open(p, 0)\n"
LEAK = OPEN + "    n = os.fstat(fd).st_size\n    os.close(fd)\n    return n\n"
FIXED = LEAK.replace("    n = ", "    try:\n        n = ").replace("    os.close", "    finally:\n        os.close")


class TestProof:
    """Changes that the proof refuses. Each pair is a text and a change of it that looks like a repair."""

    def refused(self, directory: Path, before: str, after: str, code: str) -> bool:
        proof = prover(directory)
        old, new = proof.look(before), proof.look(after)
        (finding,) = (one for one in old.shown if one.code == code)
        found = compared(old, new, finding)
        return found is None or bool(found.fresh)

    def test_what_it_accepts(self, tmp_path: Path) -> None:
        assert not self.refused(tmp_path, LEAK, FIXED, "FD103")

    def test_a_double_close(self, tmp_path: Path) -> None:
        doubled = FIXED.replace("    return n", "    os.close(fd)\n    return n")
        assert self.refused(tmp_path, LEAK, doubled, "FD103")

    def test_the_finding_is_still_there(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path, LEAK, LEAK.replace("    n =", "    # nothing\n    n ="), "FD103")

    def test_a_new_leak_elsewhere(self, tmp_path: Path) -> None:
        more = FIXED.replace("    return n", "    os.open(p, 0)\n    return n")
        assert self.refused(tmp_path, LEAK, more, "FD103")

    def test_a_function_that_closes_what_it_gave(self, tmp_path: Path) -> None:
        """The callers of the function would now get a closed number."""
        gives = LEAK.replace("    os.close(fd)\n    return n", "    return fd")
        closed = gives.replace("    return fd", "    os.close(fd)\n    return 0")
        assert self.refused(tmp_path, gives, closed, "FD103")

    def test_a_finding_that_becomes_surer(self, tmp_path: Path) -> None:
        lost = "\n\ndef lose(p):\n    fd = os.open(p, 0)\n"
        surer = LEAK.replace("os.fstat(fd).st_size", "os.stat(p).st_size")
        assert not self.refused(tmp_path, LEAK + lost, LEAK + lost + "    os.close(fd)\n", "FD101")
        assert self.refused(tmp_path, LEAK + lost, surer + lost + "    os.close(fd)\n", "FD101")

    def test_code_that_cannot_be_analysed(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path, LEAK, FIXED + "def broken(:\n", "FD103")


class TestTrees:
    CLOSE = Inserted("os.close(fd)")
    TRIED = Wrapped("finally:\n    b()\n")

    @pytest.mark.parametrize(
        ("before", "after", "changes", "same"),
        [
            ("a()\n", "a()\nos.close(fd)\n", [CLOSE], True),
            ("a()\n", "a()\nos.close(fd)\n", [], False),
            ("a()\n", "a()\nos.close(fd)\nos.close(fd)\n", [CLOSE], False),
            ("a()\n", "a()\n", [CLOSE], False),
            ("a()\n", "b()\nos.close(fd)\n", [CLOSE], False),
            (
                "a()\nb()\n",
                "try:\n    a()\nfinally:\n    b()\n",
                [TRIED, Removed("b()")],
                True,
            ),
            ("a()\nb()\n", "try:\n    a()\nfinally:\n    b()\nb()\n", [TRIED], True),
            (
                "a()\nb()\n",
                "try:\n    a()\nfinally:\n    c()\n",
                [TRIED, Removed("b()")],
                False,
            ),
            ("a()\nb()\n", "try:\n    b()\n    a()\nfinally:\n    c()\n", [Wrapped("finally:\n    c()\n")], False),
            ("if f:\n    a()\n", "if f is not None:\n    a()\n", [Replaced("f", "f is not None")], True),
            ("if f:\n    f()\n", "if f is not None:\n    g()\n", [Replaced("f", "f is not None")], False),
            ("def f():\n    a()\n", "def f():\n    '''a'''\n    a()\n", [], False),
        ],
    )
    def test_python(self, before: str, after: str, changes: list[Change], same: bool) -> None:
        assert differs_only(before, after, changes) is same

    @pytest.mark.parametrize(
        ("after", "changes", "same"),
        [
            ("\ta()\n\tdefer c(fd)\n\tb()\n", [Inserted("defer c(fd)")], True),
            ("\ta()\n\tdefer c(fd)\n\tb()\n", [], False),
            ("\ta()\n\tdefer c(fd)\n\tc()\n", [Inserted("defer c(fd)")], False),
            ("\ta()\n", [Removed("b()")], True),
            ("\ta()\n\tb(\n", [Removed(")")], False),
            ("\ta()\n\tb(1)\n", [Replaced("b()", "b(1)")], True),
        ],
    )
    def test_go(self, after: str, changes: list[Change], same: bool) -> None:
        pytest.importorskip("tree_sitter_go")
        head = "package a\n\nfunc f() {\n"
        assert go_differs_only(f"{head}\ta()\n\tb()\n}}\n", f"{head}{after}}}\n", changes) is same


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nc\n"),
        ("a\n", "b\na\n"),
        ("a\nb\n", "x\ny\nb\nz\n"),
        ("a", "a\nb"),
        ("", ""),
        ("a\n" * 900, "b\n"),
    ],
)
def test_lines_of_a_change(before: str, after: str) -> None:
    old, new = with_ends(before), with_ends(after)
    assert "".join(aligned(old, new)) == after
    assert len(aligned(old, new)) == len(old)
    fix = Fix("", True, edits(old, new))
    assert "".join(applied(old, fix)) == after


def scan(*arguments: str) -> int:
    return main(["scan", *arguments, "--isolated", "--no-cache", "--persona=auditor"])


class TestFiles:
    def test_a_fix_is_written_once(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        file.chmod(0o640)
        assert scan(str(tmp_path), "--fix") == 0
        assert "fdlint: fixed 1 of 1 finding\n" in capsys.readouterr().err
        assert file.read_text() == FIXED
        assert file.stat().st_mode & 0o777 == 0o640
        assert scan(str(tmp_path), "--fix") == 0
        assert file.read_text() == FIXED
        assert os.listdir(tmp_path) == ["a.py"]

    @pytest.mark.parametrize("start", [b"", "\ufeff".encode(), b"# coding: latin-1\nword = '\xe9'\n"])
    @pytest.mark.parametrize("end", [b"\n", b"\r\n"])
    def test_the_form_stays(self, tmp_path: Path, start: bytes, end: bytes) -> None:
        file = tmp_path / "a.py"
        file.write_bytes((start + LEAK.encode()).replace(b"\n", end))
        assert scan(str(file), "--fix") == 0
        assert file.read_bytes() == (start + FIXED.encode()).replace(b"\n", end)

    def test_tabs_stay(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK.replace("    ", "\t"))
        assert scan(str(file), "--fix") == 0
        assert file.read_text() == FIXED.replace("    ", "\t")

    def test_a_preview_writes_nothing(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        assert scan(str(file), "--diff") == 1
        output = capsys.readouterr()
        assert "+    finally:\n+        os.close(fd)\n" in output.out
        assert "fdlint: would fix 1 of 1 finding\n" in output.err
        assert file.read_text() == LEAK

    def test_an_unsafe_fix_needs_its_option(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        text = "import fcntl\nimport os\n\n\ndef lock(p):\n    fd = os.open(p, 0)\n    fcntl.flock(fd, 2)\n"
        file.write_text(text)
        assert scan(str(file), "--fix") == 1
        assert "fdlint: fixed 0 of 1 finding; 1 more with --unsafe-fixes\n" in capsys.readouterr().err
        assert file.read_text() == text
        assert scan(str(file), "--fix", "--unsafe-fixes") == 0
        assert "finally" in file.read_text()

    def test_comments_and_fixes_in_one_file(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_text("# fdlint: ignore[FD101]\n" + LEAK + "x = 1  # fdlint: ignore[FD102]\n")
        assert scan(str(file), "--fix") == 0
        assert file.read_text() == FIXED + "x = 1\n"

    def test_a_suppressed_finding_is_left_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        text = LEAK.replace("os.open(p, 0)", "os.open(p, 0)  # fdlint: ignore[FD103]")
        file.write_text(text)
        assert scan(str(file), "--fix") == 0
        assert file.read_text() == text

    def test_a_link_out_of_the_tree(self, tmp_path: Path, capsys: Captured) -> None:
        outside, tree = tmp_path / "outside.py", tmp_path / "tree"
        outside.write_text(LEAK)
        tree.mkdir()
        (tree / "a.py").symlink_to(outside)
        assert scan(str(tree / "a.py"), "--fix") == 1
        assert "not fixed: it is a link" in capsys.readouterr().err
        assert outside.read_text() == LEAK

    def test_a_directory_that_leads_out(
        self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Somebody replaces a directory of the tree by a link after the scan."""
        tree, outside = tmp_path / "tree", tmp_path / "outside"
        for one in (tree / "sub", outside):
            one.mkdir(parents=True)
            (one / "a.py").write_text(LEAK)
        original = rewrite.unchanged

        def swapped(*arguments: object) -> object:
            (tree / "sub").rename(tmp_path / "gone")
            (tree / "sub").symlink_to(outside)
            return original(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(rewrite, "unchanged", swapped)
        assert scan(str(tree), "--fix") == 1
        assert "not fixed: it is outside of the paths that were named" in capsys.readouterr().err
        assert (outside / "a.py").read_text() == LEAK

    def test_a_file_that_has_changed(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        original = rewrite.unchanged

        def edited(*arguments: object) -> object:
            file.write_text(LEAK + "# mine\n")
            return original(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(rewrite, "unchanged", edited)
        assert scan(str(file), "--fix") == 1
        assert "not fixed: it has changed since the scan" in capsys.readouterr().err
        assert file.read_text() == LEAK + "# mine\n"

    def test_the_work_is_limited(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(repairing, "_MAX_LOOKS", 3)
        text = LEAK + "".join(LEAK.partition("\n\n\n")[2].replace("size", f"size{n}") for n in range(5))
        repair = Repair(prover(tmp_path))
        repaired = repair.repaired(text, repair.look(text).shown, unsafe=False)
        assert 0 < len(repaired.fixed) < 4

    def test_options_that_exclude_each_other(self, tmp_path: Path) -> None:
        assert scan(str(tmp_path), "--fix", "--diff") == 2

    def test_unsafe_fixes_alone(self, tmp_path: Path) -> None:
        assert scan(str(tmp_path), "--unsafe-fixes") == 2


class TestReports:
    def test_json(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        assert scan(str(file), "--diff", "--output-format=json") == 1
        (finding,) = json.loads(capsys.readouterr().out)["findings"]
        assert finding["fix"]["title"] == "Close `fd` in a `finally`"
        assert finding["fix"]["applicability"] == "safe"
        read = [Edit(one["line"], one["end_line"], one["text"]) for one in finding["fix"]["edits"]]
        assert "".join(applied(with_ends(LEAK), Fix("", True, tuple(read)))) == FIXED
        assert file.read_text() == LEAK

    def test_sarif(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        assert scan(str(file), "--diff", "--output-format=sarif") == 1
        (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
        (fix,) = result["fixes"]
        assert fix["description"]["text"] == "Close `fd` in a `finally` (safe)"
        (change,) = fix["artifactChanges"]
        assert change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]
        first = change["replacements"][0]
        assert first["deletedRegion"] == {"startLine": 6, "startColumn": 1, "endLine": 8, "endColumn": 1}
        assert first["insertedContent"]["text"].startswith("    try:\n        n = os.fstat")

    def test_without_the_option(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_text(LEAK)
        assert scan(str(file), "--output-format=json") == 1
        assert "fix" not in json.loads(capsys.readouterr().out)["findings"][0]
