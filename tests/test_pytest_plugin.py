"""``pytest --fd-leaks``: which tests leak, what, and where it was acquired."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import loaded
import pytest
from leaky import ENVIRONMENT, ROOT, leaks, outcomes, project, run

from fdlint.runtime.recording.table import directory

pytestmark = pytest.mark.skipif(directory() is None, reason="this system does not list open descriptors")

LEAKS = """\
def opened(path):
    return os.open(path, os.O_RDONLY)

def test_file(tmp_path):
    (tmp_path / "a").write_text("x")
    KEPT.append(opened(tmp_path / "a"))

def test_pipe():
    KEPT.extend(os.pipe())

def test_duplicate():
    KEPT.append(os.dup(0))

def test_memory():
    KEPT.append(os.memfd_create("kept"))

def test_accepted():
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        KEPT.append(server.accept()[0])
        client.close()

def test_reused_number(tmp_path):
    first = os.open(os.devnull, os.O_RDONLY)
    os.close(first)
    KEPT.append(open(tmp_path / "b", "w"))

def test_poll():
    KEPT.append(select.epoll())

def test_adopted():
    number = socket.socket().detach()
    with pytest.raises(ValueError):
        adopts(number)

def adopts(number):
    socket.socket(fileno=number).detach()
    raise ValueError

def test_selector():
    KEPT.append(selectors.DefaultSelector())

def test_slower_thread(tmp_path):
    opened = threading.Event()
    def work():
        with open(tmp_path / "t", "w"):
            opened.set()
            threading.Event().wait(60)
    threading.Thread(target=work, name="slow", daemon=True).start()
    opened.wait(30)

def test_thread(tmp_path):
    thread = threading.Thread(target=lambda: KEPT.append(open(tmp_path / "c", "w")))
    thread.start()
    thread.join()
"""
CLEAN = """\
def test_closed(tmp_path):
    open(tmp_path / "a", "w").close()

def test_cycle():
    class Kept: pass
    kept = Kept()
    kept.socket, kept.itself = socket.socket(), kept

@pytest.fixture
def number():
    number = os.open(os.devnull, os.O_RDONLY)
    yield number
    os.close(number)

def test_closed_in_teardown(number):
    assert number

@pytest.fixture
def value(tmp_path):
    return open(tmp_path / "v", "w")

def test_value_of_a_fixture(value):
    value.write("x")

def test_asyncio():
    async def main():
        reading, writing = os.pipe()
        os.close(reading); os.close(writing)
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "", stdout=asyncio.subprocess.PIPE)
        await process.communicate()
    asyncio.run(main())

def test_subprocess():
    subprocess.run([sys.executable, "-c", "import os; os.pipe()"], stdout=subprocess.PIPE, check=True)

def test_fork():
    child = os.fork()
    if not child:
        KEPT.extend(os.pipe())
        os._exit(0)
    os.waitpid(child, 0)

def test_import(tmp_path, monkeypatch):
    (tmp_path / "opens_at_import.py").write_text("import os\\nNULL = os.open(os.devnull, os.O_RDONLY)\\n")
    monkeypatch.syspath_prepend(tmp_path)
    import opens_at_import
    KEPT.append(opens_at_import)

def test_singleton_of_multiprocessing():
    import multiprocessing.resource_sharer, multiprocessing.sharedctypes
    reading, writing = os.pipe()
    multiprocessing.resource_sharer.DupFd(reading)
    multiprocessing.Value("i")
    os.close(reading); os.close(writing)
test_singleton_of_multiprocessing = pytest.mark.fd_leaks(allow=1)(test_singleton_of_multiprocessing)

class TestObject:
    def test_that_another_plugin_keeps(self):
        self.pipe = open(os.devnull)

def test_slow_thread(tmp_path):
    ready, done = threading.Event(), threading.Event()
    def work():
        with open(tmp_path / "s", "w"):
            ready.set()
            done.wait(0.1)
    threading.Thread(target=work).start()
    ready.wait(5)

def test_renamed_meanwhile(whole_session):
    os.rename(whole_session, f"{whole_session}.1")

def test_may_leave_two():
    KEPT.extend(os.pipe())
test_may_leave_two = pytest.mark.fd_leaks(allow=2)(test_may_leave_two)

@pytest.mark.fd_leaks(ignore=["pipe", "/dev/*"])
def test_may_leave_pipes():
    KEPT.extend(os.pipe())
    KEPT.append(os.open(os.devnull, os.O_RDONLY))

def test_ignored_by_the_ini_file(tmp_path):
    KEPT.append(open(tmp_path / "x.log", "w"))
