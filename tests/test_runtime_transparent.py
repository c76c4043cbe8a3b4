"""Recording changes nothing in a program: its exceptions, its locks and its functions stay as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from proctree import ON_LINUX
from stdlib import MODES, QUICK, outcomes

pytestmark = ON_LINUX
ROOT = Path(__file__).parent.parent
RECORDS = "from fdlint.runtime.recording.recording import begin_from_environment; begin_from_environment()\n"
CHECKS = "from fdlint.runtime.recording.acquisitions import Recorder; Recorder().start()\n"
BEGINNINGS = pytest.mark.parametrize("beginning", [RECORDS, CHECKS], ids=["record", "pytest"])


def printed(directory: Path, beginning: str, text: str) -> str:
    """What a program prints while it is recorded."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FDLINT_RECORD": str(directory / "records")}
    command = [sys.executable, "-c", beginning + text]
    result = subprocess.run(
        command, cwd=directory, env=environment, text=True, capture_output=True, timeout=60, check=False
    )
    return result.stdout + result.stderr


TIMEOUTS = """\
import os, signal, socket, time
class Late(Exception): pass
def late(*_): raise next_error
signal.signal(signal.SIGALRM, late)
def work():  # a loop of its own: in Python 3.13, the jump back in a loop is outside of a `try` around it
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        os.close(os.open("/dev/null", 0)); os.close(os.dup(1)); socket.socket().close()
        reading, writing = os.pipe(); os.close(reading); os.close(writing)
lost = 0
for number in range(120):
    next_error = (Late(), TimeoutError(), OSError(24, "from the program"))[number % 3]
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        work()
        lost += 1
    except (Late, OSError) as error:
        assert error is next_error, error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
print("lost", lost)
"""


@BEGINNINGS
def test_exceptions_of_signal_handlers_reach_the_program(tmp_path: Path, beginning: str) -> None:
    """Also those with types that the system's own errors have."""
    assert printed(tmp_path, beginning, TIMEOUTS) == "lost 0\n"


FIRST = """\
import os, signal, time
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
def work():
    for _ in range(10_000):
        os.close(os.dup(0))
        for high in range(300, 3_000, 300):
            os.close(os.dup2(0, high))
seen = []
for number in range(40):
    child = os.fork()
    if not child:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.0001 + number * 0.00002)
            work()
        except Late:
            os._exit(7)
        os._exit(1)
    seen.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(set(seen))
"""


def test_exceptions_pass_while_a_child_begins_its_record(tmp_path: Path) -> None:
    assert printed(tmp_path, RECORDS, FIRST) == "{7}\n"


PROBES = """\
import os, signal
from fdlint.runtime.recording.numbering import next_numbers
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
assert next_numbers(2) == (3, 4)
def work():
    while True: next_numbers(2); next_numbers(1)
for number in range(600):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0001)
        work()
    except Late: pass
print(next_numbers(2))
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
print(next_numbers(2), next_numbers(1))
"""


def test_the_search_for_the_next_number_leaves_nothing_open(tmp_path: Path) -> None:
    assert printed(tmp_path, "", PROBES) == "(3, 4)\n() (3,)\n"


LOCKS = """\
import fcntl, os, selectors, socket, sqlite3, tempfile
out = os.dup(1)
for number in (0, 1, 2): os.close(number)
for name in "abc":  # three locked files take the numbers of the standard streams
    fcntl.lockf(os.open(name, os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
os.close(os.open(os.devnull, os.O_RDONLY))
for number in os.pipe(): os.close(number)
os.close(os.dup(out))
socket.socket().close()
selectors.DefaultSelector().close()
sqlite3.connect(":memory:").close()
if os.fork():
    os.wait()
    os.closerange(3, out)
else:
    for name in "abc":
        try:
            fcntl.lockf(os.open(name, os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(out, b"lost\\n")
        except OSError:
            os.write(out, b"held\\n")
    os._exit(0)
"""


@BEGINNINGS
def test_locks_are_kept(tmp_path: Path, beginning: str) -> None:
    """A process loses its locks on a file when it closes any descriptor of that file."""
    assert printed(tmp_path, beginning, LOCKS) == "held\n" * 3


