"""Which calls may acquire, by their names alone."""

from __future__ import annotations

import pytest

from fdlint.catalog import default_catalog
from fdlint.core.ir import Call, Callee
from fdlint.program.relevance import Relevance

RELEVANCE = Relevance(default_catalog())


def method(name: str) -> Call:
    return Call("%1", Callee(name, receiver="thing"), ())


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("get", "options.get('width')", False),
        ("get", "fds = Gio.UnixFDList.new()\nfds.get(0)", True),
        ("recvmsg", "sock.recvmsg(1, 2)", True),
        ("close", "sock.close()", False),
    ],
)
def test_a_common_method_counts_in_a_file_that_has_its_words(name: str, text: str, answer: bool) -> None:
    assert RELEVANCE.acquires(method(name), text) is answer


def test_a_function_by_its_dotted_name_always_counts() -> None:
    assert RELEVANCE.acquires(Call("%1", Callee("pipe", "os.pipe"), ()), "")


def test_what_every_dict_has_is_most_likely_that_of_a_dict() -> None:
    assert not RELEVANCE.most_likely_acquires(method("get"), "UnixFDList")
    assert RELEVANCE.most_likely_acquires(method("recvmsg"), "")
