"""Classes with an obvious answer, for the test of their oracle. ``# FD105`` marks a line's expected code."""

from __future__ import annotations

CLASS_CASES: dict[str, str] = {
    "opened and closed": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                fd, self._fd = self._fd, -1
                os.close(fd)
        """,
    "a sentinel over what __init__ opened": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                self._fd = None  # FD105
        """,
    "a sentinel over what another method opened": """
        class Writer:
            def __init__(self):
                self._fd = None

            def open(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                self._fd = None  # FD105
        """,
    "deleted": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def forget(self):
                del self._fd  # FD105

            def close(self):
                os.close(self._fd)
                self._fd = None
        """,
    "moved to a variable, and forgotten": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                fd = self._fd
                self._fd = None  # FD105
                use(fd)
        """,
    "moved to a variable, and lost to an exception": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                fd = self._fd
                self._fd = -1
                use(fd)
                os.close(fd)
        """,
    "callable twice": """
        class Writer:
            def __init__(self):
                self._fd = None

            def start(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def stop(self):
                os.close(self._fd)
                self._fd = None
        """,
    "declared at the top of the method that fills": """
        class Writer:
            def start(self, path):
                self._fd = None
                self._fd = os.open(path, os.O_RDONLY)

            def stop(self):
                os.close(self._fd)
                self._fd = None
        """,
    "filled by __init__, and by another method": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def start(self, path):
                self._fd = os.open(path, os.O_RDONLY)  # FD105

            def stop(self):
                os.close(self._fd)
                self._fd = None
        """,
    "filled by __init__ through a public method": """
        class Writer:
            def __init__(self, path):
                self.start(path)

            def start(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def stop(self):
                os.close(self._fd)
                self._fd = None
        """,
    "two methods that fill": """
        class Writer:
            def __init__(self):
                self._fd = None

            def open_a(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def open_b(self, src):
                self._fd = os.dup(src)

            def close(self):
                os.close(self._fd)
                self._fd = None
        """,
    "replaced by nature, without closing": """
        class Writer:
            def __init__(self):
                self._fd = None

            def reopen(self, path):
                self._fd = os.open(path, os.O_RDONLY)  # FD105

            def close(self):
                os.close(self._fd)
                self._fd = None
        """,
    "replaced by nature, closed first, and stale if opening fails": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def reopen(self, path):
                os.close(self._fd)  # FD204
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                fd, self._fd = self._fd, -1
                os.close(fd)
        """,
    "replaced, the new one first": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def rotate(self, path):
                fd = os.open(path, os.O_RDONLY)
                os.close(self._fd)
                self._fd = fd

            def close(self):
                fd, self._fd = self._fd, -1
                os.close(fd)
        """,
    "filled twice in one run": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)
                self._fd = os.open(path, os.O_RDONLY)  # FD105

            def close(self):
                os.close(self._fd)
        """,
    "a private method as its callers call it": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def _drop(self):
                self._fd = None

            def close(self):
                os.close(self._fd)
                self._drop()
        """,
    "a private method that nobody calls": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def _drop(self):
                self._fd = None  # FD105
        """,
    "never closed": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)  # FD108

            def write(self):
                os.write(self._fd, b"x")

            def fileno(self):
                return self._fd
        """,
    "one end never closed": """
        class Waker:
            def __init__(self):
                self._r, self._w = os.pipe()  # FD108

            def close(self):
                os.close(self._r)
                self._r = -1
        """,
    "given away": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def detach(self):
                fd, self._fd = self._fd, None
                return fd
        """,
    "closed by a destructor": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def __del__(self):
                os.close(self._fd)
        """,
    "closed from outside": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

        def drop(writer):
            os.close(writer._fd)
        """,
    "no reset, and a destructor": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                os.close(self._fd)  # FD204

            def __del__(self):
                os.close(self._fd)
        """,
    "no reset, and nothing else that closes": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                os.close(self._fd)
        """,
    "no reset, and __exit__ calls it": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                os.close(self._fd)  # FD204

            def __exit__(self, *exc):
                self.close()
        """,
    "guarded by a flag": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)
                self._closed = False

            def close(self):
                if self._closed:
                    return
                self._closed = True
                os.close(self._fd)

            def __del__(self):
                self.close()
        """,
    "something that can raise before the reset": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                if self._fd is not None:
                    os.close(self._fd)  # FD204
                    work()
                    self._fd = None
        """,
    "reset in a finally": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self):
                if self._fd is not None:
                    try:
                        os.close(self._fd)
                    finally:
                        self._fd = None

            def __del__(self):
                self.close()
        """,
    "a way out before the reset, and a destructor": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def close(self, a):
                if self._fd is not None:
                    os.close(self._fd)  # FD204
                    if a:
                        return
                    self._fd = None

            def __del__(self):
                if self._fd is not None:
                    os.close(self._fd)
        """,
    "moved to a variable, and returned to another method": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def _take(self):
                fd, self._fd = self._fd, None
                return fd

            def close(self):
                os.close(self._take())
        """,
    "filled through a private method": """
        class Writer:
            def __init__(self):
                self._fd = None

            def start(self, path):
                self._fill(path)

            def _fill(self, path):
                self._fd = os.open(path, os.O_RDONLY)

            def stop(self):
                os.close(self._fd)
                self._fd = None
        """,
    "acquired through a private method, and never closed": """
        class Writer:
            def __init__(self, path):
                self._fd = self._make(path)  # FD108

            def _make(self, path):
                return os.open(path, os.O_RDONLY)
        """,
    "only read from outside": """
        class Writer:
            def __init__(self, path):
                self._fd = os.open(path, os.O_RDONLY)  # FD108

        def show(writer):
            print(writer._fd)
        """,
}
