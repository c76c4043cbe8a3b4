"""Modules of functions that call each other, for the test of the oracle. ``# FD102`` marks a line's expected code."""

from __future__ import annotations

CALL_CASES: dict[str, str] = {
    "closed by another function": """
        def drop(given):
            os.close(given)

        def run(src):
            fd = os.dup(src)
            drop(fd)
        """,
    "closed three deep, past something that raises": """
        def last(given):
            use(given)
            os.close(given)

        def middle(given):
            last(given)

        def first(given):
            middle(given)

        def run(src):
            fd = os.dup(src)  # FD103
            first(fd)
        """,
    "closed in a finally of another function": """
        def finish(given):
            try:
                use(given)
            finally:
                os.close(given)

        def run(src):
            fd = os.dup(src)
            finish(fd)
        """,
    "only used by another function": """
        def look(given):
            use(given)

        def run(src):
            fd = os.dup(src)  # FD101
            look(fd)
        """,
    "a constant decides whether it is closed": """
        def settle(given, keep=False):
            if not keep:
                os.close(given)

        def run(src, a):
            one = os.dup(src)
            settle(one)
            two = os.dup(src)  # FD101
            settle(two, keep=True)
            three = os.dup(src)  # FD102
            settle(three, a)
        """,
    "returned, and never closed": """
        def make(path):
            return os.open(path, os.O_RDONLY)

        def again(path):
            fd = make(path)
            return fd

        def run(path):
            fd = again(path)  # FD101
            use(fd)
        """,
    "lost by the function that made it": """
        def make(path):
            fd = os.open(path, os.O_RDONLY)  # FD103
            use(fd)
            return fd

        def run(path):
            fd = make(path)
            os.close(fd)
        """,
    "returned in a tuple, one end forgotten": """
        def channel():
            r, w = os.pipe()
            return r, w

        def run():
            r, w = channel()  # FD101
            os.close(r)
        """,
    "returned in a tuple, one end thrown away": """
        def channel():
            return os.pipe()

        def run():
            r, _ = channel()  # FD107
            os.close(r)
        """,
    "returned and thrown away": """
        def make(path):
            return os.open(path, os.O_RDONLY)

        def run(path):
            make(path)  # FD107
            use(make(path))  # FD107
            os.close(make(path))
        """,
    "returned to its caller as it came": """
        def same(given):
            return given

        def run(src):
            fd = os.dup(src)
            other = same(fd)
            os.close(other)
        """,
    "replaced by a copy, the original forgotten": """
        def copy(given):
            return os.dup(given)

        def run(src):
            fd = os.dup(src)  # FD106
            fd = copy(fd)
            os.close(fd)
        """,
    "replaced by a copy, the original closed": """
        def move(given):
            try:
                return os.dup(given)
            finally:
                os.close(given)

        def run(src):
            fd = os.dup(src)
            fd = move(fd)
            os.close(fd)
        """,
    "given at once to a function that only uses it": """
        def look(given):
            print(given)

        def run(src):
            look(os.dup(src))  # FD107
        """,
    "given at once to a function that closes it, unless something raises": """
        def finish(given):
            use(given)
            os.close(given)

        def run(src):
            finish(os.dup(src))  # FD103
        """,
    "one of two closed": """
        def half(first, second):
            os.close(second)

        def run():
            r, w = os.pipe()  # FD101
            half(r, w)
        """,
    "the other function raises by itself": """
        def check(given, a):
            if a:
                raise ValueError("bad")

        def run(src, a):
            fd = os.dup(src)  # FD103
            check(fd, a)
            os.close(fd)
        """,
    "the other function raises, and that is caught": """
        def check(given, a):
            if a:
                raise ValueError("bad")

        def run(src, a):
            fd = os.dup(src)  # FD102
            try:
                check(fd, a)
            except ValueError:
                return
            os.close(fd)
        """,
    "nothing in the other function raises": """
        def note(given):
            print(given)

        def run(src):
            fd = os.dup(src)
            note(fd)
            os.close(fd)
        """,
    "the other function raises OSError alone": """
        def measure(given):
            return os.fstat(given)

        def run(src):
            fd = os.dup(src)
            try:
                measure(fd)
            except OSError:
                pass
            os.close(fd)
        """,
    "closed before the other function raises": """
        def refuse(given):
            os.close(given)
            raise ValueError("bad")

        def run(src):
            fd = os.dup(src)
            refuse(fd)
        """,
    "None or a descriptor": """
        def drop(given):
            if given is not None:
                os.close(given)

        def maybe(path):
            try:
                return os.open(path, os.O_RDONLY)
            except OSError:
                return None

        def run(path):
            fd = maybe(path)
            drop(fd)
        """,
    "put in the caller's list": """
        def fill(bag, src):
            bag.append(os.dup(src))

        def run(src):
            bag = []
            fill(bag, src)  # FD101
        """,
    "taken out of the caller's list": """
        def pick(bag):
            bag.pop()

        def run(src):
            bag = [os.dup(src)]  # FD101
            pick(bag)
        """,
    "received by one function, dropped by another": """
        def receive(sock):
            return socket.recv_fds(sock, 1, 4)

        def run(sock):
            data, fds, flags, peer = receive(sock)  # FD109
            use(data)
        """,
    "static methods and methods": """
        class Tools:
            @staticmethod
            def drop(given):
                os.close(given)

        class Service:
            def _make(self, path):
                return os.open(path, os.O_RDONLY)

            def run(self, path):
                one = self._make(path)
                Tools.drop(one)
                two = self._make(path)  # FD101
                use(two)
        """,
    "nested functions": """
        def run(path):
            def make(path):
                fd = os.open(path, os.O_RDONLY)  # FD103
                work()
                return fd
            def drop(given):
                os.close(given)
            fd = make(path)
            drop(fd)
            fd = make(path)  # FD101
        """,
    "handed over by another function": """
        def keep(given, obj):
            obj.fd = given

        def give(given):
            adopt(given)

        def run(src, obj):
            fd = os.dup(src)
            keep(fd, obj)
            fd = os.dup(src)
            give(fd)
        """,
    "sent by another function": """
        def send(given, sock):
            socket.send_fds(sock, [b"x"], [given])

        def run(src, sock):
            fd = os.dup(src)  # FD104
            send(fd, sock)
        """,
}
