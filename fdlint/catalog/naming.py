"""Guesses what a function does from its name alone."""

from __future__ import annotations

import builtins
import functools
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

_once = functools.lru_cache(maxsize=10_000)  # few names make most of the calls

_TAKING = re.compile(
    r"adopt|attach|from_?fd|fdopen|take|steal|consume|own|dispose|release|cleanup|shutdown|hand_?over|transfer"
    r"|open$|(?<!a)close(?!d|_fds|_on_exec|onexec|_exec|ness)",
    re.IGNORECASE,
)
_REPLACING = re.compile(
    r"re_?open|rotat|reset|re_?start|re_?load|renew|refresh|re_?connect|replace|switch|roll_?over|re_?init"
    r"|(^|_)(sig_?)?(hup|usr[12])(_|$)",  # signals that ask a daemon for that
    re.IGNORECASE,
)
_CLOSING_MODULES = frozenset({"io", "_io", "_pyio"})  # https://docs.python.org/3/library/io.html#io.IOBase.__del__
_COLLECTED_CLASSES = {"Connection", "SharedMemory"}  # of the standard library: their finalizers close what they keep
_CLOSING_CLASSES = {*_COLLECTED_CLASSES, "Popen"}  # they close what they keep
_BUILTIN = frozenset(dir(builtins))
_WRITES_CONSTRUCTOR = re.compile(
    r"(pydantic\.)?dataclasses\.dataclass|attrs?\.(s|attrs|dataclass|define|frozen|mutable)"
)
_FIELD = re.compile(r"(pydantic\.)?dataclasses\.field|attrs?\.(ib|attrib|field)")
_INERT_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple", "AbstractContextManager", "Enum"})
_ENDING = re.compile(
    r"^_*(close|stop|shut_?down|terminate|disconnect|dispose|clean_?up|tear_?down|exit|del|(?-i:Release))(_\w*)?$",
    re.IGNORECASE,
)
_BEGINNING = frozenset({"new", "init", "initialize", "initialise"})
_LAST = frozenset({"__del__", "tearDown", "asyncTearDown", "teardown_method", "tearDownClass"})
_TEST = re.compile(r"test(_|[A-Z]|$)")
_GIVING_UP = re.compile(r"detach|disown|forget|abandon|disarm|release|leak|steal|take|pop_all", re.IGNORECASE)
_WORKING = re.compile(r"(^|_)p?(read|write|send|recv)(v|_?all|_?exact(ly)?|_?bytes|_?data)?$", re.IGNORECASE)
_NOT_OWN = re.compile(r"down|known|chown|shown|owner|grown|brown|unknown|mistake|intake")
_TELLING = re.compile(
    r"log|[a-z]?print|debug|info|warn|error|fail|critical|trace|msg|message|notif|echo|report|show|display|verbose|assert|die\b|abort|usage",
    re.IGNORECASE,
)
_NOTING = re.compile(
    r"^_*(add(?!_watch)|append|register|unregister|notify|set|log|debug|info|warn|warning|print|trace)(_\w+)?$"
    r"|^_*(add|append|register|notify|set)[A-Z]\w*$|^_*(close|release)$"
)
_STARTING = re.compile(r"popen|process|spawn|child|command|worker|server|session|connect|client|thread", re.IGNORECASE)
_LOG = re.compile(
    r"^_?(?!\w*(dia|cata|back|ana)log)(?!open|close|init|setup|set|get|add|make|create|read|write|rotate|flush|parse)"
    r"[a-z]{0,10}(log|logger)$"
)
_ASSERTION = re.compile(r"assert[A-Z_]")
_RIGHTS = re.compile("rights", re.IGNORECASE)
RIGHTS = 1  # the value of SCM_RIGHTS in Linux's <linux/socket.h> and the BSDs' <sys/socket.h>
_EXCEPTION = re.compile(r"(Error|Exception|Warning|Interrupt|Exit|Timeout)$")
_HOLDS_CLASS = re.compile(
    r"^(?!(is|has|get|of)_)(\w*_)?(cls|class|klass|factory|ctor|constructor)_?$|^\w*[a-z0-9](Cls|Class|Klass|Factory)$"
)
_CONSTRUCTOR = re.compile(r"^_*[A-Z][A-Za-z0-9]*[a-z]")


