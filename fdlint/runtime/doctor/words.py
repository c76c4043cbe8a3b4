"""Words for numbers that people read: bytes, durations, counts."""

from __future__ import annotations

_STEP = 1024
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
_DURATIONS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
_LONG = 3_650 * 86_400.0


def in_bytes(number: int) -> str:
    """Returns a size, such as ``1.5 MiB``."""
    size, unit = float(number), 0
    while size >= _STEP and unit < len(_UNITS) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{number:,} bytes" if not unit else f"{size:.1f} {_UNITS[unit]}"


def duration(seconds: float) -> str:
    """Returns a rounded time, such as ``5 hours``."""
    if seconds >= _LONG:
        return "more than 10 years"
    for size, word in _DURATIONS:
        if seconds >= 2 * size or size == 1.0:
            number = round(seconds / size)
            return f"{number:,} {word if number != 1 else word.removesuffix('s')}"
    raise AssertionError("unreachable: the last size is 1")


def times(number: int) -> str:
    """Returns ``once``, ``twice``, ``17 times``."""
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")
