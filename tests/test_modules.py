"""A project of many files: what a function does is known wherever it is called, however it is imported."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fdlint.report.findings.finding import Report
from fdlint.report.findings.persona import EVERYTHING
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import Options, scan

# What the names say is misleading on purpose: only who has read these functions knows what they do.
HELPERS = """\
import os


def drop(fd):
    os.close(fd)


def close_later(fd):
    return fd > 100


def make(path):
    return os.open(path, os.O_CREAT)
"""

CALLER = """\
import os

{imports}


def closed(path):
    fd = os.open(path, os.O_CREAT)
    {drop}(fd)


def kept(path):
    fd = os.open(path, os.O_CREAT)
    {close_later}(fd)


def made_and_closed(path):
    fd = {make}(path)
    {drop}(fd)


def made_and_forgotten(path):
    fd = {make}(path)
    return fd == 7


def made_and_returned(path):
    return {make}(path)
"""

NAMES = ("drop", "close_later", "make")
KNOWN = ["kept FD101", "made_and_forgotten FD101"]
UNKNOWN = ["closed FD101"]  # a call of something unknown uses what it is given, or takes it if its name says so


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def scanned(root: Path, files: dict[str, str]) -> Report:
    write(root, files)
    return scan(discover(["."]).files, Options(jobs=1, levels=EVERYTHING))


def found(report: Report, path: str) -> list[str]:
    """``function CODE`` of every finding in one file."""
    return [f"{one.function} {one.code}" for one in report.findings if one.span.path == path]


def caller(imports: str, prefix: str = "") -> str:
    """A module that calls the helpers by their names after ``prefix``."""
    names = {name: prefix + name for name in NAMES}
    return CALLER.format(imports=imports, **names)


ALL = ", ".join(NAMES)
PACKAGE = {"pkg/__init__.py": "", "pkg/helpers.py": HELPERS}
DEEP = {**PACKAGE, "pkg/sub/__init__.py": "", "pkg/sub/deep/__init__.py": ""}

ABSOLUTE = {
    "names of a module": ({"helpers.py": HELPERS}, "caller.py", f"from helpers import {ALL}", ""),
    "a module": ({"helpers.py": HELPERS}, "caller.py", "import helpers", "helpers."),
    "a module under another name": ({"helpers.py": HELPERS}, "caller.py", "import helpers as h", "h."),
    "names of a module in a package": (PACKAGE, "caller.py", f"from pkg.helpers import {ALL}", ""),
    "a dotted module": (PACKAGE, "caller.py", "import pkg.helpers", "pkg.helpers."),
    "a dotted module under another name": (PACKAGE, "caller.py", "import pkg.helpers as h", "h."),
    "a module of a package": (PACKAGE, "caller.py", "from pkg import helpers", "helpers."),
    "a module of a package with the name of a library": (
        {"pkg/__init__.py": "", "pkg/serial.py": HELPERS},
        "caller.py",
        "from pkg import serial",
        "serial.",
    ),
    "from inside the package": (PACKAGE, "pkg/caller.py", f"from pkg.helpers import {ALL}", ""),
    "from deep inside the package": (DEEP, "pkg/sub/deep/caller.py", "from pkg import helpers", "helpers."),
    "in a try": (
        {"helpers.py": HELPERS},
        "caller.py",
        f"try:\n    from helpers import {ALL}\nexcept ImportError:\n    raise",
        "",
    ),
    "in parentheses": ({"helpers.py": HELPERS}, "caller.py", f"from helpers import (\n    {ALL},\n)", ""),
}

RELATIVE = {
    "names of a sibling": (PACKAGE, "pkg/caller.py", f"from .helpers import {ALL}", ""),
    "a sibling": (PACKAGE, "pkg/caller.py", "from . import helpers", "helpers."),
    "a sibling under another name": (PACKAGE, "pkg/caller.py", "from . import helpers as h", "h."),
    "from the package's own __init__": (
        {"pkg/helpers.py": HELPERS},
        "pkg/__init__.py",
        "from . import helpers",
        "helpers.",
    ),
    "names of the parent's module": (DEEP, "pkg/sub/caller.py", f"from ..helpers import {ALL}", ""),
    "the parent's module": (DEEP, "pkg/sub/caller.py", "from .. import helpers", "helpers."),
    "names from two packages up": (DEEP, "pkg/sub/deep/caller.py", f"from ...helpers import {ALL}", ""),
    "a module two packages up": (DEEP, "pkg/sub/deep/caller.py", "from ... import helpers", "helpers."),
    "a cousin": (
        {**DEEP, "pkg/other/__init__.py": "", "pkg/other/helpers.py": HELPERS},
        "pkg/sub/caller.py",
        f"from ..other.helpers import {ALL}",
        "",
    ),
    "functions that __init__ defines": ({"pkg/__init__.py": HELPERS}, "pkg/caller.py", f"from . import {ALL}", ""),
}

EXPORTS = f"from .helpers import {ALL}\n"
RENAMED = "from helpers import drop as x_drop, close_later as x_close_later, make as x_make\n"
REEXPORTED = {
    "by __init__": ({**PACKAGE, "pkg/__init__.py": EXPORTS}, "caller.py", f"from pkg import {ALL}", ""),
    "by __init__, the package imported": ({**PACKAGE, "pkg/__init__.py": EXPORTS}, "caller.py", "import pkg", "pkg."),
    "by __init__, relative": ({**PACKAGE, "pkg/__init__.py": EXPORTS}, "pkg/caller.py", f"from . import {ALL}", ""),
    "by __init__, absolute": (
        {**PACKAGE, "pkg/__init__.py": f"from pkg.helpers import {ALL}\n"},
        "caller.py",
        f"from pkg import {ALL}",
        "",
    ),
    "by a module": (
        {"helpers.py": HELPERS, "compat.py": f"from helpers import {ALL}\n"},
        "caller.py",
        f"from compat import {ALL}",
        "",
    ),
    "as a module": (
        {"helpers.py": HELPERS, "compat.py": "import helpers\n"},
        "caller.py",
        "from compat import helpers",
        "helpers.",
    ),
    "through three packages": (
        {
            "pkg/__init__.py": f"from .sub import {ALL}\n",
            "pkg/sub/__init__.py": f"from .deep import {ALL}\n",
            "pkg/sub/deep/__init__.py": EXPORTS,
            "pkg/sub/deep/helpers.py": HELPERS,
        },
        "caller.py",
        f"from pkg import {ALL}",
        "",
    ),
    "under other names": (
        {"helpers.py": HELPERS, "compat.py": RENAMED},
        "caller.py",
        "import compat",
        "compat.x_",
    ),
}

OTHER = "import os\n\n\ndef size(fd):\n    return os.fstat(fd).st_size\n"
STARS = {
    "of a module in __init__": (
        {**PACKAGE, "pkg/__init__.py": "from .helpers import *\n"},
        "caller.py",
        f"from pkg import {ALL}",
        "",
    ),
    "relative, of a module in __init__": (
        {**PACKAGE, "pkg/__init__.py": "from .helpers import *\n"},
        "pkg/caller.py",
        f"from . import {ALL}",
        "",
    ),
    "absolute, of a module in __init__": (
        {**PACKAGE, "pkg/__init__.py": "from pkg.helpers import *\n"},
        "caller.py",
        "import pkg",
        "pkg.",
    ),
    "the second of two": (
        {"helpers.py": HELPERS, "other.py": OTHER, "compat.py": "from other import *\nfrom helpers import *\n"},
        "caller.py",
        f"from compat import {ALL}",
        "",
    ),
}

LAYOUTS = {
    "src, from the top": (
        {"src/pkg/__init__.py": "", "src/pkg/helpers.py": HELPERS},
        "conftest.py",
        f"from pkg.helpers import {ALL}",
        "",
    ),
    "src, from within": (
        {"src/pkg/__init__.py": "", "src/pkg/helpers.py": HELPERS},
        "src/pkg/caller.py",
        f"from pkg.helpers import {ALL}",
        "",
    ),
    "namespace, from the top": ({"ns/part/helpers.py": HELPERS}, "caller.py", f"from ns.part.helpers import {ALL}", ""),
    "namespace, relative": ({"ns/part/helpers.py": HELPERS}, "ns/part/caller.py", f"from .helpers import {ALL}", ""),
    "scripts beside their module": ({"tools/helpers.py": HELPERS}, "tools/caller.py", f"from helpers import {ALL}", ""),
}


def check(tree: Path, case: tuple[dict[str, str], str, str, str]) -> None:
    files, place, imports, prefix = case
    report = scanned(tree, {**files, place: caller(imports, prefix)})
    assert not report.skipped
    assert found(report, place) == KNOWN
    assert {one.span.path for one in report.findings} == {place}


@pytest.mark.parametrize("how", ABSOLUTE)
def test_absolute_imports(how: str, tree: Path) -> None:
    check(tree, ABSOLUTE[how])


@pytest.mark.parametrize("how", RELATIVE)
def test_relative_imports(how: str, tree: Path) -> None:
    check(tree, RELATIVE[how])


@pytest.mark.parametrize("how", REEXPORTED)
def test_re_exports(how: str, tree: Path) -> None:
    check(tree, REEXPORTED[how])


@pytest.mark.parametrize("how", STARS)
def test_star_imports(how: str, tree: Path) -> None:
    check(tree, STARS[how])


@pytest.mark.parametrize("how", LAYOUTS)
def test_layouts(how: str, tree: Path) -> None:
    check(tree, LAYOUTS[how])


def test_renamed_re_export_for_the_own_package(tree: Path) -> None:
    """The caller has no word of the catalog, and does not name the module that it imports from."""
    files = {
        "pkg/__init__.py": "from .helpers import make as obtain\n",
        "pkg/helpers.py": HELPERS,
        "pkg/caller.py": "from . import obtain\n\n\ndef forgets(path):\n    fd = obtain(path)\n    return fd == 7\n",
    }
    assert found(scanned(tree, files), "pkg/caller.py") == ["forgets FD101"]


TOUCH = """\
import os

