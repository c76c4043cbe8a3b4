"""Runs a Python program under the sanitizer: ``python -m fdlint.runtime.sanitizer.program PROGRAM [ARGUMENT]...``.

The reports go to standard error, or to the file that ``FDLINT_SAN_REPORT`` names. The exit status is the program's own;
it is 66 instead of 0 if there is a report.
"""

from __future__ import annotations

import os
import runpy
import sys

from fdlint.runtime.recording.failures import is_own
from fdlint.runtime.sanitizer.placing import Placed
from fdlint.runtime.sanitizer.sanitizer import Offending, Sanitizer

REPORTS = "FDLINT_SAN_REPORT"
OFFENDED = 66
_write, _open, _close = os.write, os.open, os.close
_STDERR = 2


class _Reports:
    """Writes each report at once."""

    def __init__(self, file: str | None) -> None:
        self._file, self._root = file, os.getcwd()
        self.count = 0

    def __call__(self, one: Offending) -> None:
        from fdlint.runtime.sanitizer.words import told  # most programs need no report

        self.count += 1
        text = (told(one, self._root) + "\n").encode(errors="backslashreplace")
        try:
            if self._file is None:
                _write(_STDERR, text)
                return
            number = _open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                _write(number, text)
            finally:
                _close(number)
        except OSError as error:
            if not is_own(error):
                raise


def run(arguments: list[str]) -> None:
    """Runs a script, or a module after ``-m``. Raises what ends it."""
    file = os.environ.get(REPORTS)
    reports = _Reports(os.path.abspath(file) if file else None)
    is_module = arguments[0] == "-m"
    name = arguments[1] if is_module else arguments[0]
    sys.argv[:] = arguments[1:] if is_module else arguments
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(name))
    Placed(Sanitizer(reports)).start()
    try:
        if is_module:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(name, run_name="__main__")
    except SystemExit as ended:
        if ended.code not in (None, 0) or not reports.count:
            raise
    if reports.count:
        raise SystemExit(OFFENDED)


if __name__ == "__main__":
    run(sys.argv[1:])
