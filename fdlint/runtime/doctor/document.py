"""The examination as JSON, version 1: a contract with its readers. Keys may be added, never renamed or removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fdlint.report.documents import as_json, sound
from fdlint.runtime.doctor.examination import Examination
from fdlint.runtime.doctor.held import Held, held
from fdlint.runtime.doctor.judging.verdict import Judgement
from fdlint.runtime.doctor.model import Connection, Descriptor, Process
from fdlint.runtime.doctor.suspects import Suspect
from fdlint.runtime.doctor.trail import Spot, Trail
from fdlint.runtime.doctor.watching import Growth

VERSION = 1


def render(found: Examination) -> str:
    """Returns the whole examination as one JSON object."""
    return as_json(document(found))


def document(found: Examination) -> dict[str, Any]:
    """Returns the object."""
    return {
        "version": VERSION,
        "processes": [_process(found, one) for one in found.snapshot.processes],
        "held": [_held(one) for one in held(found)],
        "fuse_connections": [_connection(one) for one in found.snapshot.connections],
        "ended": list(found.ended),
        "unseen": [{"pid": one.pid, "what": sound(one.what), "why": sound(one.why)} for one in found.snapshot.unseen],
        "complete": found.snapshot.complete,
    }


def _process(found: Examination, one: Process) -> dict[str, Any]:
    entry, limit, growth = one.entry, one.limit, found.growth(one)
    return {
        "pid": entry.pid,
        "name": sound(entry.name),
        "state": sound(entry.state),
        "parent": entry.parent,
        "open": len(one.descriptors) if one.descriptors is not None else None,
        "soft_limit": limit.soft if limit is not None else None,
        "hard_limit": limit.hard if limit is not None else None,
        "cgroup": sound(one.cgroup) if one.cgroup is not None else None,
        "pid_namespace": one.namespace,
        "descriptors": [_descriptor(one, each) for each in one.open],
        "blocked_threads": [
            {
                "tid": each.number,
                "name": sound(each.name),
                "state": sound(each.state),
                "wchan": each.waits_in and sound(each.waits_in),
            }
            for each in one.threads
            if each.state == "D" or each.waits_for_fuse
        ],
        "children": [
            {"pid": each.pid, "name": sound(each.name), "state": sound(each.state)}
            for each in found.snapshot.children(entry.pid)
        ],
        "shared": [
            {"kind": each.kind, "certain": each.certain, "descriptors": each.number, "pids": each.others(entry.pid)}
            for each in found.shared.get(entry.pid, ())
        ],
        "growth": _growth(growth) if growth is not None else None,
        "judgements": [_judgement(each) for each in found.of(one)],
        "recorded": _trails(found.trails.get(entry.pid)),
        "code": [_suspect(each) for each in found.suspects.get(entry.pid, ())],
    }


def _held(group: Held) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "name": sound(group.name),
        "files": group.number,
        "bytes": group.bytes,
        "holders": [
            {
                "pid": one.pid,
                "name": sound(one.process),
                "site": _spot(one.site) if one.site is not None else None,
                "api": sound(one.api),
                "findings": list(one.codes),
            }
            for one in group.holdings
        ],
    }


def _descriptor(process: Process, one: Descriptor) -> dict[str, Any]:
    details = one.details
    return {
        "number": one.number,
        "kind": one.kind.value,
        "name": sound(one.name),
        "link": sound(one.link),
        "inode": one.inode,
        "bytes": one.bytes,
        "flags": details.flags if details is not None else None,
        "position": details.position if details is not None else None,
        "refers_to": sound(details.refers_to) if details is not None and details.refers_to is not None else None,
        "tcp": process.tcp.get(one.inode) if one.inode is not None else None,
    }


def _growth(one: Growth) -> dict[str, Any]:
    return {
        "seconds": round(one.seconds, 3),
        "counts": list(one.counts),
        "new": len(one.fresh),
        "steady": one.is_steady,
        "seconds_until_full": round(one.seconds_left) if one.seconds_left is not None else None,
    }


def _judgement(one: Judgement) -> dict[str, Any]:
    return {
        "grade": one.grade.value,
        "pattern": one.pattern.name,
        "page": one.pattern.explained_by,
        "rules": list(one.pattern.codes),
        "title": sound(one.title),
        "evidence": [sound(each) for each in one.evidence],
        "commands": [sound(each) for each in one.commands],
        "descriptors": list(one.descriptors),
    }


def _suspect(one: Suspect) -> dict[str, Any]:
    return {
        "path": sound(one.site.path),
        "line": one.site.line,
        "code": sound(one.site.code),
        "api": one.site.api,
        "kind": one.kind.value,
        "open": one.open,
        "exact": one.exact,
        "findings": [{"code": each.code, "message": sound(each.message)} for each in one.findings],
    }


def _trails(trails: Sequence[Trail] | None) -> list[dict[str, Any]] | None:
    if trails is None:
        return None
    return [
        {
            "kind": one.kind,
            "name": sound(one.name) or None,
            "api": sound(one.api),
            "site": _spot(one.site) if one.site is not None else None,
            "stack": [_spot(each) for each in one.stack],
            "descriptors": list(one.numbers),
            "oldest": one.oldest,
            "newest": one.newest,
            "findings": list(one.codes),
        }
        for one in trails
    ]


def _spot(one: Spot) -> dict[str, Any]:
    return {"path": sound(one.path), "line": one.line, "function": sound(one.function)}


def _connection(one: Connection) -> dict[str, Any]:
    return {"number": one.number, "waiting": one.waiting, "mounts": [sound(place) for place in one.mounts]}
