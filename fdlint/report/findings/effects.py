"""What a function does to the descriptors of its callers, for readers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """One function with an effect. ``name``: its qualified name. ``line``: where its text begins, from 1; decorators
    come first. ``closes``: the parameters, and attributes of its object, that it closes on some path. ``gives``: it
    returns a descriptor that its caller must close."""

    name: str
    line: int
    closes: tuple[str, ...] = ()
    gives: bool = False

    @property
    def said(self) -> str:
        """The effect in words, such as ``closes `fd`, returns a descriptor``."""
        closes = [f"closes {', '.join(f'`{name}`' for name in self.closes)}"] if self.closes else []
        return ", ".join([*closes, *(["returns a descriptor"] if self.gives else [])])
