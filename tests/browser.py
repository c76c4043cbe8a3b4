"""Drives a page in a real, headless Chromium through the DevTools protocol over a socket, without other packages.

https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 60


def executable() -> str | None:
    """Returns the browser's program, if it is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """One page. ``complaints`` are the errors and warnings on its console, ``requests`` the requested addresses."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(SECONDS)
        self._connection = connection
        self._received = b""
        self._number = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, path: Path, fragment: str = "") -> None:
        """Shows a file, and waits until it is loaded."""
        for address in ("about:blank", path.as_uri() + fragment):  # a new fragment alone loads nothing
            before = len(self._seen("Page.loadEventFired"))
            self._call("Page.navigate", url=address)
            while len(self._seen("Page.loadEventFired")) == before:
                self._receive()

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Presses a key: a character, or a name such as ``Enter``."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        code = {"Enter": 13, "Tab": 9, "Escape": 27}.get(key, 0)
        known = {"key": key, "windowsVirtualKeyCode": code}
        self._call("Input.dispatchKeyEvent", type="keyDown", **known, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **known)

    def save_to(self, directory: Path) -> None:
        """Sets the directory for saved files."""
        self._call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(directory))

    def allow_copying(self) -> None:
        """Lets the page use the clipboard. This needs focus."""
        self._call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self._call("Emulation.setFocusEmulationEnabled", enabled=True)

    def script(self, enabled: bool) -> None:
        """Allows or forbids scripts in pages."""
        self._call("Emulation.setScriptExecutionDisabled", value=not enabled)

    def medium(self, medium: str) -> None:
        """Sets the medium: ``print`` or ``screen``."""
        self._call("Emulation.setEmulatedMedia", media=medium)

    def prefer(self, scheme: str) -> None:
        """Sets the colour scheme of the reader's system: ``light`` or ``dark``."""
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def width(self, pixels: int | None) -> None:
        """Makes the screen as narrow as that of a phone; None is the window's own size."""
        if pixels is None:
            self._call("Emulation.clearDeviceMetricsOverride")
        else:
            self._call("Emulation.setDeviceMetricsOverride", width=pixels, height=844, deviceScaleFactor=1, mobile=True)

    def screenshot(self, file: Path) -> None:
        """Writes a picture of the whole page."""
        answer = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(answer["data"]))

    def printed(self) -> bytes:
        """Returns a PDF of the page."""
        return base64.b64decode(self._call("Page.printToPDF")["data"])

    @property
    def complaints(self) -> list[str]:
        """Returns the messages on the console."""
        return [
            *(json.dumps(event) for event in self._seen("Runtime.exceptionThrown")),
            *(json.dumps(event) for event in self._seen("Runtime.consoleAPICalled")),
            *(event["entry"]["text"] for event in self._seen("Log.entryAdded")),
        ]

    def forget(self) -> None:
        """Forgets the messages on the console, and the requests."""
        self._events.clear()

    @property
    def requests(self) -> list[str]:
        """Returns the requested addresses."""
        return [event["request"]["url"] for event in self._seen("Network.requestWillBeSent")]

    def _seen(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self._events if event.get("method") == method]

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._connection.sendall(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            data = self._connection.recv(1 << 16)
            assert data, "the browser has gone"
            self._received += data
        line, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._events.append(message)
        return message


@contextlib.contextmanager
def opened(profile: Path) -> Iterator[Page]:
    """Starts a browser with an empty page. The browser reads commands from descriptor 3 and answers on 4."""
    program = executable()
    assert program
    # Chromium has no sandbox as root, as in most containers. The page is our own.
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"]
    options += [f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            number = theirs.fileno()
            process = subprocess.Popen(
                ["bash", "-c", f'exec "$@" 3<&{number} 4>&{number}', "bash", program, *options],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            yield Page(ours)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # its helpers, too, which write to the profile
            process.wait()
