//! From events to the tables that reports read.

use crate::files::finding_folder;
use crate::session::json;
use events::{Event, Record};
use rusqlite::{Connection, Result, params};

/// Writes one event. `runs`: runs with an event so far, with this one; `logged`: also into the log.
pub(crate) fn apply(db: &Connection, record: &Record, runs: u64, logged: bool) -> Result<()> {
    if logged {
        db.prepare_cached("INSERT INTO events VALUES (?, ?, ?)")?.execute(params![
            record.seq,
            record.at_ms,
            json(record)
        ])?;
    }
    match &record.event {
        Event::BranchCovered { branch, run } => {
            db.prepare_cached("INSERT OR IGNORE INTO coverage VALUES (?, ?, ?, ?, ?)")?.execute(params![
                branch.0,
                run.0,
                record.at_ms,
                record.measured.search_cpu_us,
                runs.max(record.measured.runs)
            ])?;
        }
        Event::FunctionEntered { function, run } => {
            db.prepare_cached("INSERT OR IGNORE INTO entered VALUES (?, ?, ?)")?.execute(params![
                function.0,
                run.0,
                record.at_ms
            ])?;
        }
        Event::FlipResult { cond, branch, answer, queries, .. } => {
            let sql = "INSERT INTO flips VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET count = count + 1, \
                       queries = queries + excluded.queries, solve_us = solve_us + excluded.solve_us";
            db.prepare_cached(sql)?.execute(params![
                branch.0,
                cond.0,
                json(answer),
                queries,
                record.measured.solve_us
            ])?;
        }
        Event::Contradiction { branch, with } => {
            let sql = "INSERT INTO contradictions VALUES (?, ?) ON CONFLICT DO UPDATE SET branches = excluded.branches \
                       WHERE json_array_length(excluded.branches) < json_array_length(branches)";
            db.prepare_cached(sql)?.execute(params![branch.0, json(with)])?;
        }
        Event::Divergence { expected, early, .. } => {
            let sql = "INSERT INTO divergences VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1";
            db.prepare_cached(sql)?.execute(params![json(expected), early])?;
        }
        Event::Symbolic { cond, run } => {
            db.prepare_cached("INSERT OR IGNORE INTO symbolic VALUES (?, ?)")?
                .execute(params![cond.0, run.0])?;
        }
        Event::ByControlFlow { cond, follows, .. } => {
            db.prepare_cached("INSERT OR REPLACE INTO by_control_flow VALUES (?, ?)")?
                .execute(params![cond.0, json(follows)])?;
        }
        Event::Lost { reason, place, count, pinned, .. } => {
            let sql = "INSERT INTO losses VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET runs = runs + 1, \
                       count = count + excluded.count";
            db.prepare_cached(sql)?.execute(params![*reason as u8, json(place), pinned, count])?;
        }
        Event::FindingSeen { finding, run, outcome, stack, best, .. } => {
            let sql = "INSERT INTO findings VALUES (?, ?, ?, ?, ?, 1, ?, ?, NULL) ON CONFLICT DO UPDATE SET \
                       count = count + 1, best_run = CASE WHEN ? THEN excluded.best_run ELSE best_run END";
            db.prepare_cached(sql)?.execute(params![
                finding.0,
                json(outcome),
                json(stack),
                run.0,
                run.0,
                record.at_ms,
                finding_folder(*finding, *outcome),
                best
            ])?;
        }
        Event::FindingJudged { finding, verdict } => {
            db.prepare_cached("UPDATE findings SET verdict = ? WHERE id = ?")?
                .execute(params![json(verdict), finding.0])?;
        }
        Event::Progress(ledger) => {
            db.prepare_cached("INSERT OR REPLACE INTO samples VALUES (?, ?)")?
                .execute(params![record.at_ms, json(ledger)])?;
        }
        _ => {}
    }
    Ok(())
}
