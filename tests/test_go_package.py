"""The declarations of a Go package."""

from __future__ import annotations

from pathlib import Path

from fdlint.catalog.catalog import go_catalog
from fdlint.frontend.go.package import Package
from fdlint.frontend.go.source import GoFile


def test_a_comment_among_types_is_no_type() -> None:
    data = b"package p\n\ntype (\n\t// One is a comment.\n\tOne struct{}\n\tTwo int\n)\n"
    package = Package([GoFile(Path("p.go"), "p.go", data)], go_catalog())
    assert package.types == {"One", "Two"}
