"""Arguments for a function: by its defaults, its annotations and the names of its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fdlint.runtime.proof.machinery.stand_in import StandIn, Surroundings

_NUMBER = re.compile(r"(?:^|_)(?:fd|fileno|descriptor)s?(?:$|_)|fd$", re.IGNORECASE)


def arguments(function: Callable[..., Any], around: Surroundings, skip: int = 0) -> tuple[list[Any], dict[str, Any]]:
    """Returns positional and named arguments. ``skip``: so many parameters get theirs elsewhere."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return [], {}
    positional, named = [], {}
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        makers = _makers(one, around)
        made = makers[around.choices.pick(len(makers))]()
        if one.kind is one.KEYWORD_ONLY:
            named[one.name] = made
        else:
            positional.append(made)
    return positional, named


def _makers(parameter: inspect.Parameter, around: Surroundings) -> list[Callable[[], Any]]:
    given = parameter.annotation
    text = (
        "" if given is parameter.empty else given if isinstance(given, str) else getattr(given, "__name__", str(given))
    )
    stand_in = StandIn(around, parameter.name)
    found = [_named(word, parameter.name, stand_in, around) for word in re.findall(r"\w+", text)]
    makers = [one for each in found for one in each] or [lambda: stand_in, lambda: None]
    if not found and _NUMBER.search(parameter.name):
        makers.insert(0, around.number)
    if parameter.default is not parameter.empty:
        makers.insert(0, lambda: parameter.default)
    return makers


def _named(word: str, name: str, stand_in: StandIn, around: Surroundings) -> list[Callable[[], Any]]:
    """The values of an annotation's word, in the order in which to try them."""
    if word == "int":
        numbers: list[Callable[[], Any]] = [lambda: 1, lambda: 0]
        return [around.number, *numbers] if _NUMBER.search(name) else [*numbers, around.number]
    simple: dict[str, list[Callable[[], Any]]] = {
        "str": [lambda: str(stand_in)],
        "bytes": [lambda: b"x"],
        "bool": [lambda: True, lambda: False],
        "float": [lambda: 1.0],
        "None": [lambda: None],
        "Optional": [lambda: None],
        "Path": [lambda: Path(str(stand_in))],
        "dict": [dict],
    }
    if word in ("list", "List", "Sequence", "Iterable", "tuple"):
        return [lambda: [stand_in]]
    return simple.get(word, [lambda: stand_in])
