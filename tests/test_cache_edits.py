"""The cache after edits inside files: a scan with it says what one without it says, and analyses what it must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fdlint.report.findings.finding import Report
from fdlint.scan import scan as project
from fdlint.scan.cache import open_cache, prints
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import Options

Block = tuple[str, ...]
"""The versions of one block of a file. The first is what the file begins with."""

OPENED = "def opened(path):\n    return os.open(path, os.O_RDONLY)\n"
FILES: dict[str, tuple[Block, ...]] = {
    "give.py": (
        ("import os\n", "import os\nfrom deep import *\n", "import os\nfrom deep import opened as opened\n"),
        ("", "# a comment\n\n", "def unrelated(fd):\n    os.close(fd)\n\n", "LIMIT = 3\n"),
        ("FLAG = 0\n", "FLAG = 1\n", "FLAG = None\n", ""),
        (
            OPENED,
            OPENED.replace("    return", "    # opens\n    return"),
            "def opened(path):\n    return path\n",
            "def opened(path):\n    return inner(path)\n",
            "opened = os.open\n",
            "",
        ),
        ("", "def inner(path):\n    return os.open(path, 0)\n", "def inner(path):\n    return 1\n"),
        (
            "def closed(fd):\n    os.close(fd)\n",
            "def closed(fd):\n    print(fd)\n",
            "def closed(fd):\n    finished(fd)\n",
            "@twice\ndef closed(fd):\n    os.close(fd)\n",
            "closed = os.close\n",
        ),
        ("", "def finished(fd):\n    os.close(fd)\n", "def twice(function):\n    return print\n"),
        (
            "class Base:\n    def close(self):\n        os.close(self.fd)\n        self.fd = None\n",
            "class Base:\n    def close(self):\n        self.fd = None\n",
            "class Base(Root):\n    pass\n",
            "class Base:\n    def __init__(self, fd):\n        self.fd = fd\n",
            "",
        ),
        ("", "class Sub(Base):\n    def close(self):\n        os.close(self.fd)\n"),
        ("", "from deep import Root\n", "class Root:\n    def close(self):\n        os.close(self.fd)\n"),
    ),
    "deep.py": (
        ("import os\n",),
        ("", OPENED),
        ("def finished(fd):\n    os.close(fd)\n", "def finished(fd):\n    pass\n", ""),
        ("class Root:\n    def close(self):\n        pass\n", "class Root:\n    fd = None\n"),
    ),
    "use.py": (
        ("import os\nimport give\nfrom give import FLAG, closed, opened\n", "import os\nfrom give import *\n"),
        ("", "from deep import finished as closed\n"),
        ("def lose(path):\n    fd = opened(path)\n    print(fd)\n", ""),
        ("def use(path):\n    fd = opened(path)\n    try:\n        print(fd)\n    finally:\n        closed(fd)\n",),
        ("def flagged(path):\n    fd = opened(path)\n    if FLAG:\n        os.close(fd)\n", ""),
        (
            "class Own(give.Base):\n    def open(self, path):\n        self.fd = os.open(path, 0)\n",
            "class Own(give.Base):\n    def open(self, path):\n        self.fd = os.open(path, 0)\n"
            "    def again(self, path):\n        self.close()\n        self.fd = os.open(path, 0)\n",
        ),
        ("def both(fd):\n    closed(fd)\n    os.close(fd)\n", ""),
        ("def unknown(thing, path):\n    thing.fd = opened(path)\n    thing.close()\n", ""),
    ),
    "end.py": (("import os\n",), ("def end(own):\n    os.close(own.fd)\n", "")),
}
State = dict[tuple[str, int], int]


def written(root: Path, state: State) -> None:
    """Writes all files. A number selects the version of a block."""
    for name, blocks in FILES.items():
        text = "\n\n".join(versions[state.get((name, at), 0)] for at, versions in enumerate(blocks))
        path = root / "tree" / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def scan(root: Path, cached: bool = True) -> Report:
    files = discover([root / "tree"]).files
    return project.scan(files, Options(jobs=1), None, open_cache(root / "cache") if cached else None)


def said(report: Report) -> object:
    return report.findings, report.skipped, report.sources, report.unused, report.summary.lines, report.silenced


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that the test has only just written count as old, or nothing would be kept."""
    monkeypatch.setattr(prints, "_TICK", -(10**12))


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The files that are analysed."""
    found: set[str] = set()
    plain = project.scan_file

    def scan_file(file, *args, **kwargs):  # type: ignore[no-untyped-def]
        found.add(file.path.name)
        return plain(file, *args, **kwargs)

    monkeypatch.setattr(project, "scan_file", scan_file)
    yield found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return begun(tmp_path)


def begun(path: Path) -> Path:
    (path / "tree").mkdir()
    (path / "tree" / "pyproject.toml").touch()
    written(path, {})
    return path


blocks = [(name, at) for name, found in FILES.items() for at, versions in enumerate(found) if len(versions) > 1]
edits = st.lists(
    st.sampled_from(blocks).flatmap(
        lambda block: st.tuples(st.just(block), st.integers(0, len(FILES[block[0]][block[1]]) - 1))
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=settings.default.max_examples // 3)
@given(st.lists(edits, min_size=1, max_size=8))
def test_after_any_edits_it_says_what_a_scan_without_it_says(
    tmp_path_factory: pytest.TempPathFactory, rounds: Sequence[Sequence[tuple[tuple[str, int], int]]]
) -> None:
    root = begun(tmp_path_factory.mktemp("edited"))
    state: State = {}
    scan(root)
    for changed in rounds:
        state.update(changed)
        written(root, state)
        assert said(scan(root)) == said(scan(root, cached=False))


@pytest.mark.parametrize("version", [1, 2], ids=["a comment", "a function"])
def test_what_nobody_asks_for_concerns_the_file_alone(root: Path, analysed: set[str], version: int) -> None:
    state = {("give.py", 7): 1, ("use.py", 2): 1, ("use.py", 4): 1}  # no finding quotes the file
    written(root, state)
    scan(root)
    analysed.clear()
    written(root, {**state, ("give.py", 1): version})
    report = scan(root)
    assert analysed == {"give.py"}
    assert said(report) == said(scan(root, cached=False))


def test_a_comment_in_a_function_that_is_followed_does_not_matter(root: Path, analysed: set[str]) -> None:
    state = {("use.py", 2): 1, ("use.py", 4): 1}
    written(root, state)
    scan(root)
    analysed.clear()
    written(root, {**state, ("give.py", 3): 1})
    scan(root)
    assert analysed == {"give.py"}
    analysed.clear()
    scan(root)
    assert not analysed


@pytest.mark.parametrize(
    ("block", "version"), [(3, 2), (5, 1), (7, 1), (2, 1), (8, 1)], ids=["gives", "closes", "class", "constant", "sub"]
)
def test_what_is_followed_concerns_its_callers(root: Path, analysed: set[str], block: int, version: int) -> None:
    scan(root)
    analysed.clear()
    written(root, {("give.py", block): version})
    report = scan(root)
    assert "use.py" in analysed
    assert said(report) == said(scan(root, cached=False))
