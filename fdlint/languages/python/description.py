"""Describes Python."""

from __future__ import annotations

from fdlint.languages.description import LanguageDescription, Parser, Setting

_FIXTURES = "conftest.py"
_SUFFIX = "_test.py"
_SCRIPTS = "include-scripts"


def _is_test_name(name: str) -> bool:
    return name == _FIXTURES or name.endswith(_SUFFIX) or (name.startswith("test_") and ".py" in name)


PYTHON = LanguageDescription(
    key="python",
    title="Python",
    suffixes=(".py", ".pyw", ".pyi"),
    searched=(".py",),
    interpreters=("python", "pypy"),
    scans_scripts=_SCRIPTS,
    test_files=("test_*.py", f"*{_SUFFIX}", _FIXTURES),
    is_test_name=_is_test_name,
    top_marks=("pyproject.toml", "setup.py", "setup.cfg"),
    package_file="__init__.py",
    hook="fdlint",
    ignore="# fdlint: ignore[{code}] the reason",
    parser=Parser(("libcst",), "libcst"),
    settings=(
        Setting(
            _SCRIPTS,
            "whether executable Python scripts without a suffix (`#!/usr/bin/python3`) are checked",
            True,
            True,
        ),
    ),
)
