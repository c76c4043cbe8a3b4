"""Models the methods of lists, dicts, sets and queues, for containers with known contents and for containers that
somebody else made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection

from fdlint.catalog import Catalog
from fdlint.catalog.model import REMOVING, Api, ContainerOp
from fdlint.core.domain.apply_event import apply_event, pick
from fdlint.core.domain.contents import Contents, normal, unordered
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Death
from fdlint.core.domain.state import State
from fdlint.core.domain.values import (
    UNKNOWN,
    Ancillary,
    Any_,
    Box,
    Const,
    Container,
    Fd,
    Known,
    Lazy,
    Seq,
    Some,
    Sym,
    Typed,
    Value,
    constant,
    mentions_any,
)
from fdlint.core.engine.allocate import Doer, receive
from fdlint.core.engine.deaths import death_by_rebinding
from fdlint.core.engine.eval import elements, entries, first_received, item, one_of, value_of, values_in
from fdlint.core.engine.heap import field_with, held, lose
from fdlint.core.engine.match_api import Reading
from fdlint.core.ir import AccessPath, Call, Constant, Graph, Operand, Place, Slice, Step, StoreItem


def call_method(doer: Doer, state: State, step: Step, call: Call, api: Api) -> Value:
    """Carries out a container method. Returns its result."""
    assert call.callee.receiver is not None and api.container is not None
    receiver = value_of(state, doer.graph, call.callee.receiver)
    if api.container in _CHANGING and isinstance(call.callee.receiver, AccessPath):
        state.forget_items(call.callee.receiver)
    keyed = api.container is not ContainerOp.TAKE or bool(api.params)
    values = [value_of(state, doer.graph, arg.value) for arg in call.args] if keyed else []
    if isinstance(receiver, (Box, Seq)):
        known = functools.partial(_known, doer, state, step, receiver, values, api.container)
        if isinstance(receiver, Box) and api.container in REMOVING:
            how = Event.EMPTIED if api.container is ContainerOp.CLEAR else Event.TAKEN_OUT
            return _removed(doer, state, step, receiver.container, known, call.unused, how)
        return known()
    if isinstance(receiver, Ancillary):
        if api.container is ContainerOp.TAKE:
            return item(state, receiver, values[0] if values else Const(-1))
        decodes = receiver.level == 2 and api.container is ContainerOp.VIEW and values  # `memoryview(data).cast("i")`
        return receive(doer.log, state, step, receiver.site, receiver.single) if decodes else receiver
    if api.container in (ContainerOp.ADD, ContainerOp.EXTEND, ContainerOp.SETDEFAULT, ContainerOp.UNION):
        _into_unknown(doer, state, step, values, call.callee.receiver)
    if api.container in _CHANGING:
        grows = api.container in (ContainerOp.ADD, ContainerOp.SETDEFAULT)
        note_change(state, call.callee.receiver, receiver, grows)
    return UNKNOWN


_CHANGING = frozenset(ContainerOp) - {
    ContainerOp.GET,
    ContainerOp.VIEW,
    ContainerOp.PAIRS,
    ContainerOp.KEYS,
    ContainerOp.UNION,
    ContainerOp.PART,
    ContainerOp.ASK,
}


def note_change(state: State, place: Operand, value: Value, grows: bool) -> None:
    """Updates the value of an unknown container that has changed: if it grows, it is not empty; otherwise its truth is
    not known any more."""
    if isinstance(place, AccessPath):
        state.forget_items(place)
    if isinstance(place, AccessPath) and isinstance(value, (Known, Sym)):
        state.forget_answers(place)
        state.env[place] = Known.TRUTHY if grows else Known.SOME


def _removed(
    doer: Doer, state: State, step: Step, container: Container, remove: Callable[[], Value], unused: bool, how: Event
) -> Value:
    """Takes something out of a container, and notes what a field loses by that, and ``how``. ``unused``: nobody gets
    the result."""
    field = field_with(doer.graph, state, container)
    if field is None:
        return remove()
    before, found = held(doer.graph, state), remove()
    inside, anywhere = held(doer.graph, state), state.reachable([*state.env.values(), UNKNOWN if unused else found])
    for fd in sorted(before - inside):
        if state.is_held(fd):
            state.tell(how, step.origin, fd, field)
            if fd not in anywhere:
                lose(doer.log, state, fd)
    return found


def _into_unknown(doer: Doer, state: State, step: Step, values: list[Value], receiver: Operand) -> None:
    """Puts values into a container that somebody else made. Its owner takes them over."""
    place = receiver if isinstance(receiver, AccessPath) else None
    for value in values:
        if isinstance(value, Ancillary) and value.level == 2:
            doer.stow(state, receive(doer.log, state, step, value.site, value.single), step, place)
        doer.stow(state, value, step, place)


def _known(doer: Doer, state: State, step: Step, receiver: Box | Seq, values: list[Value], op: ContainerOp) -> Value:
    match op:
        case ContainerOp.ADD:
            return _add(doer, state, step, receiver, values)
        case ContainerOp.EXTEND:
            return _extend(doer, state, step, receiver, values)
        case ContainerOp.TAKE:
            return _take(state, receiver, values)
        case ContainerOp.GET:
            return _get(state, receiver, values)
        case ContainerOp.SETDEFAULT:
            put(
                doer, state, step, receiver, values[0] if values else UNKNOWN, values[1] if len(values) > 1 else UNKNOWN
            )
            return _get(state, receiver, values)
        case ContainerOp.REMOVE:
            _remove(doer, state, step, receiver, values)
        case ContainerOp.CLEAR:
            _clear(doer, state, step, receiver)
        case ContainerOp.VIEW:
            return Seq(*values_in(state, receiver))
        case ContainerOp.PAIRS:
            return _pairs(state, receiver)
        case ContainerOp.KEYS:
            return Seq(*(elements(state, receiver) or ((), False)))
        case ContainerOp.UNION:
            found = [values_in(state, one) for one in (receiver, *values)]
            whole = all(exact for _, exact in found) and all(elements(state, one) is not None for one in values)
            return Seq(tuple(one for items, _ in found for one in items), whole)
        case ContainerOp.PART:
            return Some(values_in(state, receiver)[0], False)
        case ContainerOp.ASK:
            pass
    return UNKNOWN


def set_contents(doer: Doer, state: State, step: Step, container: Container, contents: Contents) -> None:
    """Replaces the contents of a container. A container that outlives the function takes them over."""
    contents = normal(contents)
    state.heap[container] = contents
    if contents.outlives:
        doer.store(state, Box(container), step, field_with(doer.graph, state, container))
    else:
        mark_bound(state, Box(container))


def mark_bound(state: State, value: Value) -> None:
    """Marks the descriptors in a value as bound: a name or container of the function holds them from now on."""
    for fd in state.reachable([value]):
        apply_event(state, None, fd, Event.BOUND)


def _contents(state: State, receiver: Box | Seq) -> Contents:
    if isinstance(receiver, Box):
        return state.heap.get(receiver.container, Contents((), False))
    return Contents(receiver.items, receiver.exact)


def _add(doer: Doer, state: State, step: Step, receiver: Box | Seq, values: list[Value]) -> Value:
    if isinstance(receiver, Box) and values:
        before = _contents(state, receiver)
        if before.keys is not None:
            before = Contents(before.items, before.exact, None, before.outlives)
        exact = before.exact and len(values) == 1
        set_contents(
            doer, state, step, receiver.container, Contents((*before.items, values[-1]), exact, None, before.outlives)
        )
    return UNKNOWN


def _extend(doer: Doer, state: State, step: Step, receiver: Box | Seq, values: list[Value]) -> Value:
    if not isinstance(receiver, Box):
        return UNKNOWN
    for given in values:
        before = _contents(state, receiver)
        value = given
        if isinstance(given, Ancillary) and given.level == 2:
            value = receive(doer.log, state, step, given.site, given.single)
        if before.keys is not None:
            _update(doer, state, step, receiver.container, before, value)
            continue
        inside, whole = values_in(state, value)
        exact = before.exact and whole and elements(state, value) is not None
        after = Contents((*before.items, *inside), exact, None, before.outlives)
        set_contents(doer, state, step, receiver.container, after)
    return UNKNOWN


def _update(doer: Doer, state: State, step: Step, container: Container, before: Contents, value: Value) -> None:
    """Puts the entries of another dict, or of pairs, into a dict. A descriptor used as a key is handed over."""
    found, whole = ([(UNKNOWN, value)], True) if isinstance(value, Fd) else entries(state, value)  # `update(key=fd)`
    new: list[tuple[Constant, Value]] = []
    for key, one in found:
        doer.hand_over(state, key, step)
        new.append((key.value if isinstance(key, Const) else None, one))
    named = {key for key, _ in new if key is not None}
    kept = [pair for pair in zip(before.keys or (), before.items, strict=True) if pair[0] not in named]
    keys, items = tuple(key for key, _ in (*kept, *new)), tuple(one for _, one in (*kept, *new))
    exact = before.exact and whole and None not in keys
    set_contents(doer, state, step, container, Contents(items, exact, keys, before.outlives))
    lose_orphans(doer, state, step, before, Death.REBOUND)


def _take(state: State, receiver: Box | Seq, values: list[Value]) -> Value:
    """Carries out ``pop()`` and similar methods. Returns the last item, or the item at a known key.

    If the index is not known, returns any of the items.
    """
    contents = _contents(state, receiver)
    if not isinstance(receiver, Box) or not contents.items:
        return UNKNOWN
    if contents.keys is not None:
        return _take_key(state, receiver.container, contents, values)
    index = -1
    if values == [Const(0)] and not contents.exact and (first := first_received(contents.items)) is not None:
        index = contents.items.index(first)
    elif values:
        if not (isinstance(values[0], Const) and isinstance(values[0].value, int) and contents.exact):
            return _take_any(state, receiver.container, contents)
        index = values[0].value
    if not -len(contents.items) <= index < len(contents.items):
        return UNKNOWN
    taken = contents.items[index]
    items = list(contents.items)
    del items[index]
    state.heap[receiver.container] = Contents(tuple(items), contents.exact, None, contents.outlives)
    return taken


def _take_key(state: State, container: Container, contents: Contents, values: list[Value]) -> Value:
    assert contents.keys is not None
    key = values[0] if values else None
    if key is None and contents.items:
        state.heap[container] = Contents(contents.items[:-1], contents.exact, contents.keys[:-1], contents.outlives)
        return Seq((UNKNOWN, contents.items[-1]))
    if isinstance(key, Const) and contents.exact:
        for index, known in enumerate(contents.keys):
            if known is not None and known == key.value:
                items = contents.items[:index] + contents.items[index + 1 :]
                keys = contents.keys[:index] + contents.keys[index + 1 :]
                state.heap[container] = Contents(items, True, keys, contents.outlives)
                return contents.items[index]
        return values[1] if len(values) > 1 else UNKNOWN
    return _take_any(state, container, contents)


def _take_any(state: State, container: Container, contents: Contents) -> Value:
    """Takes an unknown item out of a container: whichever it is, the next one taken is another."""
    if len(contents.items) == 1:
        state.heap[container] = Contents((), False, contents.keys and (), contents.outlives)
        return contents.items[0]
    _thin_out(state, container, contents)
    taken = one_of(contents.items)
    pick(state, taken)
    return taken


def _thin_out(state: State, container: Container, contents: Contents) -> None:
    """Removes an unknown item from a container. If no item is of interest, the container may be empty then."""
    if not state.reachable(contents.items):
        state.heap[container] = Contents((), False, contents.keys and (), contents.outlives)


def _get(state: State, receiver: Box | Seq, values: list[Value]) -> Value:
    found = item(state, receiver, values[0] if values else UNKNOWN)
    if found is UNKNOWN and len(values) > 1:
        return values[1]
    return found


def _remove(doer: Doer, state: State, step: Step, receiver: Box | Seq, values: list[Value]) -> None:
    contents = _contents(state, receiver)
    if isinstance(receiver, Box) and values and values[0] in contents.items and contents.keys is None:
        index = contents.items.index(values[0])
        items = contents.items[:index] + contents.items[index + 1 :]
        state.heap[receiver.container] = Contents(items, contents.exact, None, contents.outlives)
        lose_orphans(doer, state, step, contents, Death.DROPPED)
    elif isinstance(receiver, Box):
        _thin_out(state, receiver.container, contents)


def _clear(doer: Doer, state: State, step: Step, receiver: Box | Seq) -> None:
    if isinstance(receiver, Box):
        contents = _contents(state, receiver)
        state.heap[receiver.container] = Contents((), True, contents.keys and (), contents.outlives)
        lose_orphans(doer, state, step, contents, Death.DROPPED)


def lose_orphans(doer: Doer, state: State, step: Step, before: Contents, death: Death) -> None:
    """Logs the loss of the descriptors that left a container and that nothing else holds."""
    for fd in state.orphans(Seq(before.items)):
        rebound = death is Death.REBOUND
        how = death_by_rebinding(doer.graph, doer.log, step, fd) if rebound else death
        doer.log.lose(state, fd, how, step.origin)


def _pairs(state: State, receiver: Box | Seq) -> Value:
    contents = _contents(state, receiver)
    keys: tuple[Constant, ...] = contents.keys or (None,) * len(contents.items)
    pairs = tuple(
        Seq((constant(key) if key is not None else UNKNOWN, one)) for key, one in zip(keys, contents.items, strict=True)
    )
    return Seq(pairs, contents.exact)


def put(
    doer: Doer, state: State, step: Step, base: Value, key: Value, value: Value, place: Place | None = None
) -> None:
    """Carries out ``base[key] = value``. A descriptor used as a key is handed over: other code can find it among the
    keys.

    ``place``: the place of the base, if it has a name.
    """
    doer.hand_over(state, key, step)
    if not isinstance(base, Box):
        doer.stow(state, value, step, place)
        return
    before = state.heap.get(base.container, Contents((), False))
    if isinstance(step.effect, StoreItem) and step.effect.part is not None:
        _put_part(doer, state, step, base.container, before, step.effect.part, value)
        return
    if before.keys is not None:
        _put_key(doer, state, step, base.container, before, key, value)
        return
    if (
        before.exact
        and isinstance(key, Const)
        and isinstance(key.value, int)
        and -len(before.items) <= key.value < len(before.items)
    ):
        items = list(before.items)
        items[key.value] = value
        set_contents(doer, state, step, base.container, Contents(tuple(items), True, None, before.outlives))
        lose_orphans(doer, state, step, before, Death.REBOUND)
    elif mentions_any(value):
        after = unordered(Contents((*before.items, value), False, None, before.outlives))
        set_contents(doer, state, step, base.container, after)


def _put_part(
    doer: Doer, state: State, step: Step, container: Container, before: Contents, part: Slice, value: Value
) -> None:
    """Carries out ``base[low:high] = value``. If it is not known what replaces which items, they all stay."""
    found = elements(state, value)
    inside, whole = found or ((), False)
    items, everything = list(before.items), part.exact and not part.low and part.high is None
    known = found is not None and part.exact and (before.exact or everything)
    items[part.low if known else len(items) : part.high] = inside
    exact = known and whole
    set_contents(doer, state, step, container, Contents(tuple(items), exact, None, before.outlives))
    lose_orphans(doer, state, step, before, Death.REBOUND)


def _put_key(
    doer: Doer, state: State, step: Step, container: Container, before: Contents, key: Value, value: Value
) -> None:
    assert before.keys is not None
    name = key.value if isinstance(key, Const) else None
    items, keys = list(before.items), list(before.keys)
    if name is not None and name in keys:
        items[keys.index(name)] = value
    elif name is None and mentions_any(value) and _is_one_of(value, items):
        doer.hand_over(state, value, step)  # it is there twice now: nobody can tell which of the two goes first
    elif name is not None or not isinstance(value, (Const, Known, Typed)):
        items.append(value)
        keys.append(name)
    exact = before.exact and name is not None
    set_contents(doer, state, step, container, Contents(tuple(items), exact, tuple(keys), before.outlives))
    lose_orphans(doer, state, step, before, Death.REBOUND)


def _is_one_of(value: Value, items: Collection[Value]) -> bool:
    """Whether a value is certain to be one of some items, whichever it is."""
    return all(one in items for one in value.items) if isinstance(value, Any_) else value in items


def drop_item(doer: Doer, state: State, step: Step, base: Value, key: Value, whole: bool) -> None:
    """Carries out ``del base[key]``. ``whole``: the key is a slice."""
    if not isinstance(base, Box):
        return
    before = state.heap.get(base.container, Contents((), False))
    if whole or before.keys is not None or isinstance(key, Const):
        op, how = (ContainerOp.CLEAR, Event.EMPTIED) if whole else (ContainerOp.TAKE, Event.TAKEN_OUT)
        remove = functools.partial(_known, doer, state, step, base, [key], op)
        _removed(doer, state, step, base.container, remove, unused=True, how=how)
    lose_orphans(doer, state, step, before, Death.DELETED)


def lazy_map(catalog: Catalog, graph: Graph, state: State, reading: Reading) -> Lazy:
    """Returns the result of ``map``: the items, and whether the function closes them."""
    sources = [arg for name, arg in reading.bound if name.startswith("*")]
    function = next((arg for name, arg in reading.bound if not name.startswith("*")), None)
    closes = any(
        api.closed for api in (catalog.lookup(function.dotted) if function is not None and function.dotted else ())
    )
    items = tuple(one for arg in sources for one in values_in(state, value_of(state, graph, arg.value))[0])
    return Lazy(closes, tuple(one for one in items if mentions_any(one)))
