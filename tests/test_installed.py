"""fdlint as its users have it: a wheel in an environment of its own, outside of the checkout, with its cache.

Each face works on a copy of the examples. An internal error fails a test, as everywhere: see ``defects.py``.
"""

from __future__ import annotations

import asyncio
import json
import os
import py_compile
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import browser
import pytest
import pytest_lsp
import test_hooks
import test_report_sarif
import test_server
import yaml
from defects import look_at
from proctree import ON_LINUX

ROOT = Path(__file__).parent.parent
EXTRAS = "flake8,go,lsp"
LIVE = ("broker", "checkpoints", "pool_per_job", "probe")
LEAKING = "import os\n\nKEPT = []\n\n\ndef test_leaks():\n    KEPT.append(os.dup(0))\n"


@dataclass(frozen=True)
class Installed:
    """``programs``: where they are. ``environment``: what a shell of the user has."""

    programs: Path
    environment: dict[str, str]

    def run(self, program: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.programs / program, *map(str, arguments)],
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """With the extras of the faces, and pytest. pip takes the packages from where it took those of these tests."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True, capture_output=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("FDLINT", "PYTEST", "PYTHON", "XDG"))
    }
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    found = Installed(programs, own | home | {"PATH": os.pathsep.join((str(programs), own["PATH"]))})
    pip = (sys.executable, "-m", "pip", "--python", str(folder / "venv"), "install", "--quiet", "--no-compile")
    command = (*pip, f"fdlint[{EXTRAS}] @ {wheel.as_uri()}", "pytest")
    done = subprocess.run(command, cwd=folder, env=found.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return found


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples", tmp_path / "examples"))


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """Its folder ``live`` alone, for what need not look at all."""
    shutil.copytree(ROOT / "examples" / "live", tmp_path / "examples" / "live")
    return tmp_path / "examples"


def test_it_is_not_the_checkout(installed: Installed, tmp_path: Path) -> None:
    done = installed.run("python", "-c", "import fdlint; print(fdlint.__file__)", cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(installed.programs.parent)


def test_a_scan_says_the_same_with_the_cache(installed: Installed, examples: Path) -> None:
    cold, warm = (installed.run("fdlint", "scan", "--output-format=json", ".", cwd=examples) for _ in range(2))
    assert (cold.returncode, warm.returncode) == (1, 1), cold.stderr + warm.stderr
    assert any(Path(installed.environment["XDG_CACHE_HOME"], "fdlint").rglob("*"))
    first, second = (json.loads(done.stdout) for done in (cold, warm))
    assert first["findings"] == second["findings"]
    assert first["skipped"] == second["skipped"] == []
    assert {"FD101", "FD104", "FD107", "FD401"} <= {one["code"] for one in first["findings"]}
    assert {"buggy.go", "buggy.py"} <= {Path(one["path"]).name for one in first["findings"]}


def test_what_is_fixed_still_runs(installed: Installed, examples: Path) -> None:
    done = installed.run("fdlint", "scan", "--fix", ".", cwd=examples)
    assert done.returncode == 1, done.stderr
    assert "os.close(fd)" in (examples / "live" / "broker.py").read_text()
    for path in examples.rglob("*.py"):
        py_compile.compile(str(path), doraise=True)
    for name in LIVE:
        ran = installed.run("python", examples / "live" / f"{name}.py", cwd=examples)
        assert (ran.returncode, "ready" in ran.stdout) == (0, True), ran.stdout + ran.stderr
        assert "Traceback" not in ran.stderr


def test_flake8(installed: Installed, live: Path) -> None:
    done = installed.run("flake8", "--select=FD", "live", cwd=live)
    assert done.returncode == 1, done.stderr
    assert "live/broker.py:34:10: FD104 " in done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_pre_commit(installed: Installed, live: Path, tmp_path: Path) -> None:
    """With the entry that pre-commit finds in the repository."""
    hook = {**test_hooks.HOOKS["fdlint"], "language": "system"}
    (live / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]}))
    environment = test_hooks.clean_environment(tmp_path)
    test_hooks.repository(live, environment)
    path = os.pathsep.join((str(installed.programs), installed.environment["PATH"]))
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files"],
        cwd=live,
        env={name: value for name, value in environment.items() if name != "PYTHONPATH"} | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "live/broker.py:34:10: FD104" in done.stdout


@pytest.mark.skipif(browser.executable() is None, reason="there is no Chromium")
def test_the_html_report_in_a_browser(installed: Installed, live: Path, tmp_path: Path) -> None:
    done = installed.run("fdlint", "scan", "-q", "-o", "html=report.html", ".", cwd=live)
    assert done.returncode == 1, done.stderr
    with browser.opened(tmp_path / "profile") as page:
        page.open(live / "report.html")
        # Not `innerText`: what is outside of the window gets that only some frames later.
        assert "live/broker.py" in page.run("document.querySelector('#findings').textContent")
        assert page.run("document.querySelector('#findings .finding').checkVisibility()")
        assert page.complaints == []


@pytest.mark.skipif(
    test_report_sarif.package() is None, reason="the schema is not there: npm install @microsoft/sarif-multitool"
)
def test_the_sarif_report_is_valid(installed: Installed, live: Path) -> None:
    done = installed.run("fdlint", "scan", "-q", "-o", "sarif=report.sarif", ".", cwd=live)
    assert done.returncode == 1, done.stderr
    document = json.loads((live / "report.sarif").read_text(encoding="utf-8"))
    assert document["runs"][0]["results"]
    assert test_report_sarif.errors(document) == []


def test_the_server(installed: Installed, tmp_path: Path) -> None:
    async def codes() -> list[object]:
        client = pytest_lsp.make_test_lsp_client()
        await client.start_io(str(installed.programs / "fdlint"), "server", env=installed.environment)
        await client.initialize_session(test_server.parameters(tmp_path))
        found = await test_server.Buffer(client, tmp_path / "a.py").open(test_server.LEAK).codes()
        await client.shutdown_session()
        await client.stop()
        for one in client.log_messages:
            look_at(one.message)
        return found

    assert asyncio.run(codes()) == ["FD101"]


@ON_LINUX
def test_the_plugin_of_pytest(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(LEAKING)
    done = installed.run("pytest", "--fd-leaks=error", "test_a.py", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "1 descriptor still open after the test" in done.stdout


@ON_LINUX
def test_doctor_on_the_example(installed: Installed, live: Path) -> None:
    command = [installed.programs / "python", "broker.py"]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=live / "live", env=installed.environment, text=True, **streams) as broker:
        assert broker.stdin is not None
        assert broker.stdout is not None
        _ready, process = broker.stdout.readline().split()
        done = installed.run("fdlint", "doctor", process, "--source", "live", cwd=live)
        broker.stdin.close()
    assert done.returncode == 1, done.stderr
    assert "Kept after the send" in done.stdout
    assert "FD104" in done.stdout
