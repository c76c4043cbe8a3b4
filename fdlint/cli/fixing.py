"""``--fix``: takes away the comments that silence nothing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.cli.output import say
from fdlint.suppress import without

if TYPE_CHECKING:
    from fdlint.finding import Report, Unused

UNUSED = "FD900"


def fix(report: Report) -> int:
    """Rewrites the files that have such comments; the number of comments. A file that cannot be written is said."""
    by_file: dict[str, list[Unused]] = defaultdict(list)
    for one in report.unused:
        by_file[one.span.path].append(one)
    return sum(len(found) for path, found in by_file.items() if _rewrite(Path(path), found))


def _rewrite(path: Path, found: list[Unused]) -> bool:
    import tokenize

    try:
        with tokenize.open(path) as reader:
            encoding = reader.encoding
        with path.open(encoding=encoding, newline="") as file:
            text = file.read()
        with path.open("w", encoding=encoding, newline="") as file:
            file.write(without(text, found))
    except OSError as error:
        say(f"fdlint: {path}: cannot be fixed: {error.strerror}")
        return False
    return True
