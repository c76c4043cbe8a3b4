"""SARIF against the official schema, and in Microsoft's validator, both of which the npm package of the latter has."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sample

import fdlint
from fdlint.cli.formats import rulebook
from fdlint.report import sarif
from fdlint.report.findings.audited import Audited, Revision
from fdlint.report.findings.finding import Report, Skipped, Trend

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install 'fdlint[test]'")
EXAMPLES = Path(__file__).parent.parent / "examples"
RULES = rulebook()
NOT_OURS = "SARIF2005"  # a tool should have a home page: fdlint has none yet
NASTY = "50 % of `x`,\r\nof y: \x1b[31m\ud800 ]]> & <b>"


@cache
def package() -> Path | None:
    """Where npm has put the validator for this platform, with the schema beside it."""
    program = shutil.which("sarif-multitool")
    homes = (parent for parent in Path(program).resolve().parents if parent.name == "@microsoft") if program else ()
    found = (schema for home in homes for schema in sorted(home.glob("sarif-multitool-*/sarif-2.1.0.json")))
    return next((schema.parent for schema in found), None)


pytestmark = pytest.mark.skipif(
    package() is None,
    reason="the SARIF validator, which has the schema, is not on the PATH: npm install @microsoft/sarif-multitool",
)


def examples() -> Report:
    return fdlint.scan_paths([EXAMPLES])


def nasty() -> Report:
    span = sample.span(4, 7, 33, "a b/ü:\udcff%,.py")
    skipped = (Skipped("bad\udcff name.py", NASTY), Skipped("other.go", "not checked"))
    return sample.report(sample.finding(message=NASTY, span=span), skipped=skipped)


def whole() -> Report:
    revision = Revision("/a", "0123456789abcdef0123456789abcdef01234567", "main", "https://example.org/a")
    return dataclasses.replace(nasty(), shard="1/4", scans=(Audited("/a", revisions=(revision,)),))


def compared() -> Report:
    found = [sample.finding(fingerprint=str(number), span=sample.span(number, 1, 2)) for number in (1, 2, 3)]
    return dataclasses.replace(
        sample.report(*found[:2]), trend=Trend("old.json", (found[0],), (found[2],), (found[1],))
    )


REPORTS = {
    "examples": examples,
    "nasty": nasty,
    "empty": sample.report,
    "all there is": whole,
    "without trace": lambda: sample.report(sample.finding(trace=(), function=None, api=None)),
    "compared": compared,
    "an unknown rule": lambda: sample.report(sample.finding(code="FD999")),
}


@pytest.fixture(params=REPORTS)
def log(request: pytest.FixtureRequest) -> str:
    if request.param == "all there is":
        request.getfixturevalue("monkeypatch").setattr("fdlint.links.HOME", "https://code.example/someone/fdlint")
    text = sarif.render(REPORTS[request.param](), RULES)
    assert request.param != "examples" or text.count('"ruleId"') > 5
    return text


def errors(document: Any) -> list[str]:
    home = package()
    assert home is not None
    schema = json.loads((home / "sarif-2.1.0.json").read_text(encoding="utf-8-sig"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    checker = validator.FORMAT_CHECKER
    return [error.message for error in validator(schema, format_checker=checker).iter_errors(document)]


def test_the_schema(log: str) -> None:
    assert errors(json.loads(log)) == []


def test_the_schema_would_say_what_is_wrong() -> None:
    document = json.loads(sarif.render(nasty(), RULES))
    document["runs"][0]["results"][0]["level"] = "fatal"
    document["runs"][0]["surprise"] = True
    assert len(errors(document)) == 2


def complaints(text: str, folder: Path) -> list[str]:
    """The errors and warnings of the validator."""
    home = package()
    assert home is not None
    (folder / "log.sarif").write_text(text, encoding="utf-8")
    command = [home / "Sarif.Multitool", "validate", "log.sarif"]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 files scanned" in done.stdout
    return [line for line in done.stdout.splitlines() if ": error " in line or ": warning " in line]


def test_the_validator(log: str, tmp_path: Path) -> None:
    assert [line for line in complaints(log, tmp_path) if NOT_OURS not in line] == []


def test_the_validator_would_say_what_is_wrong(tmp_path: Path) -> None:
    document = json.loads(sarif.render(nasty(), RULES))
    del document["runs"][0]["results"][0]["message"]
    assert "message" in complaints(json.dumps(document), tmp_path)[0]
