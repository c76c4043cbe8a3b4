"""The view of a class from its objects: its methods, own and inherited, and the attributes to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from fdlint.catalog.naming import is_of_tests, minds_its_own
from fdlint.core.dataflow.derivation import Filled, closed_by, closed_places, copied_to, stored_from, taken_apart
from fdlint.core.dataflow.liveness import places_of
from fdlint.core.dataflow.reachability import blocks_of, closure
from fdlint.core.domain.values import Const, constant
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import FilledFields
from fdlint.core.engine.heap import asked_about
from fdlint.core.engine.summary import Shared
from fdlint.core.ir import (
    NESTED,
    AccessPath,
    Assign,
    Call,
    Field,
    Graph,
    Lit,
    Named,
    Operand,
    Place,
    Store,
    StoreItem,
    Throw,
)
from fdlint.core.ir.language import Language
from fdlint.core.objects.made import class_of, names_of, records
from fdlint.program.facts import Kind, is_constructor
from fdlint.program.modules import MAX_BASES
from fdlint.program.overrides import subclasses_of
from fdlint.program.units import File, Function

_NOTHING = (frozenset[Field](), frozenset[Field](), tuple[Field, ...]())
_MAX_FLAGS = 6  # plain attributes in conditions; more would multiply the states


def _leads_to(graph: Graph, start: object, end: object) -> bool:
    """Whether control may come from one step to another."""
    ends = blocks_of(graph, end)
    for index in blocks_of(graph, start):
        after = [step.origin for step in graph.blocks[index].steps]
        later = closure(graph.successors(index), graph.successors)
        if end in after[after.index(start) :] or not ends.isdisjoint(later):
            return True
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """One class, or a module as if it were the class of one object.

    ``methods`` have their own names and include inherited ones. ``hidden`` are overridden methods of bases, which
    ``super()`` can call. ``makers`` are functions that create an object and fill its attributes, with its name in them.
    ``fields`` are the attributes that may hold descriptors, ``closed`` those that are closed by number, ``flags`` plain
    attributes that tell the state of the object, the most telling first. ``defaults`` are the values of class
    attributes. ``strangers`` are unknown bases that may matter. ``relatives`` are the names of the class, its bases and
    its subclasses. ``owners`` are attributes with objects that may own a descriptor, in a class that closes numbers.
    """

    file: File
    name: str
    methods: Mapping[str, Function]
    hidden: tuple[Function, ...]
    makers: tuple[tuple[Function, Place], ...]
    fields: frozenset[Field]
    closed: frozenset[Field]
    flags: tuple[Field, ...]
    defaults: Mapping[Field, Const]
    strangers: frozenset[str]
    relatives: frozenset[str] = frozenset()
    owners: frozenset[Field] = frozenset()

    @property
    def followed(self) -> frozenset[Field]:
        """All attributes to follow."""
        return self.fields.union(self.flags, self.owners)

    @property
    def complete(self) -> bool:
        """Whether all code that runs for the object is known."""
        return not self.strangers

    @property
    def language(self) -> Language:
        """The language of the class."""
        return self.file.lowered.language

    @property
    def constructor(self) -> Function | None:
        """The method that initialises an object."""
        names = self.language.methods
        starting = (self.methods.get(name) for name in (names.constructor, *names.after_constructor))
        return next((one for one in starting if one is not None), None)

    def gives_itself(self, function: Function, before: Sequence[object]) -> bool:
        """Whether a method may have passed the object, or one of its methods, to other code, which may then hold it.
        ``before``: the origins of a path's steps, the last one first; without any step of the method, any path
        counts. Raising again is no step."""
        graph, own = function.graph, names_of_own(function.graph, self.methods)
        giving = {
            step.origin
            for step in graph.steps()
            if isinstance(step.effect, Call) and any(arg.value in own for arg in step.effect.args)
        }
        if not giving:
            return False
        again = [step.origin for step in graph.steps() if isinstance(step.effect, Throw) and step.effect.again]
        end = next((one for one in before if one not in again and blocks_of(graph, one)), None)
        return end is None or any(_leads_to(graph, origin, end) for origin in giving)

    def begun_by(self, name: str) -> Function | None:
        """Returns the only method that gives another one, which is private, to other code such as a thread."""
        called, mentioned = self._own_calls()
        given = self.language.is_private(name) and name in mentioned - called
        givers = [one for one in self.functions() if name in _given(one.graph)] if given else []
        return givers[0] if len(givers) == 1 else None

    def begins_after(self, name: str, method: str, closer: str, origin: object) -> bool:
        """Whether only one method begins another one, and never before a step of its own, or of the method ``closer``
        that it calls."""
        function = self.methods.get(method)
        if function is None or function != self.begun_by(name):
            return False
        steps = [origin] if closer == method else self.calls(method, closer)
        places = _given(function.graph).get(name, [])
        leads = (_leads_to(function.graph, place, step) for place in places for step in steps)
        return bool(steps and places) and not any(leads)

    def calls(self, outer: str, inner: str) -> list[object]:
        """Returns the places where a method calls another one, directly or through others."""
        graph = self.methods[outer].graph
        calls = ((step.origin, step.effect.callee) for step in graph.steps() if isinstance(step.effect, Call))
        own = ((origin, callee.name) for origin, callee in calls if callee.receiver == graph.receiver)
        return [origin for origin, name in own if inner in {name, *self.called_by(self.methods.get(name))}]

    def starts(self) -> dict[str, tuple[Function, Place | None]]:
        """Returns the functions that make an object, by name: the constructor and the makers, with its name in them."""
        found: dict[str, tuple[Function, Place | None]] = {
            maker.name or "": (maker, root) for maker, root in self.makers
        }
        if self.constructor is not None:
            found[self.language.methods.constructor] = self.constructor, None
        return found

    def called_by(self, method: Function | None, root: Place | None = None) -> set[str]:
        """Returns the object's methods that a function calls, directly or through others. ``root``: the object's name
        in a function that is not one of its methods."""

        def called(function: Function | None, root: Place | None = None) -> list[str]:
            if function is None:
                return []
            calls = function.graph.calls()
            if root is None:
                return [call.callee.name for call in calls if call.callee.receiver == function.graph.receiver]
            own = copied_to(function.graph, {root})
            return [call.callee.name for call in calls if not own.isdisjoint([call.callee.receiver, *call.given[:1]])]

        return set(closure(called(method, root), lambda name: called(self.methods.get(name))))

    def given(self, bases: bool = False) -> dict[Place, tuple[Field, object]]:
        """Returns the constructor's parameters that go into attributes which a method closes: the attribute, and the
        place of the store. Leaves out a parameter with a default that means "none": callers rarely pass it, and the
        class fills the attribute itself. ``bases``: those of the constructors that it overrides, and may call."""
        found: dict[Place, tuple[Field, object]] = {}
        overridden = (one for one in self.hidden if is_constructor(one.unit))
        for constructor in overridden if bases else (self.constructor,):
            if constructor is None:
                continue
            shared = Shared(constructor.graph.receiver)
            defaults = constructor.graph.signature.defaults
            own = {name for name in constructor.graph.parameters if not isinstance(defaults.get(name), Lit)}
            for step in constructor.graph.steps():
                match step.effect:
                    case Store(AccessPath() as target, AccessPath() as value) if value in own:
                        path = shared.field(target)
                        if path is not None and path in self.closed:
                            found[value] = path, step.origin
        return found

    def left_to_others(self) -> set[str]:
        """Returns the methods that the class or its makers pass on as functions which get the object: a finalizer."""
        graphs = [one.graph for one in (*self.functions(), *(maker for maker, _ in self.makers))]
        values = (one.value for graph in graphs for one in graph.effects() if isinstance(one, Assign))
        named = {one.callee.function for one in values if isinstance(one, Named) and one.callee.receiver is None}
        return {name for name, method in self.methods.items() if method.name in named}

    def graph(self, name: str | None) -> Graph | None:
        """Returns the function of a qualified name if it belongs to the class."""
        return next((one.graph for one in self.functions() if one.name == name), None)

    @property
    def followed_bases(self) -> frozenset[str]:
        """The last names of the bases whose methods are known."""
        owners = {one.owner for one in (*self.methods.values(), *self.hidden)} - {self.name}
        return frozenset(one.rpartition(".")[2] for one in owners if one is not None)

    def functions(self) -> Iterator[Function]:
        """Yields the methods and the functions nested in them."""
        for method in (*self.methods.values(), *self.hidden):
            yield method
            inside = f"{method.name}{NESTED}"
            for _, graph in method.file.lowered.functions.under(inside):
                yield Function(method.file, graph.name)

    def entries(self) -> dict[str, Function]:
        """Returns the methods that other code may call, in any order: all except private ones that only its own methods
        and its makers call. So are the helpers of tests. A build has the methods for one system: if some have a twin
        for another one, those of the other go."""
        called, mentioned = self._own_calls() if self.name else self._calls_in_module()
        private = set(filter(self.language.is_private, self.methods))
        helps = any(map(is_of_tests, self.methods))
        twins = any("#" in name and method.graph.elsewhere for name, method in self.methods.items())
        last = {name.partition("#")[0]: name for name, method in self.methods.items() if not method.graph.wrappers}
        found: dict[str, Function] = {}
        for name, method in self.methods.items():
            plain = name.partition("#")[0]
            if plain in self.language.methods.before_the_object or method.graph.abstract or method.graph.ruled_out:
                continue
            defined_again = last.get(plain, name) != name and not self.language.records
            if defined_again or (twins and method.graph.elsewhere):
                continue
            alone = plain in called or (name in private and self._only_begins(plain))
            if (name not in private and not helps) or not alone or plain in mentioned:
                found[name] = method
        for function in self.functions() if self.name else ():
            if NESTED in (function.name or "") and self.language.receiver in function.graph.free:
                found[function.name or ""] = function
        return found

    def _only_begins(self, name: str) -> bool:
        """Whether only functions that make such an object call a method, so that it runs once for each object."""
        makers = {maker.name for maker, _ in self.makers}
        graphs = self.file.graphs_of(self.file.pieces_with([name])) if makers else []
        meant = {(name, None), (name, f"{self.name}.{name}")}
        called = ((one.name, call.callee) for one in graphs for call in one.calls())
        callers = {caller for caller, callee in called if (callee.name, callee.function) in meant}
        given = (value for graph in graphs for value, _ in _passed(graph) if isinstance(value, AccessPath))
        return bool(callers) and callers <= makers and not any(one.is_attribute and one.name == name for one in given)

    def _calls_in_module(self) -> tuple[set[str], set[str]]:
        """Returns the functions that functions call by their names, and those that they pass on as values."""
        called: set[str] = set()
        mentioned: set[str] = set()
        for function in self.methods.values():
            for effect in function.graph.effects():
                match effect:
                    case Call(_, callee) as call:
                        called.add(callee.name)
                        mentioned.update(call.given)
                    case Store(_, AccessPath() as value):
                        mentioned.add(value)
        return called, mentioned

    def _own_calls(self) -> tuple[set[str], set[str]]:
        """Returns the methods that methods call, and those that they pass on as values."""
        graphs = [one.graph for one in self.functions()]
        called = {call.callee.name for one in graphs for call in one.calls() if call.callee.receiver == one.receiver}
        return called, {name for one in graphs for name in _given(one)}


def _passed(graph: Graph) -> Iterator[tuple[object, object]]:
    """Yields the values that a function passes on or stores, with the origins of these steps."""
    for step in graph.steps():
        match step.effect:
            case Call(args=args):
                yield from ((arg.value, step.origin) for arg in args)
            case Store(value=value):
                yield value, step.origin


def _given(graph: Graph) -> dict[str, list[object]]:
    """Returns the attributes of its object that a function passes on or stores, with the origins of these steps."""
    found: dict[str, list[object]] = {}
    for value, origin in _passed(graph):
        found.setdefault(_attribute(value, graph.receiver), []).append(origin)
    return found


def _attribute(operand: object, receiver: Place | None) -> str:
    """Returns the name of an attribute in a method, if the operand is one of its object."""
    field = operand.field if isinstance(operand, AccessPath) and operand.root == receiver else None
    return field.dotted if field is not None else ""


def members_of(callees: CallResolver, name: str, parts: Collection[Place] = ()) -> Members | None:
    """Returns the view of a class of the file, or None if none of its own methods handles descriptors in attributes.
    ``parts``: parameters of the constructor that get an object which owns a descriptor."""
    file = callees.file
    if not parts and not _may_keep(callees, name):
        return None
    view = plain_members(callees, name)
    own = [(one, one.graph.receiver) for one in view.functions()]
    functions = [(one, root) for one, root in (*own, *view.makers) if root is not None]
    every = [_filled(callees, name, function, root) for function, root in functions]
    filled = {field for one in every for field in one.stored}
    added = {field for one in every for field in one.added} - filled
    filled |= added & _filled_here(functions) if added else set()
    closed = frozenset(path for function in view.functions() for path in _closed(callees, function))
    closed |= frozenset(_kept(view, parts))
    closing = replace(view, closed=closed)
    filled.update(path for path, _ in (*closing.given().values(), *closing.given(bases=True).values()))
    if file.lowered.language.records:
        filled &= _decided_by_methods(callees, view, filled)
    fields = frozenset(field for field in filled if field.names[0] not in view.methods)
    if not fields:
        return None
    defaults = defaults_of(file, name)
    flags = tuple(_flags(view, fields, frozenset(defaults))[:_MAX_FLAGS])
    known = {path: value for path, value in defaults.items() if path in fields.union(flags)}
    owners = frozenset(_owners(callees, functions)) - fields if closed else frozenset()
    return replace(view, fields=fields, closed=closed, flags=flags, defaults=known, owners=owners)


def _decided_by_methods(callees: CallResolver, view: Members, fields: Iterable[Field]) -> set[Field]:
    """Returns those fields of a struct about which its methods can be wrong: they store into them, ask about them, or
    two of them close the number there. A file may be closed twice, so what methods only close is fine."""
    names: Counter[str] = Counter()
    for function in view.functions():
        graph, shared = function.graph, Shared(function.graph.receiver)
        known = {shared.field(place) for place in (*_targets(graph), *_asked(graph))}
        names.update({one.names[0]: 2 for one in known if one is not None})
        for field in set(_closed(callees, function)):
            names[field.names[0]] += graph.is_object is None or not graph.is_object(shared.place(field))
    return {one for one in fields if names[one.names[0]] > 1}


def _kept(view: Members, parts: Collection[Place]) -> Iterator[Field]:
    """Yields the attributes in which the constructor keeps some of its parameters."""
    constructor = view.constructor
    if constructor is None or not parts:
        return
    shared = Shared(constructor.graph.receiver)
    for effect in constructor.graph.effects():
        match effect:
            case Store(AccessPath() as target, AccessPath() as value) if value in parts:
                field = shared.field(target)
                if field is not None and field.is_attribute and len(field.names) == 1:
                    yield field


def _owners(callees: CallResolver, functions: Iterable[tuple[Function, Place]]) -> Iterator[Field]:
    """Yields the attributes that functions fill with objects which own what they get. ``functions``: each with the
    object's name in it."""
    catalog = callees.context.catalog

    def adopts(call: Call) -> bool:
        return any(api.adopts for api in catalog.lookup(call.callee.dotted or ""))

    for function, root in functions:
        if any(map(adopts, function.graph.calls())):
            fields = (
                place.field_of(root) for place in stored_from(function.graph, callees.context.catalog, adopts).stored
            )
            yield from filter(None, fields)


