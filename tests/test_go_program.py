"""Packages of Go in one process and in several: what is kept, what a package may cost, and who needs to know whom."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from file_results import file_results

from fdlint.catalog import NO_MODELS
from fdlint.core.budget import file_work
from fdlint.core.engine.context import AnalysisContext
from fdlint.languages.go.catalog import go_catalog_of
from fdlint.languages.go.lowering.source import GoSource
from fdlint.languages.go.program import GoProgram
from fdlint.program.relevance import Relevance
from fdlint.scan.cache import open_cache
from fdlint.scan.files.bundle import Bundle
from fdlint.scan.files.discover import discover
from fdlint.scan.files.shard import Shard
from fdlint.scan.options import Options
from fdlint.scan.package import analyse_package, start_budget
from fdlint.scan.scan import scan

_GIVES = """package p{number}

import "golang.org/x/sys/unix"

func Get(path string) (int, error) {{
	if path != "" {{
		defer func() {{ log("opened") }}()
	}}
	return unix.Open(path, unix.O_CLOEXEC, 0)
}}
"""
_USES = """package u{number}

import "example.org/m/p{number}"

func use(path string) {{
	fd, err := p{number}.Get(path)
	if err == nil {{
		print(fd)
	}}
}}
"""
_PLAIN = "package plain\n\nfunc f{number}() int {{ return {number} }}\n"
_PACKAGES = 4


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module with packages that acquire, packages that use these, and enough other files that not all are read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "go.mod").write_text("module example.org/m\n")
    for number in range(_PACKAGES):
        for directory, text in ((f"p{number}", _GIVES), (f"u{number}", _USES)):
            (tmp_path / directory).mkdir()
            (tmp_path / directory / "a.go").write_text(text.format(number=number))
    (tmp_path / "plain").mkdir()
    for number in range(70):
        (tmp_path / f"plain/f{number}.go").write_text(_PLAIN.format(number=number))
    return tmp_path


@pytest.fixture
def saved() -> Iterator[list[object]]:
    """The objects that only the garbage collector can free."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


def found(options: Options) -> set[tuple[str, int, str]]:
    report = scan(discover(["."]).files, options)
    assert not report.skipped
    return {(one.span.path, one.span.line, one.code) for one in report.findings}


WANTED = {(f"u{number}/a.go", 6, "FD101") for number in range(_PACKAGES)}


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_number_of_processes_does_not_matter(module: Path, jobs: int) -> None:
    assert found(Options(jobs=jobs)) == WANTED


@pytest.mark.parametrize("of", [2, 5])
def test_a_shard_knows_the_packages_of_the_others(module: Path, of: int) -> None:
    parts = [found(Options(jobs=1, shard=Shard(number, of))) for number in range(1, of + 1)]
    assert set().union(*parts) == WANTED
    assert sum(map(len, parts)) == len(WANTED)


def test_a_forgotten_program_leaves_nothing_behind(module: Path, saved: list[object]) -> None:
    catalog = go_catalog_of(NO_MODELS)
    program = GoProgram(catalog)
    for number in range(_PACKAGES):
        package = program.package(module / f"u{number}")
        assert package is not None
        assert program.locate(package, f"example.org/m/p{number}.Get", thorough=True) is not None
        assert len(package.lowered.functions) == 1
    for place in list(program.met):
        assert len(program.met[place].lowered.functions)
    program.forget()
    del package, program
    gc.collect()
    assert not [one for one in saved if type(one).__module__.startswith("fdlint")]


def test_the_size_counts_what_was_only_read(module: Path) -> None:
    program = GoProgram(go_catalog_of(NO_MODELS))
    program.package(module / "u0")
    alone = program.size
    assert alone == (module / "u0/a.go").stat().st_size
    package = program.package(module / "u0")
    assert package is not None and program.locate(package, "example.org/m/p0.Get", thorough=True) is not None
    assert program.size == alone + (module / "p0/a.go").stat().st_size


def test_each_package_has_the_same_budget(module: Path) -> None:
    catalog = go_catalog_of(NO_MODELS)
    program = GoProgram(catalog)
    context = AnalysisContext(program, catalog, Relevance(catalog))
    limits = []
    for directory in ("plain", "u0", "plain", "u0"):
        package = program.package(module / directory)
        assert package is not None and isinstance(package.source, GoSource)
        start_budget(context, package)
        limits.append(context.budget.limit)
    assert limits[:2] == limits[2:]
    assert limits[0] > limits[1] >= file_work(0)


def test_an_exhausted_budget_does_not_change_the_next_package(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [one for one in discover(["."]).files if one.path.parent.name in ("p0", "u0")]
    giving, using = (Bundle((one,), one.place.parent) for one in files)
    monkeypatch.setattr("fdlint.scan.package.file_work", lambda _: 10)
    (cut,) = analyse_package(giving, -1)
    assert [one.left_out for one in cut.skipped] == ["Get"]
    monkeypatch.undo()
    monkeypatch.chdir(module)
    assert [one.code for one in analyse_package(using, -1)[0].findings] == ["FD101"]


def test_a_changed_go_mod_is_a_new_question(module: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("cache")

    def again() -> int:
        cache = open_cache(directory)
        results = file_results(discover(["."]).files, cache)
        if cache is not None:
            cache.save()
        return sum(len(one.findings) for one in results.values())

    assert [again(), again()] == [_PACKAGES, _PACKAGES]
    (module / "go.mod").write_text("module example.org/other\n")
    assert again() == 0
    (module / "go.mod").write_text("module example.org/m\n")
    assert again() == _PACKAGES
