"""The cache: whatever has changed, a scan that uses it says what one without it says."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import loaded
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fdlint.report.findings.finding import Report
from fdlint.scan import impact
from fdlint.scan import scan as project
from fdlint.scan.cache import cache as stored
from fdlint.scan.cache import open_cache, prints, store
from fdlint.scan.cache.engine import engine
from fdlint.scan.cache.place import named
from fdlint.scan.files.discover import discover
from fdlint.scan.process.ending import Ended
from fdlint.scan.scan import Options

OPENS = "import os\n\n\ndef opened(path):\n    return os.open(path, os.O_RDONLY)\n"
OPENS_FOR_NOBODY = "import os\n\n\ndef opened(path):\n    os.close(os.open(path, os.O_RDONLY))\n"
OPENS_BY_ANOTHER = "from made import opened\n"
NOTHING = "def opened(path):\n    return path\n"
LOSES = "from give import opened\n\n\ndef lose(path):\n    number = opened(path)\n    print(number)\n"
CLOSES = "import os\n\nfrom give import opened\n\n\ndef use(path):\n    number = opened(path)\n    os.close(number)\n"
KEEPS = "import os\n\n\nclass Device:\n    def __init__(self, path):\n        self.channel = os.open(path, os.O_RDWR)\n"
RELEASES = "import os\n\nfrom keep import Device\n\n\ndef end(device):\n    os.close(device.channel)\n"
SILENT = "import os\n\n\ndef lose(path):\n    os.open(path, os.O_RDONLY)  # noqa: FD107\n"
BROKEN = "import os\nos.open(\n"
VARIANTS: dict[str, tuple[str | None, ...]] = {
    "give.py": (OPENS, OPENS_FOR_NOBODY, OPENS_BY_ANOTHER, NOTHING, BROKEN, None),
    "made.py": (None, OPENS, NOTHING, OPENS_FOR_NOBODY),
    "use.py": (LOSES, CLOSES, BROKEN, None),
    "more/__init__.py": (None, "", LOSES),
    "more/give.py": (None, OPENS, NOTHING),
    "more/use.py": (LOSES, LOSES.replace("give", ".give"), None),
    "keep.py": (KEEPS, KEEPS.replace("channel", "other"), None),
    "end.py": (RELEASES, NOTHING, None),
    "silent.py": (SILENT, SILENT.replace("107", "101"), None),
}


def put(root: Path, name: str, text: str | None) -> None:
    """Makes a file, or removes it."""
    path = root / name
    path.parent.mkdir(exist_ok=True)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)


def scan(root: Path, cached: bool = True) -> Report:
    options = Options(jobs=1)
    files = discover([root / "tree"]).files
    return project.scan(files, options, None, open_cache(root / "cache") if cached else None)


def said(report: Report) -> object:
    """All that a report says, but for the time it took."""
    return report.findings, report.skipped, report.sources, report.unused, report.summary.lines, report.silenced


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that the test has only just written count as old, or nothing would be kept."""
    monkeypatch.setattr(prints, "_TICK", -(10**12))


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The files that are analysed."""
    found: list[str] = []
    plain = project.scan_file

    def scan_file(file, *args, **kwargs):  # type: ignore[no-untyped-def]
        found.append(file.path.name)
        return plain(file, *args, **kwargs)

    monkeypatch.setattr(project, "scan_file", scan_file)
    yield found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "pyproject.toml").touch()
    for name, variants in VARIANTS.items():
        put(tmp_path / "tree", name, variants[0])
    return tmp_path


def test_a_second_scan_says_the_same_and_analyses_nothing(tree: Path, analysed: list[str]) -> None:
    first = scan(tree)
    assert {finding.code for finding in first.findings} >= {"FD101"}
    analysed.clear()
    assert said(scan(tree)) == said(first)
    assert not analysed
    assert said(scan(tree, cached=False)) == said(first)
    assert analysed


def test_a_file_that_a_scan_analyses_more_than_once_is_not_analysed_again(tree: Path, analysed: list[str]) -> None:
    put(tree / "tree", "second.py", "from made import opened\n\n\ndef again(path):\n    return opened(path)\n")
    put(tree / "tree", "third.py", "from second import again\n\n\ndef third(path):\n    return again(path)\n")
    put(tree / "tree", "last.py", "from third import third\n\n\ndef last(path):\n    return third(path)\n")
    put(tree / "tree", "made.py", OPENS)
    put(tree / "tree", "asks.py", "import last, made, second, third\n\nprint(made.opened, third.third('x'))\n")
    first = scan(tree)
    assert analysed.count("asks.py") > 2
    analysed.clear()
    assert said(scan(tree)) == said(first)
    assert not analysed


def test_a_function_that_files_only_import_is_followed_at_once(tree: Path, analysed: list[str]) -> None:
    put(tree / "tree", "made.py", OPENS)
    put(tree / "tree", "second.py", "from made import opened\n\n\ndef first(path):\n    print(opened(path))\n")
    put(tree / "tree", "asks.py", "import os, second\n\n\ndef ask(path):\n    os.write(second.opened(path), b'')\n")
    report = scan(tree, cached=False)
    assert analysed.count("asks.py") == 1
    assert "asks.py" in {Path(finding.span.path).name for finding in report.findings}


def test_the_impact_of_a_finding_is_not_worked_out_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tree / "tree", "idle.py", NOTHING)
    rated: list[str] = []
    plain = impact._Rating.rated

    def rate(self, result, file):  # type: ignore[no-untyped-def]
        rated.append(file.path.name)
        return plain(self, result, file)

    monkeypatch.setattr(impact._Rating, "rated", rate)
    first = scan(tree)
    assert rated
    rated.clear()
    assert said(scan(tree)) == said(first)
    assert not rated


def test_only_what_a_change_concerns_is_analysed_again(tree: Path, analysed: list[str]) -> None:
    scan(tree)
    analysed.clear()
    put(tree / "tree", "made.py", OPENS_FOR_NOBODY)  # nobody imports it
    scan(tree)
    assert set(analysed) == {"made.py"}
    analysed.clear()
    put(tree / "tree", "give.py", "# moved\n" + OPENS)
    report = scan(tree)
    assert "keep.py" not in analysed
    assert {"give.py", "use.py"} <= set(analysed)
    assert said(report) == said(scan(tree, cached=False))


def test_a_module_that_appears_changes_what_an_import_means(tree: Path) -> None:
    put(tree / "tree", "give.py", None)
    assert not [one for one in scan(tree).findings if one.span.path.endswith("use.py")]
    put(tree / "tree", "give.py", OPENS)
    assert [one for one in scan(tree).findings if one.span.path.endswith("use.py")]


edits = st.lists(
    st.sampled_from(sorted(VARIANTS)).flatmap(lambda name: st.tuples(st.just(name), st.sampled_from(VARIANTS[name]))),
    min_size=1,
    max_size=5,
)


@settings(max_examples=settings.default.max_examples // 4)
@given(st.lists(edits, min_size=1, max_size=4))
def test_after_any_edits_a_scan_says_what_one_without_the_cache_says(
    tmp_path_factory: pytest.TempPathFactory, rounds: Sequence[Sequence[tuple[str, str | None]]]
) -> None:
    root = tmp_path_factory.mktemp("edited")
    (root / "tree").mkdir()
    (root / "tree" / "pyproject.toml").touch()
    for name, variants in VARIANTS.items():
        put(root / "tree", name, variants[0])
    scan(root)
    for changed in rounds:
        for name, text in changed:
            put(root / "tree", name, text)
        assert said(scan(root)) == said(scan(root, cached=False))


@pytest.mark.parametrize("harm", ["cut", "flipped", "rubbish", "empty"])
def test_a_damaged_cache_counts_as_none(tree: Path, harm: str) -> None:
    first = said(scan(tree))
    (kept,) = (tree / "cache").glob("*.results")
    data = kept.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    kept.write_bytes({"cut": data[:middle], "flipped": flipped, "rubbish": b"rubbish" * 9, "empty": b""}[harm])
    assert said(scan(tree)) == first
    assert len(kept.read_bytes()) > middle  # and is made anew


def test_what_results_rest_on_is_kept_once_and_only_as_long_as_something_rests_on_it(tree: Path) -> None:
    scan(tree)
    place = named(tree / "cache")
    assert place is not None
    before = store.read(place, engine())
    assert len(before.grounds) == len(set(before.grounds))
    assert {number for entry in before.entries.values() for number in entry.grounds} == {*range(len(before.grounds))}
    put(tree / "tree", "other.py", LOSES.replace("lose", "lose_again"))
    scan(tree)
    after = store.read(place, engine())
    assert set(before.entries) < set(after.entries)
    for key, entry in before.entries.items():
        rests = {after.grounds[number] for number in after.entries[key].grounds}
        assert rests == {before.grounds[number] for number in entry.grounds}
    forgotten = {key: msgspec.structs.replace(entry, used=0) for key, entry in after.entries.items()}
    store.write(place, engine(), store.Contents(entries=forgotten))
    assert store.read(place, engine()).grounds == []


def test_numbers_that_stand_for_nothing_are_damage(tree: Path) -> None:
    entry = store.Entry(msgspec.Raw(msgspec.msgpack.encode(None)), False, (1,), store.today())
    data = msgspec.msgpack.encode(store.Contents(entries={"x": entry}, grounds=[(store.FILE, "a", "b")]))
    place = named(tree / "cache")
    assert place is not None
    place.directory.mkdir(mode=0o700)
    kept = place.directory / f"{engine()}.results"
    kept.write_bytes(hashlib.blake2b(data, digest_size=16, key=place.key).digest() + data)
    kept.chmod(0o600)
    assert not store.read(place, engine()).entries


def test_what_was_changed_a_moment_ago_is_not_trusted(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change again within the same tick of the clock that file times are taken from."""
    monkeypatch.setattr(prints, "_TICK", 10**12)
    scan(tree)
    path = tree / "tree" / "use.py"
    before = path.stat()
    path.write_text(LOSES.replace("print", "const"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert said(scan(tree)) == said(scan(tree, cached=False))


def test_a_name_that_is_no_text(tree: Path) -> None:
    (tree / "tree" / os.fsdecode(b"\xff.py")).write_text(SILENT)
    assert said(scan(tree)) == said(scan(tree)) == said(scan(tree, cached=False))


def test_it_keeps_itself_out_of_version_control_and_backups(tree: Path) -> None:
    scan(tree)
    assert (tree / "cache" / ".gitignore").read_text() == "*\n"
    assert (tree / "cache" / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert not list((tree / "cache").glob(".*.results*"))


def test_a_directory_that_cannot_be_made_is_no_error(tree: Path) -> None:
    (tree / "file").write_text("in the way")
    assert command(tree, "--cache-dir", "../file/cache") == command(tree, "--no-cache")


def command(tree: Path, *arguments: str) -> str:
    options = ("-q", "--exit-zero", "--output-format", "concise", *arguments)
    done = loaded.run([sys.executable, "-m", "fdlint", "scan", ".", *options], cwd=tree / "tree", text=True, check=True)
    output: str = done.stdout
    return output


def test_scans_at_the_same_time_do_no_harm(tree: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        outputs = set(pool.map(lambda _: command(tree), range(4)))
    assert outputs == {command(tree, "--no-cache")} == {command(tree)}


def test_the_command_line_says_where_it_is_and_whether(tree: Path) -> None:
    user = Path(os.environ["XDG_CACHE_HOME"], "fdlint")
    before = {*user.glob("*/CACHEDIR.TAG")}
    command(tree, "--no-cache")
    assert {*user.glob("*/CACHEDIR.TAG")} == before
    command(tree)
    (tag,) = {*user.glob("*/CACHEDIR.TAG")} - before
    assert tag.parent.name.startswith("tree-")
    command(tree, "--cache-dir", "../elsewhere")
    assert (tree / "elsewhere" / "CACHEDIR.TAG").is_file()
    assert not list((tree / "tree").glob(".fdlint*"))


def test_a_scan_that_is_ended_keeps_what_it_has_done(tmp_path: Path, analysed: list[str]) -> None:
    """So scans with a limit of time come to an end one day."""
    (tmp_path / "tree").mkdir()
    for number in range(5):
        put(tmp_path / "tree", f"a{number}.py", OPENS)
    files = discover([tmp_path / "tree"]).files

    def end(done: int, _total: int, _last: str) -> None:
        if done == 3:
            raise Ended(143)

    partial = project.scan(files, Options(jobs=1), end, open_cache(tmp_path / "cache"), partial=True)
    assert (partial.ended, len(analysed)) == (143, 3)
    del analysed[:]
    assert said(scan(tmp_path)) == said(scan(tmp_path, cached=False))
    assert len(analysed) == 2 + 5


def test_a_scan_that_is_killed_keeps_what_it_had_saved(
    tmp_path: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it runs at its end."""
    (tmp_path / "tree").mkdir()
    for number in range(5):
        put(tmp_path / "tree", f"a{number}.py", OPENS)
    files = discover([tmp_path / "tree"]).files
    monkeypatch.setattr(stored, "_SECONDS", 0.0)
    monkeypatch.setattr(stored, "_SHARE", 0)
    cache = open_cache(tmp_path / "cache")
    assert cache is not None

    def die(done: int, _total: int, _last: str) -> None:
        if done == 3:
            monkeypatch.setattr(cache, "save", lambda: None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.scan(files, Options(jobs=1), die, cache)
    del analysed[:]
    assert said(scan(tmp_path)) == said(scan(tmp_path, cached=False))
    assert len(analysed) == 3 + 5  # the third was not yet saved
