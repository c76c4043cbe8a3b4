"""A hook of MkDocs: in the navigation, an entry such as ``rules/go/*.md`` stands for all pages that match it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Entry = str | dict[str, Any]


def on_config(config: Any) -> Any:
    """Replace the patterns in ``nav``."""
    if config["nav"]:
        config["nav"] = _expanded(config["nav"], Path(config["docs_dir"]))
    return config


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