def _may_keep(callees: CallResolver, name: str) -> bool:
    """Whether the class needs a closer look. This lowers only the functions that may matter."""
    prospects = callees.candidates
    for method in prospects.methods(callees.file, name):
        if any(_filled(callees, name, method, method.graph.receiver)) or any(_closed(callees, method)):
            return True

    def made() -> frozenset[str]:
        graphs = prospects.lower(callees.file, (Kind.ACQUIRES,))
        acquiring = [graph for graph in graphs if prospects.may(Kind.ACQUIRES, Function(callees.file, graph.name))]
        return frozenset(owner for graph in acquiring for owner, _ in _made_by(callees, graph))

    return name in callees.context.made.of(id(callees.file), made)


def _closed(callees: CallResolver, function: Function) -> Iterator[Field]:
    """Yields the attributes whose number a method, or a function that it calls, closes."""
    shared, context = Shared(function.graph.receiver), callees.context

    def closed(call: Call) -> Set[Place]:
        ended = context.endings.by_call(function, call, callees.closer_called_by)
        return closed_by(call, context.catalog) | ended.closed

    for place in closed_places(function.graph, closed):
        field = shared.field(place)
        if field is not None and len(field.names) == 1:
            yield field


def plain_members(callees: CallResolver, name: str) -> Members:
    """Returns the view of a class of the file, even if it keeps no descriptors."""
    methods: dict[str, Function] = {}
    hidden: list[Function] = []
    bases: list[str] = []
    strangers: list[str] = []
    _collect(callees, callees.file, name, methods, hidden, bases, strangers)
    usable = {one: method for one, method in methods.items() if method.graph.of_object}
    makers = _makers(callees, name)
    return Members(
        callees.file,
        name,
        usable,
        tuple(hidden),
        makers,
        *_NOTHING,
        {},
        frozenset(strangers),
        frozenset(one.rpartition(".")[2] for one in (name, *subclasses_of(callees.file, name), *bases)),
    )


