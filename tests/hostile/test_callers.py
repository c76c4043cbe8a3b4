"""Large projects in which the search for callers must not read each file for each name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fdlint.program.usage import Usage
from fdlint.scan.callers import ProjectFiles
from fdlint.scan.files.discover import FileToScan
from tests.test_impact import EVERYTHING, discover, scan

_LEAK = "    def measure(self, p):\n        fd = os.open(p, 0)\n        print(fd)\n"


def _scanned(root: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return [one.impact.reason for one in scan(discover([root]).files, EVERYTHING).findings]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose code is read for their calls."""
    found: list[str] = []
    original = ProjectFiles._read

    def counted(self: ProjectFiles, file: FileToScan) -> Usage | None:
        found.append(file.place.name)
        return original(self, file)

    monkeypatch.setattr(ProjectFiles, "_read", counted)
    return found


def test_another_class_with_the_method_ends_the_search_for_more(tmp_path: Path, read: list[str]) -> None:
    others = {f"b{n}.py": f"class B{n}:\n    def measure(self):\n        pass\n" for n in range(40)}
    calls = "def f(x):\n" + "    x.measure(1)\n" * 40
    files = {"a.py": f"import os\n\nclass A:\n{_LEAK}", "z.py": calls, **others}
    assert "`A.measure` may be called by `measure()` of an object" in _scanned(tmp_path, files)[0]
    assert sorted(read) == ["a.py", "b0.py", "z.py"]


def test_a_caller_in_doubt_that_is_not_known_to_end_is_enough(tmp_path: Path, read: list[str]) -> None:
    callers = {f"c{n}.py": f"from z import f\n\ndef g{n}():\n    f(1)\n" for n in range(40)}
    above = {f"d{n}.py": f"from c{n} import g{n}\n\ndef h():\n    g{n}()\n" for n in range(1, 40)}
    files = {"a.py": f"import os\n\nclass A:\n{_LEAK}", "b.py": "class B:\n    def measure(self):\n        pass\n"}
    files["z.py"] = "def f(x):\n    x.measure(1)\n"
    assert "of an object that is not known" in _scanned(tmp_path, {**files, **callers, **above})[0]
    assert not [one for one in read if one.startswith("d")]


def test_a_module_that_is_not_imported_is_not_called(tmp_path: Path, read: list[str]) -> None:
    others = {f"b{n}.py": "from x import main\n\ndef f():\n    main()\n    return 'tool'\n" for n in range(40)}
    files = {"pkg/tool.py": "import os\n\ndef main():\n    print(os.open('x', 0))\n", "pkg/__init__.py": ""}
    files["z.py"] = "from pkg import tool\n\ndef f():\n    tool.main()\n"
    assert len(_scanned(tmp_path, {**files, **others})) == 1
    assert "z.py" in read
    assert len(read) < 5


def test_a_full_name_is_looked_for_only_where_it_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    original = ProjectFiles._contents

    def counted(self: ProjectFiles, file: FileToScan) -> bytes:
        looked.append(file.place)
        return original(self, file)

    monkeypatch.setattr(ProjectFiles, "_contents", counted)
    bases = ", ".join(f"bases.B{n}" for n in range(30))
    defined = "".join(f"class B{n}:\n    pass\n" for n in range(30))
    others = {f"other/c{n}.py": f"from sub import bases\n\ndef f():\n    return {bases}\n" for n in range(30)}
    files = {"sub/bases.py": defined, "sub/a.py": f"import os\nfrom sub import bases\n\nclass A({bases}):\n{_LEAK}"}
    assert len(_scanned(tmp_path, {"top.py": "", **files, **others})) == 1
    assert len([one for one in looked if one.name.startswith("c")]) < 100


def test_a_line_of_imports_is_read_once(tmp_path: Path) -> None:
    files = {"pkg/tool.py": "import os\n\ndef main():\n    print(os.open('x', 0))\n", "pkg/__init__.py": ""}
    hostile = "main = '" + "import " * 30_000 + "'\n"
    started = time.process_time()
    assert len(_scanned(tmp_path, {**files, "z.py": hostile})) == 1
    assert time.process_time() - started < 15  # 40 s and more if each word reads to the end of the line
