"""Evaluates operands and right-hand sides in a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fdlint.core.domain.apply_event import pick
from fdlint.core.domain.contents import Contents, is_object, normal, unordered
from fdlint.core.domain.event import Chance
from fdlint.core.domain.state import State
from fdlint.core.domain.values import (
    NONE,
    NUMBERS,
    SOME_FUNCTION,
    UNKNOWN,
    Age,
    AllocationSite,
    Ancillary,
    Any_,
    Box,
    Const,
    ContainerSite,
    Descriptor,
    Fd,
    Fn,
    Iter,
    Known,
    Lazy,
    Maker,
    Seq,
    Some,
    Success,
    Text,
    Typed,
    Value,
    constant,
    inner,
    is_any_holder,
    mentions_any,
)
from fdlint.core.ir import (
    AccessPath,
    Build,
    Call,
    Callee,
    Closure,
    Constant,
    Graph,
    Item,
    Lit,
    Named,
    Opaque,
    Operand,
    Place,
    RValue,
    Slice,
    Unpack,
)
from fdlint.core.ir import Iterator as IteratorOver

NUMBER_SIZE = 4  # bytes: the size of a descriptor's number in a control message
MAX_COUNTED = 3  # as many as the standard streams: more numbers are not followed one by one
MAX_SPREAD = 8


def object_of(state: State, call: Call) -> Value:
    """Returns the value of the object that a method is called on: a record, one that owns a descriptor, or any."""
    receiver = call.callee.receiver
    value = _held_in(state, receiver) if isinstance(receiver, AccessPath) else None
    owns = isinstance(value, Fd) and value.descriptor in state.resources and state.resources[value.descriptor].of
    return value if value is not None and (owns or isinstance(value, Box)) else Known.TRUTHY


def _held_in(state: State, place: Place) -> Value | None:
    """Returns the value of a variable, or of an attribute of a record; None if it has none of its own."""
    found = state.env.get(place)
    if found is not None or not (state.heap and place.is_attribute):
        return found
    record = _held_in(state, place.base)
    contents = state.heap.get(record.container) if isinstance(record, Box) else None
    if not isinstance(record, Box) or contents is None or contents.keys is None:
        return None
    return item(state, record, Const(place.name))


def value_of(state: State, graph: Graph, operand: Operand) -> Value:
    """Returns the value of an operand."""
    if isinstance(operand, Lit):
        return constant(operand.value)
    found = state.env.get(operand)
    if found is None:
        if state.heap and operand.is_attribute:
            record = record_of(state, graph, operand)
            if record is not None:
                return item(state, record, Const(operand.name))
        if operand.is_attribute and operand.name.isdecimal():
            return item(state, value_of(state, graph, operand.base), Const(int(operand.name)))
        if operand.is_attribute and operand.name == "value" and isinstance(state.env.get(operand.base), Success):
            return state.env[operand.base]
        if operand in graph.methods:
            return Fn(graph.methods[operand])
        kind = graph.types.get(operand)
        if kind is None and operand in graph.constants:
            return constant(graph.constants[operand])
        return Typed(kind, certain=_is_always_there(graph, operand)) if kind is not None else UNKNOWN
    return found


def is_flag(value: Value) -> bool:
    """Whether a value is none, a truth value or -1: records keep these, because methods ask whether they are closed."""
    return isinstance(value, Const) and (value.value is None or value.is_bool or value.value == -1)


def forget_flags(state: State, value: Value) -> None:
    """Forgets the plain values in a record that unknown code gets hold of, because it may set them."""
    contents = state.heap.get(value.container) if isinstance(value, Box) else None
    if not isinstance(value, Box) or contents is None or contents.keys is None:
        return
    kept = [(key, one) for key, one in zip(contents.keys, contents.items, strict=True) if mentions_any(one)]
    names, items = tuple(key for key, _ in kept), tuple(one for _, one in kept)
    state.heap[value.container] = replace(contents, items=items, keys=names)


def record_of(state: State, graph: Graph, place: Place) -> Box | None:
    """Returns the record whose attribute a place is; None if the object is not known, or is none."""
    base = value_of(state, graph, place.base) if place.is_attribute else UNKNOWN
    if not isinstance(base, Box):
        return None
    contents = state.heap.get(base.container)
    return base if contents is not None and contents.keys is not None else None


def _is_always_there(graph: Graph, place: Place) -> bool:
    """Whether a place with a known type cannot be None: it is no attribute, and no parameter with the default None."""
    return not place.is_attribute and graph.signature.defaults.get(place) != Lit(None)


def result_of(state: State, graph: Graph, value: RValue, node: int) -> Value:
    """Returns the value of a right-hand side. ``node`` is the number of the syntax node that it is made from."""
    match value:
        case AccessPath() | Lit():
            return value_of(state, graph, value)
        case Opaque(unless=AccessPath() as place):
            kept = value_of(state, graph, place)
            return kept if isinstance(kept, Box) or mentions_any(kept) else UNKNOWN
        case Opaque(some, positive):
            return Known.POSITIVE if positive else Known.SOME if some else UNKNOWN
        case Closure(name):
            held = ((place, state.env.get(place)) for place in sorted(graph.captures.get(name, ())))
            captured = tuple((place, one) for place, one in held if isinstance(one, Fn))
            return Fn(Callee(name, own=True, function=name), captured)
        case Named(callee):
            return Fn(callee)
        case Build():
            return _build(state, graph, value, ContainerSite(Maker.DISPLAY, node, 0, graph.name or ""))
        case Item(base, index):
            key = value_of(state, graph, index) if index is not None else UNKNOWN
            container = value_of(state, graph, base)
            found = item(state, container, key)
            if not isinstance(key, Const) or _is_blurred(state, container, found):
                pick(state, found)
            return found
        case Slice(base, size=size):
            told = value_of(state, graph, size) if size is not None else UNKNOWN
            return told if isinstance(told, Ancillary) else _slice(state, value_of(state, graph, base), value)
        case Unpack(base, index, count, star):
            container = value_of(state, graph, base)
            found = _unpack(state, container, index, count, star)
            if _is_blurred(state, container, found):
                pick(state, found)
            return found
        case IteratorOver(base, values, computed):
            return iterate(state, value_of(state, graph, base), values, Chance.ASSUMED if computed else Chance.RARE)


def _is_blurred(state: State, container: Value, found: Value) -> bool:
    """Whether the item at hand may be another than the one found, because not all of the container is known.

    A list that one call has received is exempt.
    """
    inside = elements(state, container)
    if inside is None or inside[1] or not isinstance(found, Fd):
        return False
    return not (isinstance(container, Box) and container.container.site == received_at(found.descriptor.site))


def received_at(site: AllocationSite) -> ContainerSite:
    """Returns the site of the list that holds the descriptors received at a site."""
    return ContainerSite(Maker.RECEIVING_CALL, site)


def elements(state: State, value: Value) -> tuple[tuple[Value, ...], bool] | None:
    """Returns the items of a sequence or container, and whether they are all of its items in order.

    None when the value is neither.
    """
    match value:
        case Seq(items, exact):
            return items, exact
        case Iter(items, exact):
            return items, exact
        case Box(container):
            contents = state.heap.get(container, Contents((), False))
            if is_object(contents):
                return contents.items[1:], False  # a named tuple, perhaps without what does not matter
            if contents.keys is not None:
                return tuple(map(_key, contents.keys)), contents.exact
            return contents.items, contents.exact
        case Any_(items) if is_any_holder(value):
            return tuple(part for one in items for part in (elements(state, one) or ((),))[0]), False
        case Any_(items) | Some(items):
            return items, False
        case Lazy(_, items):
            return items, False
        case Ancillary(_, 0):
            return (Seq((UNKNOWN, replace(value, level=3), replace(value, level=2))),), False
        case Ancillary(_, 1):
            return (UNKNOWN, replace(value, level=3), replace(value, level=2)), True
    return None


def values_in(state: State, value: Value) -> tuple[tuple[Value, ...], bool]:
    """Returns what a container holds (the values of a dict, the items of others), and whether that is all of it."""
    if isinstance(value, Box):
        contents = state.heap.get(value.container, Contents((), False))
        return contents.items, contents.exact
    return elements(state, value) or ((), False)


def entries(state: State, value: Value) -> tuple[list[tuple[Value, Value]], bool]:
    """Returns the keys and values of a dict, or of the pairs in another value, and whether these are all of them."""
    contents = state.heap.get(value.container) if isinstance(value, Box) else None
    if contents is not None and contents.keys is not None:
        return list(zip(map(_key, contents.keys), contents.items, strict=True)), contents.exact
    items, whole = elements(state, value) or ((), False)
    found: list[tuple[Value, Value]] = []
    for one in items:
        pair, known = elements(state, one) or ((), False)
        found.append((pair[0], pair[1]) if known and len(pair) == 2 else (UNKNOWN, one))
    return found, whole


def _key(key: Constant) -> Value:
    return UNKNOWN if key is None else constant(key)


def _build(state: State, graph: Graph, build: Build, site: ContainerSite) -> Value:
    items: list[Value] = []
    exact = True
    for index, operand in enumerate(build.items):
        one = value_of(state, graph, operand)
        if index in build.stars:
            if one == NONE:
                continue  # in Go, a slice without items
            inside, whole = values_in(state, one)
            exact = exact and whole and elements(state, one) is not None
            items.extend(inside)
        else:
            items.append(one)
    if build.kind == "tuple":
        return Seq(tuple(items), exact)
    if build.kind in ("sum", "extend"):
        return _sum(state, graph, build, tuple(items), exact, site)
    if build.kind in ("part", "rest"):
        return _part(state, graph, build, tuple(items), exact, site)
    if build.kind == "kept":
        return Known.SOME
    if build.kind in ("text", "format", "str"):
        return _text(state, graph, build)
    if build.kind == "record":
        named = zip(_keys(state, graph, build, len(items)), items, strict=True)
        holding = [(key, one) for key, one in named if mentions_any(one) or is_flag(one)]
        if not build.type and not any(mentions_any(one) for _, one in holding):
            return Known.SOME
        return state.new_box(site, Contents(tuple(one for _, one in holding), True, tuple(key for key, _ in holding)))
    keys = _keys(state, graph, build, len(items)) if build.kind == "dict" else None
    return state.new_box(site, normal(Contents(tuple(items), exact and None not in (keys or ()), keys)))


def _keys(state: State, graph: Graph, build: Build, count: int) -> tuple[Constant, ...]:
    """Returns the keys of a dict display: each constant key, and None for any other key."""
    if build.stars:
        return (None,) * count
    values = [value_of(state, graph, operand) for operand in build.keys]
    return tuple(value.value if isinstance(value, Const) else None for value in values)


def _sum(state: State, graph: Graph, build: Build, items: tuple[Value, ...], exact: bool, site: ContainerSite) -> Value:
    """Returns the value of ``a + b``: a sequence of the items of both, or the text of strings.

    A sum of numbers is of no interest.
    """
    left = value_of(state, graph, build.items[0])
    operands = [value_of(state, graph, operand) for operand in build.items]
    if any(_is_text(graph, one) for one in operands):
        return text_of(state, graph, operands) if not any(map(leads_to_numbers, operands)) else _string(graph)
    if elements(state, left) is None and not any(mentions_any(one) for one in items):
        return Known.SOME
    if isinstance(left, Box):
        return _box(state, left, items, exact, site)
    whole = Contents(items, exact)
    known = normal(whole) if exact else unordered(whole)
    return Seq(known.items, known.exact)


def _box(state: State, like: Box, items: tuple[Value, ...], exact: bool, site: ContainerSite) -> Value:
    """Returns a new container of the same kind as another. The keys of a new dict are not known."""
    before = state.heap.get(like.container)
    keys = (None,) * len(items) if before is not None and before.keys is not None else None
    return state.new_box(site, normal(Contents(items, exact and keys is None, keys)))


def _part(
    state: State, graph: Graph, build: Build, items: tuple[Value, ...], exact: bool, site: ContainerSite
) -> Value:
    """Returns the value of ``a - b``, ``a & b`` or ``a * 2``: some of the items. ``a - b`` has no item that is known to
    be in ``b``."""
    left, right = (value_of(state, graph, operand) for operand in build.items)
    if build.kind == "rest":
        found = elements(state, right)
        without, known = (found[0], found[1]) if found is not None else ((), False)
        items, exact = values_in(state, left)
        items = tuple(one for one in items if one not in without)
        exact = exact and known and all(isinstance(one, Fd) for one in (*items, *without))
    else:
        exact = False
    if not any(mentions_any(one) for one in items):
        return Known.SOME
    return _box(state, left, items, exact, site) if isinstance(left, Box) else Some(items, exact)


def leads_to_numbers(value: Value) -> bool:
    """Whether a string is a path to an open descriptor: one who reads it opens the file, and takes no number."""
    return isinstance(value, Const) and isinstance(value.value, str) and NUMBERS in value.value


def _text(state: State, graph: Graph, build: Build) -> Value:
    """Returns the string that values are formatted into. ``%`` between numbers is arithmetic and makes no string."""
    values = [value_of(state, graph, operand) for operand in build.items]
    if build.kind == "str" and not mentions_any(values[0]):
        return values[0]
    if not any(map(mentions_any, values)) or (build.kind == "format" and isinstance(values.pop(0), Fd)):
        return Known.SOME  # no string type either: otherwise states would differ in it
    text = text_of(state, graph, values, alone=build.kind == "str")
    return text if isinstance(text, Text) else Known.SOME


def text_of(state: State, graph: Graph, values: Sequence[Value], alone: bool = False) -> Value:
    """Returns a string with the numbers of some values. For a container, it keeps the descriptors that the container
    holds now, not the container. ``alone``: the string is the text of one value."""
    told = tuple(Fd(fd) for fd in sorted(state.reachable(values)))
    if alone and told and not isinstance(values[0], Box):
        return Text((values[0],), alone=True)
    return Text(told) if told else _string(graph)


def _is_text(graph: Graph, value: Value) -> bool:
    if isinstance(value, Typed):
        return value.type == graph.language.types.text
    return type(value) is Text or (isinstance(value, Const) and isinstance(value.value, str))


def _string(graph: Graph) -> Value:
    return Typed(graph.language.types.text)


def item(state: State, base: Value, key: Value) -> Value:
    """Returns the value of ``base[key]``."""
    if base == SOME_FUNCTION:
        return base
    if isinstance(base, Ancillary):
        return replace(base, level=1) if base.level == 0 else _payload(base, key)
    if isinstance(base, Box):
        contents = state.heap.get(base.container, Contents((), False))
        by_position = is_object(contents) and isinstance(key, Const) and isinstance(key.value, int)
        if contents.keys is not None and not by_position:
            return _entry(contents, key)
    if is_any_holder(base):
        return one_of(tuple(item(state, one, key) for one in inner(base)))
    items, exact = elements(state, base) or ((), False)
    if isinstance(key, Const) and isinstance(key.value, int):
        if exact and -len(items) <= key.value < len(items):
            return items[key.value]
        if _one_site(items):
            return _received(items, key.value)
    return one_of(items)


def _payload(base: Ancillary, key: Value) -> Value:
    if base.level == 1 and key == Const(1):
        return replace(base, level=3)
    return replace(base, level=2) if base.level == 2 or (base.level == 1 and key == Const(2)) else UNKNOWN


def _one_site(items: tuple[Value, ...]) -> bool:
    return (
        bool(items)
        and all(isinstance(one, Fd) for one in items)
        and len({o.descriptor.site for o in items if isinstance(o, Fd)}) == 1
    )


def first_received(items: tuple[Value, ...]) -> Value | None:
    """Returns the first descriptor of a list that came from one call; None if it is not known to be there."""
    if not _one_site(items):
        return None
    return next((one for one in items if isinstance(one, Fd) and _is_first(one)), None)


def _is_first(value: Fd) -> bool:
    return value.descriptor.slot == 0 and value.descriptor.age is Age.NEWEST


def _received(items: tuple[Value, ...], index: int) -> Value:
    """Returns an item of a list that came from one call: its first descriptor, or any of the rest."""
    first = first_received(items)
    if index == 0 and first is not None:
        return first
    return one_of(tuple(one for one in items if one != first) or items)


def may_be_empty(items: tuple[Value, ...]) -> bool:
    """Whether the items are a list that came in from another process, which may be empty."""
    fds = [one.descriptor for one in items if isinstance(one, Fd)]
    return len(fds) == len(items) and {fd.slot for fd in fds} >= {0, 1} and len({fd.site for fd in fds}) == 1


def received_in_order(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """Returns the items of a list that came from one call with its first descriptor first: several rounds of a loop may
    have put earlier ones before it."""
    first = _received(items, 0)
    return (first, *(one for one in items if one != first)) if first in items else items


def _entry(contents: Contents, key: Value) -> Value:
    if isinstance(key, Const) and contents.keys is not None and contents.exact:
        for known, one in zip(contents.keys, contents.items, strict=True):
            if known == key.value and known is not None:
                return one
        return UNKNOWN
    return one_of(contents.items)


def one_of(items: tuple[Value, ...]) -> Value:
    """Returns a value for any one of several: the only one of interest, a choice among several, UNKNOWN for none."""
    interesting = tuple(dict.fromkeys(one for one in items if mentions_any(one)))
    if not interesting:
        return UNKNOWN
    return interesting[0] if len(interesting) == 1 else Any_(interesting)


def _slice(state: State, base: Value, bounds: Slice) -> Value:
    if isinstance(base, Ancillary):
        return replace(base, starts=True) if bounds.exact and not bounds.low and bounds.high == NUMBER_SIZE else base
    found = elements(state, base)
    if found is None:
        return UNKNOWN
    items, exact = found
    if exact and bounds.exact:
        return Seq(items[bounds.low : bounds.high])
    if bounds.exact and _one_site(items) and (bounds.low or 0) > 0:
        first = _received(items, 0)
        return Seq(tuple(one for one in items if one != first), False)
    return Seq(items, False)


def _unpack(state: State, base: Value, index: int, count: int, star: int | None) -> Value:
    if isinstance(base, Ancillary):
        return _payload(base, Const(index)) if base.level == 1 else UNKNOWN
    if is_any_holder(base):
        return one_of(tuple(_unpack(state, one, index, count, star) for one in inner(base)))
    found = elements(state, base)
    if found is None:
        return UNKNOWN
    items, exact = found
    if not exact:
        return _unpack_some(items, index, star)
    if star is None:
        return items[index] if len(items) == count else one_of(items)
    if index < star:
        return items[index] if index < len(items) else UNKNOWN
    if index == star:
        return Seq(items[star : len(items) - (count - star - 1)])
    position = len(items) - (count - index)
    return items[position] if 0 <= position < len(items) else UNKNOWN


def _unpack_some(items: tuple[Value, ...], index: int, star: int | None) -> Value:
    if index == star:
        first = _received(items, 0) if star and _one_site(items) else None
        return Seq(tuple(one for one in items if one != first), False)
    return _received(items, index) if _one_site(items) else one_of(items)


def iterate(state: State, value: Value, values: bool, raises: Chance) -> Value:
    """Returns an iterator over a value. ``values``: over the values of a dict, not its keys. ``raises``: how often the
    iterator raises if nothing is known about the value."""
    if isinstance(value, Iter):
        return value
    if isinstance(value, Some):
        return Iter(value.items, value.exact)
    found = values_in(state, value) if values and isinstance(value, Box) else elements(state, value)
    if found is None:
        return Iter((), value == NONE, raises)  # Go ranges over nil
    items, exact = found
    if isinstance(value, Ancillary) and not value.level:
        return Iter(items, True)  # descriptors come in one message, whatever the others are
    if exact and len(items) <= MAX_SPREAD and (not items or any(map(_may_matter, items)) or _is_told(state, items)):
        return Iter(items, True)
    first = (UNKNOWN,) if exact and items else ()  # there is a round, whatever it is about
    return Iter(tuple(one for one in items if mentions_any(one)) or first, False)


def _is_told(state: State, items: tuple[Value, ...]) -> bool:
    """Whether the items are a few known numbers, as in ``range(3)``, or the keys of a dict that holds a descriptor, or
    that the loop may fill."""
    known = [one.value for one in items if isinstance(one, Const)]
    if len(known) < len(items):
        return False
    if len(items) <= MAX_COUNTED and all(isinstance(one, int) for one in known):
        return True
    dicts = (one for one in state.heap.values() if one.keys is not None and one.exact and not is_object(one))
    return any(
        not one.items or (not set(one.keys or ()).isdisjoint(known) and any(map(mentions_any, one.items)))
        for one in dicts
    )


def _may_matter(value: Value) -> bool:
    return isinstance(value, Fn) or mentions_any(value)


def fresh(site: AllocationSite, slot: int) -> Fd:
    """Returns the descriptor that a site has just acquired."""
    return Fd(Descriptor(site, slot, Age.NEWEST))