def _makers(callees: CallResolver, name: str) -> tuple[tuple[Function, Place], ...]:
    """Returns the functions of a file that create objects of a class and store into them, with the objects' names
    there."""
    file = callees.file

    def work_out() -> tuple[tuple[Function, Place], ...]:
        named, last = callees.context.program.class_named, name.rpartition(".")[2]
        graphs = callees.candidates.mentioning(file, [last])
        returning = [one.name for one in graphs if one.name is not None and named(file, one, one.name) == name]
        words = [last, file.lowered.language.class_receiver, *(one.rpartition(".")[2] for one in returning)]
        graphs = callees.candidates.mentioning(file, words)
        return tuple(
            (Function(file, graph.name), root)
            for graph in graphs
            if not graph.module
            for owner, root in _made_by(callees, graph)
            if owner == name
        )

    return callees.context.makers.of((id(file), name), work_out)


def _made_by(callees: CallResolver, graph: Graph) -> Iterator[tuple[str, Place]]:
    """Yields the objects that a function stores into, except for its own: their classes, and their names there."""
    yield from ((record.type, place) for place, record in sorted(records(graph).items()))
    if graph.language.records:
        return
    others = {graph.receiver, *graph.parameters}
    roots = {place.root for place in _targets(graph) if place.is_attribute and place.root not in others}
    for root in sorted(roots):
        named = class_of(graph, root)
        owner = callees.context.program.class_named(callees.file, graph, named) if named is not None else None
        if owner is not None:
            yield owner, root


