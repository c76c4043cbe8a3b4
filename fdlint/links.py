"""Where fdlint lives on the web: one setting, for whoever publishes it.

Reports, terminals and packages link to it. As long as the owner is a placeholder, nothing links anywhere: a page of
that name may be a stranger's.
"""

from __future__ import annotations

HOME = "https://github.com/OWNER/fdlint"
"""The project's page, without a slash at its end."""
_PLACEHOLDER = "OWNER"


def home() -> str | None:
    """The project's page; None while it is a placeholder."""
    return HOME if _PLACEHOLDER not in HOME.split("/") else None


def rule_page(code: str) -> str | None:
    """The page of a rule on the web, such as FD101's; None while the project has no page."""
    top = home()
    return f"{top}/blob/main/docs/rules/{code}.md" if top is not None else None
