"""``fdlint record`` lets Python programs record which lines acquire their descriptors."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import click

from fdlint.cli.output import emit

_NAME = "fdlint_record.pth"
_LINE = (
    "import os; os.environ.get('FDLINT_RECORD') and "
    "__import__('fdlint.runtime.recording.recording', fromlist=['x']).begin_from_environment()\n"
    "import os; os.environ.get('FDLINT_WATCHDOG') and "
    "__import__('fdlint.runtime.recording.watchdog', fromlist=['x']).begin_from_environment()\n"
)


@click.command(short_help="Switch the recording of descriptors on or off.")
@click.argument("action", type=click.Choice(("enable", "disable")))
def record(action: str) -> int:
    """Let the programs of this Python record which lines acquire their descriptors, for `fdlint doctor --record`.

    `enable` writes the file fdlint_record.pth beside the packages of the Python that runs fdlint; `disable` removes it.
    The file does nothing unless the environment variable FDLINT_RECORD names a directory. Each process of a program
    that starts with it then keeps a file there, and removes it at its end. FDLINT_WATCHDOG=1 instead records nothing
    until half of the limit is reached, and reports the lines to standard error when the table is nearly full, or to the
    file that it names.
    """
    if sys.platform != "linux":
        raise click.ClickException("fdlint record reads the procfs of Linux; this system has none")
    file = Path(sysconfig.get_paths()["purelib"]) / _NAME
    try:
        if action == "enable":
            file.write_text(_LINE, encoding="utf-8")
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None
    emit(f"written: {file}; start programs with FDLINT_RECORD=DIR" if action == "enable" else f"removed: {file}")
    return 0