def _filled_here(functions: Iterable[tuple[Function, Place]]) -> set[Field]:
    """Returns the attributes that some function fills with something other than its argument: what comes from outside
    belongs to others, and so does what is put into it."""
    found: set[Field | None] = set()
    for function, root in functions:
        graph, outside = function.graph, function.graph.parameters
        stores = (one for one in graph.effects() if isinstance(one, Store) and one.value not in outside)
        found.update(one.target.field_of(root) for one in stores if one.target is not None)
        literal = records(graph).get(root)
        for key, value in zip(literal.keys, literal.items, strict=True) if literal is not None else ():
            if isinstance(key, Lit) and value not in outside:
                found.add(root.attribute(str(key.value)).field_of(root))
    return {one for one in found if one is not None}


def members_of_module(callees: CallResolver) -> Members | None:
    """Returns the functions of a file and the globals in which they keep descriptors, or None if there are no such
    globals."""
    file = callees.file
    names = file.names.shared
    graphs = callees.candidates.lower(file, (Kind.ACQUIRES,)) if names else []
    fields = frozenset(
        Field(name) for one in graphs for name in _filled_globals(callees, Function(file, one.name), names)
    )
    if not fields:
        return None
    functions = {name: Function(file, name) for name in file.lowered.functions}
    functions[file.lowered.language.methods.constructor] = Function(file, None)
    view = Members(file, "", functions, (), (), *_NOTHING, {}, frozenset())
    asked = {Field(place) for one in functions.values() for place in _asked(one.graph) if place in names - fields}
    return replace(view, fields=fields, flags=tuple(sorted(asked)[:_MAX_FLAGS]))


