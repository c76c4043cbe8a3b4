"""benchmarks/accuracy.py on a small repository, and the rows of benchmarks/corpus."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import loaded
import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "accuracy.py"
CORPUS = ROOT / "benchmarks" / "corpus"

LEAK = "import os\n\ndef size(path):\n    fd = os.open(path, os.O_RDONLY)\n    return os.fstat(fd).st_size\n"
FIXED = LEAK.replace(
    "return os.fstat(fd).st_size", "try:\n        return os.fstat(fd).st_size\n    finally:\n        os.close(fd)"
)
NAME = "owner/little"


def git(repository: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def commits(tmp_path: Path) -> tuple[str, str]:
    """A repository in ``repositories/owner+little`` and a corpus; the commits with the leak and with its fix."""
    repository = tmp_path / "repositories" / "owner+little"
    repository.mkdir(parents=True)
    git(repository, "init", "--quiet")
    found = []
    for text in (LEAK, FIXED):
        (repository / "a.py").write_text(text)
        git(repository, "add", "a.py")
        git(repository, "commit", "--quiet", "--message=c")
        found.append(git(repository, "rev-parse", "HEAD"))
    before, after = found
    row = {"repository": NAME, "path": "a.py", "line": 4, "part": "open"}
    pair = {"id": "one", "before": before, "after": after, "kind": "never-closed", **row}
    sites = [{"commit": before, "label": "leak", **row}, {"commit": after, "label": "ok", **row}]
    verdict = {"commit": before, "code": "FD101", "verdict": "true", **row}
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    (corpus / "sites.jsonl").write_text("".join(json.dumps(site) + "\n" for site in sites))
    (corpus / "verdicts.jsonl").write_text(json.dumps(verdict) + "\n")
    return before, after


def run(where: Path, *arguments: object, status: int = 0) -> str:
    places = [f"--corpus={where / 'corpus'}", f"--repositories={where / 'repositories'}"]
    command = [sys.executable, str(SCRIPT), *places, *map(str, arguments)]
    done = loaded.run(command, cwd=ROOT, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout


def sarif(*places: tuple[str, int]) -> str:
    results = []
    for path, line in places:
        physical = {"artifactLocation": {"uri": path}, "region": {"startLine": line}}
        results.append({"ruleId": "leak", "level": "error", "locations": [{"physicalLocation": physical}]})
    return json.dumps({"runs": [{"results": results}]})


def test_of_fdlint(tmp_path: Path, commits: tuple[str, str]) -> None:
    out = run(tmp_path, f"--details={tmp_path / 'details'}")
    assert "2 of 2 trees scanned" in out
    assert "| never-closed | 1 | 1 | 100 % | 100 % |" in out
    assert "| leak | 1 | 1 | 0 | 0 | 100 % |" in out
    assert "| ok | 1 | 0 | 0 | 1 | 100 % |" in out
    assert "| FD101 | 1 | 0 | 0 | 100 % | 100 % |" in out
    assert len((tmp_path / "details").read_text().splitlines()) == 4
    assert run(tmp_path, "--only-directories") == out


def test_of_a_command_that_prints_sarif(tmp_path: Path, commits: tuple[str, str]) -> None:
    (tmp_path / "log").write_text(sarif(("a.py", 4)))
    out = run(tmp_path, "--command", f"cat {tmp_path / 'log'}")
    assert "| never-closed | 1 | 1 | 100 % | 0 % |" in out  # it reports the same in the fixed version
    assert "| ok | 1 | 1 | 0 | 0 | 0 % |" in out
    assert "| leak | 1 | 0 | 1 | 50 % | 50 % |" in out  # of the rule at the sites


def test_of_absolute_paths(tmp_path: Path, commits: tuple[str, str]) -> None:
    log = tmp_path / "log"
    log.write_text(sarif(("file://ROOT/a.py", 4)))
    out = run(tmp_path, "--command", f'sh -c "sed s+ROOT+$PWD+ {log}"')
    assert "| leak | 1 | 1 | 0 | 0 | 100 % |" in out


def test_of_a_log_over_exported_trees(tmp_path: Path, commits: tuple[str, str]) -> None:
    before, after = commits
    run(tmp_path, "--export", tmp_path / "trees")
    assert (tmp_path / "trees" / f"owner+little@{before}" / "a.py").read_text() == LEAK
    assert (tmp_path / "trees" / f"owner+little@{after}" / "a.py").read_text() == FIXED
    log = tmp_path / "log.sarif"
    log.write_text(sarif((f"trees/owner+little@{before}/a.py", 5), (f"owner+little@{after}/b.py", 4)))
    out = run(tmp_path, "--sarif", log)
    assert "| never-closed | 1 | 1 | 100 % | 100 % |" in out  # a pair's line may be off by one
    assert "| leak | 1 | 0 | 0 | 1 | 0 % |" in out  # a site's may not


def test_a_repository_that_is_not_there(tmp_path: Path, commits: tuple[str, str]) -> None:
    run(tmp_path, f"--repositories={tmp_path}", status=2)
    run(tmp_path, "--part=held-out", status=2)


class TestCorpus:
    """The rows say where and why, and have no code."""

    @staticmethod
    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]

    @pytest.mark.parametrize("name", ["pairs.jsonl", "sites.jsonl", "verdicts.jsonl"])
    def test_every_row(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(ROOT / "benchmarks")
        from labels import LABELS, VERDICTS, part_of

        rows = self.rows(name)
        assert rows
        for row in rows:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", row["repository"])
            assert row["part"] == part_of(row["repository"])
            commits = [row["before"], row["after"]] if "before" in row else [row["commit"]]
            assert all(re.fullmatch(r"[0-9a-f]{40}", commit) for commit in commits)
            assert row["path"].endswith((".py", ".go"))
            assert row["line"] > 0
            assert row["reason"]
            assert row["method"]
            assert row.get("label", "ok") in LABELS
            assert row.get("verdict", "true") in VERDICTS
            assert not any("\n" in str(value) for value in row.values())

    def test_no_row_is_there_twice(self) -> None:
        pairs = [row["id"] for row in self.rows("pairs.jsonl")]
        sites = [(row["repository"], row["commit"], row["path"], row["line"]) for row in self.rows("sites.jsonl")]
        verdicts = [
            (row["repository"], row["commit"], row["path"], row["line"], row["code"])
            for row in self.rows("verdicts.jsonl")
        ]
        for keys in (pairs, sites, verdicts):
            assert len(set(keys)) == len(keys)

    def test_the_page_tells_the_numbers_of_rows(self) -> None:
        readme = (CORPUS / "README.md").read_text(encoding="utf-8")
        for name in ("pairs.jsonl", "sites.jsonl", "verdicts.jsonl"):
            assert f"| `{name}` | {len(self.rows(name)):,} |" in readme
