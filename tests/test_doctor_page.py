"""The page about doctor documents each key of its JSON, and its anchors and examples exist."""

from __future__ import annotations

import re
from pathlib import Path

from proctree import ON_LINUX, build

from fdlint.runtime.doctor.document import document
from fdlint.runtime.doctor.examination import Examination, examine

pytestmark = ON_LINUX

PAGE = (Path(__file__).parent.parent / "docs" / "production.md").read_text(encoding="utf-8")


def examined(tmp_path: Path) -> Examination:
    fds = [{"link": "/dev/vfio/1", "count": 5}, "socket:[5]"]
    threads = [{"tid": 50, "state": "D", "wchan": "request_wait_answer"}]
    tree = [{"pid": 1}, {"pid": 50, "fds": fds, "threads": threads}, {"pid": 51, "parent": 50, "fds": ["socket:[5]"]}]
    return examine(build(tmp_path, tree, {7: 1}), [50], 0.01)


def listed(key: str) -> set[str]:
    """The keys in braces that the page has for a key."""
    row = re.search(rf"^\| `{key}` \| .*?`\{{([\w, ]+)\}}`", PAGE, re.MULTILINE)
    assert row, key
    return set(row[1].split(", "))


def test_every_key_is_documented(tmp_path: Path) -> None:
    found = document(examined(tmp_path))
    process = found["processes"][0]
    cells = " ".join(re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE))
    assert {*found, *process} == set(re.findall(r"\w+", cells))
    for key in ("descriptors", "blocked_threads", "children", "shared", "judgements"):
        assert {name for one in process[key] for name in one} == listed(key)
    assert set(process["growth"]) == listed("growth")
    assert set(found["fuse_connections"][0]) == listed("fuse_connections")


def test_the_keys_of_code_are_documented() -> None:
    from fdlint.runtime.doctor.document import _suspect
    from fdlint.runtime.doctor.kinds import Kind
    from fdlint.runtime.doctor.suspects import Site, Suspect

    assert set(_suspect(Suspect(Site("a", 1, "", "", frozenset()), 1, Kind.FILE, True))) == listed("code")
