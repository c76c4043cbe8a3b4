"""The grounds of a result: what it depends on besides the text of its own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

REST = ""
"""The name of a file's code outside its definitions."""


class FilePrint(NamedTuple):
    """A file as other files see it: enough to tell whether a change in it can matter to them.

    ``digest``: that of the contents. ``flags``: the answers to all questions about the bytes of the file, such as
    whether it is read at all. ``parts``: a hash of the code of each top-level definition, after that of the ``REST``,
    in source order; comments do not count. It is empty for a file of which only the imports count. ``names``: a hash of
    the meaning of each name at the top level, and of each method. ``classes``: the bases of each class, in one text.
    """

    digest: str
    flags: str
    parts: dict[str, str]
    names: dict[str, str]
    classes: dict[str, str]


class Seen(NamedTuple):
    """How an analysis saw another file. ``key``: that of its print; empty if it has none. ``parts``: the parts that the
    analysis was led to; None if the result quotes the file, so that every line of it counts."""

    key: str
    parts: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Grounds:
    """The inputs of one result. ``files``: the other files that its imports led to, by path. ``modules``: the imports
    that were resolved: the directory in which imports start, the module's name, and its file (empty if there is none).
    ``prints``: by their keys, the prints that this process has not handed out before."""

    files: Mapping[str, Seen] = field(default_factory=dict)
    modules: frozenset[tuple[str, str, str]] = frozenset()
    prints: Mapping[str, FilePrint] = field(default_factory=dict)
