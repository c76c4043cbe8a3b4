"""What the texts of a program's files have told so far of its functions."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fdlint.ownership.seeds import Kind, Seeds
from fdlint.ownership.units import Units
from fdlint.program import File, Function, Unit

if TYPE_CHECKING:
    from fdlint.ownership.knowledge import Knowledge


class Worth(enum.IntEnum):
    """What it matters to others that they call a function."""

    NOTHING = 0
    OWN = 1  # to methods of the same object
    ALL = 2


@dataclass(slots=True)
class Prospected:
    """What is known of one program. ``confirm``: what a function really does, by its graph; without it, what its text
    says is believed. None of it refers to the knowledge that it is part of: no garbage is looked for that would."""

    seeds: Seeds
    units: Units
    confirm: Mapping[Kind, Callable[[Knowledge, Function], Worth]] = field(default_factory=dict)
    reached: dict[tuple[Kind, Unit], bool] = field(default_factory=dict)
    worth: dict[tuple[Kind, Unit], Worth] = field(default_factory=dict)
    lowered: set[tuple[Kind, File]] = field(default_factory=set)
