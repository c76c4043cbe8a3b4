"""``when``: the conditions under which an entry speaks, from TOML to ``Condition``.

``when.cmd = "fcntl.F_DUPFD"``, ``when.closefd = false``, a list of such values, or a table with ``values``,
``absent``, ``mentions``, ``constant``, or ``not`` around any of these. ``"None"`` stands for None, which TOML lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fdlint.catalog.errors import suggestion
from fdlint.catalog.model import Condition, Literal

_KEYS = ("absent", "constant", "mentions", "not", "values")


def parse_condition(argument: str, raw: object) -> Condition:
    """Read one condition; ``ValueError`` says what is wrong with it."""
    if not isinstance(raw, Mapping):
        return Condition(argument, values=_literals(raw))
    for key in raw:
        if key not in _KEYS:
            raise ValueError(f"unknown key `{key}`{suggestion(str(key), _KEYS)}")
    if "not" in raw:
        return _negated(argument, raw)
    if not raw:
        raise ValueError("an empty condition")
    return Condition(
        argument,
        values=_literals(raw["values"]) if "values" in raw else (),
        absent=_flag(raw, "absent"),
        mentions=_names(raw.get("mentions", [])),
        constant=_flag(raw, "constant"),
    )


def _negated(argument: str, raw: Mapping[str, object]) -> Condition:
    if len(raw) > 1:
        raise ValueError("`not` stands alone: put the other keys inside it")
    inner = parse_condition(argument, raw["not"])
    if inner.negated:
        raise ValueError("`not` inside `not`")
    return replace(inner, negated=True)


def _literals(raw: object) -> tuple[Literal, ...]:
    values = raw if isinstance(raw, list) else [raw]
    if not values:
        raise ValueError("an empty list of values")
    return tuple(_literal(value) for value in values)


def _literal(value: object) -> Literal:
    if value == "None":
        return None
    if isinstance(value, (bool, int, str)):
        return value
    raise ValueError(f"a value must be a string, an integer or a boolean, not {value!r}")


def _names(raw: object) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(name, str) for name in raw):
        raise ValueError("`mentions` must be a list of dotted names")
    return tuple(raw)


def _flag(raw: Mapping[str, object], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"`{key}` must be true or false")
    return value
