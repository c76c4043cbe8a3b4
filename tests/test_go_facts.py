"""The facts of a Go function, from its text alone, and what lowering finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.core.ir import AccessPath, Assign, Build, Lit
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.lowering.facts import Texts, facts_of
from fdlint.languages.go.lowering.module import lower_package
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.go.lowering.source import GoFile
from fdlint.languages.go.program import GoProgram
from fdlint.languages.index.facts import Called, Facts

HEAD = """package p

import (
	"os"

	"example.org/m/sub"
	"golang.org/x/sys/unix"
)

type inner struct{ fd int }

func (i *inner) drop() {}

type owner struct {
	in   *inner
	file *os.File
	fd   int
	log  logger
	inner
}

type logger interface{ Log(string) }

func (o *owner) open() error { return nil }
func (o *owner) each() []*inner { return nil }
func made() (*owner, error) { return nil, nil }
func helper(fd int) {}
func plain() error { return nil }
"""


def package(code: str) -> Package:
    return Package([GoFile(Path("p.go"), "p.go", (HEAD + code).encode())], go_catalog())


def facts(body: str, signature: str = "func f(o *owner, fd int)") -> Facts:
    return facts_of(package(f"{signature} {{\n{body}\n}}\n"), "f")


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("\thelper(fd)", Called("", "helper", False)),
        ("\tplain()", Called("", "plain", True)),
        ("\to.open()", Called("owner", "open", True)),
        ("\to.in.drop()", Called("inner", "drop", True)),
        ("\to.drop()", Called("inner", "drop", True)),
        ("\tx, err := made()\n\tx.open()", Called("owner", "open", True)),
        ("\tx := &owner{}\n\tx.open()", Called("owner", "open", True)),
        ("\tx := owner{}\n\tx.open()", Called("owner", "open", True)),
        ("\tx := new(owner)\n\tx.open()", Called("owner", "open", True)),
        ("\tvar x owner\n\tx.open()", Called("owner", "open", True)),
        ("\tx := y.(*owner)\n\tx.open()", Called("owner", "open", True)),
        ("\tx := o.in\n\tx.drop()", Called("inner", "drop", True)),
        ("\tfor _, x := range o.each() {\n\t\tx.drop()\n\t}", Called("inner", "drop", True)),
        ("\tgo func(x *owner) {\n\t\tx.open()\n\t}(o)", Called("owner", "open", True)),
        ("\tmade().open()", Called("owner", "open", False)),
        ("\tsub.Open(fd)", Called("example.org/m/sub", "Open", False)),
        ("\tunix.Close(fd)", Called("unix", "Close", False)),
        ("\tunknown.open()", None),
        ("\tnobody(fd)", None),
    ],
)
def test_calls(body: str, called: Called | None) -> None:
    found = facts(body).calls
    if called is None:
        assert not {one for one in found if one.name in ("drop", "open", "nobody")}
    else:
        assert called in found


def test_references_are_the_names_of_packages() -> None:
    found = facts("\tdefer unix.Close(fd)\n\to.log.Log(sub.Name)")
    assert found.references == {"unix.Close", "example.org/m/sub.Name"}
    assert "Log" in found.members
    assert {"Close", "Log"} <= found.words


@pytest.mark.parametrize(
    ("signature", "body", "gives"),
    [
        ("func f() (int, error)", "\treturn 0, nil", True),
        ("func f() error", "\treturn nil", False),
        ("func f(o *owner)", "\to.fd = 3", True),
        ("func f(fds []int)", "\tfds[0] = 3", True),
        ("func f(fd *int)", "\t*fd = 3", True),
        ("func f(o *owner)", "\tif o.fd == 3 {\n\t}", False),
        ("func f(o *owner)", "\tx := o.fd", False),
    ],
)
def test_gives(signature: str, body: str, gives: bool) -> None:
    assert facts(body, signature).gives is gives


def test_a_literal_nests() -> None:
    assert facts("\tdefer func() {}()").nests
    assert not facts("\thelper(fd)").nests


def test_the_definitions_for_other_systems_count_too() -> None:
    twins = package("func f() {\n\thelper(1)\n}\nfunc f() {\n\tplain()\n}\n")
    assert {one.name for one in facts_of(twins, "f").calls} == {"helper", "plain"}
    texts = Texts(twins)
    assert "f#" not in texts
    assert texts["f"].count("func f()") == len(list(twins.twins("f")))
    assert len(texts) == len(list(texts))


def test_lowering_one_definition_lowers_its_twins() -> None:
    twins = package("func f() {\n\thelper(1)\n}\nfunc f() {\n\tplain()\n}\n")
    lowered, _ = lower_package(twins, go_catalog())
    lowered.functions.ask_for(["f"])
    assert {name for name, _ in lowered.functions.known()} == {"f", "f#"}
    assert lowered.functions["f#"].name == "f#"


def test_only_what_may_hold_a_number_is_no_object() -> None:
    lowered, _ = lower_package(package("func f(o *owner, fd int, x sub.T, s string) {}\n"), go_catalog())
    graph = lowered.functions["f"]
    assert graph.is_object is not None
    objects = {one for one in ("o", "o.in", "o.file", "o.log", "s") if graph.is_object(AccessPath(one))}
    assert objects == {"o", "o.in", "o.file", "o.log", "s"}
    assert not any(map(graph.is_object, map(AccessPath, ("fd", "o.fd", "o.in.fd", "x", "x.y", "other"))))


def test_a_package_lowers_only_what_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/m\n")
    (tmp_path / "p.go").write_text(HEAD + "func f() {\n\thelper(1)\n}\n")
    file = GoProgram(go_catalog()).package(tmp_path)
    assert file is not None
    assert Called("", "helper", False) in file.unit("f").facts.calls
    assert not file.lowered.functions.known()


@pytest.mark.parametrize(
    ("results", "deferred", "constant"),
    [
        ("(n int, _ error)", "if n == 0 {\n\t\t\thelper(1)\n\t\t}", True),
        ("(n int, err error)", "if n == 0 {\n\t\t\thelper(1)\n\t\t}", True),
        ("(n int, err error)", "if err != nil {\n\t\t\terr = nil\n\t\t}", False),
    ],
)
def test_a_result_stays_a_constant_unless_a_deferred_call_mentions_it(
    results: str, deferred: str, constant: bool
) -> None:
    code = f"func f(m int) {results} {{\n\tdefer func() {{\n\t\t{deferred}\n\t}}()\n\treturn m, nil\n}}\n"
    lowered, _ = lower_package(package(code), go_catalog())
    tuples = [
        one.value.items
        for one in lowered.functions["f"].effects()
        if isinstance(one, Assign) and isinstance(one.value, Build) and one.value.kind == "tuple"
    ]
    assert (tuples[0][1] == Lit(None)) is constant


@pytest.mark.parametrize(("types", "known"), [(5, True), (300, False)])
def test_a_method_that_hundreds_of_types_have(types: int, known: bool) -> None:
    """The type of a result is not known. All methods of the name may be meant, unless that would take time squared."""
    code = "".join(f"type t{n} struct{{}}\nfunc (t *t{n}) Validate() error {{ return nil }}\n" for n in range(types))
    found = facts_of(package(code + "func f() { some(1)[0].Validate() }\n"), "f")
    assert (Called("t0", "Validate", False) in found.calls) is known
    assert "Validate" in found.members
