"""Describes Go."""

from __future__ import annotations

from fdlint.languages.description import LanguageDescription, Parser, Setting

SUFFIX, TEST = ".go", "_test.go"
COPIES = "vendor"
GENERATED, TESTS, VENDOR = "go-generated", "go-tests", "go-vendor"


def is_test(name: str) -> bool:
    """Whether a file is a test, by its name."""
    return name.endswith(TEST)


GO = LanguageDescription(
    key="go",
    title="Go",
    suffixes=(SUFFIX,),
    searched=(SUFFIX,),
    test_files=(f"*{TEST}",),
    is_test_name=is_test,
    hook="fdlint-go",
    ignore="//nolint:fdlint",
    parser=Parser(("tree_sitter", "tree_sitter_go"), "tree-sitter-go", "go"),
    copies=COPIES,
    scans_copies=VENDOR,
    scans_tests=TESTS,
    project_files=("go.mod",),
    rules=True,
    by_package=True,
    settings=(
        Setting(GENERATED, "whether Go files marked `// Code generated … DO NOT EDIT.` are checked", False, True),
        Setting(TESTS, "whether `_test.go` files are checked", True, True),
        Setting(VENDOR, "whether Go files below a directory called `vendor` are checked", False, False),
    ),
)
