"""Functions that are hard to analyse, by name: the construct in excess, the expected code and the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Lines = list[str]
Adversary = tuple[str | None, str]

OPEN = "fd = os.open(path, os.O_RDONLY)"
CLOSE = "os.close(fd)"


def function(lines: Iterable[str]) -> str:
    return "import contextlib\nimport os\n\ndef f(path):\n" + "".join(f"    {line}\n" for line in lines)


def each(count: int, *templates: str) -> Lines:
    """Returns the templates with ``#`` replaced by 0, 1, 2, …"""
    return [template.replace("#", str(number)) for number in range(count) for template in templates]


def nested(depth: int, before: Iterable[str], inside: Lines, after: Iterable[str] = ()) -> Lines:
    """Returns ``depth`` nested blocks, each with ``before`` and ``after``, around ``inside``."""
    opening, closing = list(before), list(after)
    lines: Lines = []
    for number in range(depth):
        lines += [" " * number + line.replace("#", str(number)) for line in opening]
    lines += [" " * depth + line for line in inside]
    for number in reversed(range(depth)):
        lines += [" " * number + line.replace("#", str(number)) for line in closing]
    return lines


def _lines() -> Iterator[tuple[str, str | None, Lines]]:
    yield "sequential opens and closes", None, each(200, "fd# = os.open(path, 0)", "os.close(fd#)")
    yield "the same name opened and closed", None, each(200, OPEN, CLOSE)
    reads = each(150, "fd# = os.open(path, 0)", "os.read(fd#, 1)", "os.close(fd#)")
    yield "sequential opens, reads and closes", "FD103", reads
    yield "nested ifs", "FD102", [OPEN, *nested(60, ["if a#:"], [CLOSE])]
    opens = nested(60, ["fd# = os.open(path, 0)", "if work(fd#):"], ["pass"], ["os.close(fd#)"])
    yield "nested ifs, an open before each", "FD103", opens
    yield "distinct conditions", "FD103", [OPEN, *each(200, "if a#:", "    work(#)"), CLOSE]
    yield "distinct conditions, an open in each", None, each(200, "if a#:", "    " + OPEN, "    " + CLOSE)
    maybe = each(14, "fd# = None", "if a#:", "    fd# = os.open(path, 0)")
    yield "maybe opened, later closed", "FD103", [*maybe, *each(14, "if fd# is not None:", "    os.close(fd#)")]
    flag = ["opened = False", "if path:", f"    {OPEN}", "    opened = True"]
    correlated = each(200, "if opened:", "    step(#)", "else:", "    other(#)")
    yield "one correlated flag", "FD103", [*flag, *correlated, "if opened:", "    os.close(fd)"]
    flags = each(200, "x# = False", "if a#:", "    x# = True")
    yield "many flags", None, [OPEN, *flags, *each(200, "if x#:", "    os.lseek"), CLOSE]
    yield "acquisitions open at once", "FD103", [*each(150, "fd# = os.open(path, #)"), *each(150, "os.close(fd#)")]
    yield "acquisitions never closed", "FD101", each(150, "fd# = os.open(path, #)")
    appended = each(120, "fds.append(os.open(path, #))")
    yield "acquisitions in one list", "FD103", ["fds = []", *appended, "for fd in fds:", "    os.close(fd)"]
    display = "fds = [" + ", ".join(each(120, "os.open(path, #)")) + "]"
    yield "acquisitions in one display", "FD103", [display, "for fd in fds:", "    os.close(fd)"]
    guarded = nested(30, ["fd# = os.open(path, 0)", "try:"], ["work()"], ["finally:", "    os.close(fd#)"])
    yield "nested try and finally", None, guarded
    yield "finally in finally", "FD103", nested(30, ["try:", f"    {OPEN}", "finally:"], ["work()"])
    handlers = nested(30, ["try:"], ["os.read(fd, 1)"], ["except E#:", "    work(#)"])
    yield "nested handlers", "FD103", [OPEN, *handlers, CLOSE]
    clauses = each(100, "except E#:", "    return #")
    yield "handlers of one try", "FD102", [OPEN, "try:", "    work()", *clauses, CLOSE]
    returns = each(100, "    if a#():", "        return #")
    yield "returns under a finally", None, [OPEN, "try:", *returns, "finally:", f"    {CLOSE}"]
    yield "nested with", "FD103", nested(20, ["with thing#(path) as w#:"], [OPEN, "work(fd)", CLOSE])
    yield "nested suppress", "FD102", nested(20, ["with contextlib.suppress(E#):"], [OPEN, "work(fd)", CLOSE])
    conditions = each(40, "    if a#:", "        b# = step(fd)")
    yield "conditions in a loop", "FD103", [OPEN, "while work():", *conditions, CLOSE]
    toggles = each(40, "    if a#():", "        x# = not x#")
    yield "flags in a loop", "FD102", [
        *each(40, "x# = False"), OPEN, "while work():", *toggles,
        "if " + " and ".join(each(40, "x#")) + ":", f"    {CLOSE}",
    ]  # fmt: skip
    loops = nested(14, ["for x# in y#:", " fd# = os.open(path, x#)"], ["pass"], [" os.close(fd#)"])
    yield "nested loops", "FD103", loops
    yield "cases of one match", "FD103", [OPEN, "match path:", *each(200, "    case #:", "        work(#)"), CLOSE]
    yield "branches of one elif chain", "FD101", [OPEN, "if a: pass", *each(700, "elif a#: pass")]


