"""The mechanisms of the engine that the ledger measures: their names, and what takes their place when they are off."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

CORE = "fdlint.core"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of fdlint. ``module`` and ``name`` tell where it is; ``off`` takes its place: it gets the function
    itself and its arguments. ``instead``: the same as text."""

    module: str
    name: str
    instead: str

    def find(self) -> FunctionType:
        """Returns the function itself, behind a cache or a property."""
        found: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            found = inspect.getattr_static(found, part)
        found = getattr(found, "fget", found)
        found = getattr(found, "__wrapped__", found)
        if not isinstance(found, FunctionType):
            raise TypeError(f"{self.module}:{self.name} is no function")
        return found

    def lines(self) -> int:
        """Returns the number of its lines."""
        return len(inspect.getsourcelines(self.find())[0])

    def limits(self) -> int:
        """Returns the number of constants of its module that it uses: limits and the like."""
        function = self.find()
        used = (function.__globals__.get(name) for name in function.__code__.co_names if name.isupper())
        return sum(isinstance(one, int) for one in used)

    def off(self) -> Callable[..., Any]:
        """Returns what takes its place."""
        found: Callable[..., Any] = eval(self.instead, self.find().__globals__)  # written in this file
        return found


def replaced(function: FunctionType, by: Callable[..., Any]) -> None:
    """Makes a function do what another does, in every module that has imported it. Lasts as long as the process."""
    name = f"_instead_of_{function.__qualname__.replace('.', '_')}"
    function.__globals__[name] = by
    scope: dict[str, Any] = {}
    exec(f"def it(*args, **kwargs): return {name}(*args, **kwargs)", scope)
    function.__code__ = scope["it"].__code__


