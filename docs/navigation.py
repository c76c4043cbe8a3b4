"""Hooks of MkDocs: patterns in the navigation, and pictures as parts of their pages.

In the navigation, an entry such as ``rules/go/*.md`` stands for all pages that match it. A picture of ``docs/pictures``
becomes part of the page, so its colours follow the scheme that the reader has chosen.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

Entry = str | dict[str, Any]
PICTURE = re.compile(r'<img alt="(?P<words>[^"]*)" src="[./]*/pictures/(?P<name>[\w-]+\.svg)" ?/?>')


def on_config(config: Any) -> Any:
    """Replace the patterns in ``nav``."""
    if config["nav"]:
        config["nav"] = _expanded(config["nav"], Path(config["docs_dir"]))
    return config


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Put the pictures into the page."""
    pictures = Path(config["docs_dir"]) / "pictures"
    return PICTURE.sub(lambda found: _inline(pictures / found["name"], unescape(found["words"])), output)


def _inline(picture: Path, words: str) -> str:
    """The drawing, with the words of the page as its description."""
    drawing = picture.read_text(encoding="utf-8")
    return re.sub(r"<title>.*?</title>", f"<desc>{escape(words)}</desc>", drawing, count=1)


def _expanded(entries: list[Entry], docs: Path) -> list[Entry]:
    found: list[Entry] = []
    for entry in entries:
        if isinstance(entry, str) and "*" in entry:
            found += [path.relative_to(docs).as_posix() for path in sorted(docs.glob(entry)) if path.stem != "index"]
        elif isinstance(entry, dict):
            found.append({title: _expanded(to, docs) if isinstance(to, list) else to for title, to in entry.items()})
        else:
            found.append(entry)
    return found
