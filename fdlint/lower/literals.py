"""What literals stand for.

Not by ``ast.literal_eval``, as libcst does it: that leaves three functions behind that know each other, which only the
garbage collector takes away, and it rests while fdlint scans. Nor is it fdlint's to warn of escapes in what it reads.
"""

from __future__ import annotations

import ast
import warnings

import libcst as cst


def string(node: cst.SimpleString) -> str | bytes:
    """The value of a single string; as it is written, if Python would not have it."""
    if "\\" not in node.value and "\r" not in node.value:
        return node.raw_value.encode() if "b" in node.prefix else node.raw_value
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = ast.parse(node.value, mode="eval").body
    except (SyntaxError, ValueError):
        return node.raw_value
    return parsed.value if isinstance(parsed, ast.Constant) and isinstance(parsed.value, (str, bytes)) else ""


def integer(node: cst.Integer) -> int:
    """The value of a number."""
    return int(node.value.replace("_", ""), base=0)
