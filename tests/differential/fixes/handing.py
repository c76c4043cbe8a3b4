"""Statements that give a number to somebody who keeps it."""

from __future__ import annotations

from ..scope import Lines, Scope, block


def handed(scope: Scope, fd: str) -> Lines:
    """Returns statements that hand a number on."""
    match scope.weighted({"later": 5, "container": 5, "attribute": 2, "callee": 2, "closure": 2, "owner": 1}):
        case "later":
            return _later(scope, fd)
        case "container":
            return [_container(scope, fd)]
        case "attribute":
            return [scope.pick([f"obj.fd = {fd}", f"registry['k'] = {fd}", f"obj['k'] = {fd}", f"obj.fds = [{fd}]"])]
        case "callee":
            return [scope.pick([f"adopt({fd})", f"store({fd})", f"keep({fd})"])]
        case "closure":
            return _closure(scope, fd)
        case _:
            return [scope.pick([f"owner = Owner({fd})", f"stream = os.fdopen({fd})", f"out.append(os.fdopen({fd}))"])]


def _later(scope: Scope, fd: str) -> Lines:
    return [
        scope.pick(
            [
                f"threading.Thread(target=os.close, args=({fd},)).start()",
                f"threading.Thread(target=shut, args=[{fd}]).start()",
                f"loop.call_later(1, os.close, {fd})",
                f"loop.call_soon(shut, {fd})",
                f"loop.call_later(1, lambda fd={fd}: os.close(fd))",
                f"queue.put({fd})",
                f"queue.put_nowait((1, {fd}))",
                f"obj.register(os.close, {fd})",
                f"obj.finalize(target, os.close, {fd})",
                f"obj.submit(look, {fd})",
            ]
        )
    ]


def _container(scope: Scope, fd: str) -> str:
    return scope.pick(
        [
            f"out.append({fd})", f"out.append((path, {fd}))", f"out.extend([{fd}])", f"out.insert(0, {fd})",
            f"out += [{fd}]", f"seen.add({fd})", f"seen.update([{fd}])", f"registry.setdefault(path, {fd})",
            f"registry.setdefault(path, []).append({fd})", f"registry.update(k={fd})", f"HELD.append({fd})",
            f"out.append(Box({fd}))", f"registry[{fd}] = path",
        ]
    )  # fmt: skip


def _closure(scope: Scope, fd: str) -> Lines:
    given = scope.pick(["out.append(done)", "loop.call_soon(done)", "threading.Thread(target=done).start()"])
    body = scope.pick([[f"os.close({fd})"], [f"os.fstat({fd})", f"os.close({fd})"], [f"os.fstat({fd})"]])
    if scope.chance(0.4):
        return [scope.pick([f"out.append(lambda: os.close({fd}))", f"loop.call_soon(lambda: os.close({fd}))"])]
    return [*block("def done():", body), given]
