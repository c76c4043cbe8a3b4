"""The Semgrep rules: each has its annotated file, which Semgrep itself checks, and metadata that fdlint understands."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from fdlint.checks import by_code
from fdlint.go import semgrep
from fdlint.go.rulebook import directory, export, files, sets
from fdlint.go.words import mentions_descriptors
from fdlint.report.cwe import NAMES

RULES = [path for path in files() if path.suffix == ".yaml"]


def field(rule: Path, name: str) -> str:
    """A field of a rule's only entry; no YAML is needed for that."""
    found = re.search(rf"^(?:- |  ){{1,2}}{name}: (.+)$", (directory() / rule).read_text("utf-8"), re.MULTILINE)
    return found[1].strip('"') if found else ""


def test_there_are_two_sets() -> None:
    assert {path.parts[0] for path in RULES} == {"go", "go-audit"}
    assert [path.name for path in sets(audit=True)] == ["go", "go-audit"]
    assert [path.name for path in sets(audit=False)] == ["go"]


@pytest.mark.parametrize("rule", RULES, ids=str)
class TestRule:
    def test_is_called_like_its_file(self, rule: Path) -> None:
        assert field(rule, "id") == rule.stem
        assert (directory() / rule).read_text("utf-8").count("- id:") == 1

    def test_has_an_annotated_file_with_both_sides(self, rule: Path) -> None:
        text = (directory() / rule.with_suffix(".go")).read_text("utf-8")
        assert f"// ruleid: {rule.stem}\n" in text
        assert f"// ok: {rule.stem}\n" in text

    def test_metadata_says_what_a_finding_needs(self, rule: Path) -> None:
        known = by_code(field(rule, "fdlint")).rule
        assert field(rule, "name") == known.name
        assert known.cwe is not None
        assert field(rule, "cwe") == f"CWE-{known.cwe}: {NAMES[known.cwe]}"
        assert field(rule, "confidence") in ("HIGH", "MEDIUM", "LOW")
        assert field(rule, "range") in ("", "return", "misuse")

    def test_severity_is_that_of_the_code(self, rule: Path) -> None:
        known = by_code(field(rule, "fdlint")).rule.severity.name
        assert field(rule, "severity") == ("INFO" if rule.parts[0] == "go-audit" else known)

    def test_the_words_let_its_file_through(self, rule: Path) -> None:
        assert mentions_descriptors((directory() / rule.with_suffix(".go")).read_bytes())

    def test_the_message_is_one_sentence_as_pythons_are(self, rule: Path) -> None:
        message = (directory() / rule).read_text("utf-8").partition("message: >-\n")[2].partition("\n  metadata:")[0]
        text = " ".join(message.split())
        assert re.fullmatch(r"[^A-Z][^:]*: \S.*[^.]", text)
        assert ". " not in text

    def test_the_message_names_what_it_is_about(self, rule: Path) -> None:
        assert "$" in (directory() / rule).read_text("utf-8").partition("message:")[2].partition("metadata:")[0]


def test_what_closes_or_keeps_is_told_alike_everywhere() -> None:
    """The rules stand alone, so they repeat what a taking name is; they must not drift apart."""
    texts = [(directory() / rule).read_text("utf-8") for rule in RULES]
    said = [words for text in texts for words in re.findall(r"close\|closer[a-z|]*", text)]
    assert len(said) > 1
    assert len({words.replace("append|", "") for words in said}) == 1  # a child's file is appended, and not given away


def test_words_pass_over_other_files() -> None:
    assert not mentions_descriptors(b'package p\n\nfunc main() { fmt.Println("unix") }\n')


def test_words_let_an_opener_of_the_package_itself_through() -> None:
    assert mentions_descriptors(b"package p\n\nfunc f() error {\n\tf, err := OpenFile(dir, name)\n")


def test_export(tmp_path: Path) -> None:
    assert export(tmp_path / "new") == len(RULES)
    assert (tmp_path / "new/go/kept-after-send.go").read_bytes() == (directory() / "go/kept-after-send.go").read_bytes()


@pytest.mark.skipif(semgrep.executable() is None, reason="Semgrep is not installed (pip install 'fdlint[go]')")
def test_annotated_files(tmp_path: Path) -> None:
    """One call for all rules: Semgrep takes its time to start."""
    program = semgrep.executable()
    assert program is not None
    settings = {"SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0"}
    own = {"SEMGREP_SETTINGS_FILE": str(tmp_path / "settings.yml"), "SEMGREP_LOG_FILE": str(tmp_path / "log")}
    path = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        [program, "scan", "--test", "--metrics=off", "--disable-version-check", str(directory())],
        capture_output=True, text=True, timeout=240, check=False, env={**os.environ, **settings, **own, "PATH": path},
    )  # fmt: skip
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
