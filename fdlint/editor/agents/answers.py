"""The tools of the server as functions: paths and lines in, JSON out. They read; only ``fix`` can write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fdlint.editor.agents.claims import KINDS, decided
from fdlint.editor.agents.confined import Root
from fdlint.fixes.files import Fixer
from fdlint.report.explanation import document as as_answer
from fdlint.report.findings.explanation import Answer
from fdlint.report.findings.finding import Report, by_file
from fdlint.report.findings.persona import Persona, levels_of
from fdlint.report.jsonv1 import document as as_report
from fdlint.scan.config import Choose, nearest
from fdlint.scan.explain.answers import answer
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.options import Options
from fdlint.scan.patch import patch
from fdlint.scan.rewrite import NotFixedError, overwrite, roots_of
from fdlint.scan.scan import scan
from fdlint.scan.select import checking, codes

MOST_FINDINGS = 100


@dataclass(frozen=True, slots=True)
class Tools:
    """What an agent can ask. ``writes``: whether ``fix`` may write. All methods raise ``ValueError`` for what they
    cannot answer, with a message for the agent."""

    root: Root
    writes: bool = False

    def scan(self, paths: Sequence[str], select: Sequence[str] = (), persona: str = "regular") -> dict[str, Any]:
        """Returns the report on files and directories, without findings beyond ``MOST_FINDINGS``."""
        found = as_report(self._report(paths, select, persona))
        left = found["findings"][MOST_FINDINGS:]
        return {**found, "findings": found["findings"][:MOST_FINDINGS], "left_out": len(left)}

    def explain(self, path: str, line: int) -> dict[str, Any]:
        """Returns the findings of a line with their paths, also hidden ones, and what became of its descriptors."""
        return as_answer(self._answer(path, line))

    def why_not(self, path: str, line: int) -> dict[str, Any]:
        """Returns why a line has no finding."""
        return {key: value for key, value in self.explain(path, line).items() if key != "findings"}

    def verify_claim(self, path: str, line: int, claim: str = "leak", at_line: int | None = None) -> dict[str, Any]:
        """Returns whether what somebody claims of the descriptor of a line is so."""
        if claim not in KINDS:
            raise ValueError(f"{claim!r} is not one of: {', '.join(KINDS)}")
        return decided(self._answer(path, line), claim, at_line)

    def fix(
        self, paths: Sequence[str], line: int | None = None, unsafe: bool = False, write: bool = False
    ) -> dict[str, Any]:
        """Returns a diff that repairs findings; writes it if that is asked for and allowed."""
        if write and not self.writes:
            raise ValueError("this server only reads: start it with --allow-fix, or apply the diff")
        report = self._report(paths, (), Persona.PEDANTIC.value)
        meant = by_file(one for one in report.findings if line is None or one.span.line <= line <= one.span.end_line)
        fixer = Fixer(self._config, roots_of(map(self._shown, paths)), unsafe)
        diffs, fixed, reasons = [], [], []
        for path, findings in meant.items():
            try:
                file = fixer.fixed_file(path, (), findings, report.digests.get(path))
                if file.fixed:
                    diffs.append(patch(path, file.new.before, file.new.after))
                    fixed += [f"{one.code} {one.span.path}:{one.span.line}" for one in file.fixed]
                    if write:
                        overwrite(file.new)
            except NotFixedError as error:
                reasons.append(f"{path}: it {error}")
        return {"diff": "".join(diffs), "fixed": fixed, "not_fixed": reasons, "written": write and bool(fixed)}

    @property
    def _config(self) -> Choose:
        return checking(nearest())

    def _shown(self, path: str) -> str:
        """Returns a path for a scan, which works from the working directory."""
        return os.path.relpath(os.path.join(self.root.directory, self.root.inside(path)))

    def _files(self, paths: Sequence[str]) -> list[FileToScan]:
        """Returns the files below paths. A link inside of the tree that leads out is left out."""
        found = discover([self._shown(path) for path in paths or ["."]], self._config)
        return [one for one in found.files if self.root.has(str(one.path))]

    def _report(self, paths: Sequence[str], select: Sequence[str], persona: str) -> Report:
        options = Options(codes(select, "select"), levels=levels_of(persona, None, None, None, None), jobs=1)
        return scan(self._files(paths), options)

    def _answer(self, path: str, line: int) -> Answer:
        files = self._files([path])
        if len(files) != 1 or os.path.isdir(os.path.join(self.root.directory, path)):
            raise ValueError(f"{path} is no file that fdlint scans")
        try:
            return answer(files[0], line)
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror or error}") from None
