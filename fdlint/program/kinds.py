"""Finds the class of an object by what the text of a file tells: a function returned it, or a field holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.program.handed import Defining, classes_named
from fdlint.program.usage import Mention, Usage, full_name, last_name, means

_RESULT = "()"
_FIELD = "->"
MAX_STEPS = 8  # from one class to the next


def result_of(function: str) -> str:
    """Returns a name for the class of what a function or a method returns."""
    return f"{function}{_RESULT}"


def field_of(kind: str, name: str) -> str:
    """Returns a name for the class of what a field holds, or a method returns. ``kind``: the class of its object. Empty
    if that is not known, or too many steps away."""
    return f"{kind}{_FIELD}{name}" if kind and kind.count(_FIELD) < MAX_STEPS else ""


def is_name(kind: str) -> bool:
    """Whether it is the full name of a class already."""
    return not kind.endswith(_RESULT) and _FIELD not in kind


@dataclass(slots=True)
class Kinds:
    """Answers for one project. It remembers its answers."""

    project: Defining
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, mention: Mention, usage: Usage) -> str:
        """Returns the full name of the class of the object at a mention; empty if it is not known. What comes from code
        outside of the project is no object of the project: its name stays as it is."""
        kind = mention.kind
        if is_name(kind):
            return kind
        key = kind, usage.module
        if key not in self._known:
            self._known[key] = self._resolved(kind, usage.module, MAX_STEPS)
        return self._known[key]

    def _resolved(self, kind: str, module: str, steps: int) -> str:
        if not steps:
            return ""
        owner, marked, name = kind.rpartition(_FIELD)
        if not marked:
            return self._returned(kind, module, steps) if kind.endswith(_RESULT) else kind
        holder = self._resolved(owner, module, steps - 1)
        if not holder:
            return ""
        if not any(classes_named(self.project, holder)):
            return kind  # of another project
        held = next((of for of in self._held(holder, name) if of), "")
        return self._resolved(held, module, steps - 1)

    def _returned(self, kind: str, module: str, steps: int) -> str:
        """Returns the class of what a function returns."""
        function = kind.removesuffix(_RESULT)
        name = last_name(function)
        for usage in self.project.defining(name, function):
            for one in usage.defined.get(name, ()):
                if not one.owner and means(function, full_name(usage, one.name)):
                    return self._resolved(one.gives, module, steps - 1)
        return "" if function.rpartition(".")[0] == module else kind

    def _held(self, holder: str, name: str) -> Iterator[str]:
        """Yields the classes of what a field of a class holds, or a method returns, its own or that of a base."""
        method = name.removesuffix(_RESULT)
        pending, seen = [holder], {holder}
        for full in pending:
            for usage, known in classes_named(self.project, full):
                yield from (of for field, of in known.fields if field == name)
                for other in self.project.defining(method, usage.module) if method != name else ():
                    same = other.defined.get(method, ()) if other.module == usage.module else ()
                    yield from (one.gives for one in same if one.owner == known.name)
                pending += [one for one in known.bases if one not in seen]
                seen.update(known.bases)
