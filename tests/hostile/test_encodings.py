"""Declared encodings: what Python accepts for a source file, and nothing else."""

from __future__ import annotations

import codecs
import contextlib
import encodings
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fdlint.languages.python.comments import suppressions
from fdlint.scan.reading.encoding import decoded, encoding_of
from hostile.running import LEAK, scan, scan_each

NO_TEXT = ["rot13", "hex", "base64", "zlib", "bz2", "uu", "quopri"]
NO_CHARACTER_SETS = ["idna", "punycode", "undefined"]
WITH_COMMENT = LEAK.replace("\n", "  # noqa: FD101\n", 1)


def test_one_file_does_not_end_the_scan(tmp_path: Path) -> None:
    names = [*NO_TEXT, *NO_CHARACTER_SETS]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "leak.py").write_text(LEAK)
        (tmp_path / name / "odd.py").write_text(f"# coding: {name}\n{WITH_COMMENT}")
    for name, run in zip(names, scan_each([tmp_path / name for name in names]), strict=True):
        assert (run.status, run.found) == (1, ["leak.py"])
        assert run.skipped == {"odd.py": f"cannot be decoded: {name} is not a text encoding"}


@pytest.mark.parametrize("name", [*NO_TEXT, *NO_CHARACTER_SETS, "no-such-codec", "x" * 1_000_000])
def test_nothing_in_it_silences(name: str) -> None:
    assert suppressions(f"# coding: {name}\n{WITH_COMMENT}".encode(), "a.py") == ()


def test_a_comment_that_is_all_there_is(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("# coding: rot13\nx = 1  # fdlint: ignore[FD101]\n")
    assert scan(tmp_path).status == 0


def on_this_system() -> Iterator[str]:
    for name in sorted({module.name for module in pkgutil.iter_modules(encodings.__path__)}):
        with contextlib.suppress(LookupError):
            codecs.lookup(name)
            yield name


@pytest.mark.parametrize("name", [name for name in on_this_system() if name != "idna"])  # that takes quadratic time
def test_as_python_does(name: str) -> None:
    data = f"# coding: {name}\nx = 1\n".encode()
    try:
        compile(data, "a.py", "exec")
    except SyntaxError:
        with pytest.raises((LookupError, SyntaxError, UnicodeError)):
            compile(decoded(data)[0], "a.py", "exec")
    else:
        assert "x = 1" in decoded(data)[0]


def test_a_reason_is_short(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(f"# coding: {'x' * 100_000}\n{LEAK}")
    (reason,) = scan(tmp_path).skipped.values()
    assert len(reason) < 300


@pytest.mark.parametrize("before", ["#" * 3000, "# \xe9" * 3000, "x = 1 #" + "\xe9" * 3000])
def test_a_long_first_line(before: str) -> None:
    assert encoding_of(f"{before}\n# coding: latin-1\n".encode()) == ("utf-8" if before[0] == "x" else "iso-8859-1")