def _collect(
    callees: CallResolver,
    file: File,
    name: str,
    methods: dict[str, Function],
    hidden: list[Function],
    bases: list[str],
    strangers: list[str],
) -> None:
    """Adds a class's own methods and those of its bases."""
    prefix = f"{name}."
    for qualified, _ in file.lowered.functions.under(prefix):
        last = qualified[len(prefix) :]
        if "." not in last:
            method = Function(file, qualified)
            if methods.setdefault(last, method) is not method:
                hidden.append(method)
    for base in file.classes.get(name, ()):
        found = callees.context.program.class_of(file, base) if len(bases) < MAX_BASES else None
        if found is not None:
            bases.append(found[1])
            _collect(callees, *found, methods, hidden, bases, strangers)
        elif not minds_its_own(base):
            strangers.append(base)


def _filled(callees: CallResolver, name: str, function: Function, root: Place | None) -> FilledFields:
    """Returns the attributes of an object of a class that a function fills with what it or a callee acquires. A method
    of a base may call one of the class."""
    inherited = root == function.graph.receiver and (function.file, function.owner) != (callees.file, name)
    inside = CallResolver(callees.context, function.file, (callees.file, name) if inherited else None)
    key = function.key, root, inside.owner
    return callees.context.filled.of(key, lambda: _find_filled(inside, function, root))


