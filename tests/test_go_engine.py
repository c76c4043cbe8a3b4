"""Go on the engine: packages of a module, and the cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from file_results import file_results

from fdlint.catalog import catalog_of, models_of, redefined
from fdlint.catalog.added import UnknownCalls
from fdlint.core.finding import EventKind, Severity
from fdlint.languages.description import Parser
from fdlint.languages.go.catalog import go_catalog_of
from fdlint.languages.go.description import GO
from fdlint.scan.cache import open_cache
from fdlint.scan.config import UNCONFIGURED, Config, load
from fdlint.scan.files.discover import discover

_OPENS = (
    'package util\nimport "golang.org/x/sys/unix"\nfunc Get(p string) (int, error) { return unix.Open(p, 524288, 0) }\n'
)
_ASKS = 'package util\nimport "golang.org/x/sys/unix"\nfunc Get(p string) (int, error) { return unix.Getuid(), nil }\n'
_USES = """package main

import "example.org/tool/internal/util"

func main() {
	fd, err := util.Get("x")
	if err == nil {
		print(fd)
	}
}
"""


_CAMERA = """package main

import "example.org/camera"

func use(path string) {
	fd, err := camera.Open(path)
	if err == nil {
		print(fd)
	}
}
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "internal/util").mkdir(parents=True)
    (tmp_path / "go.mod").write_text("module example.org/tool\n\ngo 1.22\n")
    (tmp_path / "internal/util/util.go").write_text(_OPENS)
    (tmp_path / "main.go").write_text(_USES)
    return tmp_path


_run = iter(range(1_000_000))


def found(place: Path, cache: Path | None = None, configured: Config = UNCONFIGURED) -> list[str]:
    kept = open_cache(cache) if cache is not None else None
    files = discover([place], lambda _: configured).files
    results = file_results(files, kept)
    if kept is not None:
        kept.save()
    return [f"{Path(one.span.path).name} {one.code} {one.span.line}" for r in results.values() for one in r.findings]


def test_a_call_leads_to_another_package_of_the_module(module: Path) -> None:
    assert found(module) == ["main.go FD101 6"]


