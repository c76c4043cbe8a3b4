"""The limits that several parts of the analysis share."""

from __future__ import annotations

MAX_CALLS = 5  # calls inside each other that are followed
SMALL = 40  # blocks: a function of no more is cheap to follow
