"""Hostile Go: nothing raises, and what is not followed is said."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest
from file_results import file_results

from fdlint.report.findings.finding import FileResult
from fdlint.scan.files.discover import discover

_HEAD = 'package p\nimport "golang.org/x/sys/unix"\n'
_OPEN = 'unix.Open("x", unix.O_CLOEXEC, 0)'


def result(tmp_path: Path, *texts: str | bytes) -> dict[str, FileResult]:
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / f"f{number}.go").write_bytes(data)
    return file_results(discover([tmp_path]).files)


@pytest.mark.parametrize(
    "body",
    [
        f"x{'.y()' * 5_000}; {_OPEN}",
        f"x := {'(' * 5_000}1{')' * 5_000}; {_OPEN}",
        f"x := {'1 + ' * 5_000}1; {_OPEN}",
        "if a { " * 1_000 + _OPEN + " }" * 1_000,
    ],
)
def test_what_is_too_deep_is_said(tmp_path: Path, body: str) -> None:
    (found,) = result(tmp_path, f"{_HEAD}func f() {{ {body} }}\n").values()
    assert [one.left_out for one in found.skipped] == ["f"]


def test_one_file_does_not_spoil_the_package(tmp_path: Path) -> None:
    deep = f"{_HEAD}type T {'[]' * 5_000}int\nfunc f(x {'[]' * 5_000}int) {{ x{'.y()' * 5_000} }}\n"
    leak = f"{_HEAD}func g() {{ fd, _ := {_OPEN}; unix.Read(fd, nil) }}\n"
    found = result(tmp_path, deep, leak)
    assert [one.code for one in found[str(tmp_path / "f1.go")].findings] == ["FD101"]


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe unix.Open(", bytes(range(256)) * 50 + b"unix.Open(", b"func unix.Open("]
)
def test_what_is_no_go_has_no_findings(tmp_path: Path, data: bytes) -> None:
    assert not [finding for one in result(tmp_path, data).values() for finding in one.findings]


def test_functions_that_call_each_other(tmp_path: Path) -> None:
    calls = "func a() (int, error) { return b() }\nfunc b() (int, error) { return a() }\n"
    (found,) = result(tmp_path, f"{_HEAD}{calls}func c() {{ fd, _ := a(); fd, _ = {_OPEN}; _ = fd }}\n").values()
    assert [one.code for one in found.findings] == ["FD101"]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A tree that imports a package, beside a package that does not belong to it."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/s.go").write_text(
        'package secret\nimport "golang.org/x/sys/unix"\n'
        'func Get() (int, error) { return unix.Open("x", unix.O_CLOEXEC, 0) }\n'
    )
    (tmp_path / "tree").mkdir()
    return tmp_path


_runs = itertools.count(1)


def imports(tree: Path, path: str) -> list[str]:
    (tree / "main.go").write_text(
        f'package main\nimport secret "{path}"\nfunc f() {{ fd, err := secret.Get(); _, _ = fd, err }}\n'
    )
    found = file_results(discover([tree]).files)
    return [one.code for each in found.values() for one in each.findings]


@pytest.mark.parametrize("module", ["module example.org/tree\n", None])
@pytest.mark.parametrize(
    "path", ["example.org/tree/../secret", "example.org/tree/./../secret", "example.org/tree/me/../secret", "../secret"]
)
def test_an_import_does_not_lead_out_of_the_tree(
    secret: Path, monkeypatch: pytest.MonkeyPatch, path: str, module: str | None
) -> None:
    monkeypatch.chdir(secret / "tree")
    if module is not None:
        (secret / "tree/go.mod").write_text(module)
    assert imports(secret / "tree", path) == []


def test_a_linked_directory_does_not_lead_out_of_the_tree(secret: Path) -> None:
    (secret / "tree/go.mod").write_text("module example.org/tree\n")
    (secret / "tree/linked").symlink_to(secret / "secret")
    assert imports(secret / "tree", "example.org/tree/linked") == []
    (secret / "tree/linked").unlink()
    (secret / "secret").rename(secret / "tree/linked")
    assert imports(secret / "tree", "example.org/tree/linked") == ["FD101"]


@pytest.mark.parametrize("call", ["unix.Pipe2()", "unix.Pipe2(f()...)", "unix.Pipe2([]int{1, 2}, 0)", "os.NewFile()"])
def test_a_call_with_wrong_arguments_is_no_error(tmp_path: Path, call: str) -> None:
    (found,) = result(tmp_path, f"{_HEAD}func f() {{ {call}; unix.Close(0) }}\n").values()
    assert (found.findings, found.skipped) == ((), ())


_LEAK = f"func leak() {{ fd, _ := {_OPEN}; unix.Read(fd, nil) }}\n"
_CODES = ["FD101"]


def _many(count: int, text: str) -> str:
    return "".join(text.format(n=number, next=number + 1, far=(number * 37 + 5) % count) for number in range(count))


LARGE = {
    "a large file": _many(5_000, "func f{n}(a int) int {{ if a > {n} {{ return g(a) }}; return {n} }}\n"),
    "one long function": "func big() {\n" + _many(50_000, "\tg(x, {n}, unix.O_RDONLY)\n") + "}\n",
    "a chain of calls": _many(400, "func f{n}() (int, error) {{ return f{next}() }}\n")
    + f"func f400() (int, error) {{ return {_OPEN} }}\n",
    "calls in a ring": _many(3_000, "func f{n}() (int, error) {{ if x {{ return f{next}() }}; return f{far}() }}\n"),
    "functions that close": _many(3_000, "func c{n}(fd int) {{ unix.Close(fd) }}\n"),
    "a type in itself": "type T struct { T; *U; fd int }\ntype U struct { *T; U }\n"
    f"func (t *T) Close() error {{ return unix.Close(t.fd) }}\nfunc n() *U {{ u := &U{{}}; u.T.U.T.fd, _ = {_OPEN}; "
    "u.Close(); return u }\n",
    "types in types": _many(1_000, "type T{n} struct {{ T{next}; *T{far} }}\n")
    + "func n() { t := &T0{}; t.Close() }\n",
    "constants": "const (\n" + _many(5_000, "C{n} = iota + {n}\n") + ")\n" + _many(2_500, "var v{n} = {n}\n"),
    "a table": "var t = []int{\n" + _many(50_000, "{n},\n") + "}\n",
    "one name many times": _many(5_000, "func init() {{ x() }}\n"),
    "labels": "func s(n int) {\n" + _many(500, "L{n}: if n > {n} {{ goto L{far} }}\n") + "}\n",
}


@pytest.mark.parametrize("name", sorted(LARGE))
def test_what_is_large_takes_seconds(tmp_path: Path, name: str) -> None:
    started = time.process_time()
    (found,) = result(tmp_path, _HEAD + _LEAK + LARGE[name]).values()
    assert time.process_time() - started < 10
    assert [(one.code, one.span.line) for one in found.findings] == [("FD101", 3)]


@pytest.mark.parametrize("body", ["switch n {\n" + _many(5_000, "case {n}: unix.Read(fd, nil)\n") + "}"])
def test_a_function_that_is_too_large_is_named(tmp_path: Path, body: str) -> None:
    code = f"{_HEAD}{_LEAK}func s(n int) {{ fd, _ := {_OPEN}\n{body}\nunix.Close(fd) }}\n"
    (found,) = result(tmp_path, code).values()
    assert [one.left_out for one in found.skipped] == ["s"]
    assert [one.code for one in found.findings] == _CODES


def test_calls_in_all_directions_are_given_up(tmp_path: Path) -> None:
    calls = ["; ".join(f"f{(number * 31 + other * 17) % 20}()" for other in range(10)) for number in range(20)]
    functions = (f"func f{n}() (int, error) {{ {each}; return {_OPEN} }}\n" for n, each in enumerate(calls))
    (found,) = result(tmp_path, _HEAD + "".join(functions)).values()
    assert len(found.skipped) <= 11
    assert all(one.reason for one in found.skipped)


@pytest.mark.parametrize(("before", "line"), [("\ufeff", 3), ('const s = "\udcff\udcfe"\n', 4)])
def test_odd_bytes_do_not_hide_the_rest(tmp_path: Path, before: str, line: int) -> None:
    mark = before if before.startswith("\ufeff") else ""
    code = f"{mark}{_HEAD}{before.removeprefix(mark)}{_LEAK}"
    (found,) = result(tmp_path, code.encode("utf-8", "surrogateescape")).values()
    assert [(one.code, one.span.line) for one in found.findings] == [("FD101", line)]


def _module(tree: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    found = file_results(discover([tree]).files)
    assert not [one for each in found.values() for one in each.skipped]
    return [(Path(each.path).parent.name, one.code) for each in found.values() for one in each.findings]


def _package(name: str, other: str, body: str) -> str:
    return f'package {name}\nimport "m/{other}"\nimport "golang.org/x/sys/unix"\n{body}\n{_LEAK}'


def test_packages_that_import_each_other(tmp_path: Path) -> None:
    calls = "type T struct {{ {0}.T }}\nfunc F() (int, error) {{ return {0}.F() }}"
    files = {one: _package(one, other, calls.format(other)) for one, other in (("a", "b"), ("b", "a"))}
    found = _module(tmp_path, {"go.mod": "module m\n", **{f"{one}/{one}.go": text for one, text in files.items()}})
    assert found == [("a", "FD101"), ("b", "FD101")]


def test_a_long_chain_of_imports(tmp_path: Path) -> None:
    calls = "func F() (int, error) {{ return p{0}.F() }}"
    files = {f"p{n}/p.go": f'package p{n}\nimport "m/p{n + 1}"\n{calls.format(n + 1)}\n' for n in range(300)}
    last = {"p300/p.go": f"{_HEAD.replace('package p', 'package p300')}{_LEAK}"}
    assert _module(tmp_path, {"go.mod": "module m\n", **files, **last}) == [("p300", "FD101")]


def test_links_in_a_ring_end(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub/loop").symlink_to(tree)
    (tree / "self.go").symlink_to(tree / "self.go")
    (tree / "sub/go.mod").symlink_to(tree / "sub/go.mod")
    (tree / "a.go").write_text(f'package p\nimport "m/sub/loop/sub/loop"\nimport "golang.org/x/sys/unix"\n{_LEAK}')
    (tree / "go.mod").write_text("module m\n")
    found = file_results(discover([tree]).files)
    assert [one.code for each in found.values() for one in each.findings] == _CODES


@pytest.mark.parametrize("place", ["go.mod", "vendor/modules.txt", "vendor/example.org/secret/go.mod"])
def test_a_replacement_does_not_lead_out_of_the_tree(secret: Path, place: str) -> None:
    tree = secret / "tree"
    (tree / place).parent.mkdir(parents=True, exist_ok=True)
    (tree / "go.mod").write_text("module example.org/tree\n")
    (tree / place).write_text("module example.org/tree\n\nreplace example.org/secret => ../secret\n")
    assert imports(tree, "example.org/secret") == []


def test_a_linked_copy_does_not_lead_out_of_the_tree(secret: Path) -> None:
    tree = secret / "tree"
    (tree / "go.mod").write_text("module example.org/tree\n")
    (tree / "vendor/example.org").mkdir(parents=True)
    (tree / "vendor/example.org/secret").symlink_to(secret / "secret")
    assert imports(tree, "example.org/secret") == []


def _unparsed(tmp_path: Path, code: str) -> tuple[list[int], list[str]]:
    (found,) = result(tmp_path, code).values()
    return [one.span.line for one in found.findings], [one.reason for one in found.skipped]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("func f() int {\n\tx := (1\n\treturn 0\n}\n", "f: does not parse"),
        ("func f() in" + "\0" * 50 + "t {\n\treturn 0\n}\n", "line 4: does not parse"),
    ],
)
def test_what_does_not_parse_is_said(tmp_path: Path, broken: str, said: str) -> None:
    lines, reasons = _unparsed(tmp_path, _HEAD + _LEAK + broken)
    assert lines == [3]
    assert reasons[0].startswith(f"not analysed in full: {said}")


def test_a_file_that_does_not_parse_at_all_is_said(tmp_path: Path) -> None:
    _, reasons = _unparsed(tmp_path, f"{_HEAD}func f() int {{\n\tx := {'(' * 200}1\n\treturn 0\n}}\n")
    assert "does not parse" in reasons[0]


@pytest.mark.parametrize(
    "given", ["uint64(n)", "n + 1", "&n", '"x"', "h().a", "a.b.c", "!n", "[]int{1}", "99", "int", "a.B", "[]int"]
)
def test_new_with_an_expression_parses(tmp_path: Path, given: str) -> None:
    code = (
        f"func f(n int) {{\n\tfd, _ := {_OPEN}\n\tx := T{{new({given}), new(99)}}\n\tunix.Read(fd, nil)\n\tg(x)\n}}\n"
    )
    assert _unparsed(tmp_path, _HEAD + code) == ([4], [])


def test_generic_aliases_and_ranges_over_functions_parse(tmp_path: Path) -> None:
    code = (
        "type A[P any] = map[P]int\nfunc f() {\n\tfor i := range 3 { g(i) }\n\tfor x := range s[int](3) { g(x) }\n}\n"
    )
    assert _unparsed(tmp_path, _HEAD + code + _LEAK) == ([8], [])
