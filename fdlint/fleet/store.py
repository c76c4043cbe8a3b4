"""The store of a fleet: one SQLite file, which only the process of the run writes. Every part is one transaction, so
what is in it outlives whatever happens to the run.

`schema.sql` has the tables.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from fdlint.fleet.job import Job, Outcome, State, choice_of
from fdlint.fleet.manifest import Listed
from fdlint.report.documents import sound
from fdlint.version import __version__

FILE = "fleet.sqlite3"
_COLUMNS = ("severity", "confidence", "language", "path", "line", "function", "api", "message", "fingerprint", "name")


class StoreError(Exception):
    """The store cannot be used. The message is the reason."""


@contextlib.contextmanager
def opened(directory: Path, *, write: bool) -> Iterator[Store]:
    """Opens the store in a directory. With ``write`` it creates it, and keeps other runs out. Raises
    ``StoreError``."""
    file = directory / FILE
    try:
        if write:
            directory.mkdir(parents=True, exist_ok=True)
        elif not file.is_file():
            raise StoreError(f"{directory}: there is no store of a fleet: `fdlint fleet run` makes one")
        with contextlib.closing(_locked(directory)) if write else contextlib.nullcontext():
            database = sqlite3.connect(file, isolation_level=None)
            with contextlib.closing(database):
                database.row_factory = sqlite3.Row
                if write:
                    database.execute("PRAGMA journal_mode = WAL")
                    database.executescript(files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"))
                yield Store(database)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{file}: {error}") from None


def _locked(directory: Path) -> sqlite3.Connection:
    """Returns a connection that holds a lock as long as it is open; the system frees it when the process dies."""
    lock = sqlite3.connect(directory / "lock.sqlite3", isolation_level=None, timeout=0)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise StoreError(f"{directory}: another run works with this store") from None
    return lock


class Store:
    """The open store. ``run``: the number of the run that writes it."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.run = 0

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """Returns the rows of a query."""
        return self.database.execute(query, values).fetchall()

    def begin(self, fleet: Sequence[Listed]) -> None:
        """Begins a run, or goes on with the last one if that was interrupted, with the same repositories and the same
        fdlint."""
        manifest = hashlib.sha256(repr(fleet).encode()).hexdigest()[:16]
        with self._transaction():
            last = self.rows("SELECT * FROM run ORDER BY id DESC LIMIT 1")
            if last and (last[0]["finished"], last[0]["version"], last[0]["manifest"]) == (None, __version__, manifest):
                self.run = last[0]["id"]
            else:
                self.run = self._insert("run", started=now(), version=__version__, manifest=manifest)
            self.database.execute("UPDATE repository SET listed = 0")
            for one in fleet:
                self.database.execute(
                    "INSERT INTO repository (name, source, ref, owner, listed) VALUES (?, ?, ?, ?, 1) "
                    "ON CONFLICT (name) DO UPDATE SET source = excluded.source, ref = excluded.ref, "
                    "owner = excluded.owner, listed = 1",
                    (one.name, sound(one.shown), one.ref, one.owner),
                )

    def finish(self) -> None:
        """Ends the run."""
        self.database.execute("UPDATE run SET finished = ? WHERE id = ?", (now(), self.run))

    def known(self, listed: Listed) -> str:
        """Returns the last commit of a repository whose scan by this fdlint, with these options, is complete; an empty
        text if there is none."""
        found = self.rows(
            "SELECT revision FROM scan WHERE repository = ? AND version = ? AND options = ? AND finished IS NOT NULL "
            "ORDER BY finished DESC LIMIT 1",
            self._repository(listed.name), __version__, choice_of(listed),
        )  # fmt: skip
        return str(found[0]["revision"]) if found else ""

    def missing(self, job: Job, outcome: Outcome) -> list[int]:
        """Returns the parts of a repository, split as its first job says, that are not in the store."""
        scan = self._scan(job, outcome, outcome.parts)
        done = {row["number"] for row in self.rows("SELECT number FROM part WHERE scan = ? AND reason = ''", scan)}
        return [number for number in range(1, outcome.parts + 1) if number not in done]

    def record(self, job: Job, outcome: Outcome) -> None:
        """Writes what a job gave."""
        repository = self._repository(job.listed.name)
        with self._transaction():
            if outcome.state is State.UNCHANGED:
                scan = self._last(repository, outcome.tip.commit)
                self._visit(repository, "unchanged", "", scan)
                return
            if outcome.state is State.FAILED:
                self._visit(repository, "failed", outcome.reason, self._last(repository))
                return
            scan = self._scan(job, outcome, job.parts)
            self._part(scan, job, outcome)
            left = self.rows("SELECT count(*) FROM part WHERE scan = ? AND reason = ''", scan)[0][0] < job.parts
            number = self.rows("SELECT count(*) FROM part WHERE scan = ?", scan)[0][0]
            if not left:
                self._complete(scan)
            if number == job.parts:
                self._leaks(repository, scan, complete=not left)
                self._visit(repository, "ended" if left else "scanned", outcome.reason, scan)

    def _scan(self, job: Job, outcome: Outcome, parts: int) -> int:
        """Returns the number of the scan that a job belongs to."""
        key = self._repository(job.listed.name), outcome.tip.commit, __version__, choice_of(job.listed)
        self.database.execute(
            "INSERT INTO scan (repository, revision, version, options, branch, address, run, parts) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key, outcome.tip.branch, outcome.tip.address, self.run, parts),
        )
        where = "repository = ? AND revision = ? AND version = ? AND options = ?"
        scan, before = self.rows(f"SELECT id, parts FROM scan WHERE {where}", *key)[0]
        if before != parts:
            for table in ("part", "finding", "skipped"):
                self.database.execute(f"DELETE FROM {table} WHERE scan = ?", (scan,))
            self.database.execute("UPDATE scan SET parts = ? WHERE id = ?", (parts, scan))
        return int(scan)

    def _part(self, scan: int, job: Job, outcome: Outcome) -> None:
        for table, column in (("part", "number"), ("finding", "part"), ("skipped", "part")):
            self.database.execute(f"DELETE FROM {table} WHERE scan = ? AND {column} = ?", (scan, job.part))
        report, seen = outcome.report, Counter[tuple[str, str]]()
        for one in report["findings"]:
            seen[one["path"], one["fingerprint"]] += 1
            paths = {one["path"], *(step["path"] for step in (*one["trace"], *one["assumptions"]))}
            self._insert(
                "finding", scan=scan, part=job.part, rule=one["code"], number=seen[one["path"], one["fingerprint"]],
                impact=one["impact"]["level"], reason=one["impact"]["reason"], in_tests=int(one["in_tests"]),
                owner=" ".join(one.get("owners", ())), document=json.dumps(one),
                code=json.dumps({path: outcome.code[path] for path in sorted(paths) if path in outcome.code}),
                **{name: one[name] for name in _COLUMNS},
            )  # fmt: skip
        for skipped in report["skipped"]:
            self._insert("skipped", scan=scan, part=job.part, path=skipped["path"], reason=skipped["reason"])
        summary = report["summary"]
        by_tree = sum(summary["silencing"]["findings"].values())
        self._insert(
            "part", scan=scan, number=job.part, reason=outcome.reason, files=summary["files"], lines=summary["lines"],
            seconds=summary["seconds"], silenced=by_tree, hidden=sum(summary["hidden"].values()),
        )  # fmt: skip

    def _complete(self, scan: int) -> None:
        sums = ", ".join(
            f"{name} = (SELECT sum({name}) FROM part WHERE scan = scan.id)"
            for name in ("files", "lines", "seconds", "silenced", "hidden")
        )
        self.database.execute(f"UPDATE scan SET finished = ?, {sums} WHERE id = ?", (now(), scan))

    def _leaks(self, repository: int, scan: int, *, complete: bool) -> None:
        """Writes which findings are new, and, if the scan is ``complete``, which are gone."""
        key = ("path", "fingerprint", "number")
        now = self.rows("SELECT * FROM finding WHERE scan = ?", scan)
        found = {tuple(row[name] for name in key): row for row in now}
        before = self.rows("SELECT * FROM leak WHERE repository = ? AND gone_run IS NULL", repository)
        open_ = {tuple(row[name] for name in key): row["id"] for row in before}
        cause = self._cause(repository, scan)
        for path, fingerprint, number in found.keys() - open_.keys():
            self._insert(
                "leak", repository=repository, path=path, fingerprint=fingerprint, number=number,
                rule=found[path, fingerprint, number]["rule"], first_run=self.run, cause=cause,
            )  # fmt: skip
        skipped = {row["path"] for row in self.rows("SELECT path FROM skipped WHERE scan = ?", scan)}
        for mark in open_.keys() - found.keys() if complete else ():
            if mark[0] not in skipped:
                self.database.execute("UPDATE leak SET gone_run = ? WHERE id = ?", (self.run, open_[mark]))

    def _cause(self, repository: int, scan: int) -> str:
        """Returns why findings of a scan may be new."""
        earlier = self.rows(
            "SELECT scan.revision, scan.version || scan.options AS how FROM visit JOIN scan ON scan.id = visit.scan "
            "WHERE visit.repository = ? AND visit.run < ? AND scan.finished IS NOT NULL AND scan.id <> ? "
            "ORDER BY visit.run DESC LIMIT 1",
            repository, self.run, scan,
        )  # fmt: skip
        if not earlier:
            return "repository"
        now = self.rows("SELECT revision, version || options AS how FROM scan WHERE id = ?", scan)[0]
        same_code, same_way = now["revision"] == earlier[0]["revision"], now["how"] == earlier[0]["how"]
        return "upgrade" if same_code else "code" if same_way else "code and upgrade"

    def _visit(self, repository: int, outcome: str, reason: str, scan: int | None) -> None:
        self.database.execute(
            "INSERT OR REPLACE INTO visit (run, repository, outcome, reason, scan) VALUES (?, ?, ?, ?, ?)",
            (self.run, repository, outcome, sound(reason), scan),
        )

    def _last(self, repository: int, commit: str = "") -> int | None:
        """Returns the last complete scan of a repository, or of one of its commits."""
        where = "AND revision = ?" if commit else "AND ? = ''"
        query = f"SELECT id FROM scan WHERE repository = ? AND finished IS NOT NULL {where}"
        found = self.rows(f"{query} ORDER BY finished DESC, id DESC LIMIT 1", repository, commit)
        return int(found[0]["id"]) if found else None

    def _repository(self, name: str) -> int:
        return int(self.rows("SELECT id FROM repository WHERE name = ?", name)[0]["id"])

    def _insert(self, table: str, **values: Any) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        done = self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))
        return int(done.lastrowid or 0)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")


def now() -> str:
    """Returns the time in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
