"""How long the language server takes for a change, on the files of Python's own library or of directories.

    python benchmarks/latency.py [DIR...] [--lines 800 1200] [--files 40]

It takes files of that length which fdlint analyses, writes a new statement into the function at the middle of each,
five times, and measures the processor time of the analysis. The first one, which reads the imports, is not counted.
After each of them it writes two comments, one after the other, and measures the second.
Then it measures the same over standard input and output, by the clock, from the change to the diagnostics, with the
server's pause.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from fdlint.catalog import NO_MODELS
from fdlint.scan.live import Live
from fdlint.scan.scan import may_matter

CHANGES = 5


def main() -> None:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    library = Path(sysconfig.get_path("stdlib"))
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", default=[library])
    parser.add_argument("--lines", type=int, nargs=2, default=[800, 1200])
    parser.add_argument("--files", type=int, default=40)
    asked = parser.parse_args()
    files = [one for root in asked.directories for one in chosen(root, *asked.lines)][: asked.files]
    measured = {path: analysis(path) for path in files}
    report("statement", [one for one, _ in measured.values()])
    report("comment", [one for _, one in measured.values()])
    report("server", [served(path) for path in files[:5]])
    for path, (seconds, _) in sorted(measured.items(), key=lambda pair: -pair[1][0])[:5]:
        print(f"  slowest: {path.name:24} {seconds * 1000:6.0f} ms")


def chosen(root: Path, least: int, most: int) -> Any:
    """The files of that length below a directory that mention descriptors."""
    for path in sorted(root.rglob("*.py")):
        inside = {"site-packages", "idlelib", "lib2to3"}.isdisjoint(path.parts)
        data = path.read_bytes() if inside else b""
        if least <= data.count(b"\n") <= most and may_matter(data, frozenset(), NO_MODELS) and statement(path):
            yield path


def statement(path: Path) -> ast.stmt | None:
    """The statement of a function that is nearest to the middle of a file."""
    try:
        text = path.read_text(encoding="utf-8")
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError):
        return None
    middle = text.count("\n") // 2
    inside = [node for one in functions for node in one.body]
    return min(inside, key=lambda node: abs(node.lineno - middle), default=None)


def changed(path: Path, number: int) -> str:
    """The text with another statement in the function at its middle."""
    lines = path.read_text(encoding="utf-8").split("\n")
    there = statement(path)
    assert there is not None
    new = f"{' ' * there.col_offset}changed = {number}"
    return "\n".join([*lines[: there.lineno - 1], new, *lines[there.lineno - 1 :]])


def analysis(path: Path) -> tuple[float, float]:
    """The medians of the seconds for a warm analysis: of a statement, and of a comment."""
    live = Live()
    statements, comments = [], []
    for number in range(CHANGES + 1):
        text = changed(path, number)
        statements.append(timed(live, text, path))
        timed(live, commented(text, "a word"), path)
        comments.append(timed(live, commented(text, "another"), path))
    return statistics.median(statements[1:]), statistics.median(comments[1:])


def timed(live: Live, text: str, path: Path) -> float:
    """The seconds of processor time for one text."""
    data = text.encode()
    started = time.process_time()
    live.look(data, path)
    return time.process_time() - started


def commented(text: str, words: str) -> str:
    """The text with a comment before its first function."""
    return re.sub(r"(?m)^((?:@|def |class ))", rf"# {words}\n\1", text, count=1)


def served(path: Path) -> float:
    """The same from the change to the diagnostics."""
    words = [sys.executable, "-m", "fdlint", "server"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        client = Client(process)
        client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        client.send("initialized", {})
        document = {"uri": path.absolute().as_uri(), "version": 0}
        client.send(
            "textDocument/didOpen", {"textDocument": {**document, "languageId": "python", "text": changed(path, 0)}}
        )
        client.until("textDocument/publishDiagnostics")
        times = []
        for number in range(1, CHANGES + 1):
            started = time.perf_counter()
            text = {
                "textDocument": {**document, "version": number},
                "contentChanges": [{"text": changed(path, number)}],
            }
            client.send("textDocument/didChange", text)
            client.until("textDocument/publishDiagnostics")
            times.append(time.perf_counter() - started)
        client.ask("shutdown", None)
        client.send("exit", None)
    return statistics.median(times)


class Client:
    """Speaks the protocol with a process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def send(self, method: str, params: object, **more: object) -> None:
        """Sends a notification."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def ask(self, method: str, params: object) -> None:
        """Sends a request and waits for its answer."""
        self.send(method, params, id=1)
        while "result" not in self._read():
            pass

    def until(self, method: str) -> None:
        """Waits for a notification."""
        while self._read().get("method") != method:
            pass

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while (line := self._process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


def report(name: str, seconds: list[float]) -> None:
    """Prints the median, the 90th percentile and the maximum."""
    found = sorted(seconds)
    ninth = found[min(len(found) - 1, int(len(found) * 0.9))]
    print(f"{name}: {len(found)} files: median {statistics.median(found) * 1000:.0f} ms, "
          f"9 of 10 within {ninth * 1000:.0f} ms, longest {found[-1] * 1000:.0f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
