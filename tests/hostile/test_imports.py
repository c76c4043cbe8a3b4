"""Nothing is imported from the scanned tree, although it is the working directory."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

CANARY = "canary"
MODULE = f"""
with open({CANARY!r}, "a") as ran:
    print(__name__, file=ran)
"""
LOSES = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
FILES = 20  # so many that several processes are worth it
SCRIPT = """
import sys
if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in {methods}:
        import multiprocessing
        multiprocessing.set_start_method(sys.argv.pop(1))
    from {module} import main
    sys.exit(main())
"""
"""What pip makes of an entry point. The first argument can choose how processes start: that depends on the system."""
METHODS = multiprocessing.get_all_start_methods()
SCAN = ("scan", "--isolated", "--no-suppressions", "--no-cache", "--output-format", "concise", "--jobs", "2", ".")
SAFE_PATH = sys.version_info >= (3, 11)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Has a module by every name that is one in Python or in what is installed, or that Python looks for by itself."""
    tree = tmp_path / "tree"
    tree.mkdir()
    names = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions(), "sitecustomize", "usercustomize"}
    for name in filter(str.isidentifier, names):
        (tree / f"{name}.py").write_text(MODULE)
    for number in range(FILES):
        (tree / f"lost{number}.py").write_text(LOSES)
    return tree


def script(tree: Path, module: str) -> str:
    path = tree.parent / "bin" / module.partition(".")[0]
    path.parent.mkdir()
    path.write_text(SCRIPT.format(module=module, methods=METHODS))
    return str(path)


def findings(tree: Path, *arguments: str) -> int:
    """How many findings are printed by a program that runs in the tree."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, capture_output=True, text=True, timeout=120, check=False
    )
    assert not (tree / CANARY).exists(), f"imported: {(tree / CANARY).read_text().split()}"
    assert done.returncode == 1, done.stderr
    return sum(" FD107 " in line for line in done.stdout.splitlines())


def test_the_tree_is_harmful(tree: Path) -> None:
    """Else the other tests show nothing."""
    subprocess.run([sys.executable, "-c", "import fdlint"], cwd=tree, capture_output=True, check=False)
    assert (tree / CANARY).exists()


@pytest.mark.parametrize("method", METHODS)
def test_the_program(method: str, tree: Path) -> None:
    if method != "fork" and not SAFE_PATH:
        pytest.skip("Python 3.10 cannot keep the working directory from the processes that it starts")
    assert findings(tree, script(tree, "fdlint.cli"), method, *SCAN) == FILES


def test_flake8(tree: Path) -> None:
    """It starts its processes itself, so this is about the plugin."""
    pytest.importorskip("flake8")
    assert (
        findings(
            tree,
            script(tree, "flake8.main.cli"),
            "--isolated",
            "--select=FD",
            "--jobs=1",
            *sorted(map(str, tree.glob("lost*"))),
        )
        == FILES
    )


@pytest.mark.skipif(not SAFE_PATH, reason="Python 3.10 does not know the option -P")
def test_as_a_module(tree: Path) -> None:
    assert findings(tree, "-P", "-m", "fdlint", *SCAN) == FILES
