"""The Semgrep rules: generated from the catalog, tested by Semgrep itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import program

from fdlint.core.checks import by_code
from fdlint.languages.go.catalog import go_catalog
from fdlint.languages.go.rulebook import EXAMPLES, RULES, directory, export, files
from fdlint.report.cwe import NAMES

ROOT = Path(__file__).parent.parent
SEMGREP = program("semgrep")
FILES = [path for path in files() if path.suffix == ".yaml"]
Rule = dict[str, Any]
SHARED = "opened-inheritable"  # the rules for one flag each are tested on one file


def _rules() -> Iterator[Rule]:
    for path in FILES:
        for rule in yaml.safe_load((directory() / path).read_text("utf-8"))["rules"]:
            yield {**rule, "folder": path.parts[0]}


ALL = list(_rules())


def _oldest() -> str:
    """Returns the oldest version of Semgrep that the tests may use."""
    found = re.search(r'"semgrep>=([\d.]+),', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert found is not None
    return found[1]


def annotated(rule: Rule) -> str:
    named = directory() / rule["folder"] / EXAMPLES / f"{rule['id']}.go"
    return (named if named.exists() else named.with_name(f"{SHARED}.go")).read_text("utf-8")


def test_they_are_up_to_date() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import semgrep_rules
    finally:
        sys.path.pop(0)
    wanted = semgrep_rules.pages()
    assert {path.as_posix() for path in files() if path.name != "README.md"} == set(wanted)
    for name, text in wanted.items():
        assert (directory() / name).read_text("utf-8") == text, "run `python docs/generate.py`"


def test_there_are_two_sets() -> None:
    assert {rule["folder"] for rule in ALL} == {RULES, "go-audit"}


def test_they_are_short_and_have_no_expression_twice() -> None:
    texts = [(directory() / path).read_text("utf-8") for path in FILES]
    assert sum(text.count("\n") for text in texts) <= 1_000
    for text in texts:
        expressions = Counter(re.findall(r"^ *(?:- )?regex: (.+)$", text, re.MULTILINE))
        assert max(expressions.values()) == 1, expressions.most_common(3)


def test_every_call_that_acquires_is_tested() -> None:
    text = annotated({"folder": RULES, "id": "never-closed"})
    for name in ("unix.Open", "unix.Accept4", "unix.Dup", "unix.FcntlInt"):
        assert go_catalog().by_name[name]
        assert re.search(rf"// ruleid: never-closed\n\t\S.* := {re.escape(name)}\(", text), name


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule["id"])
class TestRule:
    def test_has_an_annotated_file_with_both_sides(self, rule: Rule) -> None:
        assert f"// ruleid: {rule['id']}\n" in annotated(rule)
        assert f"// ok: {rule['id']}\n" in annotated(rule)

    def test_metadata_says_what_a_finding_needs(self, rule: Rule) -> None:
        metadata = rule["metadata"]
        known = by_code(metadata["fdlint"]).rule
        assert metadata["name"] == known.name
        assert known.cwe is not None
        assert metadata["cwe"] == f"CWE-{known.cwe}: {NAMES[known.cwe]}"
        assert metadata["confidence"] in ("HIGH", "MEDIUM", "LOW")
        assert rule["min-version"] == _oldest()

    def test_severity_is_that_of_the_code(self, rule: Rule) -> None:
        """A file closes itself when it is collected; what needs a reader is information."""
        known = by_code(rule["metadata"]["fdlint"]).rule.severity.name
        other = {"parameter-sent": "INFO", "file-never-closed": "WARNING"}
        assert rule["severity"] == other.get(rule["id"], known)

    def test_the_message_is_one_sentence_as_pythons_are_and_ends_in_the_code(self, rule: Rule) -> None:
        text, code = re.fullmatch(r"(.*) \((FD\d+)\)", " ".join(rule["message"].split())).groups()  # type: ignore[union-attr]
        assert code == rule["metadata"]["fdlint"]
        assert re.fullmatch(r"[^A-Z][^:]*: \S.*[^.]", text)
        assert ". " not in text
        assert "$" in text


def test_export(tmp_path: Path) -> None:
    assert export(tmp_path / "new") == len(ALL)
    name = "go/descriptors/kept-after-send.go"
    assert (tmp_path / "new" / name).read_bytes() == (directory() / name).read_bytes()


@pytest.mark.skipif(SEMGREP is None, reason="Semgrep is not installed: pip install semgrep")
def test_annotated_files(tmp_path: Path) -> None:
    """One call for all rules: Semgrep takes its time to start."""
    assert SEMGREP is not None
    settings = {"SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
    own = {"SEMGREP_SETTINGS_FILE": str(tmp_path / "settings.yml"), "SEMGREP_LOG_FILE": str(tmp_path / "log")}
    path = f"{Path(SEMGREP).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        [SEMGREP, "scan", "--test", "--metrics=off", "--disable-version-check", str(directory())],
        capture_output=True, text=True, timeout=240, check=False, env={**os.environ, **settings, **own, "PATH": path},
    )  # fmt: skip
    said = run.stdout + run.stderr
    assert run.returncode == 0, said[-3000:]
    assert "1/1: ✓ All fix tests passed" in said
    assert "validation failed" not in said
