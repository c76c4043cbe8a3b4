"""Finds the class of an object by what the text of a file tells: a function returned it, or a field holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.program.handed import Defining, classes_named
from fdlint.program.usage import Definition, Usage, full_name, last_name, means

_RESULT = "()"
_FIELD = "->"
_MAX_STEPS = 8  # from one class to the next


def result_of(function: str) -> str:
    """Returns a name for the class of what a function returns, by the full name of the function."""
    return f"{function}{_RESULT}"


def field_of(kind: str, name: str) -> str:
    """Returns a name for the class of what a field holds. ``kind``: the class of the object with that field."""
    return f"{kind}{_FIELD}{name}"


def is_name(kind: str) -> bool:
    """Whether it is the full name of a class already."""
    return not kind.endswith(_RESULT) and _FIELD not in kind


@dataclass(slots=True)
class Kinds:
    """Answers for one project. It remembers its answers."""

    project: Defining
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, usage: Usage) -> str:
        """Returns the full name of a class, from its name at a mention; empty if it is not known. What comes from code
        outside of the project is no object of the project: its name stays as it is."""
        key = kind, usage.module
        if key not in self._known:
            self._known[key] = self._resolved(kind, usage.module, _MAX_STEPS)
        return self._known[key]

    def _resolved(self, kind: str, module: str, steps: int) -> str:
        if not steps:
            return ""
        if kind.endswith(_RESULT):
            function = kind.removesuffix(_RESULT)
            found = next(self._functions(function), None)
            if found is not None:
                return self._resolved(found.gives, module, steps - 1)
            return "" if function.rpartition(".")[0] == module else kind
        owner, marked, name = kind.rpartition(_FIELD)
        if not marked:
            return kind
        holder = self._resolved(owner, module, steps - 1)
        if not holder:
            return ""
        classes = [one for _, one in classes_named(self.project, holder)]
        held = next((of for one in classes for known, of in one.fields if known == name), "")
        return self._resolved(held, module, steps - 1) if classes else kind

    def _functions(self, full: str) -> Iterator[Definition]:
        """Yields the functions of a full name that say what they return."""
        name = last_name(full)
        for usage in self.project.defining(name, full):
            for one in usage.defined.get(name, ()):
                if not one.owner and means(full, full_name(usage, one.name)):
                    yield one