"""
FIXTURES = """\
@pytest.fixture(scope="module")
def held():
    number = os.open(os.devnull, os.O_RDONLY)
    yield number
    os.close(number)

@pytest.fixture(scope="module")
def lost(held):
    yield os.open(os.devnull, os.O_RDONLY)

@pytest.fixture(scope="module", params=[1, 2])
def each(request):
    return os.open(os.devnull, os.O_RDONLY)

def test_first(held, lost): pass
def test_second(held, lost): pass
def test_each(each): pass

class TestClass:
    @classmethod
    def setup_class(cls):
        cls.number = os.open(os.devnull, os.O_RDONLY)
    @classmethod
    def teardown_class(cls):
        os.close(cls.number)
    def test_of_class(self): pass
def test_fails_anyway():
    KEPT.append(os.dup(0))
    assert False
def test_last(held, lost): pass
"""
CONFTEST = """\
@pytest.fixture(scope="session")
def whole_session(tmp_path_factory):
    path = tmp_path_factory.mktemp("session") / "log"
    with open(path, "w"):
        yield path

OBJECTS = []
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        OBJECTS.append(item.instance)
    elif call.when == "teardown" and "keeps" in item.name:
        OBJECTS.pop().pipe.read()
    return report
"""
USED = """\
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "teardown":
        with open("used", "a") as stream:
            stream.write(item.funcargs["value"].name + item.instance.name)
    return report
"""
USES = """\
class Value:
    name = "of the fixture, "
    def __init__(self): self.number, self.itself = os.dup(0), self
    def __del__(self): os.close(self.number)

@pytest.fixture
def value(): return Value()

class TestObject:
    name = "of the object"
    def test_closed(self, value): self.value = value
    def test_kept(self, value): KEPT.extend(os.pipe())
