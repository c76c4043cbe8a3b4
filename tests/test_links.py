"""The one setting that says where fdlint lives on the web."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint import links
from fdlint.core.checks import all_rules
from tests.package import modules

PAGES = Path(__file__).parent.parent / "docs" / "rules"


def test_the_owner_is_set_in_one_place() -> None:
    owner = links.HOME.removeprefix("https://github.com/").partition("/")[0]
    lines = [
        (module.name, line) for module in modules() for line in module.text.split("\n") if f"github.com/{owner}" in line
    ]
    assert lines == [("links", f'HOME = "{links.HOME}"')]
    assert not links.HOME.endswith("/")


def test_a_placeholder_is_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "HOME", "https://github.com/OWNER/fdlint")
    assert (links.home(), links.rule_page("FD101")) == (None, None)


@pytest.mark.parametrize("code", [loaded.rule.code for loaded in all_rules()])
def test_each_rule_has_a_page(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(links, "HOME", "https://code.example/someone/fdlint")
    page = links.rule_page(code)
    assert page is not None
    assert page.startswith("https://code.example/someone/fdlint/")
    assert (PAGES / page.rpartition("/")[2]).is_file()