@_once
def is_exception(name: str) -> bool:
    """Whether a name is that of an exception: ``OSError``, ``_Timeout``."""
    return name.lstrip("_")[:1].isupper() and bool(_EXCEPTION.search(name))


@_once
def tells(name: str) -> bool:
    """Whether a function's name suggests that it only tells its arguments to a reader: ``log_fd``, ``_print_line``, an
    exception. ``write_error`` writes to its argument, and may close it."""
    return begins_to_tell(name) or is_exception(name)


@_once
def begins_to_tell(name: str) -> bool:
    """Whether the first word of a function's name suggests text for a reader."""
    return bool(_TELLING.match(name.lstrip("_")))


@_once
def is_constructor(name: str) -> bool:
    """Whether a name is ``CapWords`` and not an exception's: ``Connection``, ``_Reader``."""
    return bool(_CONSTRUCTOR.match(name)) and not _EXCEPTION.search(name)


@_once
def holds_class(name: str) -> bool:
    """Whether a variable's name suggests a class or a factory: ``stream_cls``, ``klass``, ``protocolFactory``."""
    return bool(_HOLDS_CLASS.match(name))


@_once
def takes_over(name: str) -> bool:
    """Whether a name suggests that the call takes over its arguments: a constructor, ``adopt_fd``, ``safe_close``,
    ``__init__``."""
    if name in ("__init__", "__new__", "__class__") or is_constructor(name) or holds_class(name):
        return True
    return bool(_TAKING.search(_NOT_OWN.sub("", name)))


def never(_: str) -> bool:
    """Answers for a language without such names."""
    return False


@dataclass(frozen=True, slots=True)
class Naming:
    """The customs of a language: whether the name of an unknown function means that it takes over its arguments,
    whether it means a constructor, whose result is never empty, and whether it means that the function only tells its
    arguments to a reader."""

    takes_over: Callable[[str], bool] = takes_over
    is_constructor: Callable[[str], bool] = is_constructor
    tells: Callable[[str], bool] = tells

    def only_looks(self, name: str, *, message: bool) -> bool:
        """Whether a function's name suggests that it neither takes nor closes a number: it reads, writes, tells or
        checks. ``message``: the number is the one argument of a method, so to write it is to pass it on."""
        return (works_on(name) and not message) or self.tells(name) or is_assertion(name)


def minds_its_own(base: str) -> bool:
    """Whether a base class, by its dotted name, leaves the attributes of its subclasses alone. All of the standard
    library do, except those whose finalizer calls the subclass's ``close``, and those that close a descriptor in an
    attribute themselves."""
    module, _, name = base.rpartition(".")
    root = module.partition(".")[0]
    known = root in sys.stdlib_module_names and root not in _CLOSING_MODULES and name not in _CLOSING_CLASSES
    return known or (not module and name in _BUILTIN)


def is_named_tuple(base: str) -> bool:
    """Whether a base class makes its heirs named tuples."""
    return base in ("typing.NamedTuple", "NamedTuple")


def adds_nothing(base: str) -> bool:
    """Whether a base class, by its dotted name, adds no behaviour to the objects of its subclasses."""
    return base.partition("[")[0].rpartition(".")[2] in _INERT_BASES


def calls_close(base: str) -> bool:
    """Whether a base class, by its dotted name, only calls the ``close`` of its subclass and touches no other
    attribute: https://docs.python.org/3/library/io.html#io.IOBase.__del__"""
    return base.partition(".")[0] in _CLOSING_MODULES