def _find_filled(inside: CallResolver, function: Function, root: Place | None) -> FilledFields:
    names = names_of(function.graph, root) if root is not None else frozenset[Place]()
    stored_into = any(place.is_below(name) for place in _targets(function.graph) for name in names)
    if not stored_into and root not in records(function.graph):
        return FilledFields()
    found = _filled_places(inside, function)
    stored, added = ((place.field_of(name) for place in places for name in names) for places in found)
    return FilledFields(frozenset(filter(None, stored)), frozenset(filter(None, added)))


def _filled_places(inside: CallResolver, function: Function) -> Filled:
    graph, catalog = function.graph, inside.context.catalog
    return stored_from(graph, catalog, _acquiring(inside, function), taken_apart(graph, catalog))


def _filled_globals(callees: CallResolver, function: Function, names: frozenset[Place]) -> Iterator[Place]:
    """Yields the globals in which a function stores what it or a callee acquires."""
    if names.intersection(_targets(function.graph)):
        found = _filled_places(CallResolver(callees.context, function.file), function)
        yield from (found.stored | found.added) & names


def _acquiring(inside: CallResolver, function: Function) -> Callable[[Call], bool]:
    relevance = inside.context.relevance
    return lambda call: (
        relevance.most_likely_acquires(call, function.file.source.code)
        or inside.acquires_number(function.graph, call)
        or inside.created(function.graph, call) is not None
    )


def _targets(graph: Graph) -> Iterator[Place]:
    for effect in graph.effects():
        match effect:
            case Store(AccessPath() as target) | StoreItem(AccessPath() as target):
                yield target
            case Call(_, callee) if isinstance(callee.receiver, AccessPath):
                yield callee.receiver


def defaults_of(file: File, name: str) -> dict[Field, Const]:
    """Returns the constants that the body of a class assigns to attributes."""
    found: dict[Field, Const] = {}
    for effect in file.lowered.body.effects():
        match effect:
            case Store(AccessPath() as target, value) if (field := target.field_of(AccessPath(name))) is not None:
                known = file.lowered.constants.get(value, ...) if isinstance(value, AccessPath) else value.value
                if known is None or isinstance(known, (bool, int, str)):
                    found[field] = constant(known)
    return found


def _flags(view: Members, fields: frozenset[Field], defaults: frozenset[Field]) -> list[Field]:
    """Returns the plain attributes that receive constants or the answers of tests, and that conditions read in code
    about descriptors. Those that such code sets come first: they tell whether the object is open."""
    asked, given = set[Field](), Counter(dict.fromkeys(defaults, 0))
    starts = view.language.methods.constructor, *view.language.methods.after_constructor
    for function in view.functions():
        graph, shared = function.graph, Shared(function.graph.receiver)
        deals = any(shared.field(place) in fields for place in places_of(graph))
        fixed = (one.target for one in graph.effects() if isinstance(one, Assign) and isinstance(one.value, Lit))
        answers = copied_to(graph, fixed)
        for effect in graph.effects():
            match effect:
                case Store(AccessPath() as target, one) if (field := shared.field(target)) is not None:
                    if isinstance(one, Lit) or one in answers:
                        given[field] += deals and (function.name or "").rpartition(".")[2] not in starts
        if deals:
            asked.update(field for place in _asked(graph) if (field := shared.field(place)) is not None)
    return sorted((asked & given.keys()) - fields, key=lambda field: (-given[field], field))


def _asked(graph: Graph) -> Iterator[Place]:
    """Yields the places that conditions read."""
    return (place for branch in graph.branches() for place in asked_about(branch))


def names_of_own(graph: Graph, attributes: Iterable[str] = ()) -> set[Operand]:
    """Returns the names of a method's object, and of some of its attributes."""
    own = () if graph.receiver is None else (graph.receiver, *map(graph.receiver.attribute, attributes))
    return {*copied_to(graph, own)}
