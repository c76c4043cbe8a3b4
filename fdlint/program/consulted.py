"""Notes which parts of the program's files an analysis was led to, and works out the prints of these files.

The notes belong to the code, not to the question: a part leads to the parts that it calls, and a class to its bases. So
they hold for results that several files share, whichever file asked first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.core.dataflow.reachability import closure
from fdlint.languages.front_end import FrontEnd
from fdlint.languages.index.outline import Sketch
from fdlint.languages.index.prints import part_of, print_of, print_of_imports
from fdlint.languages.index.skeleton import Skeleton
from fdlint.program.constants import constants_of
from fdlint.program.relevance import words_that_decide
from fdlint.program.units import Unit
from fdlint.report.findings.finding import Wrapper, digest_of, mentions
from fdlint.report.findings.grounds import REST, FilePrint


class Part(NamedTuple):
    """A top-level definition of a file, or the rest of the file."""

    place: Path
    name: str


@dataclass(slots=True)
class Consulted:
    """The parts that the parts of one program lead to."""

    _led: dict[Part, set[Part]] = field(default_factory=dict)

    def note(self, start: Unit, ends: Iterable[Unit]) -> None:
        """Notes that the code of a unit leads to others."""
        if start.file.place is not None:
            found = self._led.setdefault(Part(start.file.place, part_of(start.name)), set())
            found.update(Part(one.file.place, part_of(one.name)) for one in ends if one.file.place is not None)

    def parts(self, place: Path, own: Iterable[str]) -> dict[Path, set[str]]:
        """Returns the parts that a file leads to, by file, directly or through others. ``own``: the file's parts. Every
        part leads to the rest of its file."""
        found: dict[Path, set[str]] = {}
        for part in closure([Part(place, REST), *(Part(place, name) for name in own)], self._after):
            found.setdefault(part.place, set()).add(part.name)
        return found

    def _after(self, part: Part) -> Iterator[Part]:
        yield Part(part.place, REST)
        yield from self._led.get(part, ())


@dataclass(frozen=True, slots=True)
class Reading:
    """The form in which a program reads a file. ``digest``: that of its contents. ``flags``: the answers to all
    questions about its bytes. ``outline``: the file in pieces; None for a file of which only the imports count."""

    digest: str
    flags: str
    skeleton: Skeleton
    outline: Sketch | None
    constants: Mapping[str, object]

    @property
    def print(self) -> FilePrint:
        """The print of the file in this form."""
        if self.outline is None:
            return print_of_imports(self.skeleton, self.digest, self.flags, self.constants)
        return print_of(self.outline, self.digest, self.flags, self.constants)


@dataclass(slots=True)
class Readings:
    """Reads files as a program does that knows a catalog and ``wrappers``, the functions that are known to acquire.
    ``front``: the front end of the files."""

    catalog: Catalog
    wrappers: frozenset[Wrapper]
    front: FrontEnd
    _givers: frozenset[Wrapper] = field(init=False)
    _words: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._givers = frozenset(wrapper for wrapper in self.wrappers if not wrapper.makes_workers)
        words = {*words_that_decide(self.catalog), self.front.language.decorators.cache_clear}
        self._words = sorted(word.encode() for word in words)

    def of(self, data: bytes, whole: bool) -> Reading | None:
        """Returns the form in which the program reads a file with these contents. ``whole``: not only the imports.
        Returns None if the index cannot read it."""
        outline = self.front.index.outline(data) if whole else None
        return self.split(data, outline, self.touches(data)) if outline is not None or not whole else None

    def split(self, data: bytes, outline: Sketch | None, touches: bool, imports: Skeleton | None = None) -> Reading:
        """Returns the form in which the program reads a file that is split already, or of which only the imports
        count. ``touches``: whether it may handle descriptors. ``imports``: its imports, if they are known."""
        skeleton = outline.skeleton if outline is not None else imports or self.front.index.imports(data)
        return Reading(digest_of(data), self._flags(data, touches), skeleton, outline, constants_of(data))

    def touches(self, data: bytes) -> bool:
        """Whether a file with these contents may handle descriptors."""
        return self.catalog.descriptors.passes(data) or mentions(data, self._givers)

    def flags(self, data: bytes) -> str:
        """Returns the answers to all questions about the bytes of a file."""
        return self._flags(data, self.touches(data))

    def is_of_interest(self, data: bytes) -> bool:
        """Whether more than the imports of a file with these contents may matter."""
        return self.catalog.prefilter.passes(data) or mentions(data, self.wrappers)

    def _flags(self, data: bytes, touches: bool) -> str:
        answers = touches, touches or self.is_of_interest(data), *(word in data for word in self._words)
        return "".join("01"[answer] for answer in answers)
