"""Turns each claim about other files into a finding, or drops it: other files may close or take an attribute, or start
a program."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from fdlint.core.finding import Claim, Finding, Span
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import language_of
from fdlint.report.findings.finding import FileResult
from fdlint.report.findings.tests import in_tests
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.files.guard import guarded, troubled
from fdlint.scan.reading import intake
from fdlint.scan.top import MAX_FILES, is_installable, marked_top_of, top_of

_WORD = re.compile(rb"[\w\x80-\xff]+")


class Memory(Protocol):
    """A memory of the answers of files."""

    def question(self, *parts: object) -> str:
        """Returns a short key for a question."""

    def answer(self, path: str, question: str) -> tuple[int, ...] | None:
        """Returns the stored answer of a file in its present form, or None."""

    def note(self, path: str, question: str, answer: tuple[int, ...]) -> None:
        """Stores the answer of a file."""


def settle(
    results: Mapping[str, FileResult], files: Mapping[str, FileToScan], memory: Memory | None = None
) -> dict[str, FileResult]:
    """Returns the results with every claim turned into a finding, or dropped. ``files``: the scanned ones, by the paths
    that reports show. ``memory``: which files refuted which claims in earlier scans."""
    results = _without_guarded(results)
    claims = [(file.place, claim) for shown, file in files.items() for claim in results[shown].claims]
    if not claims:
        return dict(results)
    claims.sort(key=lambda pair: (str(pair[0]), pair[1].finding.span, pair[1].finding.code))
    errors: dict[Path, Exception] = {}
    doubted = _doubted(claims, (file.place for file in files.values()), memory, errors)
    doubted = doubted.union(*map(_started_here, results.values()))
    found = {shown: guarded(one, functools.partial(_settled, one, doubted)) for shown, one in results.items()}
    for shown, file in files.items() if errors else ():
        if file.place in errors:
            found[shown] = troubled(found[shown], errors[file.place])
    return found


def unsettled(results: Mapping[str, FileResult]) -> dict[str, FileResult]:
    """Returns the results of an incomplete scan, without the claims that other files might refute."""
    return {shown: replace(result, claims=()) for shown, result in _without_guarded(results).items()}


def _without_guarded(results: Mapping[str, FileResult]) -> Mapping[str, FileResult]:
    """Returns the results without findings that a caller in another file makes good."""
    guards = frozenset[Span]().union(*(result.guards for result in results.values() if result.guards))
    if not guards:
        return results
    from fdlint.core.checks import left_to_callers

    codes = left_to_callers()

    def is_left(one: Finding) -> bool:
        return one.code not in codes or one.span not in guards

    return {
        shown: replace(
            result,
            findings=tuple(filter(is_left, result.findings)),
            claims=tuple(one for one in result.claims if is_left(one.finding)),
        )
        for shown, result in results.items()
    }


def accept(result: FileResult) -> FileResult:
    """Returns the result of a file without any other file: all its claims about attributes hold, and none about other
    projects."""
    return _settled(result, _started_here(result).union(one for one in result.claims if one.importers))


def _started_here(result: FileResult) -> frozenset[Claim]:
    """Returns the claims about programs that the text of their own file refutes, which may not be on disk."""
    about = frozenset(one for one in result.claims if one.programs)
    if not about:
        return about
    from fdlint.program.witness import Witness  # it imports the catalog

    witness = Witness("\n".join(result.text).encode(), language_of(result.path))
    return about if witness.starts_programs() else frozenset()


def _settled(result: FileResult, doubted: frozenset[Claim]) -> FileResult:
    if not result.claims:
        return result
    found = list(result.findings)
    for claim in result.claims:
        one = claim.otherwise if claim in doubted else claim.finding
        if one is not None:
            found.append(one)
    found.sort(key=lambda finding: (finding.span, finding.code))
    return replace(result, findings=tuple(found), claims=())


def _doubted(
    claims: Sequence[tuple[Path, Claim]], scanned: Iterable[Path], memory: Memory | None, errors: dict[Path, Exception]
) -> frozenset[Claim]:
    """Returns the claims that a file refutes. An unreadable file refutes none. Puts errors into ``errors``."""
    asked = [(str(place), sorted(claim.words), sorted(claim.relatives), claim.programs) for place, claim in claims]
    question = memory.question("claims", asked) if memory is not None else ""
    refutes = _Refutation(claims)
    doubted = {number for number, (place, claim) in enumerate(claims) if claim.importers and _may_be_imported(place)}
    for path in _files(claims, scanned):
        try:
            known = memory.answer(str(path), question) if memory is not None else None
            if known is None:
                known = tuple(refutes.by(path, intake.read(path, intake.SOURCE)))
                if memory is not None:
                    memory.note(str(path), question, known)
            doubted.update(known)
            if len(doubted) == len(claims):
                break
        except OSError:
            continue
        except Exception as error:
            errors[path] = error
    return frozenset(claim for number, (_, claim) in enumerate(claims) if number in doubted)


def _may_be_imported(place: Path) -> bool:
    """Whether other projects may use the code of a file."""
    top = marked_top_of(place.resolve().parent)
    return top is None or is_installable(top, language_of(place.name))


class _Refutation:
    """Finds the claims that files refute."""

    def __init__(self, claims: Sequence[tuple[Path, Claim]]) -> None:
        self._words = {word.encode(): word for _, claim in claims for word in claim.words}
        self._claims = [(number, place, claim) for number, (place, claim) in enumerate(claims) if not claim.programs]
        self._of_projects: dict[tuple[Path, LanguageDescription], list[int]] = {}  # the claims about programs
        for number, (place, claim) in enumerate(claims):
            if claim.programs:  # without the mark of a project, all that is scanned is one
                top = marked_top_of(place.resolve().parent) or Path(place.anchor)
                self._of_projects.setdefault((top, language_of(place.name)), []).append(number)

    def by(self, path: Path, data: bytes) -> Iterator[int]:
        """Yields the numbers of the claims that a file refutes. A test starts programs that end with it."""
        from fdlint.program.witness import Witness  # it imports the catalog

        language = language_of(path.name)
        witness = Witness(data, language)
        words = self._words.keys()
        here = {self._words[one] for one in words & frozenset(_WORD.findall(data))} if words else set()
        for number, place, claim in self._claims if here else ():
            named = claim.words & here
            if named and place != path and language_of(place.name) is language and witness.refutes(claim, named):
                yield number
        for (top, of), numbers in self._of_projects.items():
            if of is language and path.is_relative_to(top) and not in_tests(path.relative_to(top).as_posix()):
                yield from numbers if witness.starts_programs() else ()


def _files(claims: Iterable[tuple[Path, Claim]], scanned: Iterable[Path]) -> Iterator[Path]:
    """Yields the scanned files, and the other files of the projects with claims."""
    seen = set(scanned)
    yield from seen
    for top in {top_of(place) for place, _ in claims}:
        for file in discover([top]).files[:MAX_FILES]:
            if file.path not in seen:
                seen.add(file.path)
                yield file.path
