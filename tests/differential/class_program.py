"""Generates a random class as source text: one to three attributes with descriptors, and methods that use them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .class_pieces import ACQUIRE, Attribute, acquires, close, fill, replace
from .mutate import mutate
from .program import IMPORTS
from .scope import Lines, block

OPENING = ("start", "open", "connect", "__enter__", "begin", "prepare")
CLOSING = ("close", "stop", "shutdown", "__exit__", "finish", "release", "abort")
REPLACING = ("reopen", "rotate", "reset", "reconnect", "refresh")
USING = ("write", "read", "poll")


@dataclass(slots=True)
class Draft:
    """A class under construction: its random numbers, its attributes, and the methods so far."""

    rng: Random
    attributes: list[Attribute]
    methods: dict[str, Lines] = field(default_factory=dict)
    private: dict[str, Lines] = field(default_factory=dict)

    def one(self) -> Attribute:
        """One of the attributes."""
        return self.rng.choice(self.attributes)

    def unused(self, names: tuple[str, ...]) -> str | None:
        """Returns a name that no method has yet."""
        free = [name for name in names if name not in self.methods]
        return self.rng.choice(free) if free else None


def generate_class(seed: int) -> str:
    """Returns a module with one class. The same seed gives the same class."""
    rng = Random(seed)
    while True:
        draft = Draft(rng, _attributes(rng))
        for _ in range(rng.choice([1, 2, 2, 3, 3, 4])):
            _add(draft)
        draft.methods = {"__init__": _init(draft), **draft.methods}
        text = _text(draft)
        if _is_sound(text):
            return ast.unparse(ast.parse(text))


def _attributes(rng: Random) -> list[Attribute]:
    none = rng.choice(["None", "None", "-1"])
    names = rng.sample(["_fd", "_log", "_lock"], rng.choice([1, 1, 1, 2, 2, 3]))
    return [Attribute(name, none) for name in names]


def _init(draft: Draft) -> Lines:
    rng, lines = draft.rng, []
    opening = [name for name in draft.methods if name in OPENING]
    for attribute in draft.attributes:
        lines += [f"{attribute} = {attribute.none}"] if rng.random() < 0.6 else fill(rng, attribute)
    if opening and rng.random() < 0.2:
        lines.append(f"self.{rng.choice(opening)}()")
    if len(draft.attributes) > 1 and rng.random() < 0.3:
        lines.append(f"{', '.join(map(str, draft.attributes[:2]))} = os.pipe()")
    return lines + (["work()"] if rng.random() < 0.15 else [])


def _add(draft: Draft) -> None:
    """Adds a method."""
    kinds: dict[Callable[[Draft], None], int] = {_open: 4, _close: 6, _finalize: 2, _replace: 2, _use: 2, _share: 2}
    draft.rng.choices(list(kinds), list(kinds.values()))[0](draft)


def _open(draft: Draft) -> None:
    name, attribute, rng = draft.unused(OPENING), draft.one(), draft.rng
    if name is None:
        return
    lines = fill(rng, attribute)
    match rng.choice(["plain", "lazy", "guard", "declared", "private", "made"]):
        case "lazy":
            lines = block(f"if {attribute.absent(rng)}:", lines)
        case "guard":
            lines = [
                *block(f"if {attribute.present(rng)}:", [rng.choice(["return", "raise RuntimeError('open')"])]),
                *lines,
            ]
        case "declared":
            lines = [f"{attribute} = {attribute.none}", *lines]
        case "private":
            draft.private["_fill"] = lines
            lines = ["self._fill()"]
        case "made":
            draft.private["_make"] = [f"return {rng.choice(ACQUIRE)}"]
            lines = [f"{attribute} = self._make()"]
        case _:
            pass
    draft.methods[name] = lines + (["return self"] if name == "__enter__" else [])


def _close(draft: Draft) -> None:
    name, rng = draft.unused(CLOSING), draft.rng
    if name is None:
        return
    some = draft.attributes if rng.random() < 0.6 else [draft.one()]
    draft.methods[name] = [line for attribute in some for line in close(rng, attribute)]


def _finalize(draft: Draft) -> None:
    """Adds ``__del__``, or another method that only calls a closing one."""
    name, rng = draft.unused(("__del__", "__exit__", "terminate")), draft.rng
    if name is None:
        return
    closing = [other for other in draft.methods if other in CLOSING]
    if closing and rng.random() < 0.7:
        draft.methods[name] = [f"self.{rng.choice(closing)}()"]
    else:
        draft.methods[name] = [line for attribute in draft.attributes for line in close(rng, attribute)]


def _replace(draft: Draft) -> None:
    name, rng = draft.unused(REPLACING), draft.rng
    if name is None:
        return
    closing = [other for other in draft.methods if other in CLOSING]
    opening = [other for other in draft.methods if other in OPENING]
    if closing and opening and rng.random() < 0.4:
        draft.methods[name] = [f"self.{rng.choice(closing)}()", f"self.{rng.choice(opening)}()"]
    else:
        draft.methods[name] = replace(rng, draft.one())


def _use(draft: Draft) -> None:
    name, attribute, rng = draft.unused(USING), draft.one(), draft.rng
    if name is None:
        return
    use = rng.choice([f"os.write({attribute}, b'x')", f"use({attribute})", f"print({attribute})"])
    draft.methods[name] = block(f"if {attribute.present(rng)}:", [use])
    if rng.random() < 0.3:
        draft.methods["fileno"] = [f"return {attribute}"]


def _share(draft: Draft) -> None:
    """Adds a private method that closes, and methods that call it."""
    rng = draft.rng
    draft.private["_shut"] = close(rng, draft.one())
    for _ in range(rng.choice([0, 1, 1, 2])):
        name = draft.unused(CLOSING)
        if name is not None:
            draft.methods[name] = ["self._shut()", *(["work()"] if rng.random() < 0.2 else [])]


def _text(draft: Draft) -> str:
    rng = draft.rng
    bodies = {**draft.methods, **draft.private}
    changed = rng.choice(list(bodies)) if rng.random() < 0.4 else None
    lines: Lines = []
    for name, body in bodies.items():
        rest = ", *exc" if name == "__exit__" else ""
        text = "\n".join(block(f"def {name}(self{rest}):", body))
        lines += (mutate(text, rng) if name == changed else text).splitlines()
    text = IMPORTS + "\n\n" + "\n".join(block("class Holder:", lines))
    if rng.random() < 0.05:
        text += "\n\n" + "\n".join(block("def discard(holder):", [f"os.close(holder.{draft.one().name})"]))
    return text


def _is_sound(text: str) -> bool:
    """Whether it compiles, is small, and acquires something."""
    try:
        compile(text, "<class>", "exec")
    except SyntaxError:
        return False
    return text.count("\n") <= 80 and acquires(text)
