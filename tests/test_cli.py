from __future__ import annotations

import dataclasses
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import pytest
import sample

from fdlint import __version__
from fdlint.cli import command, main
from fdlint.cli import progress as progress_module
from fdlint.cli.grouped import Grouped
from fdlint.cli.output import wants_colour
from fdlint.cli.progress import ProgressBar
from fdlint.core.checks import all_rules
from fdlint.core.finding import Severity
from fdlint.report.cwe import NAMES
from fdlint.report.findings.finding import Report, Skipped
from fdlint.scan.config import Config
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.options import Options


@dataclasses.dataclass
class Engine:
    """Stands in for the analysis: says what it is told to say and remembers what it was asked."""

    report: Report
    scanned: list[str] = dataclasses.field(default_factory=list)
    data: bytes | None = None
    options: Options | None = None
    error: BaseException | None = None

    def scan(
        self,
        files: Sequence[FileToScan],
        options: Options,
        progress: Callable[[int, int, str], None],
        _cache: object,
        *,
        partial: bool,
    ) -> Report:
        self.scanned, self.options = [file.shown for file in files], options
        progress(len(files), len(files), "")
        if self.error:
            raise self.error
        return self.report

    def scan_source(self, data: bytes, path: str, options: Options, config: Config) -> Report:
        self.scanned, self.options, self.data = [path], options, data
        return self.report


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    stub = Engine(sample.report())
    module = types.ModuleType("fdlint.scan.scan")
    vars(module).update(scan=stub.scan, scan_source=stub.scan_source)
    monkeypatch.setitem(sys.modules, "fdlint.scan.scan", module)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import os\n")
    return stub