LIKE = """\
import copy, inspect, multiprocessing, os, pickle, posix, types, weakref
from multiprocessing.reduction import ForkingPickler
before = {name: getattr(os, name) for name in NAMES}
def shown(one):
    names = ("__name__", "__qualname__", "__module__", "__doc__", "__text_signature__", "__self__")
    kept = copy.copy(one) is copy.deepcopy(one) is one, callable(one), weakref.ref(one)() is one
    pickled = pickle.dumps(one), pickle.dumps(one, 0), pickle._dumps(one), bytes(ForkingPickler.dumps(one))
    pickled += inspect.isbuiltin(one), inspect.isroutine(one), isinstance(one, types.BuiltinFunctionType), one.__class__
    return [getattr(one, name) for name in names], str(inspect.signature(one)), repr(one), dir(one), kept, pickled
expected = {name: shown(one) for name, one in before.items()}
BEGIN
for name, one in before.items():
    new = getattr(os, name)
    assert new is not one and new is getattr(posix, name), name
    assert shown(new) == expected[name], name
    assert pickle.loads(pickle.dumps(new)) is new
    assert new == one and one == new and not new != one and {new, one} == {one} and new != os.open, name
    try: new.extra = 1
    except AttributeError: pass
    else: raise AssertionError("a builtin takes no attributes")
class Platform:
    _pipe, dup = os.pipe, os.dup
numbers = [*Platform()._pipe(), Platform.dup(0), Platform().dup(0)]
try: os.dup("0")
except TypeError: pass
else: raise AssertionError("a string is no number")
with multiprocessing.get_context("fork").Pool(1) as pool: assert pool.apply(os.dup, (0,)) > 2
print("alike", [type(one).__name__ for one in numbers])
"""


@BEGINNINGS
def test_functions_are_like_the_builtins(tmp_path: Path, beginning: str) -> None:
    names = [name for name in ("pipe", "pipe2", "dup", "openpty", "memfd_create", "eventfd") if hasattr(os, name)]
    text = LIKE.replace("NAMES", repr(names)).replace("BEGIN\n", beginning)
    assert printed(tmp_path, "", text) == "alike ['int', 'int', 'int', 'int']\n"


RESTORED = """\
import os, posix, selectors, socket
places = [(os, "pipe"), (posix, "dup"), (socket, "recv_fds"), (selectors.EpollSelector, "_selector_cls")]
before = [vars(home)[name] for home, name in places]
from fdlint.runtime.recording.acquisitions import Recorder
recorder = Recorder()
recorder.start()
assert all(vars(home)[name] is not old for (home, name), old in zip(places, before))
class Bound:
    receive = socket.recv_fds
assert Bound().receive.__self__.__class__ is Bound  # a function in Python becomes a method, also without recording
kept = os.pipe
recorder.stop()
assert all(vars(home)[name] is old for (home, name), old in zip(places, before))
print(len(kept()), recorder.serial)
"""


def test_the_end_puts_everything_back(tmp_path: Path) -> None:
    """What a program has kept of it works on, and records nothing."""
    assert printed(tmp_path, "", RESTORED) == "2 0\n"


RACES = """\
import os, threading
from fdlint.runtime.recording.acquisitions import Recorder
from fdlint.runtime.recording import hearing
recorder = Recorder()
recorder.start()
hearing.next_numbers = lambda count: (900, 901)[:count]  # as if another thread had taken them
reading, writing = os.pipe()
number = os.dup(0)
print([recorder.of_number(one).api for one in (reading, writing, number)])
"""


def test_a_wrong_guess_is_corrected(tmp_path: Path) -> None:
    assert printed(tmp_path, "", RACES) == "['os.pipe', 'os.pipe', 'os.dup']\n"


def test_the_tests_of_python_itself(tmp_path: Path) -> None:
    """The slower ones: ``python -m tests.stdlib``."""
    pytest.importorskip("test.test_os", reason="this Python comes without its own tests")
    without, recorded, plugin = (outcomes(QUICK, mode, tmp_path) for mode in MODES)
    assert len(without) > 300
    assert recorded == without
    assert plugin == without
