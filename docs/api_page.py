"""The reference of the Python API, made from docstrings."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType

from fdlint import api
from fdlint.core import finding
from fdlint.report.findings import audited, silencing
from fdlint.report.findings import finding as results

FUNCTIONS = ("scan_paths", "scan_source")
CLASSES: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (results, ("Report",)),
    (finding, ("Finding", "Severity", "Span", "Event", "EventKind")),
    (results, ("Skipped", "Summary", "Withheld", "Trend")),
    (silencing, ("Silencing", "Means")),
    (audited, ("Audited",)),
)


def page() -> str:
    """The text of ``reference/api.md``."""
    functions = [_function(_named(api, name)) for name in FUNCTIONS]
    classes = [_class(_named(module, name), module.__name__) for module, names in CLASSES for name in names]
    text = f"""# Python API

This page is generated from docstrings. Both functions are typed; a report is made of frozen dataclasses.

```python
import fdlint

report = fdlint.scan_paths(["src"], select=["FD1"])
for finding in report.findings:
    print(finding.code, finding.span.path, finding.span.line, finding.message)
```

{"".join(functions)}{"".join(classes)}"""
    return f"{text.rstrip()}\n"


def _named(module: ModuleType, name: str) -> ast.FunctionDef | ast.ClassDef:
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    raise LookupError(f"{module.__name__} has no {name}")


def _function(node: ast.FunctionDef | ast.ClassDef) -> str:
    assert isinstance(node, ast.FunctionDef)
    keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    plain = node.args.args
    missing = [None] * (len(plain) - len(node.args.defaults))
    lines = [_parameter(one, default) for one, default in zip(plain, [*missing, *node.args.defaults], strict=True)]
    lines += ["*", *(_parameter(one, default) for one, default in keywords)]
    signature = "".join(f"    {line},\n" for line in lines)
    returned = ast.unparse(node.returns) if node.returns else "None"
    call = f"fdlint.{node.name}(\n{signature}) -> {returned}"
    return f"## fdlint.{node.name}\n\n```python\n{call}\n```\n\n{_doc(node)}\n\n"


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(one.annotation)}" if one.annotation else ""
    return f"{one.arg}{annotation}{f' = {ast.unparse(default)}' if default is not None else ''}"


def _class(node: ast.FunctionDef | ast.ClassDef, module: str) -> str:
    assert isinstance(node, ast.ClassDef)
    rows = [f"| {' | '.join(cells)} |" for cells in _fields(node, module)]
    table = "\n".join(["| name | type or value | meaning |", "|---|---|---|", *rows])
    return f"## {module}.{node.name}\n\n{_doc(node)}\n\n{table}\n\n"


def _fields(node: ast.ClassDef, module: str) -> Iterator[tuple[str, str, str]]:
    """Name, type or value, and the string that follows."""
    for number, one in enumerate(node.body):
        after = node.body[number + 1] if number + 1 < len(node.body) else None
        text = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            text = _markdown(after.value.value)
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield f"`{one.target.id}`", f"`{ast.unparse(one.annotation)}`".replace("|", "\\|"), text
        elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            member = one.targets[0].id
            yield f"`{member}`", f"`{_value(one.value, f'{module}.{node.name}.{member}')}`", text
        elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            returned = ast.unparse(one.returns) if one.returns else "None"
            yield f"`{one.name}()`", f"`{returned}`", _doc(one).replace("\n", " ")


def _value(node: ast.expr, member: str) -> str:
    """The value of an enum's member, which may be the result of an expression."""
    if isinstance(node, ast.Constant):
        return ast.unparse(node)
    return repr(pkgutil.resolve_name(member).value)


def _doc(node: ast.FunctionDef | ast.ClassDef) -> str:
    return _markdown(ast.get_docstring(node) or "")


def _markdown(text: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", inspect.cleandoc(text))
