"""The search for many words at once says what a plain search for each of them would say."""

from __future__ import annotations

import sys
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from fdlint.catalog import default_catalog
from fdlint.report.findings.finding import Wrapper, mentions
from fdlint.scan.reading.search import Words

# Few letters, so that words overlap, contain each other and occur.
text = st.text("ab_é", max_size=6)
alternatives = st.lists(st.lists(text.map(str.encode), max_size=3).map(tuple), max_size=6).map(tuple)
data = st.text("ab_é\n", max_size=40).map(str.encode)


def plain(alternatives: tuple[tuple[bytes, ...], ...], data: bytes) -> bool:
    return any(all(word in data for word in words) for words in alternatives)


@given(alternatives, data)
def test_it_finds_what_a_plain_search_finds(alternatives: tuple[tuple[bytes, ...], ...], data: bytes) -> None:
    assert Words(alternatives).occur_in(data) == plain(alternatives, data)


@given(st.lists(st.sampled_from(default_catalog().prefilter.alternatives), max_size=4), st.binary(), st.data())
def test_so_does_the_catalogs(chosen: list[tuple[bytes, ...]], noise: bytes, drawn: st.DataObject) -> None:
    words = [word for words in chosen for word in words]
    kept = drawn.draw(st.lists(st.sampled_from(words), max_size=6)) if words else []
    data = drawn.draw(st.sampled_from([b"", b"\n", noise])).join(kept)
    prefilter = default_catalog().prefilter
    assert prefilter.passes(data) == plain(prefilter.alternatives, data)


@given(st.frozensets(st.builds(Wrapper, text, text), max_size=6), data)
def test_so_do_the_names_of_wrappers(wrappers: frozenset[Wrapper], data: bytes) -> None:
    expected = plain(tuple((one.function.encode(), one.module.encode()) for one in wrappers), data)
    assert mentions(data, wrappers) == expected


def test_words_that_overlap_are_all_found() -> None:
    words = Words([(b"os.open", b"open_osfhandle", b"n_os")])
    assert words.occur_in(b"os.open_osfhandle")
    assert not words.occur_in(b"os.openosfhandle")


def test_nothing_to_look_for() -> None:
    assert not Words([]).occur_in(b"os.open")
    assert Words([()]).occur_in(b"")


@given(alternatives, data)
def test_without_the_library_it_finds_the_same(alternatives: tuple[tuple[bytes, ...], ...], data: bytes) -> None:
    with mock.patch.dict(sys.modules, {"ahocorasick_rs": None}):
        words = Words(alternatives)
    assert words.occur_in(data) == plain(alternatives, data)