def test_a_package_without_a_module_is_found_by_its_path(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(module)
    (module / "go.mod").unlink()
    (module / "main.go").write_text(_USES.replace("example.org/tool/", "example.org/me/tool/"))
    assert found(module) == ["main.go FD101 6"]


def test_another_module_is_unknown(module: Path) -> None:
    (module / "go.mod").write_text("module example.org/other\n")
    assert found(module) == []


_DECODES = """package main

import (
	"os"

	"example.org/owner/decode"
)

func use(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return decode.NewCheck(file)
}
"""
_DECODER = 'package decode\nimport "io"\nfunc NewCheck(r io.Reader) error { _, err := io.ReadAll(r); return err }\n'
_CALLS_ON = _DECODER.replace("_, err := io.ReadAll(r); return err", "return all.NewOf(r)").replace(
    '"io"', '(\n"io"\n"example.org/else/all"\n)'
)


@pytest.mark.parametrize(("library", "expected"), [(_DECODER, ["main.go FD101 10"]), (_CALLS_ON, []), ("", [])])
def test_a_copied_library_shows_what_it_does_with_a_file(module: Path, library: str, expected: list[str]) -> None:
    """The imports of a copy do not lead to other copies."""
    (module / "main.go").write_text(_DECODES)
    copies = {"owner/decode": library, "else/all": _DECODER.replace("decode", "all").replace("NewCheck", "NewOf")}
    for name, text in copies.items():
        place = module / "vendor/example.org" / name
        place.mkdir(parents=True)
        if text:
            (place / "a.go").write_text(text)
    assert found(module) == expected


def test_a_change_in_another_package_counts_in_the_next_scan(
    module: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cache = tmp_path_factory.mktemp("cache")
    assert found(module, cache) == found(module, cache) == ["main.go FD101 6"]
    (module / "internal/util/util.go").write_text(_ASKS)
    assert found(module, cache) == found(module) == []


def test_tests_and_files_that_stand_alone_are_packages_apart(module: Path) -> None:
    (module / "main_test.go").write_text(_USES)
    (module / "tool.go").write_text("//go:build ignore\n\n" + _USES)
    assert found(module) == ["main.go FD101 6", "main_test.go FD101 6", "tool.go FD101 8"]


def test_without_the_parser_the_files_that_matter_are_skipped(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parser, "is_installed", False)
    (module / "doc.go").write_text('package main\n\nconst about = "unix"\n')
    results = file_results(discover([module]).files)
    skipped = {(Path(one.path).name, one.reason) for result in results.values() for one in result.skipped}
    assert skipped == {("main.go", GO.not_installed), ("util.go", GO.not_installed)}
    assert not any(result.findings for result in results.values())


_TESTS = """package main

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestMissing(t *testing.T) {
	if _, err := unix.Open("missing", unix.O_RDONLY, 0); err != unix.ENOENT {
		t.Fatal(err)
	}
}

func TestClosed(t *testing.T) {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if fd == 7 {
		t.Fatalf("%d", fd)
	}
	unix.Close(fd)
}

func TestLost(t *testing.T) {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Fsync(fd)
}
"""


def test_leaks_in_tests(tmp_path: Path) -> None:
    (tmp_path / "a_test.go").write_text(_TESTS)
    assert found(tmp_path) == ["a_test.go FD101 27"]


def test_a_file_has_a_time_limit(module: Path) -> None:
    found = file_results(discover([module]).files, seconds=0.0001)
    assert {one.reason for result in found.values() for one in result.skipped} == {"took more than 0.0001 seconds"}


def test_a_package_may_only_stand_for_another(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/m\n", encoding="utf-8")
    (tmp_path / "sys").mkdir()
    wrapper = (
        'package sys\n\nimport linux "golang.org/x/sys/unix"\n\nconst (\n\tO_CLOEXEC = linux.O_CLOEXEC\n)\n\n'
        "func Open(path string, mode int, perm uint32) (int, error) {\n\treturn linux.Open(path, mode, perm)\n}\n"
    )
    (tmp_path / "sys" / "linux.go").write_text(wrapper, encoding="utf-8")
    other = "package sys\n\nfunc Open(path string, mode int, perm uint32) (int, error) {\n\treturn -1, nil\n}\n"
    (tmp_path / "sys" / "other.go").write_text(other, encoding="utf-8")
    opens = "\tfd, err := sys.Open(path, {}, 0)\n\treturn fd, err\n"
    code = (
        'package m\n\nimport "example.org/m/sys"\n\n'
        f"func bad(path string) (int, error) {{\n{opens.format('0')}}}\n\n"
        f"func good(path string) (int, error) {{\n{opens.format('sys.O_CLOEXEC')}}}\n"
    )
    (tmp_path / "m.go").write_text(code, encoding="utf-8")
    results = file_results(discover([tmp_path]).files)
    assert [(one.code, one.span.line) for one in results[str(tmp_path / "m.go")].findings] == [("FD302", 6)]


_KEEPS = """package store

import (
	"os"

	"example.org/tool/lock"
)

type Store struct{ held *os.File }

func (s *Store) Lock(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	s.held = file
	return nil
}

func (s *Store) Close() error { return lock.End(s.held) }
"""
_ENDS = 'package lock\n\nimport "os"\n\n'


@pytest.mark.parametrize("ends, expected", [("Close", []), ("Sync", ["main.go FD108 12"])])
def test_a_function_of_another_package_closes_a_field(tmp_path: Path, ends: str, expected: list[str]) -> None:
    (tmp_path / "lock").mkdir()
    (tmp_path / "go.mod").write_text("module example.org/tool\n", encoding="utf-8")
    (tmp_path / "main.go").write_text(_KEEPS, encoding="utf-8")
    code = _ENDS + f"func End(f *os.File) error {{ return f.{ends}() }}\n"
    (tmp_path / "lock" / "lock.go").write_text(code, encoding="utf-8")
    assert found(tmp_path) == expected


def test_a_file_is_closed_at_last(tmp_path: Path) -> None:
    code = (
        'package p\n\nimport (\n\t"os"\n\n\t"golang.org/x/sys/unix"\n)\n\n'
        "func object(n int) error {\n"
        '\tfd, err := unix.Open("x", unix.O_CLOEXEC, 0)\n\tif err != nil {\n\t\treturn err\n\t}\n'
        "{}"
        '\tf := os.NewFile(uintptr(fd), "x")\n\tif n == 0 {\n\t\treturn nil\n\t}\n\treturn f.Close()\n}\n'
    )
    (tmp_path / "object.go").write_text(code.replace("{}", ""), encoding="utf-8")
    raw = code.replace("func object", "func raw").replace("{}", "\tif n == 1 {\n\t\treturn nil\n\t}\n")
    (tmp_path / "raw.go").write_text(raw, encoding="utf-8")
    results = file_results(discover([tmp_path]).files)
    severities = {Path(name).name: [one.severity for one in result.findings] for name, result in results.items()}
    assert severities == {"object.go": [Severity.WARNING], "raw.go": [Severity.ERROR]}


def test_a_file_for_another_system_means_its_own_functions(tmp_path: Path) -> None:
    opens = 'import "os"\n\nfunc open(path string) error {\n\tf, err := os.Open(path)\n'
    opens += "\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(f)\n}\n\n"
    (tmp_path / "a_linux.go").write_text(f"package p\n\n{opens}func use(f *os.File) error {{ return f.Close() }}\n")
    (tmp_path / "a_darwin.go").write_text(f"package p\n\n{opens}func use(f *os.File) error {{ return f.Sync() }}\n")
    results = file_results(discover([tmp_path]).files)
    assert {Path(name).name: len(result.findings) for name, result in results.items()} == {
        "a_linux.go": 0,
        "a_darwin.go": 1,
    }


def test_a_change_of_the_models_is_a_new_question(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "camera.go").write_text(_CAMERA)
    for returns, wanted in (("fd", ["camera.go FD101 6"]), ("_", []), ("fd", ["camera.go FD101 6"])):
        model = f'[[go.api]]\nname = "example.org/camera.Open"\nparams = ["path"]\nreturns = "{returns}"\n'
        (tree / "fdlint.toml").write_text(model)
        assert found(tree, tmp_path / "cache", load(tree / "fdlint.toml")) == wanted


def test_models_of_python_do_not_apply_to_go() -> None:
    models = models_of({"api": [{"name": "camera.open", "returns": "fd"}]}, "here", "here", UnknownCalls.USE)
    assert not go_catalog_of(models).lookup("camera.open")
    assert catalog_of(models).lookup("camera.open")


def test_models_of_go_do_not_apply_to_python() -> None:
    entries = [{"name": "example.org/camera.Open", "returns": "fd"}]
    models = models_of({"go": {"api": entries}}, "here", "here", UnknownCalls.USE)
    assert not catalog_of(models).lookup("example.org/camera.Open")
    assert [api.raises for api in go_catalog_of(models).lookup("example.org/camera.Open")] == ["go.error"]


def test_models_that_redefine_the_catalog_of_go_are_named() -> None:
    models = models_of({"go": {"api": [{"name": "unix.Open", "returns": "_"}]}}, "here", "here", UnknownCalls.USE)
    assert redefined(models) == ("unix.Open",)


_TWO_RETURNS = """package util

import "golang.org/x/sys/unix"

func Read(path string, data []byte) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if _, err := unix.Read(fd, data); err != nil {
		return err
	}
	if len(data) == 0 {
		return unix.ENODATA
	}
	return unix.Close(fd)
}
"""


def test_a_trace_ends_with_all_returns_that_leave_it_open(tmp_path: Path) -> None:
    (tmp_path / "read.go").write_text(_TWO_RETURNS)
    results = file_results(discover([tmp_path]).files)
    (finding,) = (one for result in results.values() for one in result.findings)
    assert [one.span.line for one in finding.trace if one.kind is EventKind.LEAKED] == [14, 11]


def test_the_definition_without_c_and_for_this_system_is_called(tmp_path: Path) -> None:
    (tmp_path / "use.go").write_text(
        "package p\n\nfunc use(path string) error {\n\tfd, err := open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n"
        "\treturn look(fd)\n}\n"
    )
    (tmp_path / "plain.go").write_text(
        '//go:build !cgo && linux\n\npackage p\n\nimport "golang.org/x/sys/unix"\n\n'
        "func open(path string) (int, error) { return unix.Open(path, unix.O_CLOEXEC, 0) }\n\n"
        "func look(fd int) error { return unix.Fsync(fd) }\n"
    )
    (tmp_path / "c.go").write_text(
        '//go:build cgo\n\npackage p\n\nimport "C"\n\nfunc open(path string) (int, error) { return C.open(), nil }\n'
    )
    (tmp_path / "bsd.go").write_text(
        "//go:build freebsd\n\npackage p\n\nfunc open(path string) (int, error) { return -1, nil }\n\n"
        "func look(fd int) error { return shut(fd) }\n"
    )
    results = file_results(discover([tmp_path]).files)
    assert [(one.code, one.span.line) for result in results.values() for one in result.findings] == [("FD101", 4)]


@pytest.mark.parametrize(
    ("called", "other"),
    [
        ("//go:build linux || darwin", "//go:build !(linux || darwin)"),
        ("//go:build linux && amd64", "//go:build (freebsd || darwin) && amd64"),
        ("//go:build !without_devices", "//go:build without_devices"),
        ("//go:build go1.20 && !(plain && !extra)", "//go:build !go1.20"),
        ("//go:build cgo", "//go:build !cgo"),
        ("// +build linux,!plain darwin\n", "// +build !linux plain\n// +build !darwin\n"),
        ("", "//go:build js"),
        ("//go:build " + "(" * 99 + "linux" + ")" * 99, "//go:build !linux"),
    ],
)
def test_of_two_definitions_the_one_that_is_usually_built_is_called(tmp_path: Path, called: str, other: str) -> None:
    use = (
        "package p\n\nfunc use(path string) error {\n\tfd, err := open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n"
    )
    (tmp_path / "use.go").write_text(use + "\tlook(fd)\n\treturn nil\n}\n\nfunc look(fd int) {}\n")
    opens = "func open(path string) (int, error) { return unix.Open(path, unix.O_CLOEXEC, 0) }"
    (tmp_path / "z.go").write_text(f'{called}\n\npackage p\n\nimport "golang.org/x/sys/unix"\n\n{opens}\n')
    (tmp_path / "a.go").write_text(
        f"{other}\n\npackage p\n\nfunc open(path string) (int, error) {{ return -1, nil }}\n"
    )
    results = file_results(discover([tmp_path]).files)
    assert [(one.code, one.span.line) for result in results.values() for one in result.findings] == [("FD101", 4)]


def test_a_loop_that_closes_the_positions_has_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "case.go").write_text(
        'package p\n\nimport "golang.org/x/sys/unix"\n\nfunc closes() error {\n'
        "\tfds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)\n"
        "\tif err != nil {\n\t\treturn err\n\t}\n\tfor fd := range fds {\n\t\tunix.Close(fd)\n\t}\n\treturn nil\n}\n"
    )
    (finding,) = (one for result in file_results(discover([tmp_path]).files).values() for one in result.findings)
    assert finding.message == (
        "`fds` from unix.Socketpair() is never closed: the loop on line 10 closes the index `fd`, "
        "so write `for _, fd := range fds`"
    )


def test_a_deferred_call_in_a_loop_has_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "case.go").write_text(
        'package p\n\nimport "os"\n\nfunc all(paths []string) {\n\tfor _, path := range paths {\n'
        "\t\tf, err := os.Open(path)\n\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n\t\tdefer f.Close()\n\t}\n}\n"
    )
    (finding,) = (one for result in file_results(discover([tmp_path]).files).values() for one in result.findings)
    assert finding.message == (
        "`f` from os.Open() is closed only when the function returns, and each iteration opens another: "
        "close it before the iteration ends"
    )
    end = finding.trace[-1]
    assert (end.kind, end.span.line) == (EventKind.LEAKED, 11)
    assert end.message == "another iteration begins, and it stays open until the function returns"


def test_the_constant_of_a_file_for_linux_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "go.mod").write_text("module example.org/m\n")
    (tmp_path / "a_darwin.go").write_text("package p\n\nconst Flag = 0\n")
    linux = tmp_path / "a_linux.go"
    linux.write_text('package p\n\nimport "syscall"\n\nconst Flag = syscall.MSG_CMSG_CLOEXEC\n')
    (tmp_path / "receive.go").write_text(
        'package p\n\nimport "syscall"\n\nfunc Receive(from int, oob []byte) ([]int, error) {\n'
        "\t_, n, _, _, err := syscall.Recvmsg(from, nil, oob, Flag)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n"
        "\tmsgs, err := syscall.ParseSocketControlMessage(oob[:n])\n\tif err != nil {\n\t\treturn nil, err\n\t}\n"
        "\treturn syscall.ParseUnixRights(&msgs[0])\n}\n"
    )
    assert "FD301" not in _codes(tmp_path)
    linux.write_text("package p\n\nconst Flag = 0\n")
    assert "FD301" in _codes(tmp_path)


def _codes(directory: Path) -> set[str]:
    results = file_results(discover([directory]).files)
    return {one.code for result in results.values() for one in result.findings}