def copied(function: FunctionType) -> FunctionType:
    """Returns a copy that ``replaced`` leaves alone."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


_NOTHING = "lambda *_, **__: None"
_FALSE = "lambda *_, **__: False"
_TRUE = "lambda *_, **__: True"
_NONE_OF = "lambda *_, **__: iter(())"
_EMPTY = "lambda *_, **__: frozenset()"
_WORDS = "fdlint.catalog.naming"
_GO = "fdlint.languages.go.naming"
_ELSEWHERE = {
    "takes_over_in_go": (_GO, "takes_over"),
    "only_looks": (_WORDS, "Naming.only_looks"),
}


def _word(name: str) -> tuple[Function, ...]:
    home, function = _ELSEWHERE.get(name, (_WORDS, name))
    return (Function(home, function, _FALSE),)


def _one(module: str, name: str, instead: str) -> tuple[Function, ...]:
    return (Function(f"{CORE}.{module}" if not module.startswith("fdlint") else module, name, instead),)


MECHANISMS: Mapping[str, tuple[Function, ...]] = {
    "ownership_hints": _one("engine.ownership_hints", "entrusted", "lambda *_: {}"),
    "lenders": _one("engine.borrowed", "Lenders.closes", _NONE_OF),
    "feasibility": _one("engine.feasibility", "Correlations.may_exclude_each_other", _FALSE),
    "path_conditions": _one(
        "engine.path_conditions", "symbols", "lambda state, asked, call, values: (list(values), set())"
    ),
    "rechecked": _one("dataflow.rechecked", "foregone", _EMPTY),
    "unseen_numbers": _one("engine.models.standard_streams", "unseen_numbers", "lambda *_: Unseen(False, False)"),
    "stream_number": _one("engine.models.standard_streams", "stream_number", _NOTHING),
    "free_number": _one("domain.state", "State.free_number", _NOTHING),
    "exit_stack": _one("engine.models.exit_stack", "closed_on_exit", _NONE_OF),
    "failing_call": _one("engine.models.invalid_calls", "failing_call", _NOTHING),
    "failing_method": _one("engine.models.invalid_calls", "failing_method", _NOTHING),
    "failing_entry": _one("engine.models.invalid_calls", "failing_entry", _NOTHING),
    "passed_functions": _one("engine.passed_functions", "only_used", _EMPTY),
    "starts": _one("engine.start_states", "starts", "lambda start, _: iter((start,))"),
    "leave_out": _one("objects.typestate", "StateExplorer._leave_out", _NOTHING),
    "abandon": _one("objects.typestate", "StateExplorer._abandon", _NOTHING),
    "gives_itself": _one("objects.class_view", "Members.gives_itself", _FALSE),
    "object_flags": _one("objects.class_view", "_flags", "lambda *_: []"),
    "is_owned": _one("objects.violations", "_is_owned", _TRUE),
    "stranded": _one("objects.violations", "stranded", _NONE_OF),
    "lives_for_good": _one("objects.keepers", "Keepers._lives_for_good", _FALSE),
    "entrusted_keeper": _one("objects.keepers", "Keepers._entrusted", _NOTHING),
    "embeds": _one("objects.keepers", "Keepers._embeds", _FALSE),
    "has_an_end": _one("objects.keepers", "Keepers._has_an_end", _TRUE),
    "released_given": _one("objects.release", "Releases.given", _FALSE),
    "released_lends": _one("objects.release", "Releases._lends", _FALSE),
    "released_names": _one("objects.release", "Releases.names", _FALSE),
    "vouched": _one("engine.assumed", "_left_it", _FALSE),
    "blurred": _one("engine.misuse", "_note_blurred", _NOTHING),
    "only_one": _one("engine.models.undecoded", "only_one", _NOTHING),
    "none_came": _one("engine.transfer", "none_came", _FALSE),
    "leave_to_borrower": _one("engine.transfer", "leave_to_borrower", _NOTHING),
    "closed_before": _one("engine.apply_summary", "_closed_before", _NOTHING),
    "spare_ended": _one("engine.apply_summary", "_spare_ended", _NOTHING),
    "note_rarity": _one("engine.apply_summary", "_note_rarity", _NOTHING),
    "spare": _one("domain.apply_event", "spare", _NOTHING),
    "may_be_related": _one("engine.explore", "_may_be_related", _FALSE),
    "symbolic_parameters": _one("engine.symbolic_parameters", "SymbolicParameters.meet", "lambda *_: {}"),
    "symbolic_doubt": _one("engine.symbolic_parameters", "SymbolicParameters.doubt", _NOTHING),
    "doubt_owners": _one("domain.state", "State.doubt_owners", _NOTHING),
    "trust": _one("engine.transfer_call", "CallTransfer._trust", _NOTHING),
    "passes_on": _one("engine.transfer_call", "CallTransfer._passes_on", _FALSE),
    "inherit": _one("engine.passed_functions", "captured_by", "lambda *_: set()"),
    "is_chosen": _one("engine.transfer_call", "CallTransfer._is_chosen", _FALSE),
    "note_deferred": _one("engine.transfer_call", "CallTransfer._note_deferred", _NOTHING),
    "give_record": _one("engine.transfer_call", "CallTransfer.give_record", _NOTHING),
    "answered_for": _one("engine.misuse", "_is_answered_for", _FALSE),
    "of_finalized": _one("engine.misuse", "_is_alone", _FALSE),
    "types_asked_again": _one("engine.prune", "Pruner._types_asked_again", "lambda *_: set()"),
    "control_messages": _one("engine.models.control_messages", "told_by_kind", _NOTHING),
    "guards": _one("engine.inheritance", "_guarded", _NONE_OF),
    "runs_elsewhere": _one("engine.inheritance", "_runs_elsewhere", _FALSE),
    "ends_with_holder": _one("engine.registrations", "ends_with_holder", _TRUE),
    **{
        f"naming.{name}": _word(name)
        for name in (
            "hardly_raises",
            "wraps",
            "is_log",
            "works_on",
            "gives_up",
            "tells",
            "only_looks",
            "minds_its_own",
            "calls_close",
            "is_assertion",
            "expects_failure",
            "replaces",
            "ends_object",
            "begins_life",
            "ends_life",
            "closes_object",
            "holds_class",
            "means_rights",
            "takes_over",
            "is_constructor",
            "takes_over_in_go",
        )
    },
}
