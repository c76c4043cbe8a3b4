"""``--diff``: a diff that other tools can apply, and nothing written."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fdlint.cli import main
from fdlint.scan.patch import patch

OLD = "x = 1  # fdlint: ignore[FD101]\n"
Captured = pytest.CaptureFixture[str]
needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")


def preview(*arguments: str) -> int:
    return main(["scan", *arguments, "--diff", "--isolated", "--no-cache"])


def test_a_diff() -> None:
    before = [f"{number}\n" for number in range(1, 31)]
    after = ["" if line == "2\n" else "ten\n" if line in ("10\n", "17\n") else line for line in before]
    after[-1] = "thirty"
    assert patch("/a b.py", before, after).split("\n") == [
        *("--- a/a b.py", "+++ b/a b.py"),
        *("@@ -1,5 +1,4 @@", " 1", "-2", " 3", " 4", " 5"),
        *("@@ -7,14 +6,14 @@", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"),
        *(" 14", " 15", " 16", "-17", "+ten", " 18", " 19", " 20"),
        *("@@ -27,4 +26,4 @@", " 27", " 28", " 29", "-30", "+thirty", "\\ No newline at end of file", ""),
    ]


def test_no_difference() -> None:
    assert patch("a.py", ["a\n"], ["a\n"]) == patch("a.py", [], []) == ""


changes = st.tuples(
    st.sampled_from(["a\n", "b\r", "c\n", "d\r\n"]),
    st.sampled_from([str, str, str, lambda line: "", lambda line: "new" + line[1:]]),
)


@needs_patch
@given(st.lists(changes, max_size=40), st.booleans())
def test_patch_applies_it(pairs: list[tuple[str, Callable[[str], str]]], whole: bool) -> None:
    before = [line for line, _ in pairs]
    if before and not whole:
        before[-1] = before[-1].rstrip("\r\n")
    after = [change(line) for line, (_, change) in zip(before, pairs, strict=True)]
    text = patch("a.py", before, after)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "a.py")
        file.write_bytes("".join(before).encode())
        if text:
            subprocess.run(["patch", "--binary", "-s", "-p1", "-d", place], input=text.encode(), check=True)
        left = file.read_bytes() if file.exists() else b""  # patch removes a file of which nothing is left
        assert left == "".join(after).encode()


class TestPreview:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    @needs_patch
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_comes_to_the_same_as_fix(self, capsysbinary: pytest.CaptureFixture[bytes], end: str) -> None:
        text = f"import os\nif x:\n\ty = 2\n\ty = 3  # noqa: FD101 why\n{OLD}z = '\xe9'  # noqa: E501,FD101"
        data = text.replace("\n", end).encode()
        Path("a.py").write_bytes(data)
        assert preview(".") == 1
        output = capsysbinary.readouterr()
        assert output.err == b"fdlint: 2 comments would be removed, 1 shortened\n"
        assert Path("a.py").read_bytes() == data
        assert main(["scan", ".", "--fix", "--isolated", "--no-cache"]) == 0
        fixed = Path("a.py").read_bytes()
        Path("a.py").write_bytes(data)
        subprocess.run(["patch", "--binary", "-s", "-p1"], input=output.out, check=True)
        assert Path("a.py").read_bytes() == fixed != data

    def test_the_status(self, capsys: Captured) -> None:
        Path("a.py").write_text("import os\nos.dup(0)\n")
        assert preview("a.py") == 0, "the findings are no matter for a preview"
        assert capsys.readouterr() == ("", "fdlint: would fix 0 of 1 finding\n")
        Path("a.py").write_text(OLD)
        assert preview("a.py") == 1
        assert preview("a.py", "--exit-zero") == 0
        Path("b.py").write_text("x = = 1\nimport os; os.dup(0)\n")
        assert preview(".", "--strict") == 2

    def test_control_characters_are_shown_as_something_else(self, capsys: Captured) -> None:
        Path("a.py").write_bytes(b"# \x1b[2J a\x08 \rpass\n" + OLD.encode())
        assert preview("a.py") == 1
        assert not set("\x1b\x08\r") & set(capsys.readouterr().out)

    def test_a_file_that_would_not_be_fixed(self, capsys: Captured) -> None:
        Path("target").write_text(OLD)
        Path("a.py").symlink_to("target")
        assert preview("a.py") == 0
        output = capsys.readouterr()
        assert output.out == ""
        assert "a.py: not fixed: it is a link" in output.err

    def test_one_or_the_other(self, capsys: Captured) -> None:
        assert preview(".", "--fix") == 2
        assert "--fix and --diff exclude each other" in capsys.readouterr().err
