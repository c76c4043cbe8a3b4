"""Decodes the bytes of a Python file, by PEP 263.

The file names its encoding, and the name may be that of any codec of Python. Some codecs decompress, others are not
character sets at all. fdlint uses only those that Python itself accepts for a source file.
"""

from __future__ import annotations

import codecs
import io
import tokenize

# Python accepts none of these except idna. Both idna and punycode take quadratic time.
_NO_CHARACTER_SETS = frozenset({"idna", "punycode", "undefined"})
_LONGEST = 1_000  # bytes of a line that may declare an encoding: codecs remember each name that they do not know


def encoding_of(data: bytes) -> str:
    """Returns the encoding that a file declares, or UTF-8. Raises ``LookupError`` for an unknown encoding or one that
    is not a text encoding, and ``SyntaxError`` for a declaration that contradicts itself."""
    lines = io.BytesIO(data)

    def line() -> bytes:
        read = lines.readline()
        return read if len(read) <= _LONGEST else read[:_LONGEST].decode("utf-8", "ignore").encode()

    name, _ = tokenize.detect_encoding(line)
    info = codecs.lookup(name)
    if not getattr(info, "_is_text_encoding", True) or info.name in _NO_CHARACTER_SETS:
        raise LookupError(f"{name} is not a text encoding")
    return name


def decoded(data: bytes) -> tuple[str, str]:
    """Returns a file's text and its encoding. Raises ``UnicodeError``, and the errors of ``encoding_of``."""
    encoding = encoding_of(data)
    return data.decode(encoding), encoding