def is_enumeration(base: str) -> bool:
    """Whether a base class, by its name, is one of enumerations: ``enum.IntEnum``, ``StrEnum``, ``Flag``."""
    return base.endswith(("Enum", "Flag"))


def closes_when_collected(base: str) -> bool:
    """Whether a base class, by its dotted name, has a finalizer that closes what its objects keep."""
    return base.rpartition(".")[2] in _COLLECTED_CLASSES


def writes_constructor(decorator: str) -> bool:
    """Whether a class decorator, by its dotted name, generates ``__init__`` from the annotated fields of the class:
    https://docs.python.org/3/library/dataclasses.html, https://www.attrs.org/en/stable/api.html"""
    return bool(_WRITES_CONSTRUCTOR.fullmatch(decorator))


def is_field_call(function: str) -> bool:
    """Whether a function of the same modules describes one field: ``field(default=-1)``."""
    return bool(_FIELD.fullmatch(function))


@_once
def is_assertion(name: str) -> bool:
    """Whether a method checks its argument, by the custom of unittest: ``assertEqual``."""
    return bool(_ASSERTION.match(name))


def expects_failure(name: str) -> bool:
    """Whether the name of a context manager suggests that its body should fail: ``assert_raises_os_error``."""
    return "raises" in name.lower()


@_once
def speaks_to_readers(name: str) -> bool:
    """Whether a function's name suggests that a text it gets is for a reader: ``log``, ``write_error``, an
    exception."""
    return bool(_TELLING.search(name) or _EXCEPTION.search(name))


@_once
def is_log(name: str) -> bool:
    """Whether a name suggests a logger, which may be called itself: ``log("opened")``, ``filelog("opened")``."""
    return bool(_LOG.match(name))


@_once
def hardly_raises(name: str) -> bool:
    """Whether a function's name suggests that it only notes, tells or closes something: ``add_cleanup_file``,
    ``notify_opened``."""
    return bool(_NOTING.search(name))


@_once
def wraps(name: str) -> bool:
    """Whether a name is that of a class whose objects may wrap a descriptor, and that starts nothing: ``PipeStream``,
    but not ``ChildProcess``."""
    return is_constructor(name) and not _STARTING.search(name)


@_once
def works_on(name: str) -> bool:
    """Whether a function's name suggests that it reads or writes its first argument: ``write_all``,
    ``thread_write``."""
    return bool(_WORKING.search(name))


def means_rights(condition: str) -> bool:
    """Whether a condition names the one kind of control message that carries descriptors: ``kind == SCM_RIGHTS``."""
    return bool(_RIGHTS.search(condition))


@_once
def gives_up(name: str) -> bool:
    """Whether a method's name suggests that the object releases its descriptor without closing it: ``detach``,
    ``disown``."""
    return bool(_GIVING_UP.search(name))


def closes_object(name: str) -> bool:
    """Whether a method closes its object, and with it the descriptor that the object owns."""
    return name == "close"


@_once
def ends_object(name: str) -> bool:
    """Whether a method's name suggests that its caller needs the object no more: ``close``, ``shutdown``."""
    return bool(_ENDING.match(name))


def begins_life(name: str) -> bool:
    """Whether a method is the first one called on a new object: ``init``."""
    return name.lstrip("_") in _BEGINNING


def ends_life(name: str) -> bool:
    """Whether a method is the last one called on an object: a finalizer, the end of a test."""
    return name in _LAST


def is_test(name: str) -> bool:
    """Whether a method is a test: it is called once on an object, which no other test gets."""
    return bool(_TEST.match(name))


def is_of_tests(name: str) -> bool:
    """Whether a method shows that its class has tests, or helpers of tests."""
    return is_test(name) or (ends_life(name) and not name.startswith("__"))


@_once
def replaces(name: str) -> bool:
    """Whether a method's name suggests that it replaces the object's descriptor: ``reopen``, ``rotate``, ``on_hup``."""
    return bool(_REPLACING.search(name))
