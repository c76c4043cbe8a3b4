"""``--fix`` on files that are not what they seem, and in places where it must not write."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fdlint.cli import main

OLD = b"x = 1  # fdlint: ignore[FD101]\n"
NEW = b"x = 1\n"
Captured = pytest.CaptureFixture[str]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def fix(*paths: Path | str, option: str = "--fix") -> int:
    return main(["scan", *map(str, paths), option, "--isolated", "--no-cache", "--output-format=concise"])


def fixed(place: Path, data: bytes) -> bytes:
    """What ``--fix`` makes of a file. Nothing else is left in its directory."""
    file = place / "a.py"
    file.write_bytes(data)
    fix(file)
    assert os.listdir(place) == ["a.py"]
    return file.read_bytes()


class TestContents:
    @pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
    @pytest.mark.parametrize("above", ["# {}\n", "word = '{}'\n", "'''\n{}\n'''\n"])
    def test_lines_above_are_not_touched(self, tmp_path: Path, above: str, mark: str) -> None:
        text = above.format(mark) + "total = compute(account) + 1  # money\n"
        assert fixed(tmp_path, text.encode() + OLD) == text.encode() + NEW

    def test_a_page_break_between_functions(self, tmp_path: Path, capsys: Captured) -> None:
        start = b"import os\n\n\x0c\ndef pay(account, amount):\n    if account.is_open and (amount > 0):\n        "
        end = b"    return 1\n"
        assert fixed(tmp_path, start + OLD + end) == start + NEW + end
        assert "fdlint: 1 comment removed\n" in capsys.readouterr().err

    @pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
    def test_ends_of_lines_stay(self, tmp_path: Path, end: bytes) -> None:
        old = b"y = 0\n" + OLD + b"# noqa: FD101\nz = 2"
        new = b"y = 0\n" + NEW + b"z = 2"
        assert fixed(tmp_path, old.replace(b"\n", end)) == new.replace(b"\n", end)

    def test_mixed_ends_of_lines_stay(self, tmp_path: Path) -> None:
        assert fixed(tmp_path, b"a = 1\rb = 2\r\n" + OLD + b"c = 3\r") == b"a = 1\rb = 2\r\n" + NEW + b"c = 3\r"

    @pytest.mark.parametrize(
        "start",
        [
            "\ufeff# \xe9\n".encode(),
            "# coding: latin-1\nword = '\xe9'\n".encode("latin-1"),
            "#!/usr/bin/python3\n# -*- coding: cp1251 -*-\nword = '\u0416'\n".encode("cp1251"),
            "# coding: utf-8\nword = '\u2028\U0001f600'\n".encode(),
            "# coding: shift_jis\nword = '\u8868'\n".encode("shift_jis"),
        ],
    )
    def test_the_encoding_stays(self, tmp_path: Path, start: bytes) -> None:
        assert fixed(tmp_path, start + OLD) == start + NEW

    def test_the_comment_is_the_whole_file(self, tmp_path: Path) -> None:
        assert fixed(tmp_path, b"# noqa: FD101") == b""

    def test_a_string_that_looks_like_a_comment(self, tmp_path: Path) -> None:
        text = b"a = '# noqa: FD101'\nb = '''\n# fdlint: ignore[FD101]\n'''  # noqa: FD101\n"
        assert fixed(tmp_path, text) == text.removesuffix(b"  # noqa: FD101\n") + b"\n"

    def test_a_comment_between_brackets(self, tmp_path: Path) -> None:
        assert fixed(tmp_path, b"f(  # noqa: FD101\n    # noqa: FD101\n    1,\n)\n") == b"f(\n    1,\n)\n"

    def test_a_comment_at_the_end_of_a_body(self, tmp_path: Path) -> None:
        assert fixed(tmp_path, b"def f():\n    pass\n    # noqa: FD101\nf()\n") == b"def f():\n    pass\nf()\n"

    def test_python_2(self, tmp_path: Path) -> None:
        assert fixed(tmp_path, b"print 'a'\n" + OLD + b"exec 'b'\n") == b"print 'a'\n" + NEW + b"exec 'b'\n"


class TestWhatIsNotRewritten:
    """The file stays as it is, a message gives the reason, and the finding is still reported."""

    def stays(self, capsys: Captured, reason: str, file: Path, *roots: Path | str) -> None:
        before = file.read_bytes() if file.is_file() else b""
        assert fix(*roots or [file]) == 1
        output = capsys.readouterr()
        assert f": not fixed: it {reason}" in output.err
        assert "fdlint: 0 comments removed" in output.err
        assert "FD900" in output.out
        assert not file.is_file() or file.read_bytes() == before
        assert not list(file.parent.glob(".fdlint-*"))

    def test_code_that_would_change(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(b"x = 1 \\\n  # noqa: FD101\ny = 2\n")  # without its line, `y` would be part of the statement
        self.stays(capsys, "would not be the same code", file)

    @pytest.mark.parametrize("rest", [b"# coding: utf-7\nword = '+AGE-'\n", b"# coding: latin-1\nword = 'a'\n"])
    def test_an_encoding_that_would_count(self, tmp_path: Path, capsys: Captured, rest: bytes) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(b"# noqa: FD101\n#\n" + rest)  # Python looks for it in the first two lines
        self.stays(capsys, "would not be the same code", file)

    def test_what_cannot_be_tokenized(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD + b"y = '''\n")
        self.stays(capsys, "cannot be rewritten: ", file)

    def test_what_is_not_understood_may_be_misspelt(self, tmp_path: Path, capsys: Captured) -> None:
        text = b"x = 1  # fdlint: ignroe[FD101]\ny = 2  # fdlint: a useful tool\n"
        assert fixed(tmp_path, text) == text
        assert capsys.readouterr().out.count("FD900") == 2

    def test_a_link(self, tmp_path: Path, capsys: Captured) -> None:
        target = tmp_path / "precious"
        target.write_bytes(OLD)
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "a.py").symlink_to(target)
        self.stays(capsys, "is a link", target, tree)
        self.stays(capsys, "is a link", target, tree / "a.py")
        assert (tree / "a.py").is_symlink()

    def test_a_second_name(self, tmp_path: Path, capsys: Captured) -> None:
        (tmp_path / "a.py").write_bytes(OLD)
        os.link(tmp_path / "a.py", tmp_path / "precious")
        self.stays(capsys, "has another name (a hard link)", tmp_path / "precious", tmp_path / "a.py")

    def test_a_name_that_leads_elsewhere(
        self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """``inside/../a.py`` is a file beside the directory that ``inside`` leads to; reports show it as ``a.py``."""
        for place in (tmp_path / "here", tmp_path / "there" / "below"):
            place.mkdir(parents=True)
            (place.parent if place.name == "below" else place).joinpath("a.py").write_bytes(OLD)
        (tmp_path / "here" / "inside").symlink_to(tmp_path / "there" / "below")
        monkeypatch.chdir(tmp_path / "here")
        self.stays(capsys, "is outside of the paths that were named", Path("a.py"), "inside/../a.py")

    def test_a_link_to_a_directory_that_was_named(self, tmp_path: Path) -> None:
        (tmp_path / "tree").mkdir()
        (tmp_path / "tree" / "a.py").write_bytes(OLD)
        (tmp_path / "named").symlink_to("tree")
        assert fix(tmp_path / "named") == 0
        assert (tmp_path / "tree" / "a.py").read_bytes() == NEW

    def test_a_read_only_file(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        file.chmod(0o444)
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write to it
        self.stays(capsys, "cannot be written: it is read-only", file)

    def test_a_read_only_directory(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(**_: object) -> None:
            raise PermissionError(13, "Permission denied")

        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
        self.stays(capsys, "cannot be written: Permission denied", file)

    @pytest.mark.parametrize("step", ["fsync", "replace", "utime"])
    def test_a_full_disk(self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        monkeypatch.setattr(os, step, fail)
        self.stays(capsys, "cannot be written: No space left on device", file)

    @needs_root
    def test_an_owner_that_cannot_be_kept(
        self, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        os.chown(file, 12345, 12345)
        monkeypatch.setattr(os, "chown", refuse)
        self.stays(capsys, "would get another owner", file)


class TestWhatChangesMeanwhile:
    @pytest.fixture
    def file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A file that is read as it was before it was changed."""
        place = tmp_path / "a.py"
        place.write_bytes(OLD)
        return place

    def changes(self, monkeypatch: pytest.MonkeyPatch, when: str, change: object) -> None:
        """Something happens just before a step of the fix."""
        import fdlint.scan.rewrite

        original = getattr(fdlint.scan.rewrite, when)

        def step(*arguments: object) -> object:
            change()  # type: ignore[operator]
            return original(*arguments)

        monkeypatch.setattr(fdlint.scan.rewrite, when, step)

    @pytest.mark.parametrize("when", ["rewritten", "_as_before"])
    @pytest.mark.parametrize("new", [b"x = 2  # fdlint: ignore[FD101]\n", b"y = 1\n" + OLD, b""])
    def test_the_contents(
        self, file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, when: str, new: bytes
    ) -> None:
        self.changes(monkeypatch, when, lambda: file.write_bytes(new))
        assert fix(file) == 1
        assert "a.py: not fixed: it has changed since the scan\n" in capsys.readouterr().err
        assert file.read_bytes() == new
        assert os.listdir(file.parent) == ["a.py"]

    def test_into_a_fifo(self, file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        def swap() -> None:
            file.unlink()
            os.mkfifo(file)

        self.changes(monkeypatch, "rewritten", swap)
        assert fix(file) == 1
        assert "a.py: not fixed: it is not a regular file\n" in capsys.readouterr().err

    @pytest.mark.parametrize("when", ["rewritten", "_as_before"])
    def test_into_a_link(self, file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
        target = file.parent / "precious"
        target.write_bytes(OLD)

        def swap() -> None:
            file.unlink()
            file.symlink_to(target)

        self.changes(monkeypatch, when, swap)
        assert fix(file) == 1
        assert "a.py: not fixed: it " in capsys.readouterr().err
        assert file.is_symlink()
        assert target.read_bytes() == OLD

    def test_into_nothing(self, file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
        self.changes(monkeypatch, "rewritten", file.unlink)
        assert fix(file) == 1
        assert "a.py: not fixed: it cannot be read: No such file or directory\n" in capsys.readouterr().err

    def test_an_interrupt_leaves_the_file_and_nothing_else(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt() -> None:
            raise KeyboardInterrupt

        self.changes(monkeypatch, "_as_before", interrupt)
        assert fix(file) == 130
        assert file.read_bytes() == OLD
        assert os.listdir(file.parent) == ["a.py"]


class TestStatus:
    @pytest.mark.parametrize("mode", [0o755, 0o600, 0o664])
    def test_the_mode_stays(self, tmp_path: Path, mode: int) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        file.chmod(mode)
        assert fix(file) == 0
        assert file.read_bytes() == NEW
        assert file.stat().st_mode & 0o7777 == mode

    @needs_root
    def test_the_owner_stays(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        os.chown(file, 12345, 23456)
        file.chmod(0o4755)
        assert fix(file) == 0
        assert file.read_bytes() == NEW
        status = file.stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 23456, 0o4755)

    def test_extended_attributes_stay(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        try:
            os.setxattr(file, "user.origin", b"here")
        except (AttributeError, OSError):
            pytest.skip("there are no extended attributes here")
        assert fix(file) == 0
        assert os.getxattr(file, "user.origin") == b"here"

    def test_the_time_does_not_stay(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        os.utime(file, (0, 0))
        assert fix(file) == 0
        assert file.stat().st_mtime > time.time() - 3600


class TestSelection:
    def test_what_is_not_reported_stays(self, tmp_path: Path, capsys: Captured) -> None:
        file = tmp_path / "a.py"
        file.write_bytes(OLD)
        for choice in ("--ignore=FD900", "--ignore=FD101", "--select=FD1"):
            assert main(["scan", str(file), "--fix", "--isolated", choice]) == 0
            assert "0 comments removed" in capsys.readouterr().err
            assert file.read_bytes() == OLD
        assert main(["scan", str(file), "--fix", "--isolated", "--select=FD9"]) == 0
        assert file.read_bytes() == NEW, "whether a comment is used does not depend on what is selected"

    def test_what_is_in_a_baseline_stays(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("a.py").write_bytes(OLD)
        assert main(["baseline", "create", "."]) == 0
        Path("b.py").write_bytes(OLD)
        assert main(["scan", ".", "--fix", "--baseline", "fdlint-baseline.json"]) == 0
        assert Path("a.py").read_bytes() == OLD
        assert Path("b.py").read_bytes() == NEW

    def test_results_from_the_cache(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_bytes(OLD)
        os.utime(tmp_path / "a.py", (0, 0))
        time.sleep(0.05)  # what was changed a moment ago is not kept
        arguments = ["scan", str(tmp_path / "a.py"), "--isolated", f"--cache-dir={tmp_path / 'cache'}"]
        assert main(arguments) == main(arguments) == 1
        assert main([*arguments, "--fix"]) == 0
        assert (tmp_path / "a.py").read_bytes() == NEW

    def test_standard_input(self, capsys: Captured) -> None:
        for option in ("--fix", "--diff"):
            assert fix("-", option=option) == 2
            assert f"{option} needs files: standard input cannot be rewritten" in capsys.readouterr().err

    def test_how_many(self, tmp_path: Path, capsys: Captured) -> None:
        (tmp_path / "a.py").write_bytes(OLD + b"y = 2  # noqa: FD101,E501\n")
        (tmp_path / "b.py").write_bytes(OLD)
        assert fix(tmp_path) == 0
        assert "fdlint: 2 comments removed, 1 shortened\n" in capsys.readouterr().err
        assert (tmp_path / "a.py").read_bytes() == NEW + b"y = 2  # noqa: E501\n"


@pytest.mark.parametrize("comment", ["# fdlint: ignore[", "# fdlint: ignore[FD101] why "])
def test_a_line_of_many_comments(tmp_path: Path, comment: str) -> None:
    started = time.monotonic()
    fixed(tmp_path, b"x = 1  " + comment.encode() * 10_000 + b"\n")
    assert time.monotonic() - started < 15, "it took time that grows with the square of the length"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_kill_leaves_whole_files(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"m{number}.py").write_bytes(OLD)
    command = [sys.executable, "-m", "fdlint", "scan", str(tmp_path), "--fix", "--isolated", "--no-cache", "-j1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if (tmp_path / "m0.py").read_bytes() == NEW:
            process.send_signal(signal.SIGINT)
            break
    process.wait(60)
    assert {file.read_bytes() for file in tmp_path.glob("*.py")} <= {OLD, NEW}
    assert not list(tmp_path.glob(".fdlint-*"))


def test_what_a_kill_leaves_goes_with_the_next_run(tmp_path: Path) -> None:
    fixing, other = tmp_path / "fixing", tmp_path / "other"
    left = fixing / ".fdlint-abc_1234"
    kept = [other / left.name, *(fixing / f".fdlint-{name}" for name in ("abcd1234", "link5678", "twin5678", "other"))]
    for directory in (fixing, other):
        directory.mkdir()
        (directory / "a.py").write_bytes(OLD if directory is fixing else NEW)
    (fixing / ".fdlint-link5678").symlink_to("a.py")
    os.link(fixing / "a.py", tmp_path / "b.py")
    (tmp_path / "b.py").rename(fixing / ".fdlint-twin5678")
    for file in (left, kept[0], kept[1], kept[4]):
        file.write_bytes(OLD)
    (fixing / ".fdlint-dir45678").mkdir()
    for file in (left, kept[0], kept[2], kept[3], kept[4], fixing / ".fdlint-dir45678"):
        os.utime(file, (0, 0), follow_symlinks=False)
    (fixing / "c.py").write_bytes(OLD)
    fix(tmp_path)
    assert (fixing / "c.py").read_bytes() == NEW
    assert not left.exists()
    assert all(map(os.path.lexists, [*kept, fixing / ".fdlint-dir45678"]))


PIECES = [
    "x = 1", "import os", "if x:\n    y = 2", "f(\n    1,\n)", "z = '''\n# noqa: FD101\n'''", "", "\x0c", "os.dup(0)",
    "w = '\u2028\x0b'", "a = 1 \\\n    + 2", "# a word", "# coding: utf-8",
]  # fmt: skip
COMMENTS = [
    "  # fdlint: ignore", "  # fdlint: ignore[FD101] why", "  # noqa: FD101", "  # noqa: E501,FD102 - why", " # noqa",
    "  # fdlint: ignore[FD199,FD101]", "  # type: ignore", " # noqa: FD107 # noqa: FD103 #1", "# fdlint: ignroe",
    "  # fdlint: ignore[FD101", "] # noqa: FD1", " fdlint: ignore", "\t#noqa:FD101,\u2028", "# fdlint: ignore-file[FD2]"
]  # fmt: skip
comments = st.lists(st.sampled_from(COMMENTS), max_size=2).map("".join)
lines = st.tuples(st.sampled_from(PIECES), comments, st.sampled_from(["\n", "\r\n"])).map("".join)


@given(st.lists(lines, max_size=6).map("".join), st.booleans())
def test_a_second_fix_finds_nothing_and_the_code_stays(text: str, marked: bool) -> None:
    with contextlib.suppress(SyntaxError):
        tree = ast.dump(ast.parse(text))
        data = text.encode("utf-8-sig" if marked else "utf-8")
        with tempfile.TemporaryDirectory() as place:
            once = fixed(Path(place), data)
            assert ast.dump(ast.parse(once.decode("utf-8-sig"))) == tree
            assert once.startswith(b"\xef\xbb\xbf") == marked
            assert fixed(Path(place), once) == once
