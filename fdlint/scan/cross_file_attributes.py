"""Finds the files that refute a claim: other files that close or take an attribute, or any that start a program.

It searches their text without parsing: the slightest doubt refutes a claim.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from fdlint.core.finding import Claim, Finding, Span
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import language_of
from fdlint.report.findings.finding import FileResult
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.files.guard import guarded, troubled
from fdlint.scan.reading import intake
from fdlint.scan.top import MAX_FILES, marked_top_of, top_of

_COMMENT = re.compile(r"(?m)^[^\S\n]*#.*$")
_WORD = re.compile(rb"[\w\x80-\xff]+")
_NAME = re.compile(r"\w+")
_NAME_OF_OTHERS = re.compile(r"(?<!\bclass )\b\w+")
_IMPORT = re.compile(r"\bimport\b[^\n]*")
_LOOKED_AT = re.compile(r"\s*(if|elif|while|assert|and|or|not)\b")


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
    """Returns the result of a file without any other file: all its claims about attributes hold."""
    return _settled(result, _started_here(result))


def _started_here(result: FileResult) -> frozenset[Claim]:
    """Returns the claims about programs that the text of their own file refutes, which may not be on disk."""
    about = frozenset(one for one in result.claims if one.programs)
    if not about:
        return about
    from fdlint.scan.programs_started import starts  # it imports the catalog

    return about if about and starts("\n".join(result.text), language_of(result.path)) else frozenset()


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
    words = frozenset(word for _, claim in claims for word in claim.words)
    projects: dict[tuple[Path, LanguageDescription], list[int]] = {}  # the claims about programs of each
    for number, (place, claim) in enumerate(claims):
        if claim.programs:
            top = marked_top_of(place.resolve().parent) or Path(place.anchor)  # without a mark, all that is scanned
            projects.setdefault((top, language_of(place.name)), []).append(number)
    from fdlint.scan.programs_started import starts_programs  # it imports the catalog

    encoded = {word.encode(): word for word in words}
    doubted: set[int] = set()
    asked = [(str(place), sorted(claim.words), sorted(claim.relatives), claim.programs) for place, claim in claims]
    question = memory.question("claims", asked) if memory is not None else ""
    for path in _files(claims, scanned):
        try:
            known = memory.answer(str(path), question) if memory is not None else None
            if known is None:
                data = intake.read(path, intake.SOURCE)
                here = {encoded[one] for one in encoded.keys() & frozenset(_WORD.findall(data))} if encoded else set()
                known = _doubted_by(path, data, here, claims) if here else ()
                for (top, language), numbers in projects.items():
                    if path.is_relative_to(top) and starts_programs(path, data, language, top):
                        known += tuple(numbers)
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


def _doubted_by(path: Path, data: bytes, here: Set[str], claims: Sequence[tuple[Path, Claim]]) -> tuple[int, ...]:
    """Returns the claims that one file refutes, by their numbers. ``here``: the words of claims that occur in it."""
    from fdlint.catalog import default_catalog

    file = _Witness(_COMMENT.sub("", data.decode(errors="replace")), default_catalog().uses())
    return tuple(
        number
        for number, (place, claim) in enumerate(claims)
        if claim.words & here and place != path and any(file.doubts(word, claim) for word in claim.words)
    )


class _Witness:
    """A file that may refute claims. Many classes have attributes of one name: the text is searched once for each."""

    def __init__(self, text: str, uses: frozenset[str]) -> None:
        self._text = text
        self._uses = uses
        self._reading: dict[str, bool] = {}

    def doubts(self, word: str, claim: Claim) -> bool:
        """Whether the file reads the attribute of another object, names it in a string, or knows the class."""
        if word not in self._reading:
            self._reading[word] = self._reads(re.escape(word))
        if self._reading[word]:
            return True
        if not claim.relatives:
            return word in self._imported
        return not self._names.isdisjoint(claim.relatives) and f".{word}" in self._text

    def _reads(self, name: str) -> bool:
        if re.search(rf"[\"']{name}[\"']", self._text):
            return True
        of_others = rf"^.*(?<!\bself)(?<!\bcls)\.{name}\b(?!\s*(=[^=]|:\s))"
        return any(not _only_uses(one[0], self._uses) for one in re.finditer(of_others, self._text, re.MULTILINE))

    @functools.cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset(name for line in _IMPORT.findall(self._text) for name in _NAME.findall(line))

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        """The names in the file. Its own class of a name proves nothing."""
        return frozenset(_NAME_OF_OTHERS.findall(self._text))


def _only_uses(line: str, uses: frozenset[str]) -> bool:
    """Whether a line, up to the attribute, only reads it: in a comparison, or as an argument of a call that uses it."""
    opening = line.rfind("(")
    called = _last_word(line[:opening]) if opening > line.rfind(")") else ""
    return called in uses if called else _LOOKED_AT.match(line) is not None


def _last_word(text: str) -> str:
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:]


def _files(claims: Iterable[tuple[Path, Claim]], scanned: Iterable[Path]) -> Iterator[Path]:
    """Yields the scanned files, and the other Python files of the projects with claims."""
    seen = set(scanned)
    yield from seen
    for top in {top_of(place) for place, _ in claims}:
        for file in discover([top]).files[:MAX_FILES]:
            if file.path not in seen:
                seen.add(file.path)
                yield file.path


def _top(path: Path) -> Path:
    """Returns the project's directory: the nearest one with a mark, otherwise the top of the file's package."""
    directory = path.resolve().parent
    if (marked := marked_top_of(directory)) is not None:
        return marked
    package_file = language_of(path.name).package_file
    while package_file and (directory / package_file).is_file() and directory.parent != directory:
        directory = directory.parent
    return directory
