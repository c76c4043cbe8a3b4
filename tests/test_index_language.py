"""A second language: an index of a few lines is all that the call graph, the candidates and the prints need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fdlint.catalog import default_catalog
from fdlint.languages.front_end import front_end_of
from fdlint.languages.index.facts import Called, Facts
from fdlint.languages.index.language import Index
from fdlint.languages.index.outline import Piece, Sketch
from fdlint.languages.index.prints import changed_words
from fdlint.languages.index.skeleton import Definition, Import, Skeleton, Statement
from fdlint.languages.python.lowering.source import Source
from fdlint.program.consulted import Readings
from fdlint.program.facts import Kind, ProgramFacts
from fdlint.program.mentioned_calls import Units
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Unit
from fdlint.report.findings.grounds import REST

CATALOG = default_catalog()
NONE = frozenset[str]()
NO_FACTS = Facts(frozenset(), NONE, NONE, NONE, NONE, (), False, False)
TEXT = b"use os\nto opened: os.open\nto again: opened\nto idle: print\n"


@dataclass(frozen=True)
class Lines:
    """A language with one definition a line, which lists its calls: ``to name: call call``. ``use`` imports."""

    def outline(self, data: bytes) -> Sketch | None:
        lines = data.decode().splitlines()
        if any(not line.startswith(("to ", "use ")) for line in lines):
            return None
        pieces, facts = {}, {}
        for number, line in enumerate(lines):
            name, colon, calls = line[3:].partition(": ")
            if colon:
                pieces[name] = Piece(name, None, number + 1, line)
                facts[name] = self._facts(calls.split())
        rest = "".join(f"{line}\n" if line.startswith("use ") else "\n" for line in lines)
        return Sketch(rest, "utf-8", NONE, NONE, {}, pieces, self._skeleton(lines, pieces), facts, NO_FACTS)

    def imports(self, data: bytes) -> Skeleton:
        return self._skeleton(data.decode().splitlines(), {})

    def _facts(self, names: list[str]) -> Facts:
        calls = frozenset(Called(name.rpartition(".")[0], name.rpartition(".")[2], False) for name in names)
        words = frozenset(word for name in names for word in name.split("."))
        return NO_FACTS._replace(calls=calls, references=frozenset(names), words=words, gives=True)

    def _skeleton(self, lines: list[str], pieces: dict[str, Piece]) -> Skeleton:
        imports = [Import(((line[4:], None),)) for line in lines if line.startswith("use ")]
        statements: tuple[Statement, ...] = (*imports, *map(Definition, pieces))
        return Skeleton(statements, dict.fromkeys(pieces), frozenset(), {}, frozenset(), frozenset())


LINES: Index = Lines()
FRONT = replace(front_end_of(), index=LINES)


def added(program: Program, data: bytes) -> File:
    outline = LINES.outline(data)
    assert outline is not None
    return program.add(Source("one.lines", data, "utf-8"), Path("one.lines"), data, outline)


def test_calls_are_resolved() -> None:
    program = Program(CATALOG, front=FRONT)
    file = added(program, TEXT)
    assert [one.unit for one in Units(program).calls(Unit(file, "again"))] == [Unit(file, "opened")]
    assert not Units(program).calls(Unit(file, "idle"))


def test_facts_are_found() -> None:
    program = Program(CATALOG, front=FRONT)
    file, facts = added(program, TEXT), ProgramFacts(program, CATALOG, Relevance(CATALOG))
    units = {name: Unit(file, name) for name in file.pieces}
    assert [name for name, unit in units.items() if Kind.ACQUIRES in facts.itself(unit)] == ["opened"]
    assert [name for name, unit in units.items() if facts.may(Kind.ACQUIRES, unit)] == ["opened", "again"]


def test_prints_tell_what_changed() -> None:
    readings = Readings(CATALOG, frozenset(), FRONT)
    before, after = (readings.of(text, whole=True) for text in (TEXT, TEXT.replace(b"idle", b"busy")))
    assert before is not None
    assert after is not None
    same = {name for name, part in before.print.parts.items() if after.print.parts.get(name) == part}
    assert same == {REST, "opened", "again"}
    assert changed_words(before.print, after.print, after.skeleton) == {"idle", "busy"}
    assert readings.of(b"not a line", whole=True) is None
