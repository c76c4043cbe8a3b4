"""FD201, FD203 in Go: the close that comes too late is dropped."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.go_file import GoText
from fdlint.fixes.trees import Removed

CODES = ("FD201", "FD203")


def propose(file: GoText, finding: Finding) -> Iterator[Candidate]:
    """Proposes to drop the statement, if it does nothing else. After a hand-over that is not sound: the new owner may
    never be closed."""
    call = file.call(finding.span)
    line = file.statement(call) if call is not None else None
    gone = file.without(line) if line is not None else None
    if call is None or line is None or gone is None:
        return
    code = file.code(line)
    if code.removeprefix("_ = ") == file.code(call):
        text = file.edited([gone])
        yield Candidate(f"Drop `{file.code(call)}`", text, [Removed(code)], finding.code == "FD201")
