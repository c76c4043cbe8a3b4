-- The store of a fleet. `docs/fleet-store.md` explains the tables; times are UTC, in ISO 8601.

CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT,                      -- NULL: it was interrupted, or goes on
    version TEXT NOT NULL,              -- of fdlint
    manifest TEXT NOT NULL              -- a hash of the repositories and their options
);
CREATE TABLE IF NOT EXISTS repository (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,               -- the address or the path
    ref TEXT NOT NULL,
    owner TEXT NOT NULL,                -- from the manifest; empty if it names none
    listed INTEGER NOT NULL             -- 1: the last manifest has it
);
CREATE TABLE IF NOT EXISTS scan (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repository,
    revision TEXT NOT NULL,             -- the commit
    branch TEXT NOT NULL,
    address TEXT NOT NULL,              -- of the repository, without credentials; empty if it is not known
    version TEXT NOT NULL,              -- of fdlint
    options TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES run,
    parts INTEGER NOT NULL,
    finished TEXT,                      -- NULL: some of it is missing
    files INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    silenced INTEGER NOT NULL DEFAULT 0, -- findings that comments and the repository's configuration leave out
    hidden INTEGER NOT NULL DEFAULT 0,   -- findings that the persona leaves out
    UNIQUE (repository, revision, version, options)
);
CREATE TABLE IF NOT EXISTS part (
    scan INTEGER NOT NULL REFERENCES scan,
    number INTEGER NOT NULL,
    reason TEXT NOT NULL,               -- empty: it is complete
    files INTEGER NOT NULL, lines INTEGER NOT NULL, seconds REAL NOT NULL,
    silenced INTEGER NOT NULL, hidden INTEGER NOT NULL,
    PRIMARY KEY (scan, number)
);
CREATE TABLE IF NOT EXISTS finding (
    id INTEGER PRIMARY KEY,
    scan INTEGER NOT NULL REFERENCES scan,
    part INTEGER NOT NULL,
    fingerprint TEXT NOT NULL, number INTEGER NOT NULL,
    rule TEXT NOT NULL, name TEXT NOT NULL, severity TEXT NOT NULL, confidence TEXT NOT NULL,
    impact TEXT NOT NULL, reason TEXT NOT NULL,
    language TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL,
    function TEXT, api TEXT, message TEXT NOT NULL, in_tests INTEGER NOT NULL,
    owner TEXT NOT NULL,                -- several are separated by a space; empty: nobody
    document TEXT NOT NULL,             -- JSON: the finding as in the output of `fdlint scan`
    code TEXT NOT NULL                  -- JSON: the lines around its steps, by path and number
);
CREATE INDEX IF NOT EXISTS finding_scan ON finding (scan);
CREATE TABLE IF NOT EXISTS skipped (
    scan INTEGER NOT NULL REFERENCES scan,
    part INTEGER NOT NULL,
    path TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS skipped_scan ON skipped (scan);
CREATE TABLE IF NOT EXISTS visit (
    run INTEGER NOT NULL REFERENCES run,
    repository INTEGER NOT NULL REFERENCES repository,
    outcome TEXT NOT NULL,              -- scanned, unchanged, ended or failed
    reason TEXT NOT NULL,
    scan INTEGER REFERENCES scan,       -- what counts for it in this run; NULL if there never was one
    PRIMARY KEY (run, repository)
);
CREATE TABLE IF NOT EXISTS leak (
    id INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL REFERENCES repository,
    path TEXT NOT NULL, fingerprint TEXT NOT NULL, number INTEGER NOT NULL,
    rule TEXT NOT NULL,
    first_run INTEGER NOT NULL REFERENCES run,
    cause TEXT NOT NULL,                -- repository (its first scan), code, upgrade (the same commit), or code and upgrade
    gone_run INTEGER REFERENCES run     -- NULL: it is still there
);
CREATE UNIQUE INDEX IF NOT EXISTS leak_open ON leak (repository, path, fingerprint, number) WHERE gone_run IS NULL;
CREATE VIEW IF NOT EXISTS open_finding AS
    SELECT repository.name AS repository, coalesce(nullif(finding.owner, ''), repository.owner) AS owner,
        finding.rule, finding.severity, finding.confidence, finding.impact, finding.path, finding.line,
        finding.function, finding.api, finding.message, finding.language, finding.in_tests, finding.fingerprint,
        scan.revision, scan.version, leak.cause, leak.first_run, run.started AS since, finding.id AS finding
    FROM visit
    JOIN repository ON repository.id = visit.repository AND repository.listed
    JOIN scan ON scan.id = visit.scan
    JOIN finding ON finding.scan = scan.id
    LEFT JOIN leak ON leak.repository = repository.id AND leak.path = finding.path
        AND leak.fingerprint = finding.fingerprint AND leak.number = finding.number AND leak.gone_run IS NULL
    LEFT JOIN run ON run.id = leak.first_run
    WHERE visit.run = (SELECT max(run) FROM visit AS other WHERE other.repository = visit.repository);
