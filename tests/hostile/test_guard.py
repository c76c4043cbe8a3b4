"""A defect of fdlint's in one file, at whatever stage: that file is skipped with a reason, the others are reported."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fdlint.languages.index.imports
import fdlint.languages.python.comments
import fdlint.languages.python.lowering.source
import fdlint.scan.analysis
import fdlint.scan.cache.cache
import fdlint.scan.claims
import fdlint.scan.scan
import fdlint.scan.schedule
import fdlint.scan.selection
from fdlint.languages.go import suppressions, words
from fdlint.languages.go.description import GO
from fdlint.languages.registry import MAIN
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import Report
from fdlint.scan import package as packages
from fdlint.scan import survey
from fdlint.scan.cache import Cache, open_cache
from fdlint.scan.config import Config
from fdlint.scan.files.discover import discover
from fdlint.scan.options import Options
from fdlint.scan.scan import scan, scan_alone
from hostile.running import LEAK

LOST = "import os\nclass Box:\n    def open(self, path):\n        self.handle = os.open(path, 0)\n"
GIVES = "import os\ndef lend(path):\n    return os.open(path, 0)\n"
CALLS = "from gives import lend\ndef f(path):\n    fd = lend(path)\n"
BAD = "bad.py"
pytestmark = pytest.mark.internal_error
DEFECT = "internal error, please report it: ZeroDivisionError: division by zero"

STAGES: list[tuple[Any, str]] = [
    (fdlint.scan.scan, "may_matter"),
    (fdlint.scan.scan, "digest_of"),
    (fdlint.languages.python.comments, "_found"),
    (fdlint.scan.scan, "call"),
    (fdlint.scan.scan.intake, "read"),
    (fdlint.languages.python.lowering.source, "sketched"),
    (fdlint.scan.analysis, "findings"),
    (fdlint.scan.claims._Refutation, "by"),
    (fdlint.scan.claims, "_settled"),
    (fdlint.scan.selection, "_said"),
]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()
    Path("leak.py").write_text(LEAK)
    Path("lost.py").write_text(LOST)
    Path("gives.py").write_text(GIVES)
    Path("calls.py").write_text(CALLS)
    Path(BAD).write_text(f"MARK = 1  # fdlint: ignore[FD102] of bad.py, which speaks of a handle and lends\n{LEAK}")
    return tmp_path


def breaking(function: Callable[..., Any], error: BaseException | None = None) -> Callable[..., Any]:
    """The same, but for the file that is called bad."""

    def wrapper(*arguments: Any, **named: Any) -> Any:
        said = "".join(_shown(one) for one in arguments)
        if BAD in said or "MARK" in said:
            raise error or ZeroDivisionError("division by zero")
        return function(*arguments, **named)

    return wrapper


def _shown(argument: object) -> str:
    closure = getattr(argument, "__closure__", None) or ()
    return repr(argument) + "".join(repr(cell.cell_contents) for cell in closure)


def scanned(cache: Cache | None = None) -> Report:
    return scan(discover(["."]).files, Options(jobs=1), cache=cache)


def others(report: Report) -> list[str]:
    return [f"{one.span.path} {one.code}" for one in report.findings if one.span.path != BAD]


@pytest.mark.parametrize(("module", "name"), STAGES, ids=lambda value: getattr(value, "__name__", value))
def test_the_rest_is_reported(tree: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    expected = others(scanned())
    assert expected == ["calls.py FD101", "leak.py FD101", "lost.py FD108"]
    monkeypatch.setattr(module, name, breaking(getattr(module, name)))
    report = scanned()
    assert others(report) == expected
    assert [(one.path, one.reason) for one in report.skipped] == [(BAD, DEFECT)]


@pytest.mark.parametrize(("module", "name"), [(fdlint.scan.scan, "_lines"), (fdlint.scan.schedule, "contents")])
def test_a_file_that_is_only_glanced_at(tree: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    Path(BAD).write_text("MARK = 1\n")
    test_the_rest_is_reported(tree, monkeypatch, module, name)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RecursionError("deep"), "nested too deeply to analyse"),
        (MemoryError(), "not enough memory to analyse it"),
        (type("Unkind", (Exception,), {"__str__": lambda _: 1 / 0})(), "internal error, please report it: Unkind: "),
    ],
)
def test_the_reason(tree: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str) -> None:
    rules = text_of(MAIN)
    broken = replace(rules, suppressions=breaking(rules.suppressions, error))
    monkeypatch.setattr(fdlint.scan.scan, "text_of", lambda _language: broken)
    (skipped,) = scanned().skipped
    assert skipped.path == BAD
    assert skipped.reason.startswith(reason)


@pytest.mark.parametrize("name", ["result", "keep", "answer", "note"])
def test_the_cache(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    expected = others(scanned())
    monkeypatch.setattr(Cache, name, breaking(getattr(Cache, name)))
    report = scanned(cache=open_cache(tree.parent / "cache"))
    assert others(report) == expected
    assert [(one.path, one.reason) for one in report.skipped] == [(BAD, DEFECT)]


@pytest.mark.parametrize("name", ["result", "keep"])
def test_the_cache_of_go(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    leak = 'package p\nimport "golang.org/x/sys/unix"\nfunc f() { unix.Open("a", 0, 0) }\n'
    for package, file in (("good", "leak.go"), ("bad", f"{BAD}.go")):
        Path(package).mkdir()
        Path(package, file).write_text(leak)
    monkeypatch.setattr(Cache, name, breaking(getattr(Cache, name)))
    report = scan(discover(["good", "bad"]).files, Options(jobs=1), cache=open_cache(tree.parent / "cache"))
    assert "good/leak.go FD107" in others(report)
    assert [(one.path, one.reason) for one in report.skipped] == [(f"bad/{BAD}.go", DEFECT)]


def test_a_baseline(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fdlint.scan.baseline

    Path("old.json").write_text('{"version": 1, "root": ".", "findings": []}')
    monkeypatch.setattr(fdlint.scan.baseline, "unknown", breaking(fdlint.scan.baseline.unknown))
    report = scan(discover(["."], lambda _: Config(baseline=os.path.abspath("old.json"))).files, Options(jobs=1))
    assert others(report) == ["calls.py FD101", "leak.py FD101", "lost.py FD108"]
    assert [(one.path, one.reason) for one in report.skipped] == [(BAD, DEFECT)]


@pytest.mark.skipif(not GO.parser.is_installed, reason="no parser of Go: pip install 'fdlint[go]'")
@pytest.mark.parametrize(
    ("module", "name"),
    [(words, "is_generated"), (survey, "digest_of"), (packages, "digest_of"), (suppressions, "suppressions")],
)
def test_go(tree: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    opens = 'import "golang.org/x/sys/unix"\nfunc f() { unix.Open("x", unix.O_CLOEXEC, 0) }\n'
    for package in ("bad", "good"):
        Path(package).mkdir()
        Path(package, f"{package}.go").write_text(f"package {package} // {package}.py\n{opens}")
    monkeypatch.setattr(module, name, breaking(getattr(module, name)))
    report = scanned()
    assert "good/good.go FD107" in others(report)
    assert [(one.path, one.reason) for one in report.skipped] == [("bad/bad.go", DEFECT)]


@pytest.mark.parametrize("name", ["contents", "surroundings", "settle", "scan_file"])
def test_flake8(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fdlint.scan.scan._recall.forget()
    Path(BAD).write_text("MARK = 1\n")
    monkeypatch.setattr(fdlint.scan.scan, name, breaking(getattr(fdlint.scan.scan, name)))
    assert [one.reason for one in scan_alone(Path(BAD)).skipped] == [DEFECT]
    fdlint.scan.scan._recall.forget()
