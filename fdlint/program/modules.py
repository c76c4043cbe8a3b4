"""Connects the files of a project by their imports, and finds the functions that dotted names mean. Imports nothing.

Finds a file by its path (packages, ``src`` layouts, namespace packages). Reads a file on first use, and lowers it when
its graphs are needed.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from fdlint.catalog import Catalog
from fdlint.core.dataflow.classes import class_seen
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import (
    NESTED,
    AccessPath,
    Callee,
    Constant,
    Graph,
    Leaving,
    LoweredModule,
    Operand,
    Place,
    outermost,
)
from fdlint.core.ir.source import SourceCode
from fdlint.core.memo import Memo
from fdlint.languages.front_end import FrontEnd, front_end_of
from fdlint.languages.index.imports import Directories, absolute, module_below, path_of, place_of, splits
from fdlint.languages.index.outline import Sketch
from fdlint.languages.index.prints import key_of, part_of
from fdlint.languages.index.skeleton import Skeleton
from fdlint.program.constants import constants_in, constants_of, import_constants
from fdlint.program.consulted import Consulted, Readings
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.finding import Skipped, Wrapper
from fdlint.report.findings.grounds import REST, FilePrint, Grounds, Seen
from fdlint.scan.files.discover import shown
from fdlint.scan.reading import intake

_MAX_HOPS = 6  # re-exports of one name to follow
MAX_BASES = 100  # classes and bases to visit for one class


@dataclass(slots=True)
class Program:
    """The files seen so far, by path. ``wrappers``: functions that are known to acquire; files that mention one are of
    interest. ``met``: all files, including those of earlier programs with fewer known wrappers. ``front``: that of the
    files' language. ``dependencies``: directories with modules that are not the project's."""

    catalog: Catalog
    wrappers: frozenset[Wrapper] = frozenset()
    met: dict[Path, File] = field(default_factory=dict)
    front: FrontEnd = field(default_factory=front_end_of)
    dependencies: tuple[str, ...] = ()
    _files: dict[Path, File | None] = field(default_factory=dict)
    _replaced: list[File | Graph | None] = field(default_factory=list)  # kept alive: nothing gets an id of these
    _faces: dict[Path, File | None] = field(default_factory=dict)  # files that mention nothing of interest
    _imports: dict[Path, Skeleton] = field(default_factory=dict)  # of these files
    _paths: dict[tuple[Path, str], tuple[Path | None, list[tuple[str, str, str]]]] = field(default_factory=dict)
    _led_to: dict[tuple[int, str], Path | None] = field(default_factory=dict)
    # For each file, the paths of the modules that it looked up, and the modules in the form of ``Grounds``.
    _asked: dict[Path, tuple[set[Path], set[tuple[str, str, str]]]] = field(default_factory=dict)
    _directories: Directories = field(default_factory=Directories)
    _meanings: dict[tuple[int, str], str | None] = field(default_factory=dict)
    _inherited: dict[tuple[int, str, str], str | None] = field(default_factory=dict)
    _targets: Memo[tuple[int, str | None, Callee, bool], Function | None] = field(default_factory=Memo)
    _guessed: dict[tuple[int, str | None, Callee], str] = field(default_factory=dict)
    _returned: Memo[tuple[int, str], str | None] = field(default_factory=Memo)
    _offered: dict[int, frozenset[str]] = field(default_factory=dict)
    consulted: Consulted = field(default_factory=Consulted)
    _readings: Readings = field(init=False)
    _prints: dict[tuple[Path, bool], tuple[str, frozenset[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._readings = Readings(self.catalog, self.wrappers, self.front)

    def add(self, source: SourceCode, path: Path | None, data: bytes | None, content: Any) -> File:
        """Adds a file that was read, and returns it. ``path``: None if the file stands alone. ``data``: None if the
        file counts as one that handles descriptors. ``content``: the file's tree, which is lowered at once, or its
        pieces, which can wait."""
        place = path.resolve() if path is not None else None
        root, package = place_of(place, self._directories) if place is not None else (None, "")
        touches = data is None or self.touches(data)
        if isinstance(content, Sketch):
            shared = frozenset[Place](map(AccessPath, content.shared))
            names = self.front.names(content.skeleton, self.catalog, package, shared)
            lower = functools.partial(self._lower, source, content)
            pieces = {name: piece.text for name, piece in content.pieces.items()}
            facts = {**content.facts, REST: content.own_facts}
            return self._enter(
                File(source, names, package, root, touches, place, lower, pieces, content.text, facts, content)
            )
        lowered, names = self.front.lower(content, self.catalog, package)
        return self._enter(
            File(source, names, package, root, touches, place, lambda file: self._with_constants(lowered, file))
        )

    def edit(self, file: File, data: bytes, outline: Sketch, changed: Collection[str]) -> int | None:
        """Goes on with a later text of a file, in which only some pieces have other code. Returns the bits of the
        inputs that have changed; None if that is too little: the program can then not be used."""
        same = all(of(file.source.data) == of(data) for of in (self._readings.flags, constants_of))
        found = file.edit(outline, changed) if same else None
        if found is not None:
            self.front.change(file.source, data)
            file.lower = functools.partial(self._lower, file.source, outline)
            self._replaced.extend(found[1])
        return found[0] if found is not None else None

    def drop(self, file: File, bits: int) -> None:
        """Drops the results that have read one of these inputs of a file."""
        if file.watch is not None:
            file.watch.drop(bits)
        for key in [one for one in self._guessed if not {(*one, True), (*one, False)} & self._targets.keys()]:
            del self._guessed[key]

    def _lower(self, source: SourceCode, outline: Sketch, file: File) -> LoweredModule:
        return self._with_constants(self.front.lower_pieces(source, outline, self.catalog, file.package), file)

    def _with_constants(self, lowered: LoweredModule, file: File) -> LoweredModule:
        if file.place is not None:
            import_constants(lowered, file.names, file.package, lambda module: self._constants_of(file, module))
        return lowered

    def _enter(self, file: File) -> File:
        if file.place is not None:
            self._replaced.append(self._files.get(file.place))
            self._files[file.place] = self.met[file.place] = file
        return file

    def _constants_of(self, file: File, module: str) -> dict[str, Constant]:
        """Returns the names that an imported module binds to a number or None."""
        path = self._path(file, module) if file.root is not None and not self.catalog.knows_module(module) else None
        return constants_in(path) if path is not None else {}

    def known(self, place: Path, data: bytes, path: str | None = None) -> File | None:
        """Returns the file at a path if it was seen before with the same contents, otherwise None. ``path``: its name
        in reports."""
        file = self.met.get(place)
        if file is None or file.source.data != data or (path is not None and file.source.path != path):
            return None
        return file if self._files.get(place) is file else self._enter(replace(file, touches=self.touches(data)))

    @property
    def size(self) -> int:
        """The number of characters that were parsed, in all files seen so far."""
        return sum(file.source.parsed for file in self.met.values())

    def forget(self) -> None:
        """Drops all files. The program must not be used after this call."""
        self.met.clear()
        self.release()

    def release(self) -> None:
        """Drops the files that no other program has met. The program must not be used after this call, except by the
        other files: each refers to the program that read it, and would keep all files of that alive."""
        for one in (*self._files.values(), *self._replaced):
            if isinstance(one, File) and one.watch is not None:
                one.watch.clear()
        self._files.clear()
        self._faces.clear()
        self._replaced.clear()
        self._targets.clear()
        self._guessed.clear()
        self._returned.clear()
        self._offered.clear()

    def touches(self, data: bytes) -> bool:
        """Whether a file with these contents may handle descriptors."""
        return self._readings.touches(data)

    def load(self, path: Path, thorough: bool) -> File | None:
        """Returns the file at a path, or None if there is none that can be parsed.

        Not ``thorough``: a file that mentions nothing in the catalog has only its imports, because other files may
        import these names from it. This saves a parse.
        """
        if path in self._files:
            return self._files[path]
        if not thorough and path in self._faces:
            return self._faces[path]
        data = _read(path)
        if not thorough and not self._readings.is_of_interest(data):
            self._faces[path] = self._face(data, path)
            return self._faces[path]
        self._files[path] = None
        if self.known(path, data) is None:
            self._parse(data, path)
        return self._files[path]

    def _parse(self, data: bytes, path: Path) -> None:
        found = self.front.read(data, shown(path))
        if not isinstance(found, Skipped):
            self.add(found[0], path, data, found[1])

    def _face(self, data: bytes, path: Path) -> File:
        """Returns a file with only the names that it imports."""
        place = path.resolve()
        root, package = place_of(place, self._directories)
        source = self.front.nothing(shown(path))
        imports = self._imports[path] = self.front.index.imports(data)
        names = self.front.names(imports, self.catalog, package, frozenset())
        return File(source, names, package, root, False, place, lambda _: self.front.no_graphs(self.catalog))

    # -- calls

    def target(self, file: File, caller: Graph, callee: Callee, thorough: bool = False) -> Function | None:
        """Returns the project's function that a call means: by plain name, by import, or as a method of the caller's
        class.

        Not ``thorough``: only if its file mentions something in the catalog.
        """

        def work_out() -> Function | None:
            start = file.unit(caller.name or REST)
            start.read()
            found = self._target(file, caller, callee, thorough)
            owners = [Unit(file, callee.owner)] if callee.owner is not None and callee.owner in file.classes else []
            self.consulted.note(start, [*owners, *([found.unit] if found is not None else [])])
            return found

        return self._targets.of((id(file), caller.name, callee, thorough), work_out)

    def _target(self, file: File, caller: Graph, callee: Callee, thorough: bool) -> Function | None:
        if isinstance(callee.function, Function):
            return callee.function
        if isinstance(callee.function, str):
            return Function(file, callee.function)
        if callee.dotted is not None:
            return self.find(file, callee.dotted, thorough)
        methods = caller.language.methods
        if callee.owner is not None and callee.owner in file.classes:
            return self.method(file, callee.owner, methods.constructor if callee.constructs else callee.name, thorough)
        if callee.variable is not None and (owner := self._seen(file, caller, callee.variable)) in file.classes:
            return self.method(file, owner or "", methods.call, thorough)
        if callee.receiver is None:
            return self._named(file, caller, callee.name, thorough)
        own = (caller.receiver, caller.language.receiver, caller.language.class_receiver)
        if callee.receiver in own and caller.name is not None:
            if (owner := owner_of(caller.name, file)) is None:
                return None
            if callee.inherited:
                return self._method_of(islice(self.with_bases(file, owner, thorough), 1, None), callee.name)
            return self.method(file, owner, callee.name, thorough)
        owned = self.class_of_receiver(file, caller, callee, thorough)
        return self.method(*owned, callee.name, thorough) if owned else self._only_method(file, caller, callee)

    def is_method(self, file: File, caller: Graph, callee: Callee) -> bool:
        """Whether a method that has the name of one in the catalog is that of a class of the project."""
        named = callee.receiver is not None and bool(self.catalog.method(callee.name))
        owned = self.class_of_receiver(file, caller, callee, thorough=False) if named else None
        return owned is not None and self.method(*owned, callee.name, thorough=False) is not None

    def class_of_receiver(self, file: File, caller: Graph, callee: Callee, thorough: bool) -> tuple[File, str] | None:
        """Returns the project's class of the object that a method is called on, if it is easy to see."""
        place = callee.receiver
        if place is None:
            return None
        asks = any(self.owners_of(file, callee.name)) or callee.name in self._methods_imported(file)
        return self.class_in(file, caller, place, thorough, self._binding(file, caller, place) if asks else ())

    def _binding(self, file: File, caller: Graph, place: Operand) -> Iterable[Graph]:
        """Returns the functions that bind a place which the caller does not bind itself: an attribute of its object, or
        a global that only the module's own code binds."""
        if not isinstance(place, AccessPath) or file.language.records:
            return ()
        if place.is_attribute:
            return self._methods_beside(file, caller) if place.root == caller.receiver else ()
        nested = caller.name is None or NESTED in caller.name
        return (file.lowered.body,) if not nested and place not in file.lowered.body.globals else ()

    def _methods_imported(self, file: File) -> frozenset[str]:
        """Returns the names of the methods of the project's classes that a file imports."""
        if id(file) not in self._offered:
            names = file.names.imports.values() if not file.language.records else ()
            found = [one for name in names if (one := self.class_at(file, name, thorough=False)) is not None]
            methods = (one for home, owner in found for one in home.names.functions if one.startswith(f"{owner}."))
            self._offered[id(file)] = frozenset(one.rpartition(".")[2] for one in methods)
        return self._offered[id(file)]

    def class_in(
        self, file: File, caller: Graph, place: Operand, thorough: bool = False, methods: Iterable[Graph] = ()
    ) -> tuple[File, str] | None:
        """Returns the project's class of the object in a place, if it is easy to see. ``methods``: those that may store
        to it, if it is an attribute."""
        seen = self._seen(file, caller, place, methods)
        return self.class_at(file, seen, thorough) if seen is not None and not self.catalog.lookup(seen) else None

    def _seen(self, file: File, caller: Graph, place: Operand, methods: Iterable[Graph] = ()) -> str | None:
        """Returns the class of the object in a place, if it is easy to see."""
        return class_seen(place, caller, methods, functools.partial(self.class_named, file, caller))

    def class_named(self, file: File, caller: Graph, name: str) -> str | None:
        """Returns the class whose object a call of a name returns: the class itself, or what a function of the file is
        sure to return; the name if the file does not define it."""
        if name in file.classes or not file.defines(name):
            return name
        self.consulted.note(file.unit(caller.name or REST), [file.unit(name)])

        def work_out() -> str | None:
            graph = Function(file, name).graph
            values = [one.value for one in graph.effects() if isinstance(one, Leaving)]
            found = {self._seen(file, graph, value) for value in values} if not graph.generator else set()
            return found.pop() if len(found) == 1 else None

        return self._returned.of((id(file), name), work_out, None)  # None for a function that calls itself

    def _only_method(self, file: File, caller: Graph, callee: Callee) -> Function | None:
        """Returns the only method of this name among the file's classes: an object of unknown class most likely has
        this method. If several classes have one, the class that is seen for the receiver decides. So it does in a
        method that passes a call on to a method of the same name (``self.inner.close()``). Arguments that do not fit
        show that the object has another class."""
        found = self.owners_of(file, callee.name)
        if not found or callee.receiver is None:
            return None
        seen = self._seen(file, caller, callee.receiver, self._methods_beside(file, caller))
        passes_on = outermost(caller.name or "").rpartition(".")[2] == callee.name
        if len(found) > 1 or passes_on:
            found = [owner for owner in found if owner == seen]
        if len(found) != 1:
            return None
        method = Function(file, f"{found[0]}.{callee.name}")
        fits = method.graph.signature.fits
        if not all(fits(call.args) for call in caller.calls() if call.callee == callee):
            return None
        if seen != found[0]:
            self._guessed[id(file), caller.name, callee] = method.name or ""
        return method

    @staticmethod
    def _methods_beside(file: File, caller: Graph) -> Iterator[Graph]:
        """Yields the methods of the class of which a function is one."""
        own = f"{owner_of(caller.name or '', file)}."
        return (graph for _, graph in file.lowered.functions.under(own))

    def guessed(self, file: File, caller: Graph, callee: Callee) -> str | None:
        """Returns the name of the method that a call means if only its name speaks for it; None if it is known."""
        return self._guessed.get((id(file), caller.name, callee))

    def may_be_own(self, file: File, callee: Callee) -> bool:
        """Whether an unresolved function may belong to the project: it is in the same package, perhaps in a module
        without source, or more than one class of the file has a method of this name."""
        top = file.package.partition(".")[0]
        if callee.dotted is not None:
            return bool(top) and callee.dotted.startswith(f"{top}.")
        unknown = isinstance(callee.receiver, AccessPath) and callee.owner is None
        return unknown and len(self.owners_of(file, callee.name)) > 1

    def owners_of(self, file: File, method: str) -> list[str]:
        """Returns the classes of a file that have a method of this name."""
        return [owner for owner in file.classes if file.defines(f"{owner}.{method}")]

    def _named(self, file: File, caller: Graph, name: str, thorough: bool) -> Function | None:
        """Returns the function that a plain name means for the caller: nested in the caller, in an enclosing function,
        or at module level."""
        prefix = caller.name
        while prefix is not None:
            inner = f"{prefix}{NESTED}{name}"
            if file.defines(inner):
                return Function(file, inner)
            prefix = prefix.rpartition(NESTED)[0] or None
        found = self.member(file, name, thorough)
        if found is not None or name in file.names.imports:
            return found
        located = self.starred(file, name, thorough)
        return self._found(located, thorough) if located is not None else None

    def member(self, file: File, name: str, thorough: bool) -> Function | None:
        """Returns a module-level function of the file, or the ``__init__`` of a class."""
        if name in file.classes:
            return self.method(file, name, file.language.methods.constructor, thorough)
        if file.defines(name):
            return Function(file, name)
        same = file.names.same if name not in file.names.lambdas else file.lowered.same
        return Function(file, same[name]) if name in same and file.defines(same[name]) else None

    def method(self, file: File, owner: str, name: str, thorough: bool) -> Function | None:
        """Returns a method of a class: its own, or one that it inherits from the project's classes."""
        return self._method_of(self.with_bases(file, owner, thorough), name)

    def inherited(self, file: File, owner: str, name: str) -> str | None:
        """Returns the catalog's method that a class inherits from a base outside the project. Returns None if a class
        of the project defines a method of this name."""
        if name not in self.catalog.methods:
            return None
        key = id(file), owner, name
        if key not in self._inherited:
            self._inherited[key] = self._find_inherited(file, owner, name)
        return self._inherited[key]

    def _find_inherited(self, file: File, owner: str, name: str) -> str | None:
        classes = list(self.with_bases(file, owner, thorough=True))
        if self._method_of(classes, name) is not None:
            return None
        bases = (base for home, one in classes for base in home.classes.get(one, ()))
        found = (f"{base}.{name}" for base in bases)
        return next((dotted for dotted in found if self.catalog.lookup(dotted)), None)

    def _method_of(self, classes: Iterable[tuple[File, str]], name: str) -> Function | None:
        """Returns the method of the first class that defines it."""
        for home, owner in classes:
            qualified = f"{owner}.{name}"
            if home.defines(qualified):
                return Function(home, qualified)
        return None

    def with_bases(self, file: File, owner: str, thorough: bool) -> Iterator[tuple[File, str]]:
        """Yields a class and its bases in the project, the nearest first. Yields each class once, even if several paths
        lead to it."""
        seen = {(file, owner)}
        pending = [(file, owner)]
        while pending and len(seen) < MAX_BASES:
            home, name = pending.pop()
            yield home, name
            for base in reversed(home.classes.get(name, ())):
                found = self.class_at(home, base, thorough)
                if found is not None and found not in seen:
                    self.consulted.note(Unit(home, name), [Unit(*found)])
                    seen.add(found)
                    pending.append(found)

    def class_of(self, file: File, name: str) -> tuple[File, str] | None:
        """Returns the project's class that a name means in a file: the file that defines it, and its name there."""
        found = self.class_at(file, name, thorough=True)
        if found is not None:
            self.consulted.note(Unit(file, REST), [Unit(*found)])
        return found

    def lineage(self, file: File, name: str) -> tuple[str, ...]:
        """Returns the names of a class, or of that of what a function returns, and of its bases, the nearest first."""
        name = self.class_named(file, file.lowered.body, name) or name
        found = self.class_at(file, name, thorough=False)
        classes = self.with_bases(*found, thorough=False) if found is not None else ()
        return tuple(dict.fromkeys((name, *(base for home, one in classes for base in home.classes[one]))))

    def class_at(self, file: File, name: str, thorough: bool) -> tuple[File, str] | None:
        """Returns the same as ``class_of``. Not ``thorough``: only if the class's file mentions something in the
        catalog."""
        if name in file.classes:
            return file, name
        located = self.locate(file, name, thorough)
        return located if located is not None and located[1] in located[0].classes else None

    def find(self, file: File, dotted: str, thorough: bool) -> Function | None:
        """Returns the function that a dotted name means in a file: ``.util.helper``,
        ``package.module.Class.method``."""
        located = self.locate(file, dotted, thorough)
        for other in file.names.alternatives.get(dotted, ()) if located is None else ():
            located = located or self.locate(file, other, thorough)
        return self._found(located, thorough) if located is not None else None

    def meaning(self, file: File, dotted: str) -> str | None:
        """Returns the catalog's function that a name of the project stands for (`from os import close as drop`), or
        None."""
        key = id(file), dotted
        if key not in self._meanings:
            self._meanings[key] = self._meaning(file, dotted, 0)
        return self._meanings[key]

    def _meaning(self, file: File, dotted: str, hops: int) -> str | None:
        if file.root is None or hops >= _MAX_HOPS:
            return None
        for module, name in splits(absolute(dotted, file.package)):
            home = self.module(file, module, thorough=False)
            stands_for = home.names.imports.get(name) if home is not None else None
            if home is not None and stands_for is not None:
                known = bool(self.catalog.lookup(stands_for))
                return stands_for if known else self._meaning(home, stands_for, hops + 1)
        return None

    def _found(self, located: tuple[File, str], thorough: bool) -> Function | None:
        home, name = located
        owner, _, last = name.rpartition(".")
        return self.method(home, owner, last, thorough) if owner else self.member(home, last, thorough)

    def locate(self, file: File, dotted: str, thorough: bool, hops: int = 0) -> tuple[File, str] | None:
        """Returns the file that defines the target of a dotted name, and the name there. Follows re-exports."""
        if hops >= _MAX_HOPS or file.root is None:
            return None
        for module, name in splits(absolute(dotted, file.package)):
            home = self.module(file, module, thorough)
            if home is not None:
                return self._defining(home, name, thorough, hops)
        return None

    def _defining(self, home: File, name: str, thorough: bool, hops: int) -> tuple[File, str] | None:
        first, _, rest = name.partition(".")
        names = home.names
        defined = home.defines(first) or first in home.classes or first in names.same or first in names.lambdas
        stands_for = names.imports.get(first)
        if stands_for is not None:  # wins over the module's own definition, which is then the fallback
            found = self.locate(home, f"{stands_for}.{rest}" if rest else stands_for, thorough, hops + 1)
            if found is not None or not defined:
                return found
        return (home, name) if defined else self.starred(home, name, thorough, hops)

    def starred(self, home: File, name: str, thorough: bool, hops: int = 0) -> tuple[File, str] | None:
        """Returns the file that defines a name from a star import, and the name there."""
        for module in home.names.stars:
            dotted = f"{module}{'' if module.endswith('.') else '.'}{name}"
            found = self.locate(home, dotted, thorough, hops + 1)
            if found is not None:
                return found
        return None

    def _path(self, file: File, module: str) -> Path | None:
        """Returns the path of a module that a file imports."""
        asked = id(file), module
        if asked not in self._led_to:
            self._led_to[asked] = self._look_up(file, file.root, module) if file.root is not None else None
        return self._led_to[asked]

    def _look_up(self, file: File, root: Path, module: str) -> Path | None:
        key = root, module
        if key not in self._paths:
            path = path_of(root, module, self._directories)
            found = [(str(root), module, str(path or ""))]
            for directory in self.dependencies:
                if path is None:
                    path = module_below(directory, module, self._directories)
                    found.append((directory, module, str(path or "")))
            self._paths[key] = path, found
        path, found = self._paths[key]
        if file.place is not None:
            places, modules = self._asked.setdefault(file.place, (set(), set()))
            places.update([path] if path is not None else ())
            modules.update(found)
        return path

    def module(self, file: File, module: str, thorough: bool = False) -> File | None:
        """Returns the file of a module that a file imports."""
        path = self._path(file, module)
        return self.load(path, thorough) if path is not None else None

    def leads_back(self, place: Path) -> bool:
        """Whether another file looked up the module at a path, so that results about that file may depend on it."""
        return any(place in paths for other, (paths, _) in self._asked.items() if other != place)

    def grounds(self, file: File, quoted: Collection[str]) -> Grounds:
        """Returns the grounds of a file's results: all files and modules that its imports led to, directly or through
        other files. ``quoted``: the files that the results quote, by the paths that reports show."""
        place = file.place
        if place is None:
            return Grounds()
        nothing: tuple[set[Path], set[tuple[str, str, str]]] = set(), set()
        places = set(closure((place,), lambda one: self._asked.get(one, nothing)[0]))
        modules = frozenset[tuple[str, str, str]]().union(*(self._asked.get(one, nothing)[1] for one in places))
        parts = self.consulted.parts(place, map(part_of, (*file.pieces, *file.classes)))
        files: dict[str, Seen] = {}
        new: dict[str, FilePrint] = {}
        for one in {*places, *parts} - {place}:
            key, known = self._printed(one, new)
            led_to = None if quoted and shown(one) in quoted else known & parts.get(one, set())
            files[str(one)] = Seen(key, led_to)
        return Grounds(files, modules, new)

    def _printed(self, place: Path, new: dict[str, FilePrint]) -> tuple[str, frozenset[str]]:
        """Returns the key of a file's print and the names of its parts; an empty key if Python cannot parse it. Adds
        the print to the ``new`` ones if it is asked for the first time."""
        file = self._files.get(place)
        asked = place, file is not None
        if asked not in self._prints:
            self._prints[asked] = "", frozenset()
            if (file is None and place not in self._files) or (file is not None and file.outline is not None):
                found = self._print(place, file)
                key = key_of(found)
                new[key] = found
                self._prints[asked] = key, frozenset(found.parts)
        return self._prints[asked]

    def _print(self, place: Path, file: File | None) -> FilePrint:
        if file is not None:
            return self._readings.split(file.source.data, file.outline, file.touches).print
        data = _read(place)
        return self._readings.split(data, None, self.touches(data), self._imports.get(place)).print


def _read(path: Path) -> bytes:
    """Returns the contents of a module that other code calls into; empty if it cannot be read or is too large for a
    dependency."""
    try:
        return intake.read(path, intake.DEPENDENCY)
    except OSError:
        return b""


def owner_of(name: str, file: File) -> str | None:
    """Returns the class of a method, or of a function nested in a method."""
    while name:
        name = name.rpartition(".")[0]
        if name in file.classes:
            return name
    return None
