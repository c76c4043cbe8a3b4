"""How the bytes of a Python file become text, by PEP 263.

The file names its encoding, and any codec of Python's answers to a name: some of them decompress, others are no
character sets at all. Only those that Python itself accepts for a source file are used.
"""

from __future__ import annotations

import codecs
import io
import tokenize

# Python accepts none of these but idna, which takes quadratic time, as punycode does.
_NO_CHARACTER_SETS = frozenset({"idna", "punycode", "undefined"})
_LONGEST = 1_000  # bytes of a line in which an encoding is looked for: codecs remember each name that they do not know


def encoding_of(data: bytes) -> str:
    """The encoding that a file declares, or UTF-8. Raises ``LookupError`` for one that is unknown or no text encoding,
    and ``SyntaxError`` for a declaration that contradicts itself."""
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
    """A file's text and its encoding. Raises ``UnicodeError`` as well as the above."""
    encoding = encoding_of(data)
    return data.decode(encoding), encoding
