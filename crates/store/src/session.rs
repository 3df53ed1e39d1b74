//! Writing a campaign.

use crate::files;
use crate::finding_files::{FindingFiles, State};
use crate::lock::Lock;
use crate::{Campaign, Meta, StoreError, apply, schema, sealed};
use events::{Cause, Event, FindingId, Measured, Outcome, Record, RunId, Verdict};
use flate2::{Compression, write::DeflateEncoder};
use program::ProgramMap;
use rusqlite::{Connection, params};
use std::io::Write;
use std::ops::Deref;
use std::path::Path;
use std::time::{Duration, Instant};
use trace::Input;

/// What was recorded is committed at least this often while something is recorded or [`Session::tick`] called.
const COMMIT_EVERY: Duration = Duration::from_millis(500);

/// Why a run's input is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep<'a> {
    /// How the run ended.
    pub outcome: Outcome,
    /// Why it was made, if known.
    pub cause: Option<Cause>,
    /// How many branches it was the first to cover.
    pub new_branches: u32,
    /// A word for it, such as `branch`, `outcome`, `seed`.
    pub why: &'a str,
}

/// What came of a finding.
#[derive(Clone, Copy, Debug)]
pub struct JudgedFinding<'a> {
    /// Its number.
    pub id: FindingId,
    /// The run that its reproducer comes from.
    pub run: RunId,
    /// How the user's own executable ends on it, or, if that is not known, the instrumented one.
    pub outcome: Outcome,
    /// Its reproducer.
    pub input: &'a Input,
    /// What came of it.
    pub verdict: &'a Verdict,
    /// A sanitizer's report, for people; may be empty.
    pub report: &'a str,
}

/// A campaign that is being written; reads like a [`Campaign`].
///
/// Dropping it commits. Errors leave what was committed before intact.
#[derive(Debug)]
pub struct Session {
    campaign: Campaign,
    _lock: Lock,
    meta: Meta,
    began: Instant,
    /// Milliseconds of earlier sessions.
    earlier_ms: u64,
    next_seq: u64,
    runs: u64,
    in_transaction: bool,
    committed: Instant,
    all_runs: bool,
}

impl Deref for Session {
    type Target = Campaign;
    fn deref(&self) -> &Campaign {
        &self.campaign
    }
}

impl Session {
    /// Starts a campaign in `dir`, which is made if need be.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is one, [`StoreError::Locked`] if somebody else is about to, and errors of the
    /// system.
    pub fn create(dir: &Path, meta: &Meta, map: &ProgramMap) -> Result<Session, StoreError> {
        files::folder(dir)?;
        let lock = Lock::take(dir)?;
        let path = dir.join("campaign.db");
        if path.exists() {
            return Err(StoreError::Exists { dir: dir.to_path_buf() });
        }
        for sub in ["corpus", "tests", "findings"] {
            files::folder(&dir.join(sub))?;
        }
        let db = schema::create(&path)?;
        let mut session = Session::on(Campaign::with(dir, db), lock, meta.clone());
        let json = serde_json::to_string(meta).expect("plain data");
        session.set("campaign", &json)?;
        session.set_map(map)?;
        session.commit()?;
        Ok(session)
    }

    /// Continues the campaign in `dir`.
    ///
    /// # Errors
    /// [`StoreError::NotACampaign`], [`StoreError::Version`], [`StoreError::Locked`], and errors of the system.
    pub fn resume(dir: &Path) -> Result<Session, StoreError> {
        let path = dir.join("campaign.db");
        if !path.is_file() {
            return Err(StoreError::NotACampaign { dir: dir.to_path_buf() });
        }
        let lock = Lock::take(dir)?;
        let campaign = Campaign::with(dir, schema::open(&path, true)?);
        let meta = campaign.meta()?;
        let mut session = Session::on(campaign, lock, meta);
        session.earlier_ms = session.campaign.number("elapsed_ms")?;
        session.next_seq = session.campaign.number("events")?;
        session.runs = session.campaign.runs()?;
        Ok(session)
    }

