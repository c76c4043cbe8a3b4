"""Small programs that mean much work, each with a size: its name tells what it has ``n`` of."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .vocabulary import IMPORTS

OPEN = "os.open(p, 0)"
_DEEP = 60  # blocks in blocks: Python itself stops at 100 levels of indentation
_CHAIN = 300  # libcst walks a chain again for each of its links
_SIZES = (2, 4, 7, 12, 20, 35, 60, 120, 300, 1000, 3000)
_FAMILIES: dict[str, tuple[Callable[[int], str], int]] = {}


def family(most: int = 3000) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    """Registers a family. ``most``: its largest size."""

    def enter(write: Callable[[int], str]) -> Callable[[int], str]:
        _FAMILIES[write.__name__.strip("_")] = write, most
        return write

    return enter


def names() -> list[str]:
    """Returns the names of all families."""
    return list(_FAMILIES)


def member(name: str, size: int) -> bytes:
    """Returns one program. ``size`` is limited by the family's largest."""
    write, most = _FAMILIES[name]
    return (IMPORTS + write(min(size, most))).encode()


def drawn(rng: Random) -> bytes:
    """Returns a random member of one family, or of two in one file."""
    first = member(rng.choice(names()), rng.choice(_SIZES))
    return first + member(rng.choice(names()), rng.choice(_SIZES)) if rng.random() < 0.2 else first


def each(n: int, template: str, joined: str = "") -> str:
    """Returns the template with 0, 1, 2 … for ``#``, the number before for ``<`` and the one after for ``>``."""
    parts = (template.replace("#", str(i)).replace("<", str(max(0, i - 1))).replace(">", str(i + 1)) for i in range(n))
    return joined.join(parts)


def nested(n: int, heads: str, inside: str, tails: str = "", first: str = f"fd = {OPEN}") -> str:
    """Returns a function with ``n`` nested blocks. ``heads``, ``tails``: the text before and after each block."""
    lines = ["def f(p):", f" {first}"]
    for i in range(n):
        lines += [" " * (i + 1) + line.replace("#", str(i)) for line in heads.split("\n")]
    lines += [" " * (n + 1) + line for line in inside.split("\n")]
    for i in reversed(range(n)):
        lines += [" " * (i + 1) + line.replace("#", str(i)) for line in tails.split("\n") if tails]
    return "\n".join(lines) + "\n"


# -- blocks in blocks


@family(_DEEP)
def nested_ifs(n: int) -> str:
    return nested(n, "if a#:", "os.close(fd)")


@family(_DEEP)
def nested_ifs_with_opens(n: int) -> str:
    return nested(n, f"fd# = {OPEN}\nif a#(fd#):", "pass", "else:\n os.close(fd#)")


@family(_DEEP)
def nested_finally_returns(n: int) -> str:
    return nested(n, "try:\n if a#(): return", "work()", "finally:\n b#()").replace("\n if", "\n  if")


def _indented(text: str, by: int) -> str:
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def _finally(n: int, leave: str) -> str:
    lines = ["def f(p):", f"  fd = {OPEN}", "  for x in p:"]
    for i in range(n):
        lines += [f"{'  ' * (i + 2)}try:", f"{'  ' * (i + 3)}if a{i}(): {leave}"]
    lines.append(f"{'  ' * (n + 2)}os.close(fd)")
    for i in reversed(range(n)):
        lines += [f"{'  ' * (i + 2)}finally:", f"{'  ' * (i + 3)}b{i}()"]
    return "\n".join(lines) + "\n"


@family(40)
def finally_with_continue(n: int) -> str:
    return _finally(n, "continue")


@family(40)
def finally_with_returns(n: int) -> str:
    return _finally(n, "return")


@family(30)
def finally_in_finally(n: int) -> str:
    lines = ["def f(p):"]
    for i in range(n):
        lines += [f"{' ' * (i + 1)}try:", f"{' ' * (i + 2)}fd{i} = {OPEN}", f"{' ' * (i + 1)}finally:"]
    return "\n".join([*lines, " " * (n + 1) + "work()"]) + "\n"