"""
INI = "fd_leaks = error\nfd_leaks_ignore =\n    *.log\n"


class Run(NamedTuple):
    directory: Path
    output: str
    status: int
    outcomes: Mapping[str, set[str]]
    leaks: Mapping[str, list[dict[str, Any]]]


def observed(directory: Path, *options: str) -> Run:
    result = run(directory, "--fd-leaks-json", "run.json", *options)
    by_test: dict[str, list[dict[str, Any]]] = {}
    for one in leaks(directory):
        by_test.setdefault(one["test"].rpartition("::")[2], []).append(one)
    return Run(directory, result.stdout + result.stderr, result.returncode, outcomes(result.stdout), by_test)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Run:
    files = {"conftest": CONFTEST, "test_leaks": LEAKS, "test_clean": CLEAN, "test_fixtures": FIXTURES}
    return observed(project(tmp_path_factory.mktemp("project"), INI, **files))


@pytest.mark.parametrize(
    ("test", "kind", "function", "number"),
    [
        ("test_file", "file", "opened", 1),
        ("test_pipe", "pipe", "test_pipe", 2),
        ("test_memory", "memfd", "test_memory", 1),
        ("test_accepted", "socket", "test_accepted", 1),
        ("test_adopted", "socket", "test_adopted", 1),
        ("test_selector", "anon_inode", "test_selector", 1),
        ("test_reused_number", "file", "test_reused_number", 1),
        ("test_thread", "file", "test_thread.<lambda>", 1),
    ],
)
@pytest.mark.skipif(sys.platform != "linux" or sys.version_info < (3, 11), reason="kinds of Linux, qualified names")
def test_a_leaking_test_fails_with_what_leaked_and_where(
    seen: Run, test: str, kind: str, function: str, number: int
) -> None:
    assert seen.outcomes[test] == {"PASSED", "ERROR"}
    assert [(one["kind"], one["site"]["function"]) for one in seen.leaks[test]] == [(kind, function)] * number


def test_what_was_acquired_is_told_with_its_line(seen: Run) -> None:
    (leak,) = seen.leaks["test_file"]
    text = (seen.directory / "test_leaks.py").read_text(encoding="utf-8").splitlines()
    assert text[leak["site"]["line"] - 1] == "    return os.open(path, os.O_RDONLY)"
    assert [one["function"] for one in leak["stack"]] == ["opened", "test_file"]
    assert leak["path"].endswith("/a")
    assert f"acquired at test_leaks.py:{leak['site']['line']} in opened by open" in seen.output
    assert f"called from test_leaks.py:{leak['stack'][1]['line']} in test_file" in seen.output


def test_a_descriptor_without_a_known_line_counts_all_the_same(seen: Run) -> None:
    (leak,) = seen.leaks["test_poll"]
    assert (leak["kind"], leak["path"], leak["site"]) == ("anon_inode", "eventpoll", None)
    assert seen.outcomes["test_poll"] == {"PASSED", "ERROR"}
    assert "no line is known: select.epoll, fcntl or a compiled module" in seen.output
    assert "acquired at an unknown line (no call that Python reports), first in test_leaks.py::test_poll" in seen.output


def test_threads_that_still_run_are_told(seen: Run) -> None:
    assert seen.outcomes["test_slower_thread"] == {"PASSED", "ERROR"}
    assert re.search("threads are still running, and may close them later: .*slow", seen.output)


def test_tests_that_leave_nothing_open_pass(seen: Run) -> None:
    names = re.findall(r"def (test_\w+)", CLEAN)
    assert len(names) == 15
    assert all(seen.outcomes[name] == {"PASSED"} for name in names)
    assert not seen.leaks.keys() & set(names)


def test_a_fixture_of_wider_scope_is_blamed_when_it_ends(seen: Run) -> None:
    assert seen.outcomes["test_first"] == seen.outcomes["test_second"] == {"PASSED"}
    assert seen.outcomes["test_of_class"] == {"PASSED"}
    found = {test: [one["fixture"] for one in some] for test, some in seen.leaks.items() if some[0]["fixture"]}
    assert sorted(name for names in found.values() for name in names) == ["each", "each", "lost"]
    assert found["test_last"].count("lost") == 1
    assert "of the fixture lost" in seen.output


def test_a_test_that_fails_is_not_blamed_as_well(seen: Run) -> None:
    assert seen.outcomes["test_fails_anyway"] == {"FAILED"}
    assert "test_fails_anyway" not in seen.leaks


def test_the_end_lists_the_places(seen: Run) -> None:
    assert seen.status == 1
    listed = seen.output.partition("leaked descriptors (fdlint)")[2]
    assert "    2  pipe acquired at test_leaks.py:" in listed
    assert "first in test_leaks.py::test_pipe" in listed


@pytest.mark.parametrize(("mode", "status", "warns"), [("warn", 0, True), ("report", 0, False), ("off", 0, False)])
def test_modes_that_fail_no_test(tmp_path: Path, mode: str, status: int, warns: bool) -> None:
    project(tmp_path, INI, test_leaks="def test_pipe(): KEPT.extend(os.pipe())\n")
    result = run(tmp_path, f"--fd-leaks={mode}")
    assert result.returncode == status
    assert ("DescriptorLeakWarning: test_leaks.py::test_pipe: 2 descriptors still open" in result.stdout) == warns
    assert ("pipe acquired at test_leaks.py:4 in test_pipe" in result.stdout) == (mode != "off")


@pytest.mark.parametrize(("mode", "errors"), [("error", 1), ("warn", 0), ("report", 0), ("off", 0)])
def test_other_plugins_use_the_values_of_fixtures(tmp_path: Path, mode: str, errors: int) -> None:
    """They are there until the last report of the test, and what only such a value holds is no leak."""
    project(tmp_path, "", conftest=USED, test_a=USES)
    output = run(tmp_path, f"--fd-leaks={mode}", "-v").stdout
    assert "INTERNALERROR" not in output
    assert ("2 passed, 1 error in" in output) == bool(errors), output
    assert ("2 passed in" in output) == (mode in {"report", "off"})
    assert (tmp_path / "used").read_text(encoding="utf-8") == "of the fixture, of the object" * 2
    assert ("pipe acquired at test_a.py:15 in TestObject.test_kept" in output) == (mode != "off")


def test_leaks_count_like_other_failures(tmp_path: Path) -> None:
    project(tmp_path, "", test_a="def test_a(): KEPT.extend(os.pipe())\ndef test_b(): pass\n")
    result = run(tmp_path, "--fd-leaks", "-x", "--junitxml=run.xml")
    assert (result.returncode, "1 passed, 1 error in" in result.stdout) == (1, True)
    assert 'errors="1" failures="0"' in (tmp_path / "run.xml").read_text(encoding="utf-8")
    strict = run(tmp_path, "--fd-leaks=warn", "-W", "error")
    assert (strict.returncode, "2 passed, 1 error in" in strict.stdout) == (1, True)


def test_wrong_options_are_told(tmp_path: Path) -> None:
    marked = "@pytest.mark.fd_leaks(2)\ndef test_a(): pass\n"
    project(tmp_path, "", test_a=marked)
    result = run(tmp_path, "--fd-leaks=loud")
    assert result.returncode == 4
    assert "--fd-leaks: 'loud' is not one of error, warn, report, off" in result.stderr
    assert "takes allow=N and ignore=PATTERNS only" in run(tmp_path, "--fd-leaks", "--strict-markers").stdout


def test_xdist_and_asyncio(tmp_path: Path) -> None:
    """The leaks of all workers are in one file and one list."""
    pytest.importorskip("pytest_asyncio")
    text = """\
