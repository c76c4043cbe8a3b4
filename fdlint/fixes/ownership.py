"""Whether the closes that a change adds or drops are safe on every path, by what the engine says each of them finds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from fdlint.core.finding import Finding
from fdlint.fixes.trees import Change, Inserted, Removed, Wrapped
from fdlint.report.findings.closings import Closing, Standing

_Found: TypeAlias = frozenset[Standing]
_Key: TypeAlias = tuple[str | None, str, bool]
_OWN = frozenset({Standing.OPEN})
_ENDED = frozenset({Standing.CLOSED})
_AS_BEFORE = frozenset({Standing.OPEN, Standing.PASSED, Standing.SHARED, Standing.PAIRED, Standing.PARTED})
"""What a close may find that moves or stays: the function closed that before, so no call has kept it."""

_PASSED = frozenset({Standing.PASSED})
"""What a close may find that moves: the function closed it behind the call, which so has not kept it."""

_AS_ELSEWHERE = frozenset({Standing.PAIRED, Standing.PARTED})
"""What a new close may find if another close of the function finds it, too."""

_ON_EXCEPTION = frozenset({Standing.PARTED})
"""What a new close may find after an exception: whoever got the other end must not wait for this one."""


def are_safe(
    before: Iterable[Closing],
    after: Iterable[Closing],
    changes: Sequence[Change],
    finding: Finding,
    *,
    ended: Collection[Standing] = (),
) -> bool:
    """Whether a change that ends a finding keeps each descriptor with its owner: each new close finds, on every path,
    an open descriptor that only the function must close, each dropped one finds a closed one (if it is early, each one
    that is left finds an open one), one that moves finds the same as before, and no other comes too late now.
    ``ended``: what else a dropped one may find."""
    added = "\n".join(_code(one) for one in changes if isinstance(one, (Inserted, Wrapped)))
    dropped = "\n".join(one.code for one in changes if isinstance(one, Removed))
    early = any(isinstance(one, Removed) and one.early for one in changes)
    own = _OWN | (_ON_EXCEPTION if finding.code == "FD103" else _OWN)
    known, at = list(before), (finding.span.line, finding.span.column)
    old, new = _by_text(known), _by_text(after)
    if any(key[2] and new[key] - old[key] for key in new):
        return False  # it comes too late now
    for key in {key for key in (*old, *new) if key[0] == finding.function or old[key] != new[key]}:
        gone, come = list((old[key] - new[key]).elements()), list((new[key] - old[key]).elements())
        if key[1] in added:
            stays = all(one <= _AS_BEFORE for one in new[key])
            moves = key[1] not in dropped or _joined(gone) <= _joined(new[key])  # nothing stays that one of them closed
            fine = own | (_joined((*gone, _PASSED)) & _AS_BEFORE if gone else own) | (_joined(old[key]) & _AS_ELSEWHERE)
            if not stays or not moves or not all(one <= fine for one in come):
                return False
        elif _joined(come) - _joined(old[key]) >= _ENDED:
            return False
        elif gone and key[1] in dropped and early:
            if not new[key] or not all(one <= _OWN for one in new[key]):
                return False
        elif gone and key[1] in dropped:
            here = [one.found for one in known if one.span is not None and (one.span.line, one.span.column) == at]
            if not all(one and one <= _ENDED.union(ended) for one in here or old[key]):
                return False
    return True


def _joined(found: Iterable[_Found]) -> _Found:
    return frozenset[Standing]().union(*found)


def _by_text(closings: Iterable[Closing]) -> Mapping[_Key, Counter[_Found]]:
    """Returns what the closes of each function and each text find."""
    found: dict[_Key, Counter[_Found]] = defaultdict(Counter)
    for one in closings:
        found[one.function, one.text, one.stale][one.found] += 1
    return found


def _code(change: Inserted | Wrapped) -> str:
    return change.code if isinstance(change, Inserted) else change.rest
