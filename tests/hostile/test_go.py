"""Hostile Go: nothing raises, and what is not followed is said."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from fdlint.driver.go_engine import followed
from fdlint.files.discover import discover
from fdlint.findings.finding import FileResult

_HEAD = 'package p\nimport "golang.org/x/sys/unix"\n'
_OPEN = 'unix.Open("x", unix.O_CLOEXEC, 0)'


def result(tmp_path: Path, *texts: str | bytes) -> dict[str, FileResult]:
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / f"f{number}.go").write_bytes(data)
    return followed(discover([tmp_path]).files, 1, hash(tmp_path))


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
    assert [one.reason.partition(":")[0] for one in found.skipped] == ["f"]


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
    found = followed(discover([tree]).files, 1, -next(_runs))
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