from {module} import {name}


def touch(path):
    fd = os.open(path, os.O_CREAT)
    {name}(fd)
"""


def test_import_inside_the_function(tree: Path) -> None:
    text = """\
import os


def closed(path):
    from helpers import drop

    fd = os.open(path, os.O_CREAT)
    drop(fd)


def kept(path):
    from helpers import close_later

    fd = os.open(path, os.O_CREAT)
    close_later(fd)
"""
    assert found(scanned(tree, {"helpers.py": HELPERS, "caller.py": text}), "caller.py") == ["kept FD101"]


def test_object_of_an_imported_class_that_the_constructor_gets(tree: Path) -> None:
    channel = """\
import os
import socket


class Channel:
    def __init__(self, sock):
        self.sock = sock

    def share(self, fd):
        socket.send_fds(self.sock, [b"x"], [fd])

    def give(self, fd):
        os.close(fd)
"""
    text = """\
import os
from wire import Channel


class Mounter:
    def __init__(self, channel: Channel):
        self.channel = channel

    def mount(self):
        fd = os.open("/dev/fuse", os.O_RDWR)
        try:
            self.channel.share(fd)
        except OSError:
            os.close(fd)
            raise

    def leave(self):
        self.channel.give(os.open("/dev/fuse", os.O_RDWR))