class TestExitStatus:
    def test_nothing_found(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scan", "a.py"]) == 0
        assert capsys.readouterr() == ("37 of 1,102 files use descriptors, 0 findings in 0.8 s\n", "")
        assert engine.scanned == ["a.py"]

    def test_findings(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        engine.report = sample.report(sample.finding())
        assert main(["scan"]) == 1
        assert main(["scan", "--exit-zero"]) == 0
        assert "FD102 not-closed-on-path" in capsys.readouterr().out

    def test_unparsable_files_count_with_strict_only(self, engine: Engine) -> None:
        engine.report = sample.report(sample.finding(), skipped=(Skipped("a.py", "cannot be parsed"),))
        assert main(["scan"]) == 1
        assert main(["scan", "--strict"]) == 2
        assert main(["scan", "--strict", "--exit-zero"]) == 2

    @pytest.mark.parametrize(
        ("option", "error", "warning"),
        [
            ([], 1, 1),
            (["--fail-on", "warning"], 1, 1),
            (["--fail-on", "error"], 1, 0),
            (["--fail-on", "never"], 0, 0),
            (["--exit-zero"], 0, 0),
            (["--exit-zero", "--fail-on", "never"], 0, 0),
        ],
    )
    def test_which_findings_count(self, engine: Engine, option: list[str], error: int, warning: int) -> None:
        engine.report = sample.report(sample.finding())
        assert main(["scan", *option]) == error
        assert main(["scan", "-o", "json=out.json"]) == 1
        assert main(["merge", "out.json", *option]) == error
        engine.report = sample.report(sample.finding(severity=Severity.WARNING))
        assert main(["scan", *option]) == warning
        engine.report = sample.report(skipped=(Skipped("a.py", "cannot be parsed"),))
        assert main(["scan", "--strict", *option]) == 2

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["scan", "--exit-zero", "--fail-on", "error"], "--exit-zero is --fail-on never"),
            (["scan", "--fail-on", "note"], "'note' is not one of"),
            (["scan", "a.py", "nowhere"], "no such file or directory: nowhere"),
            (["scan", "--select", "FD1O1"], "there is no rule FD1O1; did you mean FD1"),
            (["scan", "--ignore", "FD102,discarde"], "did you mean FD107 (discarded)?"),
            (["scan", "--select", "XYZ"], "there is no rule XYZ; `fdlint rules` lists them"),
            (["scan", "--select", ","], "no code given"),
            (["scan", "--jobs", "-1"], "--jobs"),
            (["scan", "--no-such-option"], "No such option"),
            (["scan", "-", "a.py"], "stands alone"),
            (["scn"], "there is no command"),
            (["explain", "FD999"], "there is no rule FD999; did you mean"),
        ],
    )
    def test_wrong_command_lines(
        self, engine: Engine, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
    ) -> None:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err
        assert "Traceback" not in err

    @pytest.mark.internal_error
    def test_an_internal_error_is_not_taken_for_findings(
        self, engine: Engine, capsys: pytest.CaptureFixture[str]
    ) -> None:
        engine.error = RuntimeError("spam")
        assert main(["scan"]) == 2
        assert "RuntimeError: spam" in capsys.readouterr().err

    def test_interrupted(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        engine.error = KeyboardInterrupt()
        assert main(["scan"]) == 130
        assert "interrupted" in capsys.readouterr().err


class TestScan:
    def test_json(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        engine.report = sample.report(sample.finding())
        assert main(["scan", "--output-format", "json"]) == 1
        document = json.loads(capsys.readouterr().out)
        assert [found["code"] for found in document["findings"]] == ["FD102"]

    def test_options_reach_the_engine(self, engine: Engine) -> None:
        assert main(["scan", "--select", "fd101, FD102", "--select=FD11", "--ignore=FD102", "-j3"]) == 0
        assert engine.options == Options(select=("FD101", "FD102", "FD11"), ignore=("FD102",), jobs=3)

    def test_standard_input(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        with open("a.py", encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert main(["scan", "-"]) == 0
        assert (engine.scanned, engine.data) == (["<stdin>"], b"import os\n")
        with open("a.py", encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert main(["scan", "--stdin-filename", os.path.abspath("pkg/b.py"), "-"]) == 0
        assert engine.scanned == ["pkg/b.py"]

    def test_what_could_not_be_looked_into_is_in_the_report(
        self, engine: Engine, capsys: pytest.CaptureFixture[str]
    ) -> None:
        engine.report = sample.report(skipped=(Skipped("z.py", "cannot be parsed"),))
        Path("notes.txt").write_text("")
        assert main(["scan", "a.py", "notes.txt", "--output-format", "json"]) == 0
        assert [entry["path"] for entry in json.loads(capsys.readouterr().out)["skipped"]] == ["notes.txt", "z.py"]

    def test_no_python_files(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        Path("empty").mkdir()
        assert main(["scan", "empty"]) == 0
        assert capsys.readouterr().err == "fdlint: no Python or Go files in empty\n"

    def test_quiet(self, engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["scan", "--quiet"]) == 0
        assert capsys.readouterr() == ("", "")

    def test_colour(self, engine: Engine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        engine.report = sample.report(sample.finding(message="[red]\x1b[0m"))
        main(["scan"])
        plain = capsys.readouterr().out
        monkeypatch.setenv("FORCE_COLOR", "1")
        main(["scan"])
        coloured = capsys.readouterr().out
        assert "\x1b[1;31mFD102\x1b[0m" in coloured
        assert "\x1b" not in plain
        assert r"[red]\x1b[0m" in plain


class Terminal:
    closed = False

    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(terminal)  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(terminal)  # type: ignore[arg-type]
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(terminal)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_colour_can_be_forced(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for other in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    for value, wanted in (("1", True), ("yes", True), ("", False), ("0", False)):
        monkeypatch.setenv(name, value)
        assert wants_colour() is wanted
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour()


def test_a_long_scan_shows_progress_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_module, "PATIENCE", 0)
    with ProgressBar(wanted=True) as bar:
        bar(1, 2)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress_module, "is_terminal", lambda stream: True)
    with ProgressBar(wanted=False) as bar:
        bar(1, 2)
    assert capsys.readouterr() == ("", "")
    with ProgressBar(wanted=True) as bar:
        bar(1, 2)
        bar(2, 2)
        bar(2, 2, "src/\x1b[31ma.py")
    out, err = capsys.readouterr()
    assert out == ""
    assert "scanning" in err and "2/2" in err
    assert "\x1b[31ma.py" not in err


def test_a_long_scan_without_a_terminal_says_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now)
    with ProgressBar(wanted=True) as bar:
        for done in range(1, 101):
            now += 0.5
            bar(done, 100, f"src/{done}.py")
    assert capsys.readouterr().err.splitlines() == [
        "fdlint: 20 of 100 files, about 40 s left, src/20.py",
        "fdlint: 40 of 100 files, about 30 s left, src/40.py",
        "fdlint: 60 of 100 files, about 20 s left, src/60.py",
        "fdlint: 80 of 100 files, about 10 s left, src/80.py",
        "fdlint: 100 of 100 files, src/100.py",
    ]


class TestRules:
    def test_list(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(all_rules())
        assert lines[0].split()[:3] == ["FD101", "never-closed", "error"]

    def test_list_as_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["rules", "--output-format", "json"]) == 0
        rules = json.loads(capsys.readouterr().out)["rules"]
        assert [rule["code"] for rule in rules] == [loaded.rule.code for loaded in all_rules()]
        assert set(rules[0]) == {"code", "name", "severity", "summary", "page"}

    @pytest.mark.parametrize("name", ["FD104", "fd104", "kept-after-send"])
    def test_explain(self, capsys: pytest.CaptureFixture[str], name: str) -> None:
        assert main(["explain", name]) == 0
        assert capsys.readouterr().out.startswith("# FD104 kept-after-send\n\n")


class TestHelp:
    """The help of a scan: few options, in groups, and the others by name."""

    def test_it_shows_25_options_in_groups(self) -> None:
        scan = command.get_command(click.Context(command), "scan")
        assert isinstance(scan, Grouped)
        groups = dict(scan.in_groups(click.Context(scan)))
        shown = [one.name for options in groups.values() for one in options]
        assert len(shown) == len(set(shown)) <= 25
        assert [one.name for one in groups["Help"]] == ["help"]

    @pytest.mark.parametrize("name", ["scan", "merge", "config"])
    def test_hidden_options_are_named(self, name: str) -> None:
        found = command.get_command(click.Context(command), name)
        assert found is not None
        text = found.get_help(click.Context(found, terminal_width=1000, max_content_width=1000))
        assert all(one.opts[0] in text for one in found.params if isinstance(one, click.Option) and one.hidden)

    @pytest.mark.parametrize("seconds", ["soon", "-1", "inf", "nan"])
    def test_a_time_limit_that_is_none(
        self, seconds: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("FDLINT_TIMEOUT_PER_FILE", seconds)
        assert main(["scan"]) == 2
        assert "FDLINT_TIMEOUT_PER_FILE is not a number of seconds" in capsys.readouterr().err


class TestRegistry:
    def test_each_defect_has_a_weakness_with_a_name(self) -> None:
        assert {one.rule.code for one in all_rules() if one.rule.cwe is None} == {"FD900"}
        assert {one.rule.cwe for one in all_rules()} - {None} == NAMES.keys()

    def test_the_code_of_a_rule_is_in_the_name_of_its_module(self) -> None:
        for loaded in all_rules():
            module = sys.modules[loaded.check.__module__]
            stem = module.__name__.rpartition(".")[2]
            assert stem == f"{loaded.rule.code.lower()}_{loaded.rule.name.replace('-', '_')}"

    def test_codes_names_and_ranks_are_unique_and_every_rule_has_a_page(self) -> None:
        rules = [loaded.rule for loaded in all_rules()]
        for attribute in ("code", "name", "rank", "defect"):
            assert len({getattr(rule, attribute) for rule in rules}) == len(rules)
        assert all(loaded.summary for loaded in all_rules())
        assert all(rule.defect and not rule.defect.endswith(".") for rule in rules)


HEAVY = {
    *(
        "ahocorasick_rs",
        "concurrent.futures",
        "hashlib",
        "jinja2",
        "libcst",
        "markupsafe",
        "multiprocessing",
        "pygments",
    ),
    *("rich", "tomlkit"),
    *(("subprocess",) if sys.version_info >= (3, 11) else ()),  # click imports uuid, and that of Python 3.10 this
}
"""What takes a while to import, and neither ``--version`` nor a scan of nothing needs."""


class TestProcess:
    """What only a process of its own can show."""

    def run(self, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fdlint", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]

    def test_version(self) -> None:
        said = self.run("--version").stdout
        assert said.startswith(f"fdlint {__version__} (Python {platform.python_version()}, libcst ")
        assert said.endswith(")\n")

    def test_help_and_version_import_nothing_heavy(self) -> None:
        code = "import sys; from fdlint.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
        for option in ("--version", "--help"):
            done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=True)
            assert done.stdout
            loaded = set(done.stderr.split())
            assert loaded.isdisjoint(HEAVY | {"fdlint.scan.scan", "fdlint.scan.config", "importlib.metadata"})

    def test_an_empty_scan_imports_nothing_heavy(self, tmp_path: Path) -> None:
        code = "import sys; from fdlint.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
        command = [sys.executable, "-c", code, "scan", "--isolated", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("0 files, ")
        loaded = set(done.stderr.split())
        assert "fdlint.scan.scan" in loaded
        assert loaded.isdisjoint(
            HEAVY | {"fdlint.catalog.catalog", "fdlint.core.checks", "importlib.metadata", "tempfile", "tomllib"}
        )

    def test_a_scan_that_finds_no_descriptor_starts_nothing(self, tmp_path: Path) -> None:
        for number in range(40):
            (tmp_path / f"a{number}.py").write_text("x = 1\n")
        code = "import sys; from fdlint.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
        command = [sys.executable, "-c", code, "scan", "--isolated", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("0 of 40 files use descriptors, ")
        assert set(done.stderr.split()).isdisjoint(HEAVY - {"ahocorasick_rs", "hashlib", "subprocess"})

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_completion(self, shell: str) -> None:
        done = self.run("completion", shell)
        assert done.returncode == 0
        assert f"_FDLINT_COMPLETE={shell}_complete" in done.stdout

    @pytest.mark.parametrize(
        ("line", "place", "answer"),
        [
            ("fdlint ba", 1, ["plain,baseline"]),
            ("fdlint scan --pers", 2, ["plain,--persona"]),
            ("fdlint scan --select FD101,fd20", 3, [f"plain,FD101,FD20{digit}" for digit in (1, 2, 3, 4, 5, 6, 7)]),
            ("fdlint explain FD9", 2, ["plain,FD900"]),
            ("fdlint scan --ignore FD101,never", 3, ["plain,FD101,never-closed"]),
        ],
    )
    def test_what_a_shell_is_answered(self, line: str, place: int, answer: list[str]) -> None:
        asked = {"_FDLINT_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(place)}
        done = self.run(env={**os.environ, **asked})
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == answer

    @pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
    def test_bash_understands_it(self) -> None:
        script = self.run("completion", "bash").stdout
        subprocess.run(["bash", "-euc", script + "\ncomplete -p fdlint >/dev/null"], check=True)

    def test_no_colour(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("import os\nos.dup(0)\n")
        done = self.run("scan", "a.py", cwd=tmp_path, env={**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"})
        assert "\x1b" not in done.stdout + done.stderr

    @pytest.mark.parametrize("argument", ["rules", "--help"])
    def test_a_reader_that_goes_away(self, argument: str) -> None:
        # Nothing reads the pipe: its reading end is closed before fdlint writes.
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as pipe:
            command = [sys.executable, "-m", "fdlint", argument]
            done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")

    def test_an_output_that_lacks_characters(self) -> None:
        done = self.run("explain", "FD101", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert (done.returncode, done.stderr) == (0, "")


EXPLAINED = """
import os


def make():
    return [os.dup(0)], {"a": os.dup(1)}


def f(path, a, b):
    fd = os.open(path, 0)
    xs, ys = make()
    if a and b:
        os.close(fd)
    zs = [fd, *xs]
    with open(path) as one, open(path) as two:
        if not a and zs:
            raise ValueError(one)
    try:
        os.write(fd, b"x")
    except (OSError, ValueError, KeyError):
        os.close(fd)
        raise
    return {"fd": fd}, [ys], zs
"""


def test_an_explanation_is_the_same_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(EXPLAINED)
    shown = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "fdlint", "why-not", "a.py:10"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        shown.add(done.stdout)
    assert len(shown) == 1
    assert "ways out of the function" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["scna", "."], "there is no command 'scna'; did you mean `fdlint scan`?"),
        (["check", "."], "there is no command 'check'; did you mean `fdlint scan`?"),
        (["src/a.py"], "there is no command 'src/a.py'; did you mean `fdlint scan src/a.py`?"),
        (["xyzzy"], "there is no command 'xyzzy'; `fdlint --help` lists them"),
    ],
)
def test_a_wrong_command_is_answered_with_the_right_one(
    arguments: list[str], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert answer in capsys.readouterr().err


def test_the_suffix_of_an_output_tells_its_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("import os\nos.dup(0)\n")
    assert main(["scan", "-q", "-o", "found.sarif", "-o", "found.html", "a.py"]) == 1
    assert json.loads((tmp_path / "found.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "found.html").read_text().startswith("<!doctype html>")
