"""Classes whose objects own descriptors, as source text. All of them are correct but for what a second call does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from .scope import Lines, block
from .table import CLOSING
from .world import REFUSED

_OPEN = ("os.open(path, os.O_RDONLY)", "os.open(path, os.O_RDWR)", "os.memfd_create(path)")


@dataclass(frozen=True, slots=True)
class Ways:
    """How the classes of one module write the same things. ``ends``: the name of their closing methods. ``managed``:
    they are context managers."""

    rng: Random
    ends: str
    managed: bool

    def chance(self, probability: float) -> bool:
        """Returns True with this probability."""
        return self.rng.random() < probability

    def opens(self) -> str:
        """An expression that opens ``path``."""
        return self.rng.choice(_OPEN)


@dataclass(frozen=True, slots=True)
class Owners:
    """A class: its text, and the expressions that create an object. ``base``: the classes that it needs."""

    name: str
    lines: Lines
    creates: tuple[str, ...]
    base: Lines = field(default_factory=list)


def owners(rng: Random) -> tuple[Ways, list[Owners]]:
    """Returns one or two classes with the same closing method, and how they are written."""
    ways = Ways(rng, rng.choice([CLOSING[0], *CLOSING]), rng.random() < 0.7)
    makers = rng.sample(list(MAKERS), rng.choice([1, 1, 2]))
    return ways, [maker(ways, f"{maker.__name__.title().replace('_', '')}Device") for maker in makers]


def plain(ways: Ways, name: str) -> Owners:
    """Opens in its constructor."""
    lines = block("def __init__(self, path):", [f"self._fd = {ways.opens()}", *_other(ways)])
    return _class(ways, name, "", lines, ("_fd",), (f"{name}(path)",))


def slotted(ways: Ways, name: str) -> Owners:
    """Has ``__slots__``."""
    lines = ["__slots__ = ('_fd',)", *block("def __init__(self, path):", [f"self._fd = {ways.opens()}"])]
    return _class(ways, name, "", lines, ("_fd",), (f"{name}(path)",))


def given(ways: Ways, name: str) -> Owners:
    """Takes over a descriptor."""
    lines = block("def __init__(self, fd):", ["self._fd = fd"])
    make = [*block("def of(cls, path):", [f"return cls({ways.opens()})"])]
    lines += ["@classmethod", *make]
    return _class(ways, name, "", lines, ("_fd",), (f"{name}.of(path)", f"{name}(os.open(path, os.O_RDONLY))"))


def pair(ways: Ways, name: str) -> Owners:
    """Owns two."""
    lines = block("def __init__(self, path):", ["self._r, self._w = os.pipe()"])
    return _class(ways, name, "", lines, ("_r", "_w"), (f"{name}(path)",))


def generated(ways: Ways, name: str) -> Owners:
    """A dataclass that opens after its fields are set."""
    lines = ["path: str", "_fd: int = -1", *block("def __post_init__(self):", ["path = self.path"])]
    lines.append(f"    self._fd = {ways.opens()}")
    found = _class(ways, name, "", lines, ("_fd",), (f"{name}(path)",))
    return Owners(name, ["@dataclass", *found.lines], found.creates)


def recorded(ways: Ways, name: str) -> Owners:
    """A dataclass that takes over a descriptor."""
    lines = ["_fd: int", "path: str = ''", "@classmethod"]
    lines += block("def of(cls, path):", [f"fd = {ways.opens()}", "return cls(fd, path)"])
    found = _class(ways, name, "", lines, ("_fd",), (f"{name}.of(path)", f"{name}(os.open(path, os.O_RDONLY))"))
    return Owners(name, ["@dataclass", *found.lines], found.creates)


def named(ways: Ways, name: str) -> Owners:
    """A named tuple."""
    lines = ["fd: int", "path: str", "@classmethod"]
    lines += block("def of(cls, path):", [f"return cls({ways.opens()}, path)"])
    return _class(ways, name, "(NamedTuple)", lines, ("fd",), (f"{name}.of(path)",), changes=False)


def inherited(ways: Ways, name: str) -> Owners:
    """A base class owns it."""
    base = plain(ways, f"{name}Base")
    lines = block("def __init__(self, path):", ["super().__init__(path)", "self.name = path"])
    if ways.chance(0.3):
        lines = block("def label(self):", ["return 'label'"])
    text = block(f"class {name}({base.name}):", lines)
    return Owners(name, text, (f"{name}(path)",), base.lines)


def owning(ways: Ways, name: str) -> Owners:
    """Owns an object that owns a descriptor."""
    base = ways.rng.choice([plain, given, pair])(ways, f"{name}Part")
    creates = base.creates[0]
    lines = block("def __init__(self, path):", [f"self._part = {creates}"])
    lines += block(f"def {ways.ends}(self):", [f"self._part.{ways.ends}()"])
    lines += block("def read(self):", ["return self._part.read()"])
    lines += block("def write(self, data):", ["return self._part.write(data)"])
    lines += block("def fileno(self):", ["return self._part.fileno()"])
    lines += _managed(ways)
    return Owners(name, block(f"class {name}:", lines), (f"{name}(path)",), base.lines)


def keeping(ways: Ways, name: str) -> Owners:
    """Takes over an object that owns a descriptor."""
    base = plain(ways, f"{name}Part")
    lines = block("def __init__(self, part):", ["self._part = part"])
    lines += block(f"def {ways.ends}(self):", [f"self._part.{ways.ends}()"])
    lines += block("def read(self):", ["return self._part.read()"])
    lines += block("def write(self, data):", ["return self._part.write(data)"])
    lines += block("def fileno(self):", ["return self._part.fileno()"])
    lines += _managed(ways)
    return Owners(name, block(f"class {name}:", lines), (f"{name}({base.name}(path))",), base.lines)


def finalized(ways: Ways, name: str) -> Owners:
    """Closes what it owns when it is collected: nobody owes anything."""
    lines = block("def __init__(self, path):", ["self._fd = None", f"self._fd = {ways.opens()}"])
    lines += block("def __del__(self):", [f"self.{ways.ends}()"])
    return _class(ways, name, "", lines, ("_fd",), (f"{name}(path)",), optional=True)


def later(ways: Ways, name: str) -> Owners:
    """Opens in another method, which returns the object."""
    lines = block("def __init__(self):", ["self._fd = None"])
    lines += block("def open(self, path):", [f"self._fd = {ways.opens()}", "return self"])
    return _class(ways, name, "", lines, ("_fd",), (f"{name}().open(path)",), optional=True)


MAKERS: tuple[Callable[[Ways, str], Owners], ...] = (
    *(plain, slotted, given, pair, generated, recorded, named, inherited, owning, keeping, finalized, later),
)


def _other(ways: Ways) -> Lines:
    return ["self.path = path"] if ways.chance(0.3) else []


def _class(
    ways: Ways,
    name: str,
    bases: str,
    lines: Lines,
    fields: tuple[str, ...],
    creates: tuple[str, ...],
    *,
    changes: bool = True,
    optional: bool = False,
) -> Owners:
    """A class with methods that close and use its descriptors. ``changes``: they may set attributes."""
    closes, resets = _closing(ways, fields, changes=changes, optional=optional)
    lines = lines + block(f"def {ways.ends}(self):", closes)
    first = f"self.{fields[0]}"
    guard: Lines = []
    if resets or optional:
        guard = block(f"if {first} is None:", [ways.rng.choice([f"raise ValueError('{REFUSED}')", "return b''"])])
    lines += block("def read(self):", guard, [f"return os.read({first}, 1)"])
    lines += block("def write(self, data):", guard, [f"os.write(self.{fields[-1]}, data)"])
    lines += block("def fileno(self):", [f"return {first}"])
    lines += _managed(ways)
    return Owners(name, block(f"class {name}{bases}:", lines), creates)


def _managed(ways: Ways) -> Lines:
    if not ways.managed:
        return []
    return [
        *block("def __enter__(self):", ["return self"]),
        *block("def __exit__(self, *exc):", [f"self.{ways.ends}()"]),
    ]


def _closing(ways: Ways, fields: tuple[str, ...], *, changes: bool, optional: bool) -> tuple[Lines, bool]:
    """Returns the body of a closing method, and whether it resets what it closes."""
    first = f"self.{fields[0]}"
    bare = [f"os.close(self.{one})" for one in fields]
    resets = [f"self.{one} = None" for one in fields]
    ways_of = ["bare", "guard", "swap", "early"] if not optional else ["guard", "early"]
    match ways.rng.choice(ways_of) if changes else "bare":
        case "guard":
            return block(f"if {first} is not None:", bare, resets), True
        case "early":
            return [*block(f"if {first} is None:", ["return"]), *bare, *resets], True
        case "swap" if len(fields) == 1:
            return [f"fd, {first} = ({first}, None)", *block("if fd is not None:", ["os.close(fd)"])], True
        case _:
            return bare, False