"""
    assert found(scanned(tree, {"wire.py": channel, "app.py": text}), "app.py") == ["Mounter.mount FD104"]


def test_the_same_name_in_two_modules(tree: Path) -> None:
    files = {
        "helpers.py": HELPERS,
        "other.py": "import os\n\n\ndef drop(fd):\n    os.set_blocking(fd, False)\n",
        "a.py": TOUCH.format(module="helpers", name="drop"),
        "b.py": TOUCH.format(module="other", name="drop"),
    }
    report = scanned(tree, files)
    assert (found(report, "a.py"), found(report, "b.py")) == ([], ["touch FD101"])


def test_wrappers_of_wrappers_in_four_files(tree: Path) -> None:
    wrapper = "import {0}\n" + "".join(f"\n\ndef {name}(it):\n    return {{0}}.{name}(it)\n" for name in NAMES)
    files = {
        "helpers.py": HELPERS,
        "middle.py": wrapper.format("helpers"),
        "outer.py": wrapper.format("middle"),
        "caller.py": caller("import outer", "outer."),
    }
    report = scanned(tree, files)
    assert found(report, "caller.py") == KNOWN
    assert len(report.findings) == len(KNOWN)


def test_a_caller_that_mentions_no_descriptor_itself(tree: Path) -> None:
    """The file names nothing that the catalog knows: it is of interest for what it calls."""
    text = """\
