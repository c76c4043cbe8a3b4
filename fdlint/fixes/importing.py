"""A file that imports one more module, and a finding in it, which is then some lines further down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fdlint.core.finding import Finding, Span
from fdlint.fixes.python_file import PythonFile


@dataclass(frozen=True, slots=True)
class Importing:
    """``added``: the statements that import the module; empty if the file imported it already."""

    file: PythonFile
    finding: Finding
    added: Sequence[str] = ()


def with_closer(file: PythonFile, finding: Finding) -> Importing:
    """Returns the file with a name for the closing function."""
    return Importing(file, finding) if file.closers else importing(file, finding, "os")


def importing(file: PythonFile, finding: Finding, module: str) -> Importing:
    """Returns the file with a module under its own name."""
    after, added = file.with_import(module)
    by = after.text.count("\n") - file.text.count("\n")
    return Importing(after, _moved(finding, by) if by else finding, added)


def _moved(finding: Finding, by: int) -> Finding:
    def moved(span: Span) -> Span:
        return replace(span, line=span.line + by, end_line=span.end_line + by)

    return finding.placed(moved)