    fn on(campaign: Campaign, lock: Lock, meta: Meta) -> Session {
        let now = Instant::now();
        Session {
            campaign,
            _lock: lock,
            meta,
            began: now,
            earlier_ms: 0,
            next_seq: 0,
            runs: 0,
            in_transaction: false,
            committed: now,
            all_runs: false,
        }
    }

    /// Whether the log also holds random runs that showed nothing new (they are always counted). Off at first:
    /// there may be thousands a second.
    pub fn log_all_runs(&mut self, yes: bool) {
        self.all_runs = yes;
    }

    /// Milliseconds since the campaign began, without the pauses between sessions.
    pub fn elapsed_ms(&self) -> u64 {
        self.earlier_ms + self.began.elapsed().as_millis() as u64
    }

    /// Takes an event, numbers and dates it, and keeps what reports need of it.
    ///
    /// # Errors
    /// If the database cannot be written; [`StoreError::DiskFull`] if there is no room.
    pub fn record(&mut self, event: Event, measured: Measured) -> Result<Record, StoreError> {
        let record = Record { seq: self.next_seq, at_ms: self.elapsed_ms(), measured, event };
        self.next_seq += 1;
        if matches!(record.event, Event::RunDone { .. }) {
            self.runs += 1;
        }
        self.begin()?;
        let logged = self.all_runs || !is_routine(&record.event);
        let runs = self.runs;
        self.write(|db| apply::apply(db, &record, runs, logged))?;
        self.tick()?;
        Ok(record)
    }

    /// Commits if it is time. Call it now and then when no events come.
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn tick(&mut self) -> Result<(), StoreError> {
        if self.in_transaction && self.committed.elapsed() >= COMMIT_EVERY { self.commit() } else { Ok(()) }
    }

