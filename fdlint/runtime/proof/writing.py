"""The text of a proof: a pytest file that needs Python's own library alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from importlib import resources

from fdlint.core.finding import Finding
from fdlint.report.printable import printable
from fdlint.runtime.proof.machinery.watching import Defect

_PARTS = ("choices", "descriptors", "stand_in", "watching", "workers", "world", "arguments", "searching")
_MACHINERY = "fdlint.runtime.proof.machinery"
_TEST = '''

def test_{name}() -> None:
    """{summary}"""
    import pytest

    found = isolated({defect})
    if found.verdict == NOT_REACHED:
        pytest.skip(f"not reached: {{found.reason}}")
    assert found.verdict != PROVED, "; ".join((found.reason, *found.premises))
'''
_END = '''

def isolated(defect: Defect) -> Verdict:
    """Runs a search in a child: it changes the process."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(sending, repr(tuple(Search(defect).verdict())).encode()[:60_000])
        finally:
            signal.raise_signal(signal.SIGKILL)  # no handler of the code at the end
    os.close(sending)
    with open(receiving, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return Verdict(*ast.literal_eval(text)) if text else Verdict(NOT_REACHED, "the run ended without an answer")
'''


def written(proofs: Sequence[tuple[Finding, Defect]]) -> str:
    """Returns the file with a test for each finding."""
    imports, bodies = _machinery()
    tests = "".join(_test(finding, defect) for finding, defect in proofs)
    return f"{_head(proofs)}\n{imports}\n{bodies}{_END}{tests}"


def _head(proofs: Sequence[tuple[Finding, Defect]]) -> str:
    lines = [
        '"""Tests that fail while a defect is there. Written by `fdlint prove`; run it at the root of the project.',
        "",
    ]
    for finding, _ in proofs:
        lines.append(f"{finding.code} {finding.name}, {finding.span.path}:{finding.span.line}: {finding.message}")
        lines += [f"  line {one.span.line}: {one.message}" for one in finding.trace]
    text = "\n".join(printable(line).replace("\\", "\\\\").replace('"""', "'''") for line in lines[1:])
    return f'{lines[0]}\n{text}\n"""\n'


def _test(finding: Finding, defect: Defect) -> str:
    name = f"{finding.code.lower()}_line_{finding.span.line}_{finding.fingerprint}"
    fields = "".join(f"        {key}={value!r},\n" for key, value in defect._asdict().items())
    summary = f"{finding.code} {finding.name} on line {finding.span.line}."
    return _TEST.format(
        name="".join(filter(lambda one: one.isalnum() or one == "_", name)),
        summary=summary,
        defect=f"Defect(\n{fields}    )",
    )


def _machinery() -> tuple[str, str]:
    """Returns the imports of the machinery, and the rest of its text, without comments on types."""
    imports, bodies = {"import ast"}, []
    for part in _PARTS:
        text = resources.files(_MACHINERY).joinpath(f"{part}.py").read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines = text.split("\n")
        last = 0
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(_outside(node))
                last = node.end_lineno or node.lineno
        bodies.append("\n".join(lines[last:]).strip("\n"))
    known = sorted(imports, key=lambda line: (line.startswith("from"), line))
    return "from __future__ import annotations\n\n" + "\n".join(known) + "\n", "\n\n\n".join(bodies) + "\n"


def _outside(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yields an import of Python's own library."""
    name = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    if name != "__future__" and name.partition(".")[0] != "fdlint":
        yield ast.unparse(node)
