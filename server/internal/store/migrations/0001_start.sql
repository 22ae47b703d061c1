-- One database per work tree. Times are RFC 3339 in UTC with milliseconds.
-- Columns that hold JSON say so; everything else can be queried as it is.

CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    repo        TEXT NOT NULL,
    head        TEXT NOT NULL,
    branch      TEXT NOT NULL,
    gate        TEXT NOT NULL CHECK (json_valid(gate)),
    policy      TEXT NOT NULL CHECK (json_valid(policy)),
    baseline    TEXT NOT NULL,
    tree        TEXT NOT NULL,
    dirty       INTEGER NOT NULL CHECK (dirty IN (0, 1)),
    client      TEXT NOT NULL,
    confirmed   TEXT NOT NULL,
    opened      TEXT NOT NULL,
    ended       TEXT,
    outcome     TEXT NOT NULL DEFAULT '',
    status_line TEXT NOT NULL DEFAULT '',
    extra       TEXT CHECK (extra IS NULL OR json_valid(extra))
) STRICT;

-- One open session per work tree, whoever asks and from however many servers.
CREATE UNIQUE INDEX one_open_session ON sessions ((ended IS NULL)) WHERE ended IS NULL;

CREATE TABLE runs (
    id        TEXT PRIMARY KEY,
    session   TEXT NOT NULL REFERENCES sessions (id),
    seq       INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    scope     TEXT NOT NULL,
    status    TEXT NOT NULL CHECK (status IN ('running', 'done', 'cancelled', 'interrupted')),
    verdict   TEXT NOT NULL DEFAULT '',
    tree      TEXT NOT NULL,
    snapshot  TEXT NOT NULL,
    moved     INTEGER NOT NULL DEFAULT 0,
    started   TEXT NOT NULL,
    finished  TEXT,
    passed    INTEGER NOT NULL DEFAULT 0,
    failed    INTEGER NOT NULL DEFAULT 0,
    errors    INTEGER NOT NULL DEFAULT 0,
    skipped   INTEGER NOT NULL DEFAULT 0,
    killed    INTEGER NOT NULL DEFAULT 0,
    total     INTEGER NOT NULL DEFAULT 0,
    runner    TEXT NOT NULL DEFAULT '',
    detail    TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)), -- delta, flaky, changed, notes, clusters
    tests     BLOB,                                                 -- the inventory: gzip of JSON
    process   TEXT CHECK (process IS NULL OR json_valid(process)),  -- while running: what to reap after a kill
    extra     TEXT CHECK (extra IS NULL OR json_valid(extra)),
    UNIQUE (session, seq)
) STRICT;

CREATE INDEX running_runs ON runs (status) WHERE status = 'running';

CREATE TABLE steps (
    run         TEXT NOT NULL REFERENCES runs (id),
    n           INTEGER NOT NULL,
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    command     TEXT NOT NULL,
    dir         TEXT NOT NULL,
    status      TEXT NOT NULL,
    exit_code   INTEGER, -- NULL: it did not exit by itself, or did not run
    signal      TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    failures    INTEGER NOT NULL,
    killed      TEXT NOT NULL CHECK (json_valid(killed)),
    log         TEXT NOT NULL,
    log_bytes   INTEGER NOT NULL,
    log_sha256  TEXT NOT NULL,
    note        TEXT NOT NULL,
    PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE failures (
    run         TEXT NOT NULL REFERENCES runs (id),
    n           INTEGER NOT NULL,
    id          TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    body        TEXT NOT NULL, -- JSON, frames and detail included
    PRIMARY KEY (run, n)
) STRICT;

CREATE INDEX failures_by_fingerprint ON failures (fingerprint, run);

CREATE TABLE findings (
    run      TEXT NOT NULL REFERENCES runs (id),
    n        INTEGER NOT NULL,
    id       TEXT NOT NULL,
    rule     TEXT NOT NULL,
    severity TEXT NOT NULL,
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    change   TEXT NOT NULL,
    why      TEXT NOT NULL,
    honest   TEXT NOT NULL,
    digest   TEXT NOT NULL,
    PRIMARY KEY (run, n)
) STRICT;

CREATE TABLE waivers (
    session TEXT NOT NULL REFERENCES sessions (id),
    finding TEXT NOT NULL,
    rule    TEXT NOT NULL,
    file    TEXT NOT NULL,
    digest  TEXT NOT NULL,
    who     TEXT NOT NULL CHECK (who <> ''),
    granted TEXT NOT NULL,
    why     TEXT NOT NULL CHECK (why <> ''),
    PRIMARY KEY (session, finding, digest)
) STRICT;

CREATE TABLE checkpoints (
    n          INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL,
    session    TEXT NOT NULL REFERENCES sessions (id),
    iteration  INTEGER NOT NULL,
    run        TEXT NOT NULL,
    tree       TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    files      TEXT NOT NULL CHECK (json_valid(files)),
    root_cause TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('baseline', 'checkpoint', 'best', 'discarded')),
    created    TEXT NOT NULL,
    UNIQUE (session, id, kind)
) STRICT;

CREATE TABLE decisions (
    session     TEXT NOT NULL REFERENCES sessions (id),
    n           INTEGER NOT NULL,
    run         TEXT NOT NULL,
    iteration   INTEGER NOT NULL,
    outcome     TEXT NOT NULL,
    status_line TEXT NOT NULL,
    rule        TEXT NOT NULL,
    action      TEXT NOT NULL, -- kind
    pending     INTEGER NOT NULL CHECK (pending IN (0, 1)),
    body        TEXT NOT NULL CHECK (json_valid(body)),
    decided     TEXT NOT NULL,
    PRIMARY KEY (session, n)
) STRICT;

CREATE INDEX pending_decisions ON decisions (pending) WHERE pending = 1;

-- What each attempt cost and met. The session is part of the key, so that
-- trying the same story again does not overwrite what happened before.
CREATE TABLE fix_iterations (
    session       TEXT NOT NULL REFERENCES sessions (id),
    story_id      TEXT NOT NULL DEFAULT 'standalone',
    iteration     INTEGER NOT NULL,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (input_tokens >= 0),
    output_tokens INTEGER NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    cache_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (cache_tokens >= 0),
    cost_usd      REAL NOT NULL DEFAULT 0 CHECK (cost_usd >= 0),
    error_hash    TEXT,
    failing_layer TEXT,
    outcome       TEXT NOT NULL CHECK (outcome IN (
        'pass', 'fail', 'escalated', 'done', 'need_decision', 'blocked',
        'continue', 'success', 'partial', 'nothing_to_fix', 'unresolved', 'violation', 'budget', 'max_iterations',
        'build_error_persists', 'regression', 'circular', 'recurrence', 'non_convergence', 'aborted')),
    created_at    TEXT NOT NULL,
    PRIMARY KEY (session, story_id, iteration)
) STRICT;

-- The hash chain, per session. Rows are only ever added.
CREATE TABLE chain (
    session TEXT NOT NULL REFERENCES sessions (id),
    n       INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    ref     TEXT NOT NULL,
    at      TEXT NOT NULL,
    body    TEXT NOT NULL, -- canonical JSON
    hash    TEXT NOT NULL,
    PRIMARY KEY (session, n)
) STRICT;

CREATE TRIGGER chain_is_not_rewritten BEFORE UPDATE ON chain
BEGIN
    SELECT RAISE (ABORT, 'the chain is append-only');
END;

CREATE TRIGGER chain_is_not_cut BEFORE DELETE ON chain
BEGIN
    SELECT RAISE (ABORT, 'the chain is append-only');
END;
