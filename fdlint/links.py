"""The address of fdlint on the web: one setting for the publisher.

Reports, terminals and packages link to it. As long as the owner is a placeholder there are no links: a page of that
name may belong to a stranger.
"""

from __future__ import annotations

HOME = "https://github.com/OWNER/fdlint"
"""The address of the project's page, without a slash at its end."""
_PLACEHOLDER = "OWNER"


def home() -> str | None:
    """Returns the project's page; None while it is a placeholder."""
    return HOME if _PLACEHOLDER not in HOME.split("/") else None


def rule_page(code: str) -> str | None:
    """Returns the web page of a rule, such as FD101's; None while the project has no page."""
    top = home()
    return f"{top}/blob/main/docs/rules/{code}.md" if top is not None else None
