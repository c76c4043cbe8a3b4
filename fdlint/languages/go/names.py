"""What names in Go suggest, for rules that see one function and no types. Each is a regular expression."""

from __future__ import annotations

import re

RECEIVES = r"[Rr]ec(?:v|eive)(?:Msg|F[dD]|File|Descriptor|RawF[dD])"
SENDS = r"[Ss]end(?:Msg|F[dD]s?|Descriptors?|RawF[dD]|File|MsgWithFds?)|[Pp]utF[dD]s?|[Ww]riteF[dD]s?|ExecuteGetF[dD]"
"""Functions of a project or a library that pass descriptors between processes."""

HOLDS = r"(?i)\w*(?:fd|desc|file|sock|tun|tap|dev|handle|pipe|pty|tty|master)"
"""Variables that hold a descriptor."""

LISTS = r"(?i).*(?:fd|file|sock|desc|rights)"
"""Variables that hold many."""

POSITIONS = r"^(?!k$|(?i:.*(?:fd|file|sock|desc|handle|key|conn|pipe)))"
"""Loop variables that count, and hold no descriptor."""

LOOKS_UP = r"strconv|Atoi|Parse|[Gg]et(?!Connection|Socket)|[Ll]oad|[Ll]ookup|[Ff]ind|[Pp]eek|fmt|[Ff]d"
"""Functions whose result another owner keeps."""

CONVERTS = (
    r"u?int(?:8|16|32|64|ptr)?|C\.int|unsafe\.Pointer|string"
    r"|(?:\w+\.)?(?!(?i:send|recv|put|write|get|dup|stat|sync|read))\w*(?:[Ff]d|FD|Handle|Descriptor)"
)
"""Conversions, whose result is still the descriptor."""

FORKS = r"ForkLock\.\w+|Exec"
"""Calls that keep others from starting a program, or start one that is meant to inherit."""

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
