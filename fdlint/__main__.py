"""``python -m fdlint``."""

import sys

from fdlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
