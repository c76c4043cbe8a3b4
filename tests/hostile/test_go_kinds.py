"""The types of objects in Go files that are made to take long."""

from __future__ import annotations

from pathlib import Path

from fdlint.languages.go.usage import usage_of
from fdlint.program.kinds import MAX_STEPS, Kinds
from fdlint.program.usage import Usage


class Files:
    """A project that counts how often it is asked."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        self.asked = 0

    def defining(self, name: str, full: str = "") -> tuple[Usage, ...]:
        self.asked += 1
        return (self.usage,)

    def mentioning(self, name: str, where: object) -> tuple[Usage, ...]:
        return (self.usage,)


def _usage(text: str, tmp_path: Path) -> Usage:
    (tmp_path / "go.mod").write_text("module example.org/p\n")
    return usage_of(text.encode(), "p.go", tmp_path / "p.go", tmp_path)


def test_a_variable_that_is_set_from_itself_has_a_short_type(tmp_path: Path) -> None:
    text = "package p\n\nfunc f(x Node) {\n" + "\tx = x.next()\n" * 3000 + "}\n"
    usage = _usage(text, tmp_path)
    assert len(usage.mentions) >= 3000
    assert max(one.kind.count("->") for one in usage.mentions) <= MAX_STEPS


def test_structs_that_embed_each_other_are_asked_once(tmp_path: Path) -> None:
    number = 30
    embedded = "".join(f"\tT{one}\n" for one in range(number))
    structs = "".join(f"type T{one} struct {{\n{embedded}}}\n\n" for one in range(number))
    usage = _usage(f"package p\n\n{structs}func f(x T0) {{\n\tx.a.b()\n}}\n", tmp_path)
    files = Files(usage)
    mention = next(one for one in usage.mentions if one.name == "b")
    assert Kinds(files).of(mention, usage) == ""
    assert files.asked <= 2 * number
