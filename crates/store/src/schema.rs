//! The database's tables and their version.

use crate::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// Version of the format, kept in SQLite's `user_version`. Another version is refused.
pub const FORMAT: i64 = 5;

const TABLES: &str = "
-- Facts about the campaign, JSON values by name.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Large things by name, deflated.
CREATE TABLE blobs (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
-- Runs whose input is in the corpus folder. cause, outcome, shape: JSON.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL, file TEXT NOT NULL, shape TEXT, cause TEXT, outcome TEXT NOT NULL,
    input_len INTEGER NOT NULL, why TEXT NOT NULL, new_branches INTEGER NOT NULL);
-- Branches and the run that covered each first; runs: how many had been made by then, cheap ones too; cpu_us: what the
-- search had taken by then.
CREATE TABLE coverage (
    branch INTEGER PRIMARY KEY, run INTEGER NOT NULL, at_ms INTEGER NOT NULL, cpu_us INTEGER NOT NULL,
    runs INTEGER NOT NULL);
-- Functions and the run that entered each first.
CREATE TABLE entered (function INTEGER PRIMARY KEY, run INTEGER NOT NULL, at_ms INTEGER NOT NULL);
-- Conditionals that were decided by data that depends on the input, and the first run to do so.
CREATE TABLE symbolic (cond INTEGER PRIMARY KEY, run INTEGER NOT NULL);
-- Conditionals that were decided without input by values that differ with the input, and what those follow (JSON of Follows).
CREATE TABLE by_control_flow (cond INTEGER PRIMARY KEY, follows TEXT NOT NULL);
-- How often each flip was asked for, by what came of it (JSON of FlipAnswer).
CREATE TABLE flips (
    branch INTEGER NOT NULL, cond INTEGER NOT NULL, answer TEXT NOT NULL, count INTEGER NOT NULL, queries INTEGER NOT NULL,
    solve_us INTEGER NOT NULL, PRIMARY KEY (branch, answer)) WITHOUT ROWID;
-- What contradicts taking a branch, in as few branches as were found (JSON list of their numbers).
CREATE TABLE contradictions (branch INTEGER PRIMARY KEY, branches TEXT NOT NULL);
-- Runs that did not follow, by what was promised (JSON of Step).
CREATE TABLE divergences (
    expected TEXT NOT NULL, early INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (expected, early)) WITHOUT ROWID;
-- Lost or pinned symbolic data. reason: number of trace_abi::Reason; place: JSON.
CREATE TABLE losses (
    reason INTEGER NOT NULL, place TEXT NOT NULL, pinned INTEGER NOT NULL, runs INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (reason, place, pinned)) WITHOUT ROWID;
-- Findings. outcome, stack, verdict: JSON; verdict: NULL until it was judged.
CREATE TABLE findings (
    id INTEGER PRIMARY KEY, outcome TEXT NOT NULL, stack TEXT NOT NULL, first_run INTEGER NOT NULL,
    best_run INTEGER NOT NULL, count INTEGER NOT NULL, at_ms INTEGER NOT NULL, folder TEXT NOT NULL, verdict TEXT);
-- The event log: JSON of events::Record.
CREATE TABLE events (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, record TEXT NOT NULL);
-- Progress: JSON of events::Ledger.
CREATE TABLE samples (at_ms INTEGER PRIMARY KEY, ledger TEXT NOT NULL);
";

/// Makes a new database.
pub(crate) fn create(path: &Path) -> Result<Connection, StoreError> {
    let db = Connection::open(path).map_err(|e| StoreError::db(path, e))?;
    let made = tune(&db)
        .and_then(|()| db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")));
    made.map_err(|e| StoreError::db(path, e))?;
    Ok(db)
}

/// Opens a database of our format.
pub(crate) fn open(path: &Path, write: bool) -> Result<Connection, StoreError> {
    let mode = if write { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    let fail = |e| StoreError::db(path, e);
    let db = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fail)?;
    let found: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0)).map_err(fail)?;
    if found != FORMAT {
        return Err(StoreError::Version { path: path.to_path_buf(), found, ours: FORMAT });
    }
    if write {
        tune(&db).map_err(fail)?;
    }
    db.busy_timeout(std::time::Duration::from_secs(10)).map_err(fail)?;
    Ok(db)
}

/// Write-ahead logging: readers do not block the writer, and a killed process loses only what it had not committed.
fn tune(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}
