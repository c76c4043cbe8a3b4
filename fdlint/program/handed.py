"""What the functions of a project do with a function that a call gives them, and who calls one that an object has in a
field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from fdlint.catalog.lifetimes import unmarked
from fdlint.program.usage import (
    Class,
    Definition,
    Loop,
    Mention,
    Usage,
    Way,
    Where,
    full_name,
    last_name,
    means,
    parameter_name,
)  # fmt: skip

_MAX_HOPS, _MAX_CALLEES = 3, 8  # from function to function, and of one call: more are not followed
_ANY = "*"


class Defining(Protocol):
    """The files of a project, as far as they are asked for."""

    def mentioning(self, name: str, where: Where) -> Iterable[Usage]:
        """Yields the facts of the files that may mention a function or class of a name, without tests and examples, in
        the order of paths."""

    def defining(self, name: str, full: str = "") -> Iterable[Usage]:
        """Yields the facts of the files that may define a function or a class of a name. ``full``: its full name, if
        that is known."""


def repeats(project: Defining, mention: Mention, hops: int = 0) -> list[tuple[Usage, Loop]] | None:
    """Returns the loops in which functions of the project call what they are given at a mention. None if that is not
    known: no function of the project gets it, or one keeps it for later."""
    callees = [*_callees(project, mention)] if hops < _MAX_HOPS else []
    if len(callees) > _MAX_CALLEES:
        return None
    found: list[tuple[Usage, Loop]] = []
    for usage, function in callees:
        uses = [one for one in _uses(usage, function, mention.at) if one.way is not Way.KEPT]
        for one in uses:
            around = _around(usage, function, one)
            deeper = repeats(project, one, hops + 1) if one.way is Way.GIVEN else []
            if around is None or deeper is None:
                return None
            found += [*((usage, loop) for loop in around), *deeper]
        if not uses:
            return None
    return found if callees else None


def _callees(project: Defining, mention: Mention) -> Iterator[tuple[Usage, Definition]]:
    """Yields the functions of the project that may get what stands at a mention."""
    full = mention.to[0] if mention.to else ""
    name = last_name(full)
    if not name.isidentifier():
        return
    known = not full.startswith(_ANY)
    for usage in project.defining(name, full if known else ""):
        for one in usage.defined.get(name, ()):
            if means(full, full_name(usage, one.name)) if known else one.owner:
                yield usage, one


def _uses(usage: Usage, function: Definition, at: int | str) -> Sequence[Mention]:
    """Returns the places that name a parameter of a function. A surplus argument belongs to the last one."""
    names = function.parameters
    if isinstance(at, str):
        name = at if at in names else ""
    else:
        name = names[min(at, len(names) - 1)] if names and at >= 0 else ""
    full = parameter_name(usage.module, function.name, name)
    return [one for one in usage.by_name.get(name, ()) if one.full == full]


def _around(usage: Usage, function: Definition, mention: Mention) -> list[Loop] | None:
    """Returns the loops of a function around a place in it, also if a function without a name is called there at once.
    None if the place is in a function that runs later."""
    found = []
    while True:
        inner = usage.function(mention)
        loop = usage.loop(mention.line, inner)
        found += [loop] if loop is not None else []
        if inner is None or inner == function:
            return found
        mention = next((one for one in usage.by_name.get(inner.last_name, ()) if usage.function(one) != inner), mention)
        if mention.way is not Way.CALLED or usage.function(mention) == inner:
            return None


def calls_of_field(
    project: Defining, kind_of: Callable[[Mention, Usage], str], usage: Usage, mention: Mention
) -> list[tuple[Usage, Mention]]:
    """Returns the places that call what a field of a type of the project gets at a mention: those on objects of that
    type (``kind_of``), or else those on objects that are not known in the package of the type."""
    owner, _, name = unmarked(mention.to[0]).rpartition(".") if mention.to else ("", "", "")
    if unmarked(mention.to[0]) == mention.to[0] or not any(classes_named(project, owner)):
        return []
    found = [
        (where, one, kind_of(one, where))
        for where in project.mentioning(name, Where(usage.path, usage.module, method=True))
        for one in where.by_name.get(name, ())
        if one.way is Way.CALLED and not one.full
    ]
    home = owner.rpartition(".")[0]
    return [(where, one) for where, one, kind in found if kind == owner] or [
        (where, one) for where, one, kind in found if not kind and where.module == home
    ]


def classes_named(project: Defining, full: str) -> Iterator[tuple[Usage, Class]]:
    """Yields the definitions of a class by its full name, with their files."""
    name = last_name(full)
    for usage in project.defining(name, full):
        known = usage.class_names.get(name)
        if known is not None and means(full, full_name(usage, known.name)):
            yield usage, known
