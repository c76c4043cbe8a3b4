"""Measures how deeply a text is nested by its tokens, before a parser sees it.

Parsers recurse, both Python's and libcst's: a few kilobytes of brackets can end the process. libcst also copies each
expression for each level around it, walks a chain again for each of its links, and reads each bracket of a pattern in
four ways, each of them again for every bracket inside. So this module limits not only the depth but also the total
cost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

MAX_BRACKETS = 100  # open at the same time; Python's own limit is 200
MAX_BLOCKS = 99  # nested blocks; Python's own limit
MAX_CHAIN = 5_000  # operators, calls, attributes, strings in a row, or `elif`
MAX_COST = 1_800_000  # one unit is about 200 bytes in libcst's parser, or 2 microseconds
_BRACKET = 8  # the cost of a token, and its extra cost for each bracket around it; prefixes and blocks cost 1

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\f]+|\\(?:\r\n?|\n)|\#[^\r\n]*)
    |(?P<newline>\r\n?|\n)
    |(?P<string>[rRbBuUfFtT]{0,3}(?:\"\"\"|'''|"|'))
    |(?P<word>[0-9]\w*(?:\.[0-9]\w*)?|\w+)
    |(?P<opening>[(\[{])
    |(?P<closing>[)\]}])
    |(?P<separator>[,;]|:(?!=)|=(?!=))
    |(?P<operator>\*\*=?|[<>]{1,2}=?|//?=?|[-+*%@&|^!:=]=|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE = re.compile(r"(?P<indent>[ \t\f]*)(?:(?P<word>elif|case)\b|(?P<nothing>[#\r\n]|\Z))?")
_ENDS = {quote: re.compile(rf"\\(?:\r\n|.)|{quote}", re.DOTALL) for quote in ('"""', "'''")} | {
    quote: re.compile(rf"\\(?:\r\n|.)|[{quote}\r\n]", re.DOTALL) for quote in ('"', "'")
}
_BRACE = re.compile(r"\{\{?|\}")
_NEWLINE = re.compile(r"\r\n?|\n")
_REFUSED = "nested too deeply to analyse"
# How far the operand of a prefix reaches. A link ends the operands of prefixes that bind more tightly.
_LOOSE, _NEGATION, _TIGHT = range(3)
_PREFIXES = {"lambda": _LOOSE, "else": _LOOSE, "not": _NEGATION, "await": _TIGHT}
_LINKS = {"and": _LOOSE, "or": _LOOSE, "if": _LOOSE, "for": _LOOSE, "in": _NEGATION, "is": _NEGATION}
_SIGNS = frozenset("+-~")
_PREFIXING = (*_SIGNS, *_PREFIXES, "**")
_SHORT = MAX_CHAIN // 2  # characters; each may be a prefix, and a prefix counts twice in a chain

# For the quick bounds: a comment, or a string whose end is easy to find. An f-string is not easy if a field has its own
# quote, a brace or a backslash: since Python 3.12 it then ends elsewhere.
_FIELD = re.compile(r"\{\{|\{[^{}\\\r\n]*\}")
_STRING_OF = r"""
    (?<=Q)(?:(?<=[fFtT]Q)|(?<=[fFtT][rR]Q))(?P<NAME>
        QQ[^Q\\{]*(?:(?:\{\{|\{[^{}Q\\\r\n]*\}|\\[^{]|Q(?!QQ))[^Q\\{]*)*QQQ
        |(?!QQ)[^Q\\{\r\n]*(?:(?:\{\{|\{[^{}Q\\\r\n]*\}|\\(?:\r\n|[^{]))[^Q\\{\r\n]*)*Q
    )
    |(?<=Q)(?<![fFtT]Q)(?<![fFtT][rR]Q)(?:
        QQ[^Q\\]*(?:(?:\\.|Q(?!QQ))[^Q\\]*)*QQQ
        |(?!QQ)[^Q\\\r\n]*(?:\\(?:\r\n|.)[^Q\\\r\n]*)*Q
    )
"""


def _string_of(quote: str, name: str) -> str:
    return _STRING_OF.replace("Q", quote).replace("NAME", name)


_STRING = re.compile(
    rf"""["'\#](?:(?<=\#)[^\r\n]*|{_string_of('"', "double")}|{_string_of("'", "single")})""", re.VERBOSE | re.DOTALL
)
_MARK = re.compile(r"[()\[\]{}]|(?<!\\)\r\n?|(?<![\\\r])\n")
_INDENTED = re.compile(rf"(?:\A|[\r\n])[ \t\f]{{{MAX_BLOCKS}}}")  # enough indentation for the maximum of blocks


