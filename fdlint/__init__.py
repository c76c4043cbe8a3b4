"""fdlint finds raw file descriptors that Python code acquires and then loses.

Programs call ``scan_paths`` and ``scan_source``; ``fdlint.report.findings.finding`` describes their results.
Importing the package imports nothing else until a program uses one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fdlint.version import __version__

if TYPE_CHECKING:
    from fdlint.api import scan_paths, scan_source

__all__ = ["__version__", "scan_paths", "scan_source"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from fdlint import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
