"""Extracts prose from Markdown and help texts, sentence by sentence, and finds our old habits.

``sentences`` leaves out code, and yields each sentence with its first line. ``objections`` returns the faults of a
sentence: a habit of ours with the reason, too many words, or an objection of proselint. ``objections_to`` does so for
each sentence of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

LONGEST = 35
"""Words. Longer sentences must be read twice; shorter ones have room for one condition."""

HABITS = {
    r"\banew\b": "again, new",
    r"\b(is|are|be|was|were|been) said\b|\bsaid (of|to)\b": "is reported, is listed, is assumed",
    r"\bsays? (so|what|how|nothing|which)\b": "reports, shows, lists, explains",
    r"\b(fdlint|flake8|report|scan|run|job|summary|baseline|rule) says\b": "reports, shows",
    r"\bwill do\b": "is enough",
    r"\bcome what may\b|\bas it were\b|\bso to speak\b": "leave it out",
    r"\bloop rounds?\b|\b(every|each|next|last) rounds?\b": "iteration",
    r"\b(lest|hence|thus|thereof|therein|thereby|whereby|whence|upon|hitherto)\b": "archaic: use a plain word",
    r"\bnothing is known\b": "that fdlint does not know",
    r"\b(whatever|whoever|whichever|whomever)\b": "any, every, all",
    r"\b(and|or) ((its|their) kin|(its|the) like)\b": "and similar ones",
    r"\btells? (them |it )?apart\b|\btold (apart|from|by)\b": "distinguishes, identifies",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bgives? way to\b|\bgives? up its\b|\bhas? the last word\b": "name what happens",
    r"(?<!there )\b(is|are|was|were) no (?!longer|more)\w": "is not a",
    r"\bnor (is|are|does|do|can|has|have)\b": "inverted: subject first",
    r"\ba finding more\b|\bthe commonest\b|\bafore\b|\bsave for\b|\bbut for\b": "use a plain word",
    r"\bas (it|they|he|one) (was|were|may|might)\b(?= (before|be))": "use a plain word",
    r"\bby (means|virtue|dint) of\b|\bon account of\b|\bowing to\b": "with, because of",
    r"\b(all|just) the same\b": "anyway, nevertheless",
    r"^(What|Whoever|Who|Whose)\b.*[.:;]$": "a question as a subject: name the subject",
    r"^(Left|Found|Given|Taken|Known|Meant|Missing|Not \w+ed) (out )?(is|are|was|were)\b": "inverted: subject first",
    r"^Of (the |those |these |a |two |all )?\w+,? .*\b(is|are|has|have|only|nothing)\b": "inverted: subject first",
    r"^(Nor|Neither|Likewise|Meanwhile|Therefore|Henceforth|Whereas)\b": "inverted or archaic: subject first",
}
"""Our old habits -> better words. Each pattern is matched against one sentence, in any case."""

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+)[^\n]*\n.*?^(?P=indent)(?P=fence)$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# A block ends at an empty line, a heading, a list item, a row of a table.
BREAK = re.compile(r"^\s*$|^#+ |^\s*(?:[-*]|\d+\.) |^\s*\|")
SENTENCE = re.compile(r"(?<=[.!?:])[)\"*_]*\s+(?=[\"*_(]*(?:[A-Z`\[\d]|(?:fdlint|ruff|flake8|pylint)\b))")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: its text, with code as the word ``code``, and the first line of its paragraph."""

    text: str
    line: int


def sentences(markdown: str) -> Iterator[Sentence]:
    """Yields every sentence outside of code blocks. Each cell of a table and each heading is one."""
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), markdown)
    text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    for block, line in _blocks(text):
        for one in SENTENCE.split(block):
            if re.search(r"[A-Za-z]{2}", one):
                yield Sentence(one.strip(), line)


def objections_to(markdown: str) -> list[str]:
    """Returns the faults of all sentences, with their lines.

    Proselint objects to a text if it objects to one of its sentences. To look at the text takes a tenth of the time.
    """
    found = list(sentences(markdown))
    text = LintFile("text", "\n|\n".join(one.text for one in found))
    text.quote_bounds = ()  # a quote in one sentence has no end in another
    faults = objections if text.lint(_CONFIG) else habits
    return [f"line {one.line}: {why} in: {one.text}" for one in found for why in faults(one.text)]


def objections(sentence: str) -> list[str]:
    """Returns the faults of a sentence, and better words."""
    results = LintFile("sentence", sentence).lint(_CONFIG)
    linted = (f"{one.check_result.check_path}: {one.check_result.message}" for one in results)
    return [*habits(sentence), *linted]


def habits(sentence: str) -> list[str]:
    """Returns our old habits in a sentence, and whether it is too long."""
    found = [f"{match[0]!r}: {reason}" for habit, reason in HABITS.items() if (match := _search(habit, sentence))]
    words = len(re.findall(r"[\w'’./-]*\w", sentence))
    if words > LONGEST:
        found.append(f"{words} words: at most {LONGEST}")
    return found


def _search(habit: str, sentence: str) -> re.Match[str] | None:
    # An opening has a capital letter.
    return re.search(habit, sentence, 0 if habit.startswith("^") else re.IGNORECASE)


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    block: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if BREAK.search(line):
            if block:
                yield _plain(" ".join(block)), start
            block, start = [], number
            if line.startswith("#"):
                yield _plain(line.lstrip("# ")), number
                continue
            if line.lstrip().startswith("|"):
                yield from ((_plain(cell), number) for cell in re.split(r"(?<!\\)\|", line) if cell.strip(" -:"))
                continue
        if line.strip():
            start = start if block else number
            block.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line).strip())


def _plain(block: str) -> str:
    block = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "`code`", block)
    block = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
    return re.sub(r"https?://\S+", "address", block).strip()


# Code, quotations and file names have straight quotes and dots. A repeated `code` is two different words. `misc.but` is
# about paragraphs, not sentences. "very" is a matter of taste.
_OFF = ("typography", "lexical_illusions", "weasel_words", "misc.but")
_CHECKS = {**dict.fromkeys(_OFF, False), **{name: on for name, on in DEFAULT["checks"].items() if name not in _OFF}}
_CONFIG = {**DEFAULT, "checks": _CHECKS}
_registry = CheckRegistry()
_registry.register_many(__register__)
_enabled = _registry.get_all_enabled(_CHECKS)
_registry.get_all_enabled = lambda _: _enabled  # type: ignore[method-assign]  # it would choose them again for each text
