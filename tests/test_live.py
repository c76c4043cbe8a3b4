"""Texts of an editor: the same findings as a scan of the saved file, whatever was analysed before."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import yaml

from fdlint.core.finding import Finding
from fdlint.scan import analysis, live
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.live import Live
from fdlint.scan.scan import scan

CASES = sorted((Path(__file__).parent / "cases").rglob("*.yml"))
HEAD = "import os\n\n\n"


def codes(texts: Live, text: str, path: Path) -> list[str]:
    return [one.code for one in texts.look(text.encode(), path).report.findings]


def test_it_finds_what_a_scan_finds(tmp_path: Path) -> None:
    texts = Live()
    for number, case in enumerate(CASES[::180]):
        code = yaml.safe_load(case.read_text(encoding="utf-8")).get("code", "")
        path = tmp_path / f"case{number}.py"
        path.write_text(code, encoding="utf-8")
        wanted = [place(one) for one in scan([FileToScan(str(path), str(path))]).findings]
        for text in (code[: len(code) // 2], code, f"{code}\n", code):
            found = texts.look(text.encode(), path).report.findings
        assert [place(one) for one in found] == wanted, case


def place(finding: Finding) -> tuple[str, int, int, str]:
    return finding.code, finding.span.line, finding.span.column, finding.message


def test_files_that_import_each_other(tmp_path: Path) -> None:
    """What the other file does depends on the text."""
    (tmp_path / "other.py").write_text("import edited\n\n\ndef drop(fd):\n    edited.end(fd)\n")
    use = "def use(p):\n    fd = os.open(p, 0)\n    other.drop(fd)\n"
    closing, idle = (
        f"import os\nimport other\n\n\ndef end(fd):\n    {body}\n\n\n{use}" for body in ("os.close(fd)", "pass")
    )
    texts, path = Live(), tmp_path / "edited.py"
    path.write_text(closing)
    for _ in range(2):
        assert codes(texts, closing, path) == []
        assert codes(texts, idle, path) == ["FD101"]


def test_a_caller_of_what_does_not_change_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other file does depends on a function of this one: only that is followed again."""
    (tmp_path / "other.py").write_text("import edited\n\n\ndef drop(fd):\n    edited.end(fd)\n")
    head = "import os\nimport other\n\n\ndef end(fd):\n    os.close(fd)\n\n\n"
    use = "def use(p):\n    fd = os.open(p, 0)\n    other.drop(fd)\n    return 0\n"
    moved = head.replace("def end", "# a word\ndef end")
    texts, path, made = Live(), tmp_path / "edited.py", list[object]()
    path.write_text(head + use)
    original = analysis.fresh_knowledge
    monkeypatch.setattr(analysis, "fresh_knowledge", lambda *given: made.append(given) or original(*given))
    for text, is_fresh in (
        (head + use, True),
        (head + use.replace("return 0", "return 1"), False),
        (head + use.replace("return 0", "return fd"), False),
        (moved + use.replace("return 0", "return fd"), False),  # only moved, and the results of the other file with it
        (moved + use.replace("return 0", "return 1"), False),
        (moved.replace("os.close(fd)", "pass") + use, False),
        ("X = 1\n" + moved + use, True),  # a new name may matter to anything
    ):
        made.clear()
        found = codes(texts, text, path)
        assert (found, bool(made)) == (codes(Live(), text, path), is_fresh), text


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    other, path, texts = tmp_path / "other.py", tmp_path / "edited.py", Live()
    text = "import os\nfrom other import end\n\n\ndef use(p):\n    fd = os.open(p, 0)\n    end(fd)\n"
    for body, wanted in (("os.close(fd)", []), ("print(fd)", ["FD101"]), ("os.close(fd)", [])):
        other.write_text(f"import os\n\n\ndef end(fd):\n    {body}\n# {len(wanted)}\n")
        assert codes(texts, text, path) == wanted


def test_a_new_file_is_seen_after_a_refresh(tmp_path: Path) -> None:
    path, texts = tmp_path / "edited.py", Live()
    text = "from other import opened\n\n\ndef use(p):\n    fd = opened(p)\n    print(p)\n"
    assert codes(texts, text, path) == []
    (tmp_path / "other.py").write_text(HEAD + "def opened(p):\n    return os.open(p, 0)\n")
    texts.refresh()
    assert codes(texts, text, path) == ["FD101"]


@pytest.mark.internal_error
def test_what_cannot_be_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, path = Live(), tmp_path / "a.py"
    leak = HEAD + "def f(p):\n    fd = os.open(p, 0)\n    print(p)\n"
    for bad in (b"\0os.open(", b"x = os.open(" * 50_000, b"# coding: nonsense\nos.open()\n", b"\xff\xfe os.open("):
        assert not texts.look(bad, path).report.findings
    assert codes(texts, leak, path) == ["FD101"]

    def fail(*_: object) -> None:
        raise ValueError("a defect")

    with monkeypatch.context() as patched:
        patched.setattr(live, "settle", fail)
        (skipped,) = texts.look(leak.replace("print", "repr").encode(), path).report.skipped
        assert "internal error" in skipped.reason
    assert codes(texts, leak, path) == ["FD101"]


def test_nothing_of_the_project_runs(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(f"import os\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    codes(Live(), "import os, other\nfd = os.open(other.x, 0)\n", tmp_path / "a.py")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(("limit", "most"), [("_MAX_TEXTS", 10), ("_MAX_TEXT", 1)])
def test_old_texts_are_freed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int) -> None:
    """Garbage collection is off during each analysis, so it would hardly ever find them."""
    monkeypatch.setattr(live, limit, most)
    texts, objects = Live(), []
    gc.collect()
    gc.disable()
    try:
        for number in range(30):
            text = f"{HEAD}def use{number:02}(p):\n    fd = os.open(p, 0)\n    os.read(fd, 1)\n"
            assert codes(texts, text, tmp_path / "edited.py") == ["FD101"]
            if number % 10 == 9:
                objects.append(len(gc.get_objects()))
    finally:
        gc.enable()
    assert objects[2] - objects[1] < 500
