"""Functions with an obvious answer, for the test of the oracle. ``# FD102`` marks a line's expected code."""

from __future__ import annotations

CASES: dict[str, str] = {
    "closed in a finally": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)
            try:
                use(fd)
            finally:
                os.close(fd)
        """,
    "never closed": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD101
            use(fd)
        """,
    "one end of a pipe never closed": """
        def run():
            r, w = os.pipe()  # FD101
            os.close(r)
        """,
    "missed by an early return": """
        def run(path, a):
            fd = os.open(path, os.O_RDONLY)  # FD102
            if a:
                return None
            os.close(fd)
        """,
    "missed by a raise": """
        def run(path, a):
            fd = os.open(path, os.O_RDONLY)  # FD102
            if a:
                raise ValueError("bad")
            os.close(fd)
        """,
    "missed after a caught exception": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD102
            try:
                use(fd)
            except OSError:
                return None
            finally:
                work()
            os.close(fd)
        """,
    "missed by an exception": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD103
            use(fd)
            os.close(fd)
        """,
    "raised again": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD103
            try:
                use(fd)
            except OSError:
                raise
            os.close(fd)
        """,
    "kept for the life of the process": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)
            while True:
                use(fd)
        """,
    "kept for the life of the process under a finally": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)
            try:
                while True:
                    use(fd)
            finally:
                work()
        """,
    "never released, and raised again": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD101
            while True:
                try:
                    use(fd)
                except OSError:
                    raise
        """,
    "never released, and a raise spelled out": """
        def run(path, a):
            fd = os.open(path, os.O_RDONLY)  # FD101
            while True:
                use(fd)
                if a:
                    raise ValueError("bad")
        """,
    "never released, for everything raises in the end": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD101
            try:
                use(fd)
            except Exception as error:
                work()
                raise
            raise ValueError("bad")
        """,
    "a handler that is too narrow for an unknown call": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)  # FD103
            try:
                use(fd)
            except OSError:
                os.close(fd)
                raise
            os.close(fd)
        """,
    "a handler that is enough for a function of os": """
        def run(path):
            fd = os.open(path, os.O_RDONLY)
            try:
                os.read(fd, 1)
            except OSError:
                os.close(fd)
                raise
            os.close(fd)
        """,
    "nothing here raises": """
        def run(src):
            fd = os.dup(src)
            print(fd, len("x"))
            os.set_blocking(fd, False)
            assert fd > 2
            os.close(fd)
        """,
    "the next round loses it": """
        def run(items, src):
            fd = None
            for item in items:
                fd = os.dup(src)  # FD102
            if fd is not None:
                os.close(fd)
        """,
    "the next round loses it, and nobody closes it": """
        def run(n, src):
            for _ in range(n):
                fd = os.dup(src)  # FD101
        """,
    "overwritten and deleted": """
        def run(src):
            fd = os.dup(src)  # FD106
            fd = None
            other = os.dup(src)  # FD106
            del other
        """,
    "an alias keeps it": """
        def run(src):
            fd = os.dup(src)
            kept = [fd]
            fd = None
            os.close(kept[0])
        """,
    "taken out of the last list that held it": """
        def run(src):
            kept = [os.dup(src)]  # FD101
            kept.pop()
        """,
    "discarded": """
        def run(src):
            os.dup(src)  # FD107
            use(os.dup(src))  # FD107
            os.read(os.open("x", os.O_RDONLY), 1)  # FD107
            _, w = os.pipe()  # FD107
            os.close(w)
        """,
    "sent and kept": """
        def run(sock, src):
            fd = os.dup(src)  # FD104
            socket.send_fds(sock, [b"x"], [fd])
        """,
    "sent and closed, unless sending fails": """
        def run(sock, src):
            fd = os.dup(src)  # FD103
            socket.send_fds(sock, [b"x"], [fd])
            os.close(fd)
        """,
    "received, one of several closed": """
        def run(sock):
            data, fds, flags, peer = socket.recv_fds(sock, 1, 4)  # FD109
            os.close(fds[0])
        """,
    "received and all closed, unless something raises": """
        def run(sock):
            data, fds, flags, peer = socket.recv_fds(sock, 1, 4)  # FD103
            work()
            for fd in fds:
                os.close(fd)
        """,
    "received, nothing to close in an empty list": """
        def run(sock):
            data, fds, flags, peer = socket.recv_fds(sock, 1, 4)
            if not fds:
                return None
            return fds
        """,
    "given to a child and kept": """
        def run(command):
            r, w = os.pipe()  # FD110
            try:
                child = subprocess.Popen(command, stdin=r)
            finally:
                os.close(w)
        """,
    "handed over": """
        def run(a, obj, out, registry, src):
            obj.fd = os.dup(src)
            out.append(os.dup(src))
            registry["k"] = os.dup(src)
            owner = Owner(os.dup(src))
            stream = os.fdopen(os.dup(src))
            pair = os.pipe()
            return (pair, 1) if a else pair
        """,
    "registered": """
        def run(src):
            with ExitStack() as stack:
                fd = os.dup(src)
                stack.callback(os.close, fd)
                other = os.dup(src)
                def closer():
                    os.close(other)
                stack.callback(closer)
                third = os.dup(src)
                stack.callback(lambda: os.close(third))
                work()
        """,
    "captured by a function that closes it, but too late": """
        def run(src):
            fd = os.dup(src)  # FD103
            work()
            def closer():
                os.close(fd)
            work()
            return closer
        """,
    "a sentinel": """
        def run(src, a):
            fd = -1
            try:
                if a:
                    fd = os.dup(src)
                work()
            finally:
                if fd >= 0:
                    os.close(fd)
        """,
    "the same flag twice": """
        def run(src, a):
            if a:
                fd = os.dup(src)
            print("x")
            if a:
                os.close(fd)
        """,
    "two answers of one call": """
        def run(src):
            fd = None
            if cond():
                fd = os.dup(src)  # FD102
            if cond():
                if fd is not None:
                    os.close(fd)
        """,
    "all cases of a match but one": """
        def run(kind, src):
            fd = os.dup(src)  # FD102
            match kind:
                case "x":
                    os.close(fd)
                case "y":
                    return fd
        """,
    "a loop that ends by break, and its else": """
        def run(items):
            for item in items:
                try:
                    fd = os.open(item, os.O_RDONLY)
                except OSError:
                    continue
                break
            else:
                return None
            os.close(fd)
        """,
    "the second of two in a list": """
        def run(src):
            pair = [os.dup(src),  # FD103
                    os.dup(src)]
            for fd in pair:
                os.close(fd)
        """,
    "a comprehension cut short by an exception": """
        def run(items, src):
            fds = [os.dup(src) for item in items]  # FD103
            for fd in fds:
                os.close(fd)
        """,
    "a suppressed exception": """
        def run(src):
            fd = os.dup(src)  # FD102
            with suppress(Exception):
                work()
                os.close(fd)
        """,
    "raised inside a finally that then closes": """
        def run(src):
            fd = os.dup(src)
            try:
                try:
                    work()
                finally:
                    work()
            finally:
                os.close(fd)
        """,
    "another exception than the one it caught": """
        def run(src):
            fd = os.dup(src)  # FD102
            try:
                work()
            except Exception:
                raise ValueError("bad")
            os.close(fd)
        """,
    "closed by whoever raises it": """
        def run(src, a):
            fd = os.dup(src)
            try:
                if a:
                    raise ValueError("bad")
            except ValueError:
                os.close(fd)
                raise
            return fd
        """,
}
