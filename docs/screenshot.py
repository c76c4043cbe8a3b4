"""Writes ``docs/finding.svg``: what a terminal shows of one example. Run it by hand when that has changed."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
COMMAND = ["fdlint", "scan", "examples/fuse_broker/buggy.py", "--select", "FD104"]
WIDTH = 112


def main() -> None:
    """Run the command in colour, and draw it."""
    shown = " ".join(COMMAND)
    command, environment = [sys.executable, "-m", *COMMAND], {**os.environ, "FORCE_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text.assemble(("$ ", "bold green"), shown))
    console.print(Text.from_ansi(done.stdout.rstrip()))
    drawing = console.export_svg(title="fdlint", unique_id="fdlint")
    # Fonts from elsewhere: whoever looks at the picture has one of their own.
    drawing = re.sub(r"@font-face \{.*?\}", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r"[ \t]+$", "", drawing, flags=re.MULTILINE)
    (ROOT / "docs" / "finding.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
