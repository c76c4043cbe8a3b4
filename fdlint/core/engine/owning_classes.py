"""Finds the calls that create an object which owns a descriptor, now or later."""

from __future__ import annotations

from fdlint.core.domain.owner import OwnerClass
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.ir import Call, Graph
from fdlint.program.facts import is_constructor
from fdlint.program.overrides import subclasses_of
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.grounds import REST


def class_created(context: AnalysisContext, file: File, caller: Graph, call: Call) -> OwnerClass | None:
    """Returns the class of the object that a call creates, if its objects own a descriptor; None otherwise."""
    callee = call.callee
    if context.owners is None or caller.language.records or callee.inherited or callee.variable is not None:
        return None
    constructs = callee.constructs or callee.dotted is not None or (callee.owner is None and callee.receiver is None)
    if not constructs or (callee.dotted is not None and context.catalog.lookup(callee.dotted)):
        return None
    name, of_class = callee.owner or callee.dotted or callee.name, callee.constructs and callee.owner is not None
    key = file, name, of_class
    if key not in context.creating:
        found = context.program.class_at(file, name, thorough=False)
        made = context.owners.of(context, *found) if found is not None else None
        if found is not None and of_class and subclasses_of(*found):
            made = None  # `cls()` may create an object of a subclass
        context.creating[key] = made
    known = context.creating[key]
    if known is not None:
        assert isinstance(known.home, File)
        context.program.consulted.note(file.unit(caller.name or REST), [Unit(known.home, known.name)])
    return known


def makes_owner(context: AnalysisContext, function: Function) -> bool:
    """Whether a function is a method of a class whose objects own a descriptor, or of a base of one, and may be the one
    that acquires: the constructor, or a method that fills an object."""
    owner, owners = function.owner, context.owners
    if owners is None or owner is None:
        return False
    known = (owners.of(context, function.file, one) for one in (owner, *subclasses_of(function.file, owner)))
    method = (function.name or "").rpartition(".")[2]
    return any(one is not None and (method in one.fills or is_constructor(function.unit)) for one in known)