from helpers import make


def is_seventh(path):
    return make(path) == 7


def forgotten(path):
    fd = make(path)
    return fd == 7


def returned(path):
    return make(path)
"""
    report = scanned(tree, {"helpers.py": HELPERS, "caller.py": text})
    assert found(report, "caller.py") == ["is_seventh FD107", "forgotten FD101"]


def test_a_caller_of_a_method_that_mentions_no_descriptor_itself(tree: Path) -> None:
    source = """\
import os


class Directory:
    def __init__(self, root):
        self.root = root

    def entry(self, name):
        return os.open(f"{self.root}/{name}", 0)

    def _lent(self, name):
        return os.open(f"{self.root}/{name}", 0)
"""
    text = """\
from source import Directory


class Reader:
    def __init__(self, root):
        self.directory = Directory(root)

    def is_seventh(self, name):
        fd = self.directory.entry(name)
        return fd == 7


def is_seventh(root, name):
    return Directory(root).entry(name) == 7


def opened(root, name):
    return Directory(root).entry(name)
"""
    other = "class Other:\n    def entry(self, source):\n        return self.entry(source)\n"
    report = scanned(tree, {"source.py": source, "reader.py": text, "other.py": other})
    assert found(report, "reader.py") == ["Reader.is_seventh FD101", "is_seventh FD107"]
    assert not found(report, "other.py")


def test_a_leak_in_the_helper_is_said_there_only(tree: Path) -> None:
    helpers = "import os\n\n\ndef size(path):\n    fd = os.open(path, 0)\n    return os.fstat(fd).st_size\n"
    text = "import os\n\nfrom helpers import size\n\n\ndef sizes(path):\n    os.close(0)\n    return size(path)\n"
    report = scanned(tree, {"helpers.py": helpers, "caller.py": text})
    assert [(one.span.path, one.span.line, one.code) for one in report.findings] == [("helpers.py", 5, "FD101")]


def test_the_finding_is_at_the_callers_call(tree: Path) -> None:
    report = scanned(tree, {**PACKAGE, "pkg/caller.py": caller("from .helpers import drop, close_later, make")})
    forgotten = next(one for one in report.findings if one.function == "made_and_forgotten")
    line = (tree / "pkg/caller.py").read_text().splitlines()[forgotten.span.line - 1]
    assert line == "    fd = make(path)"
    opened, called = forgotten.trace[:2]
    assert opened.span.path.endswith("pkg/helpers.py")
    assert called.span == forgotten.span


def test_methods_of_a_base_class_in_another_file(tree: Path) -> None:
    base = """\
import os


class Base:
    def drop(self, fd):
        os.close(fd)

    def look(self, fd):
        print(fd)
"""
    text = """\
import os

from .base import Base


class Toucher(Base):
    def closed(self, path):
        fd = os.open(path, os.O_CREAT)
        self.drop(fd)

    def kept(self, path):
        fd = os.open(path, os.O_CREAT)
        self.look(fd)
"""
    report = scanned(tree, {"pkg/__init__.py": "", "pkg/base.py": base, "pkg/toucher.py": text})
    assert found(report, "pkg/toucher.py") == ["Toucher.kept FD101"]


def test_constructors_of_another_file(tree: Path) -> None:
    classes = """\
import os


class Reader:
    def __init__(self, fd):
        self.fd = fd

    def close(self):
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


class Number:
    def __init__(self, fd):
        self.seventh = fd == 7
"""
    text = """\
import os

from classes import Number, Reader


def taken(path):
    fd = os.open(path, os.O_RDONLY)
    return Reader(fd)


def kept(path):
    fd = os.open(path, os.O_RDONLY)
    return Number(fd)
"""
    assert found(scanned(tree, {"classes.py": classes, "caller.py": text}), "caller.py") == ["kept FD101"]


def test_what_a_helper_of_another_file_raises(tree: Path) -> None:
    helpers = "import audit\n\n\ndef calm(fd):\n    print(fd)\n\n\ndef loud(fd):\n    audit.record(fd)\n"
    text = """\
import os

import helpers


def quiet(path):
    fd = os.open(path, os.O_CREAT)
    helpers.calm(fd)
    os.close(fd)