@pytest.mark.asyncio
async def test_in_a_loop():
    KEPT.append(await asyncio.to_thread(os.dup, 0))

@pytest.mark.asyncio
async def test_clean():
    (await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)).close()
"""
    ini = "asyncio_default_fixture_loop_scope = function\n"
    project(tmp_path, ini, test_a=text, test_b="def test_pipe(): KEPT.extend(os.pipe())\n")
    found = observed(tmp_path, "-p", "xdist", "-p", "asyncio", "-n", "2", "--fd-leaks")
    assert found.status == 1
    assert {test: len(some) for test, some in found.leaks.items()} == {"test_in_a_loop": 1, "test_pipe": 2}
    assert found.outcomes["test_clean"] == {"PASSED"}
    assert "2  pipe acquired at test_b.py:4 in test_pipe" in found.output


def test_the_finding_of_a_scan_is_named(tmp_path: Path) -> None:
    project(tmp_path, "", code="def made():\n    number = os.dup(0)\n    os.fstat(number)\n    return 1\n")
    project(tmp_path, "", test_a="import code_under_test\ndef test_a(): code_under_test.made()\n")
    (tmp_path / "code.py").rename(tmp_path / "code_under_test.py")
    scan = [sys.executable, "-m", "fdlint", "scan", "--isolated", "-q", "-o", "json=found.json", "code_under_test.py"]
    loaded.run(scan, cwd=tmp_path, env=ENVIRONMENT)
    result = run(tmp_path, "--fd-leaks", "--fd-leaks-findings", "found.json")
    assert "fdlint: FD101 never-closed at code_under_test.py:5" in result.stdout
    refused = run(tmp_path, "--fd-leaks", "--fd-leaks-findings", "code_under_test.py")
    assert refused.returncode == 4
    assert "this is no report of fdlint" in refused.stderr


def test_nothing_is_loaded_unless_asked_for(tmp_path: Path) -> None:
    modules = "sorted(one for one in sys.modules if one.startswith('fdlint'))"
    expected = ["fdlint", "fdlint.runtime", "fdlint.runtime.pytest_plugin", "fdlint.version"]
    project(tmp_path, "", test_a=f"def test_a(): assert {modules} == {expected}\n")
    result = run(tmp_path, forked=False)
    assert result.returncode == 0, result.stdout


LISTED = "import fdlint.runtime.recording.table as table\ntable._DIRECTORIES = {}\n"


def test_a_system_without_procfs(tmp_path: Path) -> None:
    """Such as macOS and FreeBSD: `/dev/fd` lists the numbers, and a status tells the kind."""
    project(tmp_path, "", conftest=LISTED.format(("/none", "/dev/fd")))
    project(tmp_path, "", test_a=LEAKS)
    found = observed(tmp_path, "--fd-leaks")
    kinds = {test: (some[0]["kind"], some[0]["site"]["function"]) for test, some in found.leaks.items()}
    assert kinds["test_pipe"] == ("pipe", "test_pipe")
    assert kinds["test_accepted"] == ("socket", "test_accepted")
    assert kinds["test_file"] == ("other", "opened")


def test_a_system_without_a_list_of_descriptors(tmp_path: Path) -> None:
    project(tmp_path, "", conftest=LISTED.format(("/none", "/nowhere")), test_a="def test_a(): KEPT.append(os.dup(0))")
    result = run(tmp_path, "--fd-leaks", "--fd-leaks-json", "run.json")
    assert result.returncode == 0
    assert "fd-leaks: off, because this system does not list the open descriptors of a process" in result.stdout
    assert not (tmp_path / "run.json").exists()


def test_the_entry_point_is_the_plugin() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nfdlint = "fdlint.runtime.pytest_plugin"\n' in text


def test_a_private_name_of_pluggy_may_be_missing() -> None:
    from fdlint.runtime.pytest_plugin.session import _outermost

    assert _outermost("pluggy._callers", "_multicall") is not None
    assert _outermost("pluggy._callers", "no_such_name") is None
    assert _outermost("pluggy.no_such_module", "_multicall") is None