class TooDeepError(ValueError):
    """The text is too deeply nested for a parser. The message is the reason. ``line``: the number of the line that
    exceeds a limit, None if many lines do together."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def check(text: str, line: int = 1, *, costly: bool = False) -> None:
    """Raises ``TooDeepError`` for a text that is nested too deeply. ``line``: the number of its first line. ``costly``:
    libcst will parse it."""
    if costly or not is_surely_shallow(text):
        _Scan(text, line, MAX_COST if costly else math.inf).run()


def is_surely_shallow(text: str) -> bool:
    """Whether quick bounds prove that a text is within the limits for brackets, blocks and chains, as nearly all texts
    are. This saves a scan of its tokens.

    Each link of a chain takes at least one character, prefixes count twice, and each nested block takes one more
    character of indentation.
    """
    if len(text) < _SHORT and sum(map(text.count, "([{")) <= MAX_BRACKETS:
        return True
    code = _STRING.sub(_without_text, text)
    if '"' in code or "'" in code or code.count("elif") > MAX_CHAIN or _INDENTED.search(code):
        return False
    return _is_within(code)


def _is_within(code: str) -> bool:
    """Whether the statements of a text without strings are within the limits for brackets and chains."""
    start = depth = 0
    for mark in _MARK.finditer(code):
        if mark[0] in "([{":
            depth += 1
        elif mark[0] in ")]}":
            depth -= 1
        elif not depth:
            if not _is_short(code[start : mark.end()]):
                return False
            start = mark.end()
        if not 0 <= depth <= MAX_BRACKETS:
            return False
    return _is_short(code[start:])


def _is_short(statement: str) -> bool:
    """Whether a statement is too short for a chain that is too long."""
    length = len(statement)
    return length < _SHORT or length + sum(map(statement.count, _PREFIXING)) <= MAX_CHAIN


def _without_text(found: re.Match[str]) -> str:
    """Returns the replacement of a string or a comment in the bounds: two tokens for a string, and code in brackets for
    each field of an f-string."""
    if found[0][0] == "#":
        return ""
    formatted = found["double"] or found["single"]
    if not formatted:
        return "00"
    fields = "".join(one for one in _FIELD.findall(formatted) if one != "{{")
    return f"(00{_STRING.sub(_without_text, fields) if '#' not in fields else fields})"


class _Scan:
    """Scans a text once. It tracks the expression in the innermost open bracket: the prefixes whose operand follows,
    the number of links in its chain, the ``height`` of its highest operand's tree, and the height of the ``highest``
    earlier expression in the same bracket."""

    def __init__(self, text: str, line: int, budget: float) -> None:
        self._text, self._line, self._budget = text, line, budget
        self._at, self._end = 0, len(text)
        self._levels: list[tuple[list[int], int, int, int, int]] = []  # the same values for the enclosing brackets
        self._prefixes: list[int] = []
        self._links = self._parameters = self._height = self._highest = 0
        self._around = _BRACKET  # cost of each token for its brackets and their prefixes
        self._operand = self._pattern = False
        self._blocks: list[tuple[int, int]] = []  # the indentation of each enclosing block, and its number of `elif`
        self._cost = 0

    def run(self) -> None:
        """Scans the whole text."""
        self._indent()
        self._code()

    def _code(self, field: int = 0) -> None:
        """Scans tokens. ``field``: stop at the end or the colon of the f-string's field that is open at this level."""
        match = _TOKEN.match
        while self._at < self._end and len(self._levels) >= field:
            found = match(self._text, self._at, self._end)
            assert found is not None and found.lastgroup is not None
            self._at, kind, token = found.end(), found.lastgroup, found[0]
            if field and token == ":" and len(self._levels) == field and not self._parameters:
                return
            if kind != "blank":
                _KINDS[kind](self, token)
                self._cost += self._around + len(self._prefixes) + len(self._blocks)
                if self._cost > self._budget:
                    raise TooDeepError(f"{_REFUSED}: the depths of its parts add up to more than {MAX_COST:,}")

    # -- tokens

    def _word(self, token: str) -> None:
        if token in _PREFIXES:
            self._prefix(_PREFIXES[token])
            self._parameters += token == "lambda"
        elif token in _LINKS:
            self._link(_LINKS[token])
        else:
            self._operand = True
            self._pattern = self._pattern or (token == "del" and not self._levels)

    def _operator(self, token: str) -> None:
        if token == "**" or (token in _SIGNS and not self._operand):
            self._prefix(_TIGHT)
        else:
            self._link(_TIGHT if token == "." else _NEGATION)

    def _prefix(self, reach: int) -> None:
        self._prefixes.append(reach)
        self._operand = False
        self._limit_chain()

    def _link(self, ends: int) -> None:
        """Handles a link. It ends the operands of prefixes with a shorter reach."""
        self._height = max(self._height, len(self._prefixes))
        while self._prefixes and self._prefixes[-1] > ends:
            self._prefixes.pop()
        self._links += 1
        self._cost += self._links >> 4  # the parser walks the whole chain again
        self._operand = False
        self._limit_chain()

    def _opening(self, _token: str) -> None:
        self._levels.append((self._prefixes, self._links, self._parameters, self._height, self._highest))
        if len(self._levels) > MAX_BRACKETS:
            raise self._too_many(len(self._levels), "brackets", MAX_BRACKETS)
        self._around += len(self._prefixes) + _BRACKET
        self._begin()
        self._parameters = self._highest = 0
        self._operand = False
        if self._pattern:
            self._cost += 4 ** len(self._levels)

    def _closing(self, _token: str) -> None:
        if self._levels:
            height = max(self._highest, self._length) + 1
            self._prefixes, self._links, self._parameters, before, self._highest = self._levels.pop()
            self._height = max(before, height + len(self._prefixes))
            self._around -= len(self._prefixes) + _BRACKET
            self._link(_TIGHT)
        self._operand = True

    def _separator(self, token: str) -> None:
        self._operand = False
        if self._parameters:
            self._parameters -= token == ":"
            return
        self._highest = max(self._highest, self._length)
        self._begin()
        self._pattern = self._pattern and (token == "," or bool(self._levels))

    def _begin(self) -> None:
        self._prefixes = []
        self._links = self._height = 0

    def _newline(self, _token: str) -> None:
        if not self._levels:
            self._begin()
            self._parameters = self._highest = 0
            self._operand = self._pattern = False
            self._indent()

    def _indent(self) -> None:
        """Handles the beginning of a line outside of brackets."""
        found = _LINE.match(self._text, self._at)
        assert found is not None
        if found["nothing"] is not None:
            return
        width = len(found["indent"].expandtabs())
        while self._blocks and self._blocks[-1][0] > width:
            self._blocks.pop()
        chain = self._blocks.pop()[1] if self._blocks and self._blocks[-1][0] == width else 0
        chain = chain + 1 if found["word"] == "elif" else 0
        self._blocks.append((width, chain))
        self._pattern = found["word"] == "case"
        if len(self._blocks) > MAX_BLOCKS + 1:
            raise self._too_many(len(self._blocks) - 1, "blocks", MAX_BLOCKS)
        if chain > MAX_CHAIN:
            raise self._too_many(chain, "`elif`", MAX_CHAIN)

    # -- strings

    def _string(self, token: str) -> None:
        quote = token.lstrip("rRbBuUfFtT")
        start, prefix = self._at, token[: -len(quote)].lower()
        self._cost += _BRACKET  # its node is as large as two others
        if self._operand:
            self._link(_TIGHT)
        while (found := _ENDS[quote].search(self._text, self._at, self._end)) and found[0].startswith("\\"):
            self._at = found.end()
        after = found.end() if found is not None else self._end
        if "f" in prefix or "t" in prefix:
            self._at, around, self._end = start, self._end, found.start() if found is not None else self._end
            self._formatted()
            self._end = around
        self._at, self._operand = after, True

    def _formatted(self) -> None:
        """Scans the inside of an f-string. Its code counts as nested in as many brackets as there are braces."""
        outer = len(self._levels)
        while found := _BRACE.search(self._text, self._at, self._end):
            self._at = found.end()
            if found[0] == "}":
                if len(self._levels) > outer:
                    self._closing("}")
            elif found[0] == "{" or len(self._levels) > outer:
                self._at = found.start() + 1
                self._opening("{")
                self._code(len(self._levels))
        while len(self._levels) > outer:
            self._closing("}")

    # -- limits

    @property
    def _length(self) -> int:
        """An upper bound for the height of the current expression's tree."""
        return self._height + len(self._prefixes) + self._links

    def _limit_chain(self) -> None:
        if self._length > MAX_CHAIN:
            raise self._too_many(self._length, "operators, calls or strings in one expression", MAX_CHAIN)

    def _too_many(self, number: int, what: str, limit: int) -> TooDeepError:
        line = self._line + len(_NEWLINE.findall(self._text, 0, self._at))
        return TooDeepError(f"{_REFUSED}: {number:,} {what} at line {line}, the limit is {limit:,}", line)


_KINDS: dict[str, Callable[[_Scan, str], None]] = {
    "string": _Scan._string,
    "word": _Scan._word,
    "opening": _Scan._opening,
    "closing": _Scan._closing,
    "separator": _Scan._separator,
    "operator": _Scan._operator,
    "newline": _Scan._newline,
}
