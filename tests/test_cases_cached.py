"""Golden cases in one directory: no finding depends on the cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from msgspec import inspect

from fdlint.report.findings.finding import FileResult, Report
from fdlint.scan.cache import open_cache, prints
from fdlint.scan.cache.cache import Cache
from fdlint.scan.cache.store import Contents
from fdlint.scan.files.discover import discover
from fdlint.scan.scan import scan
from tests.test_cases import EVERYTHING, case_files
from tests.test_go_cases import CASES as GO_CASES

_CLOSED = (
    *(inspect.StrType, inspect.IntType, inspect.BoolType, inspect.NoneType, inspect.BytesType, inspect.EnumType),
    *(inspect.DataclassType, inspect.StructType, inspect.NamedTupleType, inspect.UnionType, inspect.RawType),
    *(inspect.VarTupleType, inspect.TupleType, inspect.ListType, inspect.FrozenSetType, inspect.DictType),
)


def code(case: Path) -> bytes:
    text: str = yaml.safe_load(case.read_bytes())["code"]
    return text.encode()


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A directory with the code of every 30th case. Each case of Go is a package."""
    top = tmp_path / "cases"
    places = {one: top / "python" / one.parent.name / f"{one.stem}.py" for one in case_files()[::30]}
    places |= {one: top / "go" / one.stem / "case.go" for one in GO_CASES[::30]}
    for case, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(code(case))
    return top


def said(report: Report) -> Report:
    """The report without the time it took."""
    return replace(report, summary=replace(report.summary, seconds=0.0))


def test_cases(cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prints, "_TICK", -(10**12))  # files that were only just written count as old
    kept: list[str] = []
    keep = Cache.keep

    def keeping(self: Cache, file, *rest) -> None:
        kept.append(file.shown)
        keep(self, file, *rest)

    monkeypatch.setattr(Cache, "keep", keeping)
    options, files = replace(EVERYTHING, jobs=1), discover([cases]).files
    reports = []
    for analysed in (True, False):
        kept.clear()
        reports.append(said(scan(files, options, None, open_cache(cases.parent / "cache"))))
        assert (kept != []) is analysed
        assert reports[-1].skipped == ()
    assert {one.language for one in reports[0].findings} == {"python", "go"}
    assert reports[0] == reports[1]


def types_in(record: inspect.Type) -> Iterator[inspect.Type]:
    """The types that a value of a type can contain."""
    yield record
    for name in ("fields", "types", "item_types"):
        for one in getattr(record, name, ()):
            yield from types_in(one.type if isinstance(one, inspect.Field) else one)
    for name in ("item_type", "key_type", "value_type"):
        if isinstance(getattr(record, name, None), inspect.Type):
            yield from types_in(getattr(record, name))


@pytest.mark.parametrize("record", [FileResult, Contents])
def test_the_cache_can_store_each_type_of_its_records(record: type) -> None:
    open_ended = {str(one) for one in types_in(inspect.type_info(record)) if not isinstance(one, _CLOSED)}
    assert open_ended == set()
