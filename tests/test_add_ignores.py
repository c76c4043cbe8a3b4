"""``--add-ignores``: comments that silence what is found, where they count, in code that stays the same."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from test_cases import CASES, case_files

from fdlint.cli import main
from fdlint.core.checks import all_rules
from fdlint.core.finding import Confidence, Finding, Severity, Span
from fdlint.languages.go import nolint
from fdlint.languages.go.description import GO
from fdlint.languages.go.suppressions import suppressions as go_suppressions
from fdlint.languages.python.comments import suppressions
from fdlint.languages.python.ignores import with_ignores
from fdlint.languages.python.text import meaning
from fdlint.scan.reading.lines import split_at_newlines, with_ends
from fdlint.scan.scan import scan_source
from fdlint.scan.suppress import silence

ROOT = Path(__file__).parent.parent
Captured = pytest.CaptureFixture[str]
CODES = [one.rule.code for one in all_rules()]


def added(text: str) -> str:
    """A module with comments for all that is found in it."""
    findings = [one for one in scan_source(text.encode(), "a.py").findings if one.code != "FD900"]
    assert findings
    return "".join(with_ignores(with_ends(text), findings))


def left(text: str) -> list[str]:
    return [one.code for one in scan_source(text.encode(), "a.py").findings]


@pytest.mark.parametrize("topic", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_of_golden_cases_nothing_is_left(topic: str) -> None:
    """No finding and no unused comment, and the same syntax tree (of what is too new for this Python: tokens).

    Every 15th case is scanned: what counts are the forms of code at a finding, and a topic repeats them. The same tree
    has the same findings, so only every fifth of these is scanned a second time.
    """
    for number, case in enumerate([path for path in case_files() if path.parent.name == topic][::15]):
        golden = yaml.safe_load(case.read_text(encoding="utf-8"))
        if [one for one in golden["expect"] if not one.startswith("FD900")]:
            report = scan_source(golden["code"].encode(), "case.py")
            lines = with_ends(golden["code"])
            unused = [one.code for one in report.findings if one.code == "FD900"]
            new = "".join(with_ignores(lines, (one for one in report.findings if one.code != "FD900")))
            if unused or number % 5 == 0:
                assert left(new) == unused, case.name
            silenced = silence(report.findings, suppressions(new.encode(), "case.py"), CODES)
            assert [one.code for one in silenced.findings] == unused, case.name
            assert unused or not silenced.unused, case.name
            assert meaning(new.encode()) == meaning(golden["code"].encode()), case.name


class TestPython:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("os.dup(0)", "os.dup(0)  # fdlint: ignore[FD107]"),
            ("os.dup(0)  ", "os.dup(0)  # fdlint: ignore[FD107]"),
            ("os.dup(0)  # type: ignore", "os.dup(0)  # type: ignore  # fdlint: ignore[FD107]"),
            ("os.dup(\n    0,\n)", "os.dup(  # fdlint: ignore[FD107]\n    0,\n)"),
            ("os.dup(\n    0,  # zero\n)", "os.dup(  # fdlint: ignore[FD107]\n    0,  # zero\n)"),
            ("os.dup(0) if x else \\\n    None", "os.dup(0) if x else \\\n    None  # fdlint: ignore[FD107]"),
            ("os.dup \\\n(0); '''\n'''", "os.dup \\\n(0); '''\n'''  # fdlint: ignore[FD107]"),
            ("os.dup(0); f'''{x}\n'''", "os.dup(0); f'''{x}\n'''  # fdlint: ignore[FD107]"),
            ("f'''\n{os.dup(0)}\n'''; y", "f'''\n{os.dup(0)}\n'''; y  # fdlint: ignore[FD107]"),
            ("f'''{\nos.dup(0)\n}'''", "f'''{\nos.dup(0)\n}'''  # fdlint: ignore[FD107]"),
            (
                "os.dup(0)  # fdlint: ignore[FD101] old",
                "os.dup(0)  # fdlint: ignore[FD101, FD107] old",
            ),
            (
                "os.dup(0)  #fdlint:ignore[fd101 FD102] why # noqa: E501",
                "os.dup(0)  #fdlint:ignore[fd101, FD102, FD107] why  # noqa: E501",
            ),
            (
                "os.dup(\n    0,\n)  # fdlint: ignore[FD101]",
                "os.dup(\n    0,\n)  # fdlint: ignore[FD101, FD107]",
            ),
            ("os.dup(0); os.dup(1)", "os.dup(0); os.dup(1)  # fdlint: ignore[FD107]"),
            (
                "a = os.dup(0); os.dup(1)\na = None",
                "a = os.dup(0); os.dup(1)  # fdlint: ignore[FD106, FD107]\na = None",
            ),
        ],
    )
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
    def test_where_it_goes(self, before: str, after: str, end: str) -> None:
        indented = [
            f"import os\ndef f(x, y):\n    {text.replace(chr(10), chr(10) + '    ')}\n" for text in (before, after)
        ]
        old, new = (text.removesuffix("\n" if not end else "").replace("\n", end or "\n") for text in indented)
        assert "".join(added(old)) == new
        assert set(left(new)) <= {"FD900"}

    def test_the_last_line_of_a_file(self) -> None:
        assert added("import os\nos.dup(0)") == "import os\nos.dup(0)  # fdlint: ignore[FD107]"

    def test_a_comment_counts_on_all_lines_that_are_joined(self) -> None:
        for code in ("x = 1 + \\\n  2 + \\\n  3  # noqa: FD101\n", "x = '''\n\n'''  # noqa: FD101\n"):
            (comment,) = suppressions(code.encode(), "a.py")
            assert (comment.since, comment.span.line) == (1, 3)

    def test_a_comment_counts_on_its_own_line_only(self) -> None:
        code = b"x = (\n\n  # noqa: FD101\n  2)  # noqa: FD102\n\n\n# noqa: FD103\n"
        assert [comment.since for comment in suppressions(code, "a.py")] == [0, 0, 0]


def leak(line: int, end_line: int, code: str = "FD101") -> Finding:
    return Finding(
        code,
        "",
        Severity.ERROR,
        Span("a.go", line, 1, end_line, 2),
        "",
        None,
        None,
        "",
        language="go",
        confidence=Confidence.HIGH,
    )


class TestGo:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("fd := f()", "fd := f() //nolint:FD101"),
            ("fd := f() // it is", "fd := f() // it is //nolint:FD101"),
            ("fd := f(`a\nb`)", "fd := f(`a\nb`) //nolint:FD101"),
            ("fd := f(/* a\n*/ b)", "fd := f(/* a\n*/ b) //nolint:FD101"),
            ('fd := f("//", \'"\', \'\\\'\', "\\"")', 'fd := f("//", \'"\', \'\\\'\', "\\"") //nolint:FD101'),
            ("fd := f(\n\tb,\n)", "fd := f( //nolint:FD101\n\tb,\n)"),
            ("fd := f() //nolint:errcheck", "fd := f() //nolint:errcheck,FD101"),
            ("fd := f() //nolint:errcheck // old", "fd := f() //nolint:errcheck,FD101 // old"),
            ("fd := f() //nolint:FD102 // why", "fd := f() //nolint:FD102,FD101 // why"),
        ],
    )
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_where_it_goes(self, before: str, after: str, end: str) -> None:
        old, new = (f"package a\n{text}\nvar x = 1 / 2\n".replace("\n", end) for text in (before, after))
        finding = leak(2, 2 + before.count("\n"))
        assert "".join(nolint.with_ignores(old.splitlines(keepends=True), [finding])) == new
        assert nolint.code_of(new) == nolint.code_of(old)
        silenced = go_suppressions("a.go", split_at_newlines(new))
        assert [bool({"FD101"} & one.codes) for one in silenced] == [True]

    def test_no_line_can_have_one(self) -> None:
        with pytest.raises(ValueError, match="no comment can stand at line 2"):
            nolint.with_ignores(["x := `\n", "a\n", "`\n"], [leak(2, 2)])

    def test_code_that_changes_is_seen(self) -> None:
        assert nolint.code_of("a := `\n// b`") != nolint.code_of("a := `\n`")
        assert nolint.code_of('a := "// b"') != nolint.code_of('a := "')

    def test_several_codes(self) -> None:
        new = nolint.with_ignores(["f()\n"], [leak(1, 1), leak(1, 1, "FD201"), leak(1, 1)])
        assert new == ["f() //nolint:FD101,FD201\n"]

    @pytest.mark.skipif(not GO.parser.is_installed, reason="no parser of Go: pip install 'fdlint[go]'")
    def test_a_scan_finds_nothing_more(self, tmp_path: Path, capsys: Captured) -> None:
        (tmp_path / "tree").mkdir()
        file = tmp_path / "tree" / "buggy.go"
        shutil.copy(ROOT / "examples" / "vfio_probe" / "buggy.go", file)
        before = file.read_text(encoding="utf-8")
        assert main(["scan", "--no-cache", "--add-ignores", str(file.parent)]) == 0
        assert "1 finding silenced" in capsys.readouterr().err
        assert main(["scan", "--no-cache", str(file.parent)]) == 0
        after = file.read_text(encoding="utf-8")
        assert "//nolint:FD" in after
        assert nolint.code_of(before) == nolint.code_of(after)


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        file = tmp_path / "a.py"
        file.write_text("import os\nos.dup(0)\nx = 1  # noqa: FD101\n")
        return file

    def scan(self, file: Path, *options: str) -> int:
        return main(["scan", "--isolated", "--no-cache", "--output-format=concise", *options, str(file)])

    def test_writes_and_reports_what_is_left(self, file: Path, capsys: Captured) -> None:
        assert self.scan(file, "--add-ignores") == 1
        captured = capsys.readouterr()
        assert "fdlint: 1 finding silenced\n" in captured.err
        assert [line.split()[1] for line in captured.out.splitlines()] == ["FD900"]
        lines = file.read_text().splitlines()
        assert lines[1:] == ["os.dup(0)  # fdlint: ignore[FD107]", "x = 1  # noqa: FD101"]

    def test_twice_is_once(self, file: Path) -> None:
        self.scan(file, "--add-ignores")
        before = file.read_bytes()
        self.scan(file, "--add-ignores")
        assert file.read_bytes() == before

    def test_only_what_is_selected(self, file: Path) -> None:
        before = file.read_bytes()
        self.scan(file, "--select=FD101", "--add-ignores")
        assert file.read_bytes() == before

    def test_a_file_that_cannot_be_written_keeps_its_finding(self, file: Path, capsys: Captured) -> None:
        (file.parent / "b.py").symlink_to(file)
        assert self.scan(file.parent / "b.py", "--add-ignores") == 1
        captured = capsys.readouterr()
        assert "b.py: no comments added: it is a link" in captured.err
        assert "FD107" in captured.out

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--fix", "--add-ignores"], "--add-ignores and --fix exclude each other"),
            (["--add-ignores", "--no-suppressions"], "--add-ignores and --no-suppressions exclude each other"),
        ],
    )
    def test_what_is_wrong_is_said(self, file: Path, capsys: Captured, options: list[str], message: str) -> None:
        before = file.read_bytes()
        assert self.scan(file, *options) == 2
        assert message in capsys.readouterr().err
        assert file.read_bytes() == before

    def test_standard_input_cannot_be_rewritten(self, capsys: Captured) -> None:
        assert main(["scan", "--add-ignores", "-"]) == 2
        assert "--add-ignores needs files" in capsys.readouterr().err


def test_findings_in_any_order() -> None:
    lines = ["os.dup(0)\n"] * 3
    findings = [replace(leak(line, line), language="python") for line in (3, 1, 2)]
    assert with_ignores(lines, findings) == ["os.dup(0)  # fdlint: ignore[FD101]\n"] * 3