def noisy(path):
    fd = os.open(path, os.O_CREAT)
    helpers.loud(fd)
    os.close(fd)
"""
    assert found(scanned(tree, {"helpers.py": helpers, "caller.py": text}), "caller.py") == ["noisy FD103"]


def test_what_a_context_manager_of_another_file_lends(tree: Path) -> None:
    helpers = """\
import contextlib
import os


@contextlib.contextmanager
def opened(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        yield fd
    finally:
        os.close(fd)
"""
    text = """\
import os

from helpers import opened


def head(path):
    with opened(path) as fd:
        return os.read(fd, 1)
"""
    assert not scanned(tree, {"helpers.py": helpers, "caller.py": text}).findings


def test_the_standard_module_through_one_of_the_projects(tree: Path) -> None:
    text = "from compat import os\n\n\ndef size(path):\n    fd = os.open(path, 0)\n    return os.fstat(fd).st_size\n"
    assert found(scanned(tree, {"compat.py": "import os\n", "caller.py": text}), "caller.py") == ["size FD101"]


def test_modules_that_import_each_other(tree: Path) -> None:
    one = """\
import os

from . import two


def put(fd):
    os.close(fd)


def close_later(fd):
    return two.last(fd)
"""
    two = """\
import os

from . import one


def drop(fd):
    one.put(fd)


def last(fd):
    return fd > 100


def make(path):
    return os.open(path, os.O_CREAT)
"""
    files = {
        "pkg/__init__.py": "from .one import put\nfrom .two import drop\n",
        "pkg/one.py": one,
        "pkg/two.py": two,
        "caller.py": caller("from pkg import drop\nfrom pkg.one import close_later\nfrom pkg.two import make"),
    }
    report = scanned(tree, files)
    assert found(report, "caller.py") == KNOWN


@pytest.mark.parametrize("loop", ["from .names import *", f"from .names import {ALL}"])
def test_re_exports_in_a_circle(loop: str, tree: Path) -> None:
    files = {
        "pkg/__init__.py": f"{loop}\n",
        "pkg/names.py": f"from . import {ALL}\n",
        "caller.py": caller(f"from pkg import {ALL}"),
    }
    report = scanned(tree, files)
    assert not report.skipped
    assert found(report, "caller.py") == UNKNOWN


def test_a_module_that_does_not_parse(tree: Path) -> None:
    report = scanned(tree, {"helpers.py": "\0" + HELPERS, "caller.py": caller(f"from helpers import {ALL}")})
    assert [one.path for one in report.skipped] == ["helpers.py"]
    assert found(report, "caller.py") == UNKNOWN


def test_a_module_that_does_not_exist(tree: Path) -> None:
    report = scanned(tree, {"caller.py": caller(f"from _helpers import {ALL}")})
    assert not report.skipped
    assert found(report, "caller.py") == UNKNOWN


def test_a_name_that_the_module_does_not_define(tree: Path) -> None:
    files = {"helpers.py": "import os\n\nos.close(3)\n", "caller.py": caller(f"from helpers import {ALL}")}
    report = scanned(tree, files)
    assert found(report, "caller.py") == UNKNOWN


def test_a_relative_import_beyond_the_top(tree: Path) -> None:
    report = scanned(tree, {**PACKAGE, "pkg/caller.py": caller(f"from ...helpers import {ALL}")})
    assert not report.skipped
    assert set(found(report, "pkg/caller.py")) <= set(UNKNOWN)


def test_a_helper_that_is_not_itself_scanned(tree: Path) -> None:
    write(tree, {"helpers.py": HELPERS, "caller.py": caller("import helpers", "helpers.")})
    report = scan(discover(["caller.py"]).files, Options(jobs=1, levels=EVERYTHING))
    assert found(report, "caller.py") == KNOWN
    assert report.summary.files == 1


# -- the same whoever scans what first

MANY = 210  # more than are scanned in one process when there may be several
FEW = 12  # of those, call everything

RING = """\
import os

import ring{next}


def turn(fd, n):
    if n:
        return ring{next}.last(fd)
    os.close(fd)
    return None


def last(fd):
    os.close(fd)
"""


def many_files() -> dict[str, str]:
    """Wrappers of wrappers through a package, called from everywhere, and modules that import in a circle."""
    files = {"pkg/__init__.py": "from .level0 import *\n", "pkg/level0.py": HELPERS}
    for n in (1, 2, 3):
        wrappers = (f"\n\ndef {name}(it):\n    return level{n - 1}.{name}(it)\n" for name in NAMES)
        files[f"pkg/level{n}.py"] = f"from . import level{n - 1}\n" + "".join(wrappers)
    files |= {f"ring{n}.py": RING.format(next=(n + 1) % 3) for n in range(3)}
    for n in range(MANY):
        if n < FEW:
            files[f"part{n:03}.py"] = caller(f"from pkg.level{n % 4} import {ALL}")
        elif n % 2:
            files[f"part{n:03}.py"] = TOUCH.format(module=f"ring{n % 3}", name="turn").replace("(fd)", "(fd, path)")
        else:
            files[f"part{n:03}.py"] = TOUCH.format(module=f"pkg.level{n % 4}", name="close_later")
    return files


def scan_many(place: Path, jobs: int, order: int | None = None) -> Report:
    """Scans a copy of its own, so that nothing is known yet; ``order``: the seed of a shuffle."""
    write(place, many_files())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        files = list(discover(["."]).files)
        if order is not None:
            random.Random(order).shuffle(files)
        return scan(files, Options(jobs=jobs))


def said(report: Report) -> list[str]:
    return [f"{one.span} {one.code} {one.message} {one.fingerprint} {one.trace}" for one in report.findings]


@pytest.fixture(scope="module")
def in_order(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return scan_many(tmp_path_factory.mktemp("in_order"), jobs=1)


def test_what_is_found_in_many_files(in_order: Report) -> None:
    due = {(f"part{n:03}.py", known) for n in range(FEW) for known in KNOWN}
    due |= {(f"part{n:03}.py", "touch FD101") for n in range(FEW, MANY) if not n % 2}
    assert not in_order.skipped
    assert {(one.span.path, f"{one.function} {one.code}") for one in in_order.findings} == due
    assert len(in_order.findings) == len(due)
    assert in_order.summary.files > MANY > 200


@pytest.mark.parametrize(("jobs", "order"), [(1, 1), (2, 2)])
def test_the_same_with_any_jobs_in_any_order(jobs: int, order: int | None, in_order: Report, tmp_path: Path) -> None:
    report = scan_many(tmp_path, jobs, order)
    assert said(report) == said(in_order)
    assert report.skipped == in_order.skipped
    assert report.summary.files == in_order.summary.files


NATIVE = """import os

{imports}


def feed():
    r, w = os.pipe()
    os.close(w)
    native.read_later(r)
"""


@pytest.mark.parametrize("imports", ["import app.native as native", "from app import native", "from . import native"])
def test_a_module_of_the_package_without_source_leaves_doubt(imports: str, tree: Path) -> None:
    report = scanned(tree, {"app/__init__.py": "", "app/feeder.py": NATIVE.format(imports=imports)})
    assert found(report, "app/feeder.py") == []


def test_a_module_of_another_package_without_source_only_uses(tree: Path) -> None:
    feeder = NATIVE.format(imports="import lib.native as native")
    report = scanned(tree, {"app/__init__.py": "", "app/feeder.py": feeder})
    assert found(report, "app/feeder.py") == ["feed FD101"]


def test_a_class_of_another_file_is_a_value(tree: Path) -> None:
    device = (
        "import os\n\n\nclass Device:\n    def __init__(self, path):\n        self._fd = os.open(path, 0)\n\n"
        "    def read(self):\n        return os.read(self._fd, 1)\n\n    def close(self):\n        os.close(self._fd)\n"
    )
    user = (
        "from pkg import device\nfrom pkg.device import Device\n\n\n"
        "def default(path, kind=Device):\n    kind(path).read()\n\n\n"
        "def variable(path):\n    kind = device.Device\n    kind(path).read()\n\n\n"
        "def closed(path, kind=Device):\n    made = kind(path)\n    try:\n        made.read()\n"
        "    finally:\n        made.close()\n"
    )
    report = scanned(tree, {"pkg/__init__.py": "", "pkg/device.py": device, "pkg/user.py": user})
    assert found(report, "pkg/user.py") == ["default FD107", "variable FD107"]
