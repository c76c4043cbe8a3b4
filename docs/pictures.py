"""The pictures of the patterns. ``python docs/generate.py`` writes them to ``docs/pictures``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drawing import WIDTH, Picture

Step = tuple[str, str, str, str]
"""What runs, what the first column then shows, what the second one shows, and whether that is bad."""


def pages() -> dict[str, str]:
    """Path below ``docs`` -> text."""
    return {f"pictures/{name}.svg": draw().svg() for name, draw in PICTURES.items()}


def kept_after_send() -> Picture:
    """The tables of broker and client, and the device between them, at three times."""
    made = Picture("Three times: after the open, after the send, and after the client has died")
    stages = [
        ("1. The broker opens the device", ("3", "device", ""), None, ""),
        ("2. It sends `fd`: SCM_RIGHTS makes a second entry", ("3", "device", ""), ("5", "device", ""), ""),
        ("3. The client dies: the kernel closes its entry only", ("3", "device", "bad"), None, "bad"),
    ]
    for number, (caption, broker, client, kind) in enumerate(stages):
        y = 8 + 112 * number
        made.text(0, y + 8, caption, "strong")
        (left,) = made.table(0, y + 18, 118, "broker", [broker])
        made.box(166, left - 15, 108, ["`/dev/fuse`"], kind)
        made.arrow([(118, left), (165, left)], kind)
        (right,) = made.table(322, y + 18, 118, "client", [client or ("", "no entry", "dim")])
        if client:
            made.arrow([(322, right), (275, right)])
    made.text(0, 352, "The last entry is open, so the device is never released:", "bad")
    made.text(0, 371, "each reader of the mount waits.", "bad")
    return made


def fuse_incident() -> Picture:
    """Who waits for whom in the incident, as a sequence."""
    made = Picture("The incident as a sequence of messages between broker, kernel, client and reader")
    lanes = {"broker": 45, "kernel": 165, "client": 280, "reader": 395}
    for name, x in lanes.items():
        made.box(x - 42, 4, 84, [name])
        made.arrow([(x, 35), (x, 464 if name != "client" else 238)], "dim", head=False)
    messages = [
        (64, "broker", "kernel", "opens `/dev/fuse`", ""),
        (104, "broker", "client", "sends `fd`, keeps its own", "bad"),
        (144, "reader", "kernel", "reads a file", ""),
        (184, "kernel", "client", "a request", ""),
    ]
    for y, start, end, words, kind in messages:
        a, b = lanes[start], lanes[end]
        made.arrow([(a, y), (b, y)], kind)
        made.text((a + b) / 2, y - 7, words, kind, "middle")
    made.cross(280, 244)
    made.text(292, 249, "killed")
    made.box(
        0, 272, WIDTH, ["The broker's entry is still open: `dev_count` is 1,", "so the kernel does not abort"], "bad"
    )
    made.box(190, 340, 250, ["The reader waits in state D,", "and its GPU memory stays taken"], "bad")
    made.box(
        0,
        408,
        WIDTH,
        ["With the close: `dev_count` falls to 0, the kernel", "aborts, and the reader gets ECONNABORTED"],
        "good",
    )
    return made


def received() -> Picture:
    """A message and the table of its receiver."""
    made = Picture("A message with three descriptors, and the table of the receiver")
    made.box(0, 38, 120, ["message with", "3 descriptors"])
    rows = [
        ("6", "`fds[0]`: used, closed", "good"),
        ("7", "`fds[1]`: nobody's", "bad"),
        ("8", "`fds[2]`: nobody's", "bad"),
    ]
    for middle, (_, _, kind) in zip(made.table(210, 4, 230, "receiver", rows), rows, strict=True):
        made.arrow([(120, 63), (209, middle)], kind)
    made.text(0, 122, "The sender decides how many there are. All of them are in")
    made.text(0, 141, "the table before the code has looked at the message.")
    return made


def over_time(title: str, heads: tuple[str, str, str], steps: Sequence[Step], last: Sequence[str]) -> Picture:
    """Rows of time: what runs, and what two places hold after it."""
    made = Picture(title)
    for x, head in zip((0, 180, 282), heads, strict=True):
        made.text(x, 16, head, "strong")
    y = 28.0
    for what, first, second, kind in steps:
        made.text(0, y + 20, what)
        made.box(180, y, 84, [first] if first else ["–"])
        made.box(282, y, 158, [second], kind)
        if y > 28:
            made.arrow([(361, y - 9), (361, y - 1)], kind)
        y += 40
    for line in last:
        y += 16
        made.text(0, y, line, "bad")
        y += 3
    return made


def overwritten() -> Picture:
    """An attribute that is set to -1."""
    return over_time(
        "The attribute and the table of descriptors over time",
        ("what runs", "`self._fd`", "entry 7 of the table"),
        [
            ("`__init__`: open", "`7`", "open", ""),
            ("`write()`", "`7`", "open", ""),
            ("`self._fd = -1`", "`-1`", "open", "bad"),
            ("`assert` … `== -1`", "`-1`", "open: it passes", "bad"),
            ("object collected", "", "open: for good", "bad"),
        ],
        ["Nothing has the number 7 any more, so nothing can close it."],
    )


def closed_first() -> Picture:
    """A close, an exception before the reset, and a second close."""
    return over_time(
        "The attribute and the table of descriptors over time, with an exception before the reset",
        ("what runs", "`self._fd`", "entry 7 of the table"),
        [
            ("`os.close(7)`", "`7`", "free", ""),
            ("`os.unlink` raises", "`7`", "free", "bad"),
            ("a thread opens", "`7`", "the thread's file", ""),
            ("`__del__`: close(7)", "`7`", "closed by mistake", "bad"),
        ],
        ["The reset comes too late. Swap first, then close."],
    )


def closed_twice() -> Picture:
    """A number with two owners."""
    made = Picture("The number 7 over time: two closes, and another thread between them")
    for x, head in ((60, "thread A"), (220, "number 7"), (380, "thread B")):
        made.box(x - 50, 4, 100, [head])
    rows = [
        ("`os.close(7)`", "free", "", ""),
        ("", "B's file", "`open` gives 7", ""),
        ("`os.close(7)`", "closed", "", "bad"),
        ("", "EBADF", "`write(7)`", "bad"),
    ]
    for number, (left, middle, right, kind) in enumerate(rows):
        y = 56 + 44 * number
        made.box(160, y, 120, [middle], kind)
        if left:
            made.text(0, y + 20, left, kind)
            made.arrow([(112, y + 15), (159, y + 15)], kind)
        if right:
            made.text(328, y + 20, right, kind)
            made.arrow([(326, y + 15), (281, y + 15)], kind)
    made.text(0, 248, "The second close hits a file that A has never seen.", "bad")
    return made


def object_never_closes() -> Picture:
    """An object with three descriptors, and a close() of two."""
    made = Picture("A Watcher with three descriptors in its attributes, and what close() does to them")
    made.text(0, 16, "`Watcher`", "strong")
    rows = [
        ("`_directory`", "4", "nobody closes it", "bad"),
        ("`_reader`", "5", "`close()`", "good"),
        ("`_writer`", "6", "`close()`", "good"),
    ]
    for number, (name, entry, end, kind) in enumerate(rows):
        y = 26 + 40 * number
        made.box(0, y, 118, [name])
        made.arrow([(118, y + 15), (165, y + 15)])
        made.box(166, y, 64, [f"`{entry}`"], kind)
        made.arrow([(230, y + 15), (277, y + 15)], kind)
        made.box(278, y, 162, [end], kind)
    made.text(0, 166, "The garbage collector frees the object, not the number in it.", "bad")
    return made


def thrown_away() -> Picture:
    """A pair of which one half is dropped."""
    made = Picture("mkstemp() returns a descriptor and a path; the code keeps the path")
    made.box(0, 40, 116, ["`mkstemp()`"])
    made.arrow([(116, 50), (175, 22)], "bad")
    made.arrow([(116, 62), (175, 90)], "good")
    made.box(176, 6, 96, ["`fd` = 7"], "bad")
    made.box(176, 75, 96, ["`path`"], "good")
    made.arrow([(272, 22), (319, 22)], "bad")
    made.arrow([(272, 90), (319, 90)], "good")
    made.box(320, 6, 120, ["`_`: dropped"], "bad")
    made.box(320, 75, 120, ["used"], "good")
    made.text(0, 136, "Entry 7 stays open; its number is lost at once.", "bad")
    return made


def kept_after_spawn() -> Picture:
    """A pipe with one writing end too many."""
    made = Picture("A pipe between a parent and its child, after the child has ended")
    rows = [("3", "`r`: reads", ""), ("4", "`w`: kept", "bad")]
    read, kept = made.table(0, 4, 130, "parent", rows)
    made.box(186, 40, 76, ["pipe"])
    (child,) = made.table(310, 16, 130, "child (ended)", [("1", "`stdout`", "dim")])
    made.arrow([(185, 48), (131, read)])
    made.arrow([(130, kept), (185, 62)], "bad")
    made.arrow([(310, child), (263, 55)], "dim")
    made.text(0, 108, "A pipe ends when its last writer is closed. The parent waits", "bad")
    made.text(0, 127, "for an end that its own copy prevents.", "bad")
    return made


def missed_path() -> Picture:
    """A handler that returns."""
    made = Picture("The paths of try_lock(): the handler returns without a close")
    made.box(110, 4, 220, ["`fd = os.open(…)`"])
    made.arrow([(220, 35), (220, 59)])
    made.box(110, 60, 220, ["`fcntl.flock(fd, …)`"])
    made.arrow([(160, 91), (110, 139)], "good")
    made.arrow([(280, 91), (330, 139)], "bad")
    made.text(126, 112, "locked", "good", "end")
    made.text(314, 112, "`BlockingIOError`", "bad")
    made.box(10, 140, 200, ["`return fd`"], "good")
    made.box(230, 140, 200, ["`return None`"], "bad")
    made.text(110, 192, "the caller owns it", "good", "middle")
    made.text(330, 192, "`fd` is open, nobody has it", "bad", "middle")
    return made


def exception() -> Picture:
    """A call that raises before the close."""
    made = Picture("The paths of save(): an exception from os.write() passes the close by")
    made.box(10, 4, 200, ["`fd = os.open(…)`"])
    made.arrow([(110, 35), (110, 59)])
    made.box(10, 60, 200, ["`os.write(fd, data)`"])
    made.arrow([(110, 91), (110, 115)], "good")
    made.box(10, 116, 200, ["`os.close(fd)`"], "good")
    made.arrow([(110, 147), (110, 171)], "good")
    made.box(10, 172, 200, ["returns"], "good")
    made.arrow([(210, 75), (345, 75), (345, 171)], "bad")
    made.text(222, 66, "raises: disk full", "bad")
    made.box(250, 172, 190, ["leaves the function,", "`fd` stays open"], "bad")
    return made


def still_registered() -> Picture:
    """An event loop that knows a number."""
    made = Picture("An event loop and the table of descriptors, before and after the close")
    (first,) = made.table(0, 22, 180, "event loop", [("7", "`fifo._read`", "")])
    (before,) = made.table(290, 22, 150, "table", [("7", "the fifo", "")])
    made.text(0, 14, "Before `os.close(7)`", "strong")
    made.arrow([(180, first), (289, before)])
    made.text(0, 112, "After it, and after the next open", "strong")
    (second,) = made.table(0, 120, 180, "event loop", [("7", "`fifo._read`", "bad")])
    (after,) = made.table(290, 120, 150, "table", [("7", "a new socket", "bad")])
    made.arrow([(180, second), (289, after)], "bad")
    made.text(0, 190, "The old callback reads the data of the socket.", "bad")
    return made


def zero() -> Picture:
    """A process whose standard input is closed."""
    made = Picture("The table of a process without standard input, and the test of its next descriptor")
    rows = [("0", "your file", "bad"), ("1", "stdout", ""), ("2", "stderr", "")]
    first, *_ = made.table(0, 4, 150, "daemon", rows)
    made.arrow([(150, first), (209, first)], "bad")
    made.box(210, 20, 100, ["`if fd:`"])
    made.arrow([(310, first), (339, first)], "bad")
    made.box(340, 20, 100, ["false:", "not closed"], "bad")
    made.text(0, 122, "Ask `fd is not None`, or `fd >= 0` where -1 means none.")
    return made


def across_exec() -> Picture:
    """Two descriptors of a parent, of which one has no flag."""
    made = Picture("The tables of a parent and of a program that it starts")
    rows = [("3", "close-on-exec", "good"), ("4", "no flag", "bad")]
    kept, passed = made.table(0, 4, 160, "parent", rows)
    made.text(220, 20, "exec", "dim", "middle")
    _, inherited = made.table(280, 4, 160, "new program", [("", "free", "dim"), ("4", "inherited", "bad")])
    made.arrow([(160, kept), (212, kept)], "good", head=False)
    made.arrow([(212, kept - 7), (212, kept + 7)], "good", head=False)
    made.arrow([(160, passed), (279, inherited)], "bad")
    made.text(0, 104, "The program holds a device or a port, unknowingly.", "bad")
    return made


def pool_per_job() -> Picture:
    """The pipes of the pools of one job after another."""
    made = Picture("The open pipes after each job, up to the limit")
    for job in range(4):
        y = 8 + 44 * job
        made.box(0, y, 88, [f"job {job + 1}"])
        made.arrow([(88, y + 15), (109, y + 15)])
        for pipe in range(3 * (job + 1)):
            made.box(110 + 26 * pipe, y, 22, [""], "bad" if pipe < 3 * job else "good")
    made.text(0, 206, "…")
    made.box(0, 218, 88, ["job 341"])
    made.arrow([(88, 233), (109, 233)])
    made.box(110, 218, 308, ["1,024 of 1,024 open: `EMFILE`"], "bad")
    made.text(0, 276, "Green: pipes of this job's pool. Red: pipes of pools that no")
    made.text(0, 295, "job uses any more, and that nobody shut down.")
    return made


def analysis() -> Picture:
    """The stages of a scan."""
    made = Picture("The stages of a scan, from files to a report")
    stages = [
        ("files", "what git ignores is left out"),
        ("index", "calls and imports of each file"),
        ("facts of functions", "who acquires, closes, keeps"),
        ("front end", "graphs of what matters"),
        ("engine", "each descriptor on each path"),
        ("events, assumptions", "what happened, what is assumed"),
        ("rules", "one finding for each acquisition"),
        ("report", "impact, confidence, baseline"),
    ]
    for number, (name, what) in enumerate(stages):
        y = 6 + 48 * number
        made.box(0, y, 174, [name])
        made.text(190, y + 20, what, "dim")
        if number:
            made.arrow([(87, y - 17), (87, y - 1)])
    return made


PICTURES: dict[str, Callable[[], Picture]] = {
    "kept-after-send": kept_after_send,
    "fuse-incident": fuse_incident,
    "received": received,
    "overwritten": overwritten,
    "closed-first": closed_first,
    "object-never-closes": object_never_closes,
    "thrown-away": thrown_away,
    "kept-after-spawn": kept_after_spawn,
    "missed-path": missed_path,
    "exception": exception,
    "closed-twice": closed_twice,
    "still-registered": still_registered,
    "zero": zero,
    "exec": across_exec,
    "pool-per-job": pool_per_job,
    "analysis": analysis,
}