    /// Commits everything recorded.
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.begin()?;
        let (elapsed, events, runs) = (self.elapsed_ms(), self.next_seq, self.runs);
        self.write(|db| {
            for (key, value) in [("elapsed_ms", elapsed), ("events", events), ("runs", runs)] {
                set(db, key, &value.to_string())?;
            }
            db.execute_batch("COMMIT")
        })?;
        self.in_transaction = false;
        self.committed = Instant::now();
        Ok(())
    }

    /// Puts a run's input into the corpus folder.
    ///
    /// # Errors
    /// If the file or the database cannot be written.
    pub fn keep(&mut self, run: RunId, input: &Input, keep: &Keep<'_>) -> Result<(), StoreError> {
        // What a resumed session runs again is there already.
        if matches!(keep.cause, Some(Cause::Resumed { .. })) && self.corpus_file(input)?.is_some() {
            return Ok(());
        }
        let name = files::corpus_name(run, input);
        files::write(&self.dir().join("corpus").join(&name), &files::content(input))?;
        let shape = files::is_byte_stream(input).then(|| {
            let mut shape = input.clone();
            shape.objects.iter_mut().for_each(|o| o.data.clear());
            json(&shape)
        });
        self.begin()?;
        let hash = files::hash(input);
        self.write(|db| {
            db.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(
                params![
                    run.0,
                    hash,
                    name,
                    shape,
                    keep.cause.as_ref().map(json),
                    json(&keep.outcome),
                    input.len() as u64,
                    keep.why,
                    keep.new_branches
                ],
            )
        })?;
        Ok(())
    }

    /// Name of the corpus file that holds this input, if one does.
    fn corpus_file(&self, input: &Input) -> Result<Option<String>, StoreError> {
        let sql = "SELECT min(file) FROM runs WHERE hash = ?";
        let found = self.db().query_row(sql, [files::hash(input)], |row| row.get(0));
        found.map_err(|e| self.campaign.fail(e))
    }

    /// Writes the folder of a finding, with this run as its reproducer.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn finding(
        &mut self,
        id: FindingId,
        run: RunId,
        outcome: Outcome,
        input: &Input,
        stack: &[String],
    ) -> Result<(), StoreError> {
        let folder = self.finding_folder(id)?.unwrap_or_else(|| files::finding_folder(id, outcome));
        let files = FindingFiles { id, run, outcome, input, stack, state: State::Untried };
        files.write(self.dir(), &folder, &self.meta)
    }

    /// Name of a finding's folder, once the finding was recorded.
    fn finding_folder(&self, id: FindingId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT max(folder) FROM findings WHERE id = ?";
        self.db().query_row(sql, [id.0], |row| row.get(0)).map_err(|e| self.campaign.fail(e))
    }

    /// Writes what came of a finding into its folder, which is named after its kind from now on; the folder of one
    /// that is the same as another goes. The verdict itself is recorded by its event.
    ///
    /// # Errors
    /// If the files or the database cannot be written.
    pub fn judge(&mut self, judged: &JudgedFinding<'_>) -> Result<(), StoreError> {
        let JudgedFinding { id, run, outcome, input, verdict, report } = *judged;
        let old = self.finding_folder(id)?.unwrap_or_else(|| files::finding_folder(id, outcome));
        let place = self.dir().join("findings");
        match verdict {
            Verdict::SameAs { .. } => files::remove_folder(&place.join(&old)),
            Verdict::Unconfirmed => {
                let known = self.findings()?.into_iter().find(|f| f.id == id);
                let stack = known.map(|f| f.stack).unwrap_or_default();
                let files =
                    FindingFiles { id, run, outcome, input, stack: &stack, state: State::Unconfirmed };
                files.write(self.campaign.dir(), &old, &self.meta)
            }
            Verdict::Confirmed(diagnosis) => {
                let new = format!("{:04}-{}", id.0, diagnosis.kind.name());
                if new != old && place.join(&old).exists() {
                    files::rename(&place.join(&old), &place.join(&new))?;
                }
                self.begin()?;
                let sql = "UPDATE findings SET folder = ?, best_run = ? WHERE id = ?";
                self.write(|db| db.execute(sql, params![new, run.0, id.0]))?;
                let stack: Vec<String> = diagnosis.stack.iter().map(|f| f.function.clone()).collect();
                let state = State::Confirmed(diagnosis, report);
                let files = FindingFiles { id, run, outcome, input, stack: &stack, state };
                files.write(self.campaign.dir(), &new, &self.meta)
            }
        }
    }

    /// Replaces the suite in `tests/` by these inputs.
    ///
    /// # Errors
    /// If the files cannot be written.
    pub fn write_tests<'i>(
        &mut self,
        tests: impl IntoIterator<Item = (RunId, &'i Input)>,
    ) -> Result<(), StoreError> {
        let dir = self.dir().join("tests");
        files::folder(&dir)?;
        let old = std::fs::read_dir(&dir).map_err(|e| StoreError::io("read", &dir, e))?;
        let mut stale: Vec<_> = old.filter_map(|f| Some(f.ok()?.file_name())).collect();
        for (run, input) in tests {
            let name = self.corpus_file(input)?.unwrap_or_else(|| files::corpus_name(run, input));
            files::write(&dir.join(&name), &files::content(input))?;
            stale.retain(|s| s != name.as_str());
        }
        // Only what is named like a test of ours goes: somebody may have put files of their own there.
        let ours = |n: &&std::ffi::OsString| n.to_str().is_some_and(is_test_name);
        for name in stale.iter().filter(ours) {
            let path = dir.join(name);
            std::fs::remove_file(&path).map_err(|e| StoreError::io("remove", &path, e))?;
        }
        Ok(())
    }

    /// Replaces the program map (it changes when the program was built anew).
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn set_map(&mut self, map: &ProgramMap) -> Result<(), StoreError> {
        // In one piece: the encoder takes as long for a bracket as for a page.
        let plain = serde_json::to_vec(map).expect("plain data");
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::fast());
        let packed = deflated.write_all(&plain).and_then(|()| deflated.finish()).expect("written to memory");
        self.begin()?;
        self.write(|db| db.execute("INSERT OR REPLACE INTO blobs VALUES ('program-map', ?)", [packed]))?;
        Ok(())
    }

    /// Keeps what solvers remember for the next session; `solvers` says which ones, see [`Campaign::answers`].
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn set_answers(&mut self, solvers: &str, answers: &[u8]) -> Result<(), StoreError> {
        let packed = sealed::sealed(solvers, answers);
        self.begin()?;
        self.write(|db| db.execute("INSERT OR REPLACE INTO blobs VALUES ('answers', ?)", [packed]))?;
        Ok(())
    }

    /// Keeps what was confirmed for the next session; `executable` says on which one, see [`Campaign::confirmed`].
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn set_confirmed(&mut self, executable: &str, what: &[u8]) -> Result<(), StoreError> {
        let packed = sealed::sealed(executable, what);
        self.begin()?;
        self.write(|db| db.execute("INSERT OR REPLACE INTO blobs VALUES ('confirmed', ?)", [packed]))?;
        Ok(())
    }

    /// Says which runs' inputs wait to be confirmed, see [`Campaign::pending`].
    ///
    /// # Errors
    /// As for [`Session::record`].
    pub fn set_pending(&mut self, runs: &[RunId]) -> Result<(), StoreError> {
        self.set("pending", &json(&runs))
    }

    /// Adds an input to the suite in `tests/`; what is there stays.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add_test(&mut self, run: RunId, input: &Input) -> Result<(), StoreError> {
        let name = self.corpus_file(input)?.unwrap_or_else(|| files::corpus_name(run, input));
        files::write(&self.dir().join("tests").join(&name), &files::content(input))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.begin()?;
        self.write(|db| set(db, key, value))
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        if !self.in_transaction {
            self.write(|db| db.execute_batch("BEGIN IMMEDIATE"))?;
            self.in_transaction = true;
        }
        Ok(())
    }

    fn write<T>(&mut self, f: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let done = f(self.campaign.db()).map_err(|e| self.campaign.fail(e));
        // SQLite may have rolled back by itself (a full disk).
        self.in_transaction = self.in_transaction && !self.campaign.db().is_autocommit();
        done
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; callers that care call `commit` themselves.
        let _ = self.commit();
    }
}

