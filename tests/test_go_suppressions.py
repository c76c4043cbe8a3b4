"""The comments that silence findings in Go."""

from __future__ import annotations

import pytest

from fdlint.languages.go.suppressions import suppressions


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("//nolint", set()),
        ("//nolint:all", set()),
        ("// nolint:fdlint // held on purpose", set()),
        ("//nolint:gosec,fdlint", set()),
        ("//nolint:FD101,FD3", {"FD101", "FD3"}),
        ("//nolint:gosec", None),
        ("// nosemgrep", None),
        ("// no lint here", None),
        ("//nolinting is a word", None),
    ],
)
def test_comments(comment: str, codes: set[str] | None) -> None:
    found = suppressions("a.go", ["package a", "", f"fd := open() {comment}"])
    assert [set(one.codes) for one in found] == ([] if codes is None else [codes])
    assert all(one.span.line == 3 for one in found)
