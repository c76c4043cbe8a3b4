"""Where the time of a scan goes, stage by stage, in one process.

Each stage is one or two functions of fdlint, and is charged with what they do themselves: what one stage takes while
another waits for it counts once. The clocks cost little, a profiler would double the times of what is called often.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STAGES = {
    "walk": ["fdlint.scan.files.discover:discover"],
    "read": ["fdlint.scan.reading.intake:read"],
    "prefilter": ["fdlint.scan.reading.search:Words.occur_in"],
    "comments": ["fdlint.scan.scan:with_comments"],
    "index": ["fdlint.languages.python.lowering.source:sketch"],
    "parse": [
        "fdlint.languages.python.lowering.source:parse",
        "fdlint.languages.python.lowering.source:Source.parse_more",
    ],
    "lower": [
        "fdlint.languages.python.lowering.module:lower_module",
        "fdlint.languages.python.lowering.module:lower_sketch",
        "fdlint.languages.python.lowering.module:_lower_piece",
    ],
    "dataflow": ["fdlint.core.engine.explore:solve"],
    "positions": ["fdlint.languages.python.lowering.source:Source.span"],
}


class Clocks:
    """Seconds by stage. A stage's clock stands still while another stage runs inside of it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(STAGES, 0.0)
        self._running: list[str] = []
        self._since = time.perf_counter()

    def _charge(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function with its stage's clock running."""

        @functools.wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            self._charge()
            self._running.append(stage)
            try:
                return function(*arguments, **named)
            finally:
                self._charge()
                self._running.pop()

        return run


def by_stage(root: Path) -> dict[str, float]:
    """Scans once and says how many seconds each stage took; ``everything else`` is the rest."""
    import fdlint.scan.analysis  # noqa: F401, PLC0415 - all modules are there before the first clock runs
    from fdlint.scan import scan as project  # noqa: PLC0415
    from fdlint.scan.files import discover  # noqa: PLC0415

    clocks = Clocks()
    for stage, places in STAGES.items():
        for place in places:
            _replace(place, functools.partial(clocks.timed, stage))
    started = time.perf_counter()
    files = [file for file in discover.discover([root]).files if not file.language.by_package]
    project.scan(files, project.Options(jobs=1))
    total = time.perf_counter() - started
    return {**clocks.seconds, "everything else": total - sum(clocks.seconds.values())}


def _replace(place: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, __import__(module, fromlist=["_"]))
    setattr(owner, name, change(getattr(owner, name)))
