"""Answers the questions of the analysis: what does this call do, is this type known, can this file matter?"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from fdlint.catalog.added import UnknownCalls
from fdlint.catalog.loader import load_default
from fdlint.catalog.model import Api, Fresh, NumberIn, Worker
from fdlint.catalog.naming import Naming
from fdlint.catalog.of_language import rules_of
from fdlint.catalog.prefilter import Prefilter, prefilter_of
from fdlint.catalog.shape import instance_types
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import MAIN


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """All entries by name. Alternatives are in the order of their file: the first whose conditions hold wins. Each
    catalog is equal to itself alone, so that it can be a key."""

    by_name: Mapping[str, tuple[Api, ...]]
    aliases: Mapping[str, str] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()  # the last names of the methods and attributes of known types
    giving_up: frozenset[str] = frozenset()  # types with a method that returns their own descriptor (detach)
    prefilter: Prefilter = field(default_factory=Prefilter)
    descriptors: Prefilter = field(default_factory=Prefilter)  # the same without the calls that create workers
    unknown_calls: UnknownCalls = UnknownCalls.USE
    naming: Naming = field(default_factory=Naming)
    constants: Mapping[str, object] = field(default_factory=dict)  # the values of names on every platform
    workers: Mapping[str, tuple[Worker, ...]] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)  # modules by import path, in Go
    owners: frozenset[str] = frozenset()  # types whose objects own a descriptor, in Go
    structs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the fields that keep descriptors, in Go
    closers: frozenset[str] = frozenset()  # the names of methods that close an object of any type, in Go
    ending: frozenset[str] = frozenset()  # the names of methods that end workers
    _found: dict[str, tuple[Api, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)  # so far

    @classmethod
    def of(
        cls,
        apis: Iterable[Api],
        aliases: Mapping[str, str],
        constants: Mapping[str, object] | None = None,
        workers: Iterable[Worker] = (),
    ) -> Catalog:
        """Builds a catalog and its indexes from entries."""
        by_name: dict[str, tuple[Api, ...]] = {}
        for api in apis:
            by_name[api.name] = (*by_name.get(api.name, ()), api)
        types = _types(by_name)
        modules = _modules(by_name, aliases, types)
        made: dict[str, tuple[Worker, ...]] = {}
        for worker in workers:
            made[worker.api.name] = (*made.get(worker.api.name, ()), worker)
        prefilter = prefilter_of(by_name, aliases, [one.api for found in made.values() for one in found])
        descriptors = prefilter_of(by_name, aliases)
        methods = frozenset(name.rpartition(".")[2] for name in by_name if name.rpartition(".")[0] in types)
        giving_up = _giving_up(by_name, types)
        ending = frozenset(name for found in made.values() for worker in found for name in worker.torn_down_by)
        named = constants or {}
        return cls(
            by_name,
            aliases,
            types,
            modules,
            methods,
            giving_up,
            prefilter,
            descriptors,
            constants=named,
            workers=made,
            ending=ending,
        )

    def canonical(self, dotted: str) -> str:
        """Returns the catalog's name: ``os.open`` for ``posix.open``."""
        head, tail = dotted, ""
        while head:
            if head in self.aliases:
                return self.canonical(self.aliases[head] + tail)
            head, dot, last = head.rpartition(".")
            tail = dot + last + tail
        return dotted

    def lookup(self, dotted: str) -> tuple[Api, ...]:
        """Returns the alternatives for a function, a type or a method of a known type; empty if it is unknown."""
        found = self._found.get(dotted)
        if found is None:
            found = self._found[dotted] = self.by_name.get(dotted) or self.by_name.get(self.canonical(dotted), ())
        return found

    def makers(self, dotted: str) -> tuple[Worker, ...]:
        """Returns the alternatives for a call that creates an object with worker processes."""
        return self.workers.get(dotted) or self.workers.get(self.canonical(dotted), ())

    def method(self, name: str, receiver: object = None) -> tuple[Api, ...]:
        """Returns the alternatives for a method of this name on a receiver of any type. Those for receivers of a
        certain name (``*.parser.error``) come first, if ``receiver`` is the path of such a variable or attribute."""
        named = f"*.{receiver.rpartition('.')[2]}.{name}" if isinstance(receiver, str) else ""
        return self.by_name.get(named) or self.by_name.get(f"*.{name}", ())

    def knows_type(self, dotted: str) -> bool:
        """Whether instances of this type have methods the catalog may know."""
        return dotted in self.types or self.canonical(dotted) in self.types

    def knows_module(self, dotted: str) -> bool:
        """Whether this is a module with entries, or a package that contains one."""
        return dotted in self.modules or self.canonical(dotted) in self.modules

    def knows(self, dotted: str) -> bool:
        """Whether this is a function, a type or a module of the catalog."""
        return bool(self.lookup(dotted)) or self.knows_type(dotted) or self.knows_module(dotted)

    def unknown_takes(self, name: str) -> bool:
        """Whether an unknown call takes over its descriptors, judged by its name."""
        return self.unknown_calls is UnknownCalls.TAKE or self.naming.takes_over(name)

    def uses(self) -> frozenset[str]:
        """Returns the last names that always leave a descriptor as it is: no known function of that name closes or
        keeps it."""
        only: dict[str, bool] = {}
        for name, apis in self.by_name.items():
            last = name.rpartition(".")[2]
            only[last] = only.get(last, True) and not any(map(_may_take, apis))
        return frozenset(last for last, known in only.items() if known)

    def members(self, module: str) -> tuple[str, ...]:
        """Returns the functions and types that the catalog knows in a module: a star import of it binds them."""
        start = f"{self.canonical(module)}."
        names = (name for name in (*self.by_name, *self.aliases) if name.startswith(start))
        return tuple(sorted({name.removeprefix(start) for name in names if "." not in name.removeprefix(start)}))

    def extended(
        self,
        apis: Iterable[Api],
        aliases: Mapping[str, str] | None = None,
        made: Iterable[Worker] = (),
        unknown_calls: UnknownCalls = UnknownCalls.USE,
    ) -> Catalog:
        """Returns this catalog with a project's entries. Each replaces all entries of its name. ``made`` are the
        project's workers."""
        own, other_names = tuple(apis), dict(aliases or {})
        replaced = {api.name for api in own} | other_names.keys()
        inherited = (api for name, apis in self.by_name.items() if name not in replaced for api in apis)
        own_workers = tuple(made)
        replaced_workers = {worker.api.name for worker in own_workers}
        workers = (one for name, found in self.workers.items() if name not in replaced_workers for one in found)
        catalog = Catalog.of(
            (*own, *inherited), {**self.aliases, **other_names}, self.constants, (*own_workers, *workers)
        )
        last_names = [alias.rpartition(".")[2] for alias in other_names]
        return replace(
            catalog,
            prefilter=catalog.prefilter.passing(last_names),
            descriptors=catalog.descriptors.passing(last_names),
            unknown_calls=unknown_calls,
        )


