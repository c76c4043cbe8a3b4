"""Converts Semgrep's results to findings. The metadata of a rule has its code and the meaning of its range."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from fdlint.catalog.go_names import RIGHTS, SENDS
from fdlint.checks import all_rules, by_code
from fdlint.findings.finding import Confidence, Event, EventKind, Finding, Severity, Skipped, Span
from fdlint.go.text import GoText

_SEVERITIES = {"ERROR": Severity.ERROR}
_CONFIDENCE = {one.value: one for one in Confidence}
_CALL = re.compile(r"from `(?P<call>[^`]+)`")
_SENT = re.compile(rf"(?:{RIGHTS}|{SENDS})\(")
_CODE = re.compile(r" \(FD\d+\)$")
_API = re.compile(r"[\w.]+(?=\()")
_VARIABLE = re.compile(r"^`(?P<name>[\w.]+)`")
_LEAK = re.compile(r"FD1\d\d")


def findings(results: Iterable[Mapping[str, Any]], text: GoText) -> list[Finding]:
    """Returns Semgrep's results for one file as findings, without repetition."""
    found: dict[tuple[str, Span], Finding] = {}
    for result in sorted(results, key=lambda result: (result["start"]["line"], result["start"]["col"])):
        finding = _finding(result, text)
        found.setdefault((finding.code, finding.span), finding)
    return list(found.values())


def unknown(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Returns the ids of those rules whose metadata has no code and name of a rule of fdlint."""
    return sorted({str(one.get("check_id")).rpartition(".")[2] for one in results if not is_known(one)})


def is_known(result: Mapping[str, Any]) -> bool:
    """Whether the metadata of a result's rule has the code of a rule of fdlint."""
    metadata = result["extra"].get("metadata") or {}
    return metadata.get("fdlint") in {one.rule.code for one in all_rules()}


def _finding(result: Mapping[str, Any], text: GoText) -> Finding:
    extra = result["extra"]
    metadata = extra["metadata"]
    message = " ".join(_CALL.sub(_without_arguments, _CODE.sub("", extra["message"])).split())
    start, end = result["start"], result["end"]
    matched = Span(text.path, start["line"], start["col"], end["line"], end["col"])
    called = _CALL.search(extra["message"])
    shows = metadata.get("range", "call")
    place = _pointed_at(matched, called["call"] if called else None, shows, text)
    return Finding(
        code=metadata["fdlint"],
        name=by_code(metadata["fdlint"]).rule.name,
        severity=_SEVERITIES.get(extra["severity"], Severity.WARNING),
        span=place,
        message=message,
        function=text.function(place.line),
        api=_api(place, text),
        fingerprint="",
        trace=tuple(_story(metadata["fdlint"], place, matched, shows, message, text)),
        language="go",
        confidence=_CONFIDENCE.get(str(metadata.get("confidence")).lower(), Confidence.MEDIUM),
    )


def _pointed_at(matched: Span, call: str | None, shows: str, text: GoText) -> Span:
    """Returns the range of the acquiring call, or the last part of a misuse: the second close, the use."""
    if shows == "misuse":
        return text.last_close(matched) or text.whole_line(matched.end_line)
    if shows == "return" and call is not None:
        return text.before(matched.line, call) or matched
    return matched


def _without_arguments(called: re.Match[str]) -> str:
    """Returns the call as messages name it, in Go as in Python: ``from unix.Open()``."""
    name = _API.match(called["call"])
    return f"from {name[0].lstrip('.')}()" if name else " ".join(called[0].split())


def _api(place: Span, text: GoText) -> str | None:
    line = text.lines[place.line - 1] if place.line <= len(text.lines) else ""
    found = _API.match(line, place.column - 1)
    return found[0].lstrip(".") if found else None


def _story(code: str, place: Span, matched: Span, shows: str, message: str, text: GoText) -> Iterable[Event]:
    if shows == "misuse":
        yield Event(EventKind.CLOSED, text.whole_line(matched.line), "closed or handed over")
        return
    if not _LEAK.fullmatch(code):
        return
    api = _api(place, text)
    by = f" by {api}()" if api is not None else " here"
    if code == "FD109":
        yield Event(EventKind.RECEIVED, place, f"received{by}")
    else:
        yield Event(EventKind.ACQUIRED, place, f"acquired{by}")
    if code == "FD104":
        named = _VARIABLE.match(message)
        sent = _sending(place, named["name"] if named else "", text)
        if sent is not None:
            yield Event(EventKind.SENT, sent, "sent to another process, which gets a copy")
    if shows == "return":
        branch = text.branch(matched)
        if branch is not None and branch.line > place.line:
            yield Event(EventKind.BRANCH, branch, "this branch is taken")
        yield Event(EventKind.LEAKED, matched, "still open at this return")
    else:
        yield Event(EventKind.LEAKED, text.way_out(place.line), "still open when the function returns")


def _sending(place: Span, name: str, text: GoText) -> Span | None:
    """Returns the first later call that sends and mentions the variable."""
    for number in range(place.line, text.end(place.line) + 1):
        line = text.lines[number - 1]
        if _SENT.search(line) and re.search(rf"\b{re.escape(name)}\b", line):
            return text.whole_line(number)
    return None


def by_path(items: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Groups results or errors by their file. Those without a file have the empty name."""
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for item in items:
        grouped[str(item.get("path") or "")].append(item)
    return grouped


def skipped(errors: Iterable[Mapping[str, Any]], path: str) -> tuple[Skipped, ...]:
    """Returns Semgrep's errors about a file, each kind once."""
    reasons = dict.fromkeys(f"Semgrep: {_kind(error)}" for error in errors)
    return tuple(Skipped(path, reason) for reason in reasons)


def _kind(error: Mapping[str, Any]) -> str:
    kind = error.get("type")
    name = kind if isinstance(kind, str) else str(kind[0]) if isinstance(kind, list) and kind else "error"
    rule = str(error.get("rule_id") or "").rpartition(".")[2]
    said = "timed out" if "timeout" in name.lower() else _words(name)
    return f"{said}{f' in rule {rule}' if rule else ''}"


def _words(name: str) -> str:
    """Splits ``PartialParsing`` into words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
