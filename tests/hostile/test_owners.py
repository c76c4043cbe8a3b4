"""CODEOWNERS files that want to stop a report."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fdlint.scan.git.owners import MAX_BYTES, Codeowners, OwnersError, owners


class TestRefused:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def put(self, name: str, text: str = "") -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)

    def owners(self, *paths: str, named: tuple[str, ...] = (".",)) -> dict[str, tuple[str, ...]]:
        self.refused: list[str] = []
        return owners(paths, named, lambda path, reason: self.refused.append(f"{os.path.relpath(path)}: {reason}"))

    def test_what_is_no_file_or_too_large_is_refused(self) -> None:
        os.mkfifo("CODEOWNERS")
        assert self.owners("a.py") == {}
        assert self.refused == ["CODEOWNERS: not a regular file"]
        os.remove("CODEOWNERS")
        self.put("CODEOWNERS", "* @a\n".ljust(MAX_BYTES + 1))
        assert self.owners("a.py", "b.py") == {}
        assert self.refused == [f"CODEOWNERS: too large: {MAX_BYTES + 1:,} bytes, the limit is {MAX_BYTES:,}"]

    def test_too_many_wildcards_are_refused(self) -> None:
        text = "".join(f"a*{number}*b @a\n" for number in range(1001))
        with pytest.raises(OwnersError, match="more than 1,000 patterns with wildcards"):
            Codeowners(text)
        self.put("CODEOWNERS", text)
        assert self.owners("a.py") == {}
        assert len(self.refused) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a*" * 400 + "b @a\n",
        "* " + "@a " * 200_000 + "\n",
        "* " + "@a\t" * 200_000 + "x#\n",
        "x" * 500_000,
        "\\ " * 500_000 + " @a",
        "".join(f"/d{number}/ @a\n" for number in range(30_000)),
    ],
    ids=["stars", "owners", "tabs", "long", "spaces", "lines"],
)
def test_hostile_lines_take_no_time(text: str) -> None:
    started = time.monotonic()
    listed = Codeowners(text)
    for number in range(1000):
        listed.of(f"d{number}/{'a' * 200}/c.py")
    assert time.monotonic() - started < 10