@family(400)
def many_finally_functions(n: int) -> str:
    return "".join(_finally(11, "return").replace("def f", f"def f{i}") for i in range(max(1, n // 4)))


@family(_DEEP)
def nested_handlers(n: int) -> str:
    return nested(n, "try:", "os.read(fd, 1)", "except E#:\n os.close(fd)")


@family(300)
def finally_and_handlers(n: int) -> str:
    handlers = each(n, " except E#:\n  g#()\n")
    return f"def f(p):\n try:\n  fd = {OPEN}\n  g()\n{handlers} finally:\n  os.close(fd)\n"


@family(40)
def nested_with(n: int) -> str:
    return nested(n, f"with g#({OPEN}) as fd#:", "return", first="pass")


@family()
def with_items(n: int) -> str:
    return f"def f(p):\n with {each(n, f'g#({OPEN}) as fd#', ', ')}:\n  return\n"


@family(20)
def nested_loops(n: int) -> str:
    return nested(n, "for x# in y#:", f"fd = {OPEN}", f" if x#: break\n fd# = {OPEN}\nelse:\n os.close(fd)")


@family(_DEEP)
def nested_while(n: int) -> str:
    return nested(n, "while a#(fd):", f"fd = {OPEN}", f" a# = {OPEN}")


@family(_DEEP)
def nested_functions(n: int) -> str:
    return nested(n, "def g#(fd):\n fd# = fd", "return fd", "return g#").replace("\n fd", "\n  fd")


@family(30)
def nested_classes(n: int) -> str:
    return nested(n, "class C#:", f"fd = {OPEN}\ndef m(self): self.fd = {OPEN}")


@family(_DEEP)
def nested_match(n: int) -> str:
    half = max(1, n // 2)
    lines = ["def f(p):", f" fd = {OPEN}"]
    for i in range(half):
        lines += [f"{' ' * (2 * i + 1)}match p{i}:", f"{' ' * (2 * i + 2)}case {{'a': fd, **x{i}}}:"]
    return "\n".join([*lines, " " * (2 * half + 1) + "os.close(fd)"]) + "\n"


# -- expressions


def _one(expression: str) -> str:
    return f"def f(p):\n fd = {OPEN}\n x = {expression}\n os.close(fd)\n"


@family()
def boolean_operators(n: int) -> str:
    return _one(each(n, "(a# or b#(fd))", " and "))


@family()
def conditions(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}\n if {each(n, '(a# or not b#)', ' and ')}:\n  return\n os.close(fd)\n"


@family(80)
def ternaries(n: int) -> str:
    return _one(each(n, "(x# if a# else ") + "fd" + ")" * n)


@family()
def ternary_chain(n: int) -> str:
    return _one("[" + each(n, f"{OPEN} if a# else None", ", ") + "]")


@family(80)
def calls_in_calls(n: int) -> str:
    return _one(each(n, "g#(a#, ") + "fd" + ")" * n)


@family(_CHAIN)
def call_chain(n: int) -> str:
    return _one("g" + "()" * n)


@family(_CHAIN)
def method_chain(n: int) -> str:
    return _one("fd" + each(n, ".m#(fd)"))


@family(_CHAIN)
def attribute_chain(n: int) -> str:
    return _one("a" + each(n, ".b#"))


@family(_CHAIN)
def additions(n: int) -> str:
    return _one("a" + " + [fd]" * n)


@family(_CHAIN)
def subscripts(n: int) -> str:
    return _one("a" + each(n, "[#]"))


@family(60)
def comprehension_clauses(n: int) -> str:
    return _one(f"[{OPEN} {each(n, 'for a# in b# if c# or d#', ' ')}]")


@family(40)
def comprehensions_in_comprehensions(n: int) -> str:
    return _one("[" * n + OPEN + each(n, " for a# in b#]"))


@family(40)
def comprehensions_over_comprehensions(n: int) -> str:
    return _one(each(n, f"[({OPEN}, a#) for a# in ") + "p" + "]" * n)


@family(60)
def lambdas(n: int) -> str:
    return _one(each(n, "lambda a#=fd: ") + OPEN)


@family()
def lambdas_in_a_list(n: int) -> str:
    return _one("[" + each(n, "lambda a#=fd: os.close(a#)", ", ") + "]")


@family()
def outcomes_in_one_expression(n: int) -> str:
    return f"def h(x):\n if x: return None\n return os.open(x, 0)\ndef f(p):\n x = [{each(n, 'h(a#)', ', ')}]\n"


@family()
def outcomes_added(n: int) -> str:
    return f"def h(x):\n if x: return 1\n return 2\ndef f(p):\n fd = {OPEN}\n {each(n, 'h(a#)', ' + ')}\n"


@family()
def star_arguments(n: int) -> str:
    return f"def h(*a, **b): return a\ndef f(p):\n x = [{OPEN}]\n h({each(n, '*x, *a#', ', ')}, **p)\n"


@family()
def walruses(n: int) -> str:
    return _one("[" + each(n, f"(fd# := {OPEN})", ", ") + "]")


@family()
def unpacking(n: int) -> str:
    return f"def f(p):\n {each(n, 'a#', ', ')} = {each(n, OPEN, ', ')}\n"


@family()
def pipes(n: int) -> str:
    return "def f(p):\n" + each(n, " r#, w# = os.pipe()\n") + each(n, " os.close(r#)\n")


# -- statements one after the other


@family()
def opens_in_a_row(n: int) -> str:
    return "def f(p):\n" + each(n, f" fd# = {OPEN}\n")


@family()
def opens_then_closes(n: int) -> str:
    return "def f(p):\n" + each(n, f" fd# = {OPEN}\n") + each(n, " os.close(fd#)\n")


@family(1000)
def maybe_opened(n: int) -> str:
    maybe = each(n, f" fd# = None\n if a#: fd# = {OPEN}\n")
    return f"def f(p):\n{maybe}{each(n, ' if fd# is not None: os.close(fd#)' + chr(10))}"


@family(1000)
def maybe_opened_one_name(n: int) -> str:
    return "def f(p):\n fd = None\n" + each(n, f" if a#: fd = {OPEN}\n if b#: os.close(fd)\n")


@family(1000)
def tries_in_a_row(n: int) -> str:
    return "def f(p):\n" + each(n, f" try: fd# = {OPEN}\n except OSError: fd# = None\n finally: g(#)\n")


@family(1000)
def with_in_a_row(n: int) -> str:
    return "def f(p):\n" + each(n, f" with g#() as x#:\n  fd# = {OPEN}\n  if x#: return fd#\n")


@family(1000)
def loops_in_a_row(n: int) -> str:
    return "def f(p):\n fds = []\n" + each(n, f" for x# in p:\n  fds.append({OPEN})\n  if x#: break\n")


@family(1000)
def module_level(n: int) -> str:
    return each(n, f"if a#: fd# = {OPEN}\ntry: g(#)\nexcept E#: pass\n")


@family()
def cases(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}\n match p:\n" + each(n, "  case [#, x#, *y#] | {'a': x#, 'b': y#}: g(x#, fd)\n")


@family()
def elifs(n: int) -> str:
    return f"def f(p):\n if p: pass\n{each(n, f' elif p == #: fd = {OPEN}' + chr(10))}"


@family(_DEEP)
def tuples_of_themselves(n: int) -> str:
    return f"def f(p):\n t = ({OPEN},)\n" + " t = (t, t)\n" * n


@family(_DEEP)
def lists_of_themselves(n: int) -> str:
    return f"def f(p):\n t = [{OPEN}]\n" + " t = [t, t]\n t.append(t)\n" * n


@family(_DEEP)
def dicts_of_themselves(n: int) -> str:
    return f"def f(p):\n t = {{0: {OPEN}}}\n" + each(n, " t = {'a#': t, 'b#': t, **t}\n t[#] = t\n")


@family(1000)
def containers_of_each_other(n: int) -> str:
    return "def f(p):\n" + each(n, f" a# = [{OPEN}]\n") + each(n, " a#.append(a<)\n a<.append(a#)\n") + " return a0\n"


@family(40)
def tuple_wrappers(n: int) -> str:
    return f"def f0(p): return {OPEN}\n" + each(n, "def f>(p): return (f#(p), f#(p))\n") + f"def g(p): x = f{n}(p)\n"


# -- functions


@family()
def mutual_recursion(n: int) -> str:
    return each(n, f"def f#(p, fd):\n if p: return f>(p, {OPEN})\n return f<(fd, p)\n")


@family(300)
def recursion_through_all(n: int) -> str:
    return each(n, f"def f#(p):\n if p: return {OPEN}\n return {each(min(n, 12), 'f#(p)', ' or ')}\n").replace("#", "1")


@family()
def all_call_all(n: int) -> str:
    n = min(n, 40)
    body = each(n, "f#(p)", " or ")
    return "".join(f"def f{i}(p):\n if p: return {OPEN}\n return {body}\n" for i in range(n))


@family()
def chain_of_callers(n: int) -> str:
    return f"def f0(p): return {OPEN}\n" + each(n, "def f>(p):\n x = f#(p)\n if p: os.close(x)\n else: return x\n")


@family()
def functions_that_branch(n: int) -> str:
    n = min(n, 200)
    return f"def f0(p): return {OPEN}\n" + each(n, "def f>(p):\n if p: return f#(p)\n return f#(1), f#(None)\n")


@family()
def many_functions(n: int) -> str:
    return each(n, f"def f#(p):\n fd = {OPEN}\n g(fd)\n os.close(fd)\n\n")


@family()
def many_same_functions(n: int) -> str:
    return each(n, f"def f(p):\n fd = {OPEN}\n g(f(fd))\n os.close(fd)\n\n")


@family()
def tiny_functions(n: int) -> str:
    return each(3 * n, "def f#(): pass\n") + f"def g(p): f1({OPEN})\n"


@family()
def nested_closures(n: int) -> str:
    inside = each(n, " def g#():\n  return g<() or g0() or fd\n")
    return f"def f(p):\n fd = {OPEN}\n{inside} return g{n - 1}\n"


@family(300)
def closures_that_call_each_other(n: int) -> str:
    body = each(min(n, 30), "g#()", ", ")
    return f"def f(p):\n fd = {OPEN}\n" + each(n, f" def g#():\n  nonlocal fd\n  fd = {body}\n")


@family()
def decorators(n: int) -> str:
    return f"def d(f):\n def w(*a):\n  return f(*a) or f(*a)\n return w\n{'@d' + chr(10):s}" * min(n, 1) + (
        "@d\n" * (n - 1) + f"def g(p):\n return {OPEN}\ndef h(p):\n fd = g(p)\n"
    )


@family(1000)
def decorated_decorators(n: int) -> str:
    start = "def d0(f):\n def w(*a): return f(*a)\n return w\n"
    return (
        start + each(n, "@d#\ndef d>(f):\n def w(*a): return f(*a)\n return w\n") + f"@d{n}\ndef g(p): return {OPEN}\n"
    )


@family()
def parameters(n: int) -> str:
    given = each(n, "a#=None", ", ")
    return f"def h({given}):\n{each(n, ' if a#: os.close(a#)' + chr(10))}def f(p):\n h({OPEN})\n"


@family(30)
def defaults_filled_in(n: int) -> str:
    given = each(n, "a#=None", ", ")
    ways = "".join(f" if a{i} is None: return h(a{i}={v})\n" for i in range(n) for v in ("0", "1", "True"))
    return f"def h({given}):\n{ways} return {OPEN}\ndef f(p):\n fd = h()\n"


@family(300)
def functions_as_values(n: int) -> str:
    table = each(n, "'a#': f#", ", ")
    return each(n, f"def f#(g):\n return g({OPEN})\n") + f"T = {{{table}}}\ndef f(p):\n T[p](T[p])(f0(f1))\n"


@family()
def generators(n: int) -> str:
    return each(n, f"def f#(p):\n fd = {OPEN}\n try:\n  yield from f>(fd)\n finally:\n  os.close(fd)\n")


@family()
def managers(n: int) -> str:
    head = "import contextlib\n"
    return (
        head
        + each(n, "@contextlib.contextmanager\ndef f#(p):\n with f>(p) as fd:\n  yield fd\n")
        + (f"@contextlib.contextmanager\ndef f{n}(p):\n fd = {OPEN}\n yield fd\n")
    )


@family(60)
def workers(n: int) -> str:
    head = "import threading\n"
    body = " t = threading.Thread(target=f>)\n t.start()\n"
    return head + each(n, f"def f#():\n while True:\n{_indented(body, 1)}  fd = {OPEN}\n")


@family()
def workers_in_loops(n: int) -> str:
    start = "  threading.Thread(target=g#, args=(fd,)).start()\n"
    return "import threading\n" + each(n, f"def f#(p):\n for x in p:\n  fd = {OPEN}\n{start}  f>(x)\n")


# -- classes


@family(300)
def diamonds(n: int) -> str:
    start = f"class A0:\n def close(self): os.close(self.fd)\nclass B0(A0):\n def __init__(self, p): self.fd = {OPEN}\n"
    return start + each(n, "class A>(A#, B#): pass\nclass B>(B#, A#): pass\n")


@family()
def heirs(n: int) -> str:
    return f"class C0:\n def __init__(self, p): self.fd = {OPEN}\n" + each(
        n, "class C>(C#):\n def m#(self): self.fd = 0\n"
    )


@family()
def heirs_of_one(n: int) -> str:
    return f"class B:\n def __init__(self, p): self.fd = {OPEN}\n" + each(
        n, "class C#(B):\n def m(self): os.close(self.fd)\n"
    )


@family()
def tiny_classes(n: int) -> str:
    return each(n, f"class C#:\n def __init__(self, p): self.fd = {OPEN}\n def close(self): os.close(self.fd)\n")


@family()
def empty_classes(n: int) -> str:
    return each(2 * n, "class C#: pass\n") + f"def f(p):\n fd = {OPEN}\n"


@family()
def same_classes(n: int) -> str:
    return each(n, f"class C:\n def __init__(self, p): self.fd = {OPEN}\n def m#(self): self.__init__(#)\n")


@family()
def attributes(n: int) -> str:
    methods = f" def o#(self, p):\n  if self.f# is None: self.f# = {OPEN}\n def c#(self):\n  os.close(self.f#)\n"
    return f"class C:\n def __init__(self):\n  pass\n{each(n, '  self.f# = None' + chr(10))}{each(n, methods)}"


@family(300)
def methods_that_call_each_other(n: int) -> str:
    body = each(min(n, 20), "  self.m#()\n")
    return "class C:\n" + each(n, f" def m#(self, p):\n  if p: self.f# = {OPEN}\n  else: os.close(self.f<)\n{body}")


@family(30)
def attributes_by_methods(n: int) -> str:
    stores = "".join(f"  if p{i}: self.a{i} = {OPEN}\n  self.m{i}()\n" for i in range(n))
    return f"class C:\n{each(n, f' def m#(self):{chr(10)}{stores}')}"


@family(300)
def objects_in_objects(n: int) -> str:
    return f"class C0:\n def __init__(self, p): self.fd = {OPEN}\n" + each(
        n, "class C>:\n def __init__(self, p):\n  self.a = C#(p)\n  self.b = C#(p)\n def close(self): self.a.close()\n"
    )


@family()
def method_everywhere(n: int) -> str:
    return each(
        n, f"class C#:\n def close(self): os.close(self.fd)\n def open(self, x):\n  x.close(); self.fd = {OPEN}\n"
    )


@family()
def properties(n: int) -> str:
    return (
        "class C:\n" + each(n, " @property\n def a#(self): return self.a>\n") + f" def o(self, p): self.a{n} = {OPEN}\n"
    )


@family()
def slots_and_globals(n: int) -> str:
    return each(n, "g# = None\n") + each(n, f"def f#(p):\n global g#\n g# = {OPEN}\ndef c#():\n os.close(g#)\n")


# -- text


@family()
def noqa_comments(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}  # noqa\n" + each(3 * n, "# noqa\n# fdlint: ignore[FD101]\n")


@family()
def noqa_on_one_line(n: int) -> str:
    return f"fd = {OPEN}  " + "# noqa: FD101, " * n + "# fdlint: ignore[FD101] " * n + "\n"


@family()
def unused_suppressions(n: int) -> str:
    return each(
        n, f"def f#(p):\n fd = {OPEN}  # fdlint: ignore[FD10#, FD101, FD9]\n g(fd)  # fdlint: ignore[FD202] x\n"
    )


@family()
def huge_list(n: int) -> str:
    return _one("[" + each(10 * n, "#", ", ") + "]")


@family()
def huge_dict(n: int) -> str:
    return _one("{" + each(5 * n, "'k#': fd", ", ") + "}")


@family()
def huge_string(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}\n x = '{'os.open(' * 10 * n}'\n"


@family()
def strings_side_by_side(n: int) -> str:
    return _one("(" + "'os.open' f'{fd}' " * n + ")")


@family()
def long_word(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}\n {'a' * 50 * n}(fd)\n x.{'b' * 50 * n}()\n"


@family()
def long_line(n: int) -> str:
    return f"fd = {OPEN}; " + each(n, f"fd# = {OPEN}; os.close(fd#); ") + "\n"


@family()
def imports(n: int) -> str:
    return (
        each(n, "import a#.b# as c#, os as o#\nfrom d# import e# as os#, *\n".replace(", *", ""))
        + f"fd = o0.open({OPEN})\n"
    )


@family()
def star_imports(n: int) -> str:
    return each(n, "from m# import *\n") + "fd = mystery(os.open(p, 0))\n"


@family()
def aliases(n: int) -> str:
    return "o0 = os.open\n" + each(n, "o> = o#\n") + f"def f(p):\n fd = o{n}(p, 0)\n"


@family()
def constants(n: int) -> str:
    return each(n, "C# = #\nC# = C<\n") + f"def f(p):\n fd = {OPEN}\n if C1 == C0: os.close(fd)\n"


@family()
def blank_lines(n: int) -> str:
    return f"def f(p):\n fd = {OPEN}\n" + "\n" * 30 * n + " \\\n" * min(n, 1000) + " return\n"


@family()
def annotated_names(n: int) -> str:
    return each(n, "x#: 'os.open' = y<[x<]\n") + f"def f(p: {each(n, 'A#', ' | ')}) -> B:\n fd: C = {OPEN}\n"
