"""Says why a scan of the project leaves a file out. A scan that names the file checks it anyway."""

from __future__ import annotations

import os
from collections.abc import Iterator

from fdlint.languages.registry import is_copy
from fdlint.report.findings.explanation import Reason
from fdlint.scan.files.discover import INSTALLED, NEVER_THE_PROJECT, FileToScan
from fdlint.scan.git import ignore as gitignore
from fdlint.scan.git.repository import enclosing
from fdlint.scan.git.tracked import tracked

_ONLY = "a scan of the project leaves this file out"


def left_out_of_scans(file: FileToScan) -> Iterator[Reason]:
    """Yields the reasons for which a scan of the whole project does not check a file."""
    config, real = file.config, str(file.place)
    parents = file.shown.split("/")[:-1]
    never = [one for one in parents if one in NEVER_THE_PROJECT | INSTALLED] if config.exclude is None else []
    if never:
        yield Reason(f"{_ONLY}: directories named {never[0]} hold no code of the project")
    if is_copy(file.name, parents, config.flags):
        yield Reason(f"{_ONLY}: it is below {file.language.copies} (`{file.language.scans_copies}`)")
    if config.excludes(real):
        yield Reason(f"{_ONLY}: the configuration excludes it (`exclude`)")
    if config.include is not None and not config.include.match(real):
        yield Reason(f"{_ONLY}: the configuration does not include it (`include`)")
    if not config.isolated and _is_ignored(real):
        yield Reason(f"{_ONLY}: .gitignore names it, and git does not track it")


def _is_ignored(real: str) -> bool:
    def unreadable(_path: str, _reason: str) -> None:
        """A scan lists such a file; here it only means that there are no rules in it."""

    parent = os.path.dirname(real)
    rules = gitignore.rules_above(parent, unreadable) + gitignore.own_rules(parent, os.listdir(parent), unreadable)
    if not gitignore.is_ignored(rules, real):
        return False
    repository = enclosing(parent)
    if repository is None:
        return True
    return not tracked(repository).holds(real)