fn set(db: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?, ?)")?.execute([key, value])?;
    Ok(())
}

/// JSON of plain data.
pub(crate) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// A random run that showed nothing new.
fn is_routine(event: &Event) -> bool {
    matches!(
        event,
        Event::RunDone { cause: Cause::Random, outcome: Outcome::Exit(_), new_branches: 0, kept: false, .. }
    )
}

fn is_test_name(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    stem.split_once('-').is_some_and(|(run, hash)| {
        run.len() >= 6
            && run.bytes().all(|b| b.is_ascii_digit())
            && hash.len() == 16
            && hash.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::BranchId;

    /// SQLite's page limit stands for a full disk: it gives the same error.
    #[test]
    fn a_full_disk_is_told_and_costs_nothing_committed() {
        let tmp = tempfile::TempDir::new().unwrap();
        let mut session = Session::create(tmp.path(), &Meta::default(), &ProgramMap::default()).unwrap();
        let covered = |k| Event::BranchCovered { branch: BranchId(k), run: RunId(0) };
        session.record(covered(0), Measured::default()).unwrap();
        session.commit().unwrap();
        let db = session.campaign.db();
        let pages: u64 = db.query_row("PRAGMA page_count", [], |r| r.get(0)).unwrap();
        db.pragma_update(None, "max_page_count", pages + 1).unwrap();
        let error = (1..10_000).find_map(|k| session.record(covered(k), Measured::default()).err()).unwrap();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        assert!(error.to_string().contains("no space left"));
        session.campaign.db().pragma_update(None, "max_page_count", 1_000_000).unwrap();
        session.record(covered(20_000), Measured::default()).unwrap();
        drop(session);
        let campaign = Campaign::open(tmp.path()).unwrap();
        let kept: Vec<u32> = campaign.coverage().unwrap().iter().map(|c| c.branch.0).collect();
        assert!(kept.contains(&0) && kept.contains(&20_000));
    }
}
