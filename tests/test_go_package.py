"""The declarations of a Go package."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.go.lowering.source import GoFile


def test_a_comment_among_types_is_no_type() -> None:
    data = b"package p\n\ntype (\n\t// One is a comment.\n\tOne struct{}\n\tTwo int\n)\n"
    package = Package([GoFile(Path("p.go"), "p.go", data)], go_catalog())
    assert package.types == {"One", "Two"}


def test_constants_count_with_iota() -> None:
    data = (
        b"package p\n\nconst (\n\tA Cmd = iota\n\tB\n\t// C is the third.\n\tC\n\tD Cmd = 5\n\tE\n\tF = iota + 1\n)\n"
    )
    package = Package([GoFile(Path("p.go"), "p.go", data)], go_catalog())
    assert package.numbers == {"A": 0, "B": 1, "C": 2, "D": 5, "E": 5, "F": 6}


def test_a_sum_of_many_terms_is_not_computed() -> None:
    data = b"package p\n\nconst A = 1" + b" + 1" * 5_000 + b"\n\nconst B = 2\n"
    assert Package([GoFile(Path("p.go"), "p.go", data)], go_catalog()).numbers == {"B": 2}
