"""What names of functions and packages of Go suggest. Each is a regular expression."""

from __future__ import annotations

import re

TELLS = r"fmt|log\w*|klog|slog|errors"
"""Packages that only print what they get."""

_KEEPING = """
    Add Adopt Append Attach Cache Clean Cleanup Close Closer Closes Closing Conn Create Destroy Dispose Done
    Drop Enqueue Exec Finish Free From Hand Hold Init Insert Keep Kill Listener Lock Loop Make Manage Monitor
    Move New Own Pool Push Queue Register Release Return Run Save Serve Set Shutdown Socket Spawn Start Stop
    Store Take To Track Transfer Watch With Wrap
"""
_WORDS = "|".join(f"[{one[0]}{one[0].lower()}]{one[1:]}" for one in re.findall(r"\w+", _KEEPING))
KEEPS = rf"(?:{_WORDS}|[Pp]ut(?!F[dD])|(?<![Ss]end)[Ff]ile)(?![a-z])"
"""Part of the name of a function that closes what it gets, or keeps it."""