def closers(by_name: Mapping[str, tuple[Api, ...]]) -> frozenset[str]:
    """Returns the names of the methods that close an object of any type."""
    methods = {name.removeprefix("*."): apis for name, apis in by_name.items() if name.startswith("*.")}
    return frozenset(
        name for name, apis in methods.items() if any(api.params and api.params[0] in api.closed for api in apis)
    )


def _may_take(api: Api) -> bool:
    """Whether the function may close or keep an argument, or call another function that does."""
    return bool(api.ended or api.container or api.applies or api.registers or api.lazy)


def _types(by_name: Mapping[str, tuple[Api, ...]]) -> frozenset[str]:
    """Returns the types: the result types of calls, and names with an entry that also have methods. `int.from_bytes`
    is no method of a number."""
    returned = {name for apis in by_name.values() for api in apis for name in instance_types(api.returns)}
    methods = (name for name, apis in by_name.items() if not any(isinstance(api.returns, NumberIn) for api in apis))
    owners = {name.rpartition(".")[0] for name in methods}
    return frozenset(returned | (owners & by_name.keys()))


def _modules(
    by_name: Mapping[str, tuple[Api, ...]], aliases: Mapping[str, str], types: frozenset[str]
) -> frozenset[str]:
    """Returns the modules and packages: the parts before the last dot of all names, without the types."""
    modules: set[str] = set()
    for head in {name.rpartition(".")[0] for name in (*by_name, *aliases)} - types:
        parts = head.split(".")
        modules.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return frozenset(one for one in modules - types - aliases.keys() if one and not one.startswith("*"))


def _giving_up(by_name: Mapping[str, tuple[Api, ...]], types: frozenset[str]) -> frozenset[str]:
    """Returns the types with a method that returns their own descriptor."""
    owners = {
        name.rpartition(".")[0] for name, apis in by_name.items() if any(isinstance(a.returns, Fresh) for a in apis)
    }
    return frozenset(owners & types)


@functools.cache
def shipped_catalog(language: LanguageDescription) -> Catalog:
    """Returns the catalog of a language that comes with fdlint, and reads it only once."""
    rules = rules_of(language)
    contents = load_default(rules.package, rules.entry)
    found = Catalog.of(contents.apis, contents.aliases, contents.constants, contents.workers)
    return replace(
        found,
        naming=rules.naming,
        packages=contents.packages,
        owners=frozenset(contents.owners),
        structs=contents.structs,
        closers=closers(found.by_name) if rules.closing_methods else frozenset(),
    )


def default_catalog() -> Catalog:
    """Returns the catalog of the main language that comes with fdlint."""
    return shipped_catalog(MAIN)
