from __future__ import annotations

import dataclasses
import json
import typing

import sample

from fdlint.core.finding import Severity
from fdlint.report.findings.finding import Skipped
from fdlint.report.findings.silencing import Means, Silencing
from fdlint.report.jsonv1 import render


def test_the_whole_document() -> None:
    findings, paths = {Means.COMMENTS: 2}, {Means.EXCLUDE: 3}
    silencing = Silencing(findings, paths, 1, ("FD205",), ("os.open",), ("fdlint.toml",))
    report = sample.report(sample.finding(), skipped=(Skipped("bad.py", "cannot be parsed"),))
    assert json.loads(render(dataclasses.replace(report, silencing=silencing))) == {
        "version": 1,
        "findings": [
            {
                "code": "FD102",
                "name": "not-closed-on-path",
                "severity": "error",
                "language": "python",
                "path": "pkg/mod.py",
                "line": 4,
                "column": 7,
                "end_line": 4,
                "end_column": 33,
                "message": "`fd` from os.open() is not closed on every path",
                "function": "copy",
                "api": "os.open",
                "fingerprint": "0123456789abcdef",
                "confidence": "high",
                "impact": {"level": "medium", "reason": "its callers are outside this project"},
                "assumptions": [],
                "in_tests": False,
                "trace": [
                    {
                        "event": "acquired",
                        "path": "pkg/mod.py",
                        "line": 4,
                        "column": 7,
                        "message": "`fd` is opened here",
                    },
                    {
                        "event": "branch",
                        "path": "pkg/mod.py",
                        "line": 5,
                        "column": 2,
                        "message": "taken when `not path`",
                    },
                    {
                        "event": "leaked",
                        "path": "pkg/mod.py",
                        "line": 6,
                        "column": 3,
                        "message": "returns with `fd` open",
                    },
                ],
            }
        ],
        "skipped": [{"path": "bad.py", "reason": "cannot be parsed"}],
        "summary": {
            "files": 1102,
            "files_analysed": 37,
            "lines": 98765,
            "seconds": 0.812,
            "counts": {"FD102": 1},
            "silenced": 0,
            "baselined": 0,
            "unchanged": 0,
            "silencing": {
                "findings": {"comments": 2},
                "paths": {"exclude": 3},
                "lowered": 1,
                "rules": ["FD205"],
                "models": ["os.open"],
                "configurations": ["fdlint.toml"],
            },
            "persona": None,
            "hidden": {},
            "show_hidden": {},
        },
        "code": {"pkg/mod.py": {str(number): sample.SOURCE[number - 1] for number in range(2, 8)}},
    }


def test_what_is_not_known_is_null() -> None:
    found = sample.finding(function=None, api=None, severity=Severity.WARNING, trace=())
    (document,) = json.loads(render(sample.report(found)))["findings"]
    assert (document["function"], document["api"], document["severity"], document["trace"]) == (
        None,
        None,
        "warning",
        [],
    )


def test_any_path_gives_valid_utf8() -> None:
    found = sample.finding(span=sample.span(1, 1, 2, path="\udcff\x1b\u202e.py"), message="\ud800")
    text = render(sample.report(found, skipped=(Skipped("\udc80", "\udc80"),)))
    assert text.isascii()
    document: typing.Any = json.loads(text)
    assert document["findings"][0]["path"] == "\ufffd\x1b\u202e.py"
    assert document["skipped"] == [{"path": "\ufffd", "reason": "\ufffd"}]