def _expressions() -> Iterator[tuple[str, str | None, Lines]]:
    yield "additions", "FD101", [OPEN, "x = " + " + ".join(["a"] * 1000)]
    yield "strings side by side", "FD101", [OPEN, "x = ('a'", *["    'b'"] * 1500, ")"]
    yield "ands", "FD101", [OPEN, "x = " + " and ".join(["a"] * 400)]
    yield "conditions joined by and", "FD101", [OPEN, "if " + " and ".join(each(400, "a#")) + ": pass"]
    yield "calls in calls", "FD101", [OPEN, "x = " + "g(" * 150 + ")" * 150]
    yield "calls of what a call returned", "FD101", [OPEN, "x = g" + ".h()" * 250]
    yield "attributes of attributes", "FD101", [OPEN, "x = a" + ".b" * 1000]
    yield "parentheses", "FD101", [OPEN, "x = " + "(" * 1500 + "1" + ")" * 1500]
    yield "parentheses beyond all bounds", "FD101", [OPEN, "x = " + "(" * 5000 + "1" + ")" * 5000]
    yield (
        "loops in one comprehension",
        "FD103",
        [OPEN, "x = [1 " + " ".join(each(60, "for a# in b#() if a#")) + "]", CLOSE],
    )


def _megabytes() -> Iterator[tuple[str, str | None, Lines]]:
    numbers = ", ".join(str(10**30 + number) for number in range(60_000))
    yield "megabytes in one list", "FD101", [f"{OPEN}; x = [{numbers}]"]
    yield "megabytes in one string", "FD101", [f"{OPEN}; x = '{'x' * 2_000_000}'"]
    yield "megabytes in one chain", "FD101", [f"{OPEN}; x = y{'.z' * 1_000}", f"t = '{'a.' * 900_000}'"]
    yield "megabytes of subscripts", "FD101", [f"{OPEN}; x = '{'a[' * 900_000}'"]
    calls = "; ".join(each(20_000, "x# = g(#, '" + "y" * 80 + "')"))
    yield "megabytes of calls", "FD101", [f"{OPEN}; {calls}"]


SOURCES: tuple[Callable[[], Iterator[tuple[str, str | None, Lines]]], ...] = (_lines, _expressions, _megabytes)
ADVERSARIES: dict[str, Adversary] = {
    name: (due, function(lines)) for source in SOURCES for name, due, lines in source()
}
ADVERSARIES["functions of one file"] = (
    "FD103",
    "import os\n" + "".join(each(150, f"def f#(path):\n    {OPEN}\n    work(fd)\n    {CLOSE}\n")),
)


def _of_itself() -> Lines:
    """Each of five missing arguments has five possible defaults: over 3,000 initial states."""
    names = "abcde"
    lines = ["import os", "", f"def f(path, {', '.join(f'{name}=None' for name in names)}):", f"    {OPEN}"]
    for name in names:
        for value in ("0", "1", "2", "True", "False"):
            given = ", ".join(f"{other}={value if other == name else other}" for other in names)
            lines += [f"    if {name} is None and busy:", f"        {CLOSE}", f"        return f(path, {given})"]
    return [*lines, "    return fd", "", "def g(path):", "    fd = f(path)", "    return os.fstat(fd)"]


ADVERSARIES["calls of itself"] = ("FD101", "\n".join(_of_itself()) + "\n")
