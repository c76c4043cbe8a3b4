"""Random programs of all statements and expressions of Python, most of them with descriptors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .vocabulary import ATTRIBUTES, COMMENTS, IMPORTS, NAMES, OPENERS, STATEMENTS

Lines = list[str]
_OPERATORS = ("+", "-", "*", "**", "//", "%", "@", "|", "&", "^", "<<", "and", "or", "==", "is", "in", "not in", "<")


def program(rng: Random) -> bytes:
    """Returns a module with some functions and classes."""
    writer = _Writer(rng, rng.choice([20, 60, 150, 400]))
    lines: Lines = []
    while writer.left > 0:
        lines += writer.statement(0)
    return (IMPORTS + "\n".join(lines) + "\n").encode()


@dataclass(slots=True)
class _Writer:
    """``left``: the number of statements and expressions that may still be written."""

    rng: Random
    left: int

    # -- statements

    def statement(self, depth: int) -> Lines:
        """Returns the lines of one statement."""
        self.left -= 1
        if depth > 7 or self.left < 0 or self.rng.random() < 0.35:
            return [self._plain()]
        kinds: tuple[Callable[[int], Lines], ...] = (
            self._if, self._while, self._for, self._try, self._with, self._function, self._function, self._class,
            self._match, self._simple, self._simple,
        )  # fmt: skip
        return self.rng.choice(kinds)(depth)

    def _plain(self) -> str:
        comment = f"  {self.rng.choice(COMMENTS)}" if self.rng.random() < 0.05 else ""
        return f"{self.rng.choice(STATEMENTS)}{comment}"

    def _block(self, depth: int) -> Lines:
        count = self.rng.choice([1, 1, 2, 3, 5])
        return [f"    {line}" for _ in range(count) for line in self.statement(depth + 1)]

    def _simple(self, depth: int) -> Lines:
        e = self.expression
        forms = (
            f"{self._target()} = {e()}", f"{self._target()} = {self._target()} = {e()}", f"{self._name()} += {e()}",
            e(), f"assert {e()}, {e()}", "pass", "return", f"return {e()}", f"raise {e()} from {e()}", "raise",
            "break", "continue", f"del {self._target()}", f"{self._name()}: {e()} = {e()}", f"global {self._name()}",
            f"yield {e()}", f"{self._name()} = yield from {e()}", f"await {e()}", f"import {self._name()} as fd",
            f"from {self._name()} import *", f"from . import {self._name()}",
        )  # fmt: skip
        return [self.rng.choice(forms)]

    def _if(self, depth: int) -> Lines:
        lines = [f"if {self.expression()}:", *self._block(depth)]
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            lines += [f"elif {self.expression()}:", *self._block(depth)]
        return [*lines, *self._maybe("else:", depth)]

    def _while(self, depth: int) -> Lines:
        return [f"while {self.expression()}:", *self._block(depth), *self._maybe("else:", depth)]

    def _for(self, depth: int) -> Lines:
        head = f"{self.rng.choice(['', '', 'async '])}for {self._target()} in {self.expression()}:"
        return [head, *self._block(depth), *self._maybe("else:", depth)]

    def _try(self, depth: int) -> Lines:
        lines = ["try:", *self._block(depth)]
        star = self.rng.choice(["", "", "", "*"])
        handlers = self.rng.choice([0, 1, 1, 2])
        for _ in range(handlers):
            caught = self.rng.choice(["OSError", "(OSError, a)", "OSError as fd", "Exception as x"])
            lines += [f"except{star} {caught}:", *self._block(depth)]
        if handlers:
            lines += self._maybe("else:", depth)
        return [*lines, *(self._maybe("finally:", depth) if handlers else ["finally:", *self._block(depth)])]

    def _with(self, depth: int) -> Lines:
        items = [f"{self.expression()} as {self._target()}" for _ in range(self.rng.choice([1, 1, 2, 3]))]
        return [f"with {', '.join(items)}:", *self._block(depth)]

    def _function(self, depth: int) -> Lines:
        decorators = self.rng.choices(
            ["@property", "@staticmethod", "@contextlib.contextmanager", "@f", "@g(fd)"], k=self.rng.choice([0, 0, 1])
        )
        given = self.rng.choice(["", "fd", "self", "self, fd=None", "p, *fds, a=1, **x", "p, /, fd, *, a: int = 0"])
        name = self.rng.choice([*NAMES, *ATTRIBUTES])
        head = f"{self.rng.choice(['', '', 'async '])}def {name}({given}):"
        return [*decorators, head, *self._block(depth)]

    def _class(self, depth: int) -> Lines:
        bases = ", ".join(self.rng.choices(["C", "D", "Exception", "a.b", "metaclass=C"], k=self.rng.choice([0, 1, 2])))
        lines = [f"class {self.rng.choice(['C', 'D', 'E'])}({bases}):"]
        for _ in range(self.rng.choice([1, 2, 4])):
            lines += [f"    {line}" for line in self._function(depth + 1)]
        return lines

    def _match(self, depth: int) -> Lines:
        patterns = (
            "fd", "_", "1 | 2", "[fd, *fds]", "{'a': fd, **x}", "C(fd, a=b)", "a.b", "None", "(fd, a) as x", "'s'",
        )  # fmt: skip
        lines = [f"match {self.expression()}:"]
        for _ in range(self.rng.choice([1, 2, 3])):
            guard = f" if {self.expression()}" if self.rng.random() < 0.3 else ""
            lines += [f"    case {self.rng.choice(patterns)}{guard}:"]
            lines += [f"    {line}" for line in self._block(depth + 1)]
        return lines

    def _maybe(self, head: str, depth: int) -> Lines:
        return [head, *self._block(depth)] if self.rng.random() < 0.3 else []

    # -- expressions

    def _name(self) -> str:
        return self.rng.choice(NAMES)

    def _target(self) -> str:
        name = self._name()
        forms = (name, name, f"{name}.{self.rng.choice(ATTRIBUTES)}", f"{name}[0]", f"{name}, fd", f"(fd, *{name})")
        return self.rng.choice(forms)

    def expression(self, depth: int = 0) -> str:
        """One expression, without line breaks."""
        self.left -= 1
        if depth > 4 or self.left < 0 or self.rng.random() < 0.3:
            return self.rng.choice([self._name(), self._name(), self.rng.choice(OPENERS), "None", "-1", "'s'", "b'b'"])
        name, attribute = self._name(), self.rng.choice(ATTRIBUTES)
        one, two, three = (self.expression(depth + 1) for _ in range(3))
        forms = (
            f"{name}.{attribute}", f"{name}({one})", f"{name}.{attribute}({one}, {two})", f"({one}, {two})",
            f"[{one}, *{name}]", f"{{{one}: {two}, **{name}}}", f"{{{one}, {two}}}", f"({one} if {two} else {three})",
            f"(lambda fd={one}: {two})", f"[{one} for {name} in {two} if {three}]", f"({one} for {name} in {two})",
            f"{{{name}: {one} for {name}, fd in {two}}}", f"({one} {self.rng.choice(_OPERATORS)} {two})",
            f"(not {one})", f"({name} := {one})", f"{name}[{one}:{two}]", f"f'{{{name}!r:>{{{name}}}}}'",
            f"{name}(*{one}, **{two})", f"(await {name})", f"(yield {one})", f"f({one}, fd={two})",
        )  # fmt: skip
        return self.rng.choice(forms)
