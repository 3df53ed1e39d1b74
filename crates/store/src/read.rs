//! Reading a campaign.

use crate::{Meta, Session, StoreError, schema};
use events::{
    Cause, FindingId, FlipAnswer, Follows, Ledger, Outcome, Place, Reason, Record, RunId, Step, Verdict,
};
use flate2::read::DeflateDecoder;
use program::{BranchId, CondId, FunctionId, ProgramMap};
use rusqlite::{Connection, OptionalExtension, Row, types::FromSql};
use serde::de::DeserializeOwned;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use trace::Input;

/// A campaign on disk, for reading; also while a [`Session`] of another process writes.
#[derive(Debug)]
pub struct Campaign {
    dir: PathBuf,
    path: PathBuf,
    db: Connection,
}

/// A run whose input is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRun {
    /// Its number.
    pub run: RunId,
    /// Path of the input's file.
    pub file: PathBuf,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it was made, if known.
    pub cause: Option<Cause>,
    /// How many branches it was the first to cover.
    pub new_branches: u32,
    /// Length of the input in bytes.
    pub input_len: u64,
    /// Why it was kept.
    pub why: String,
}

/// The inputs kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    /// In the order in which they were found.
    pub inputs: Vec<(RunId, Input)>,
    /// Files that are gone or cannot be read, with the reason, for people.
    pub unreadable: Vec<String>,
}

/// When a branch was covered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The branch.
    pub branch: BranchId,
    /// The run.
    pub run: RunId,
    /// Milliseconds since the campaign began.
    pub at_ms: u64,
    /// CPU time of its session's search by then, all processes together, in microseconds; 0 if nobody measured it.
    pub cpu_us: u64,
    /// Runs made by then, cheap ones too.
    pub runs: u64,
}

/// What came of asking for a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The branch.
    pub branch: BranchId,
    /// Its conditional.
    pub cond: CondId,
    /// What came of it.
    pub answer: FlipAnswer,
    /// How often.
    pub count: u64,
    /// Solver queries it took.
    pub queries: u64,
    /// Time the solver took, in microseconds.
    pub solve_us: u64,
}

/// Runs that did not follow what was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What was promised where they differed.
    pub expected: Step,
    /// They differed before the flipped decision.
    pub early: bool,
    /// How often.
    pub count: u64,
}

/// Symbolic data lost or pinned at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub place: Place,
    /// Pinned rather than lost.
    pub pinned: bool,
    /// In how many runs.
    pub runs: u64,
    /// How often in all.
    pub count: u64,
}

/// A crash, abort, hang or memory exhaustion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its number.
    pub id: FindingId,
    /// How its runs end.
    pub outcome: Outcome,
    /// Top frames, innermost first; empty if unknown.
    pub stack: Vec<String>,
    /// First run.
    pub first_run: RunId,
    /// Run of the reproducer.
    pub best_run: RunId,
    /// How many runs showed it.
    pub count: u64,
    /// When it was seen first, in milliseconds since the campaign began.
    pub at_ms: u64,
    /// Its folder.
    pub folder: PathBuf,
    /// What came of confirming it; `None` if that was not tried.
    pub verdict: Option<Verdict>,
}

/// The totals at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Milliseconds since the campaign began.
    pub at_ms: u64,
    /// The totals.
    pub ledger: Ledger,
}

/// A campaign at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What it is about.
    pub meta: Meta,
    /// Milliseconds of work so far.
    pub elapsed_ms: u64,
    /// Runs so far.
    pub runs: u64,
    /// Branches covered.
    pub branches: u64,
    /// Inputs in the corpus.
    pub corpus: u64,
    /// Findings.
    pub findings: u64,
    /// The newest totals, if any were recorded.
    pub ledger: Option<Ledger>,
}

impl Campaign {
    /// Starts a campaign, see [`Session::create`].
    ///
    /// # Errors
    /// See there.
    pub fn create(dir: &Path, meta: &Meta, map: &ProgramMap) -> Result<Session, StoreError> {
        Session::create(dir, meta, map)
    }

    /// Continues a campaign, see [`Session::resume`].
    ///
    /// # Errors
    /// See there.
    pub fn resume(dir: &Path) -> Result<Session, StoreError> {
        Session::resume(dir)
    }

    /// Opens a campaign for reading.
    ///
    /// # Errors
    /// [`StoreError::NotACampaign`], [`StoreError::Version`], and errors of the system.
    pub fn open(dir: &Path) -> Result<Campaign, StoreError> {
        let path = dir.join("campaign.db");
        if !path.is_file() {
            return Err(StoreError::NotACampaign { dir: dir.to_path_buf() });
        }
        Ok(Campaign::with(dir, schema::open(&path, false)?))
    }

    pub(crate) fn with(dir: &Path, db: Connection) -> Campaign {
        Campaign { dir: dir.to_path_buf(), path: dir.join("campaign.db"), db }
    }

    pub(crate) fn db(&self) -> &Connection {
        &self.db
    }

    pub(crate) fn fail(&self, e: rusqlite::Error) -> StoreError {
        StoreError::db(&self.path, e)
    }

    /// The campaign's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it is about.
    ///
    /// # Errors
    /// If the database cannot be read (as for all functions below).
    pub fn meta(&self) -> Result<Meta, StoreError> {
        let text: Option<String> = self.value("SELECT value FROM meta WHERE key = 'campaign'")?;
        self.parse(&text.ok_or_else(|| self.damaged("it does not say what the campaign is about"))?)
    }

    /// The program map.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn map(&self) -> Result<ProgramMap, StoreError> {
        let packed: Option<Vec<u8>> = self.value("SELECT value FROM blobs WHERE key = 'program-map'")?;
        let packed = packed.ok_or_else(|| self.damaged("it has no program map"))?;
        // In one piece: read through a decoder, every byte is asked for by itself.
        let mut plain = Vec::new();
        let unpacked = DeflateDecoder::new(&packed[..]).read_to_end(&mut plain);
        unpacked
            .map_err(serde_json::Error::io)
            .and_then(|_| serde_json::from_slice(&plain))
            .map_err(|e| self.damaged(&format!("program map: {e}")))
    }

    /// What the same solvers remembered at the end of the last session. `None` if that was nothing, was of others, or is not what
    /// was written: some of it is believed without being asked again.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn answers(&self, solvers: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let packed: Option<Vec<u8>> = self.value("SELECT value FROM blobs WHERE key = 'answers'")?;
        Ok(packed.and_then(|packed| crate::sealed::unsealed(solvers, &packed)))
    }

    /// What was confirmed, as it was given to [`Session::set_confirmed`]; `None` unless the same executable is asked about.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn confirmed(&self, executable: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let packed: Option<Vec<u8>> = self.value("SELECT value FROM blobs WHERE key = 'confirmed'")?;
        Ok(packed.and_then(|packed| crate::sealed::unsealed(executable, &packed)))
    }

    /// Runs whose inputs would be tests of the suite, had there been time to confirm them.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn pending(&self) -> Result<Vec<RunId>, StoreError> {
        let text: Option<String> = self.value("SELECT value FROM meta WHERE key = 'pending'")?;
        text.map_or(Ok(Vec::new()), |text| self.parse(&text))
    }

    /// Runs made so far: the number of the next one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn runs(&self) -> Result<u64, StoreError> {
        self.number("runs")
    }

    /// The totals of everything.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        let count = |table: &str| -> Result<u64, StoreError> {
            Ok(self.value(&format!("SELECT count(*) FROM {table}"))?.unwrap_or(0))
        };
        let newest: Option<String> = self.value("SELECT ledger FROM samples ORDER BY at_ms DESC LIMIT 1")?;
        Ok(Summary {
            meta: self.meta()?,
            elapsed_ms: self.number("elapsed_ms")?,
            runs: self.runs()?,
            branches: count("coverage")?,
            corpus: count("runs")?,
            findings: count("findings")?,
            ledger: newest.map(|t| self.parse(&t)).transpose()?,
        })
    }

    /// Runs whose inputs are kept, in order.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn kept_runs(&self) -> Result<Vec<KeptRun>, StoreError> {
        let sql = "SELECT id, file, outcome, cause, new_branches, input_len, why FROM runs ORDER BY id";
        self.rows(sql, |r| {
            let cause: Option<String> = r.get(3)?;
            Ok(KeptRun {
                run: RunId(r.get(0)?),
                file: self.dir.join("corpus").join(r.get::<_, String>(1)?),
                outcome: json(r, 2)?,
                cause: cause.map(|_| json(r, 3)).transpose()?,
                new_branches: r.get(4)?,
                input_len: r.get(5)?,
                why: r.get(6)?,
            })
        })
    }

    /// The inputs of the corpus, in the order in which they were found. Files that are gone are left out and named.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn corpus(&self) -> Result<Corpus, StoreError> {
        let sql = "SELECT id, file, shape FROM runs ORDER BY id";
        let rows: Vec<(u64, String, Option<String>)> =
            self.rows(sql, |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        let mut corpus = Corpus::default();
        for (run, file, shape) in rows {
            let path = self.dir.join("corpus").join(file);
            match read_input(&path, shape.as_deref()) {
                Ok(input) => corpus.inputs.push((RunId(run), input)),
                Err(what) => corpus.unreadable.push(format!("{}: {what}", path.display())),
            }
        }
        Ok(corpus)
    }

    /// Covered branches, in the order in which they were covered.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn coverage(&self) -> Result<Vec<Covered>, StoreError> {
        self.rows("SELECT branch, run, at_ms, cpu_us, runs FROM coverage ORDER BY at_ms, run, branch", |r| {
            Ok(Covered {
                branch: BranchId(r.get(0)?),
                run: RunId(r.get(1)?),
                at_ms: r.get(2)?,
                cpu_us: r.get(3)?,
                runs: r.get(4)?,
            })
        })
    }

    /// Functions entered, with the run that entered each first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entered(&self) -> Result<Vec<(FunctionId, RunId)>, StoreError> {
        self.rows("SELECT function, run FROM entered ORDER BY function", |r| {
            Ok((FunctionId(r.get(0)?), RunId(r.get(1)?)))
        })
    }

    /// What came of flips, by branch.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn flips(&self) -> Result<Vec<Flip>, StoreError> {
        let sql = "SELECT branch, cond, answer, count, queries, solve_us FROM flips ORDER BY branch, answer";
        self.rows(sql, |r| {
            Ok(Flip {
                branch: BranchId(r.get(0)?),
                cond: CondId(r.get(1)?),
                answer: json(r, 2)?,
                count: r.get(3)?,
                queries: r.get(4)?,
                solve_us: r.get(5)?,
            })
        })
    }

    /// What contradicts taking a branch: branches taken before it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn contradictions(&self) -> Result<Vec<(BranchId, Vec<BranchId>)>, StoreError> {
        self.rows("SELECT branch, branches FROM contradictions ORDER BY branch", |r| {
            Ok((BranchId(r.get(0)?), json(r, 1)?))
        })
    }

    /// Divergences, most frequent first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn divergences(&self) -> Result<Vec<Divergence>, StoreError> {
        self.rows("SELECT expected, early, count FROM divergences ORDER BY count DESC, expected", |r| {
            Ok(Divergence { expected: json(r, 0)?, early: r.get(1)?, count: r.get(2)? })
        })
    }

    /// Conditionals that were decided by data that depends on the input, ascending.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn symbolic(&self) -> Result<Vec<CondId>, StoreError> {
        self.rows("SELECT cond FROM symbolic ORDER BY cond", |r| Ok(CondId(r.get(0)?)))
    }

    /// Conditionals that were decided without input by values that differ with the input, and what those follow.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn by_control_flow(&self) -> Result<Vec<(CondId, Follows)>, StoreError> {
        self.rows("SELECT cond, follows FROM by_control_flow ORDER BY cond", |r| {
            Ok((CondId(r.get(0)?), json(r, 1)?))
        })
    }

    /// Losses of precision, most frequent first.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn losses(&self) -> Result<Vec<Loss>, StoreError> {
        let sql = "SELECT reason, place, pinned, runs, count FROM losses ORDER BY runs DESC, count DESC, place, reason";
        let all = self.rows(sql, |r| {
            let Some(reason) = Reason::from_u8(r.get(0)?) else { return Ok(None) };
            Ok(Some(Loss {
                reason,
                place: json(r, 1)?,
                pinned: r.get(2)?,
                runs: r.get(3)?,
                count: r.get(4)?,
            }))
        })?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Findings by number.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn findings(&self) -> Result<Vec<Finding>, StoreError> {
        let sql = "SELECT id, outcome, stack, first_run, best_run, count, at_ms, folder, verdict FROM findings ORDER BY id";
        self.rows(sql, |r| {
            let verdict: Option<String> = r.get(8)?;
            Ok(Finding {
                id: FindingId(r.get(0)?),
                outcome: json(r, 1)?,
                stack: json(r, 2)?,
                first_run: RunId(r.get(3)?),
                best_run: RunId(r.get(4)?),
                count: r.get(5)?,
                at_ms: r.get(6)?,
                folder: self.dir.join("findings").join(r.get::<_, String>(7)?),
                verdict: verdict.map(|_| json(r, 8)).transpose()?,
            })
        })
    }

    /// The input of a finding's reproducer.
    ///
    /// # Errors
    /// If there is no such finding, or its file is gone or cannot be read.
    pub fn finding_input(&self, id: FindingId) -> Result<Input, StoreError> {
        let finding = self.findings()?.into_iter().find(|f| f.id == id);
        let folder = finding.ok_or_else(|| self.damaged(&format!("there is no finding {}", id.0)))?.folder;
        crate::finding_files::read_finding(&folder)
            .map_err(|what| self.damaged(&format!("{}: {what}", folder.display())))
    }

    /// Progress over time.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        self.rows("SELECT at_ms, ledger FROM samples ORDER BY at_ms", |r| {
            Ok(Sample { at_ms: r.get(0)?, ledger: json(r, 1)? })
        })
    }

    /// All events of one kind (`finding-seen`, `function-entered`, …; see [`events::Event`]) in the log, in order.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn events_called(&self, kind: &str) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT record FROM events WHERE record ->> '$.event' = ?1 ORDER BY seq";
        let mut statement = self.db.prepare(sql).map_err(|e| self.fail(e))?;
        let rows = statement.query_map([kind], |r| json(r, 0)).map_err(|e| self.fail(e))?;
        rows.collect::<rusqlite::Result<_>>().map_err(|e| self.fail(e))
    }

    /// Up to `limit` events of the log from number `from` on.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn events(&self, from: u64, limit: usize) -> Result<Vec<Record>, StoreError> {
        let sql = format!("SELECT record FROM events WHERE seq >= {from} ORDER BY seq LIMIT {limit}");
        self.rows(&sql, |r| json(r, 0))
    }

    /// A number among the facts; 0 if it is not there.
    pub(crate) fn number(&self, key: &str) -> Result<u64, StoreError> {
        let text: Option<String> = self.value(&format!("SELECT value FROM meta WHERE key = '{key}'"))?;
        Ok(text.and_then(|t| t.parse().ok()).unwrap_or(0))
    }

    fn value<T: FromSql>(&self, sql: &str) -> Result<Option<T>, StoreError> {
        self.db.query_row(sql, [], |r| r.get(0)).optional().map_err(|e| self.fail(e))
    }

    fn rows<T>(
        &self,
        sql: &str,
        f: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.db.prepare(sql).map_err(|e| self.fail(e))?;
        let rows = statement.query_map([], f).map_err(|e| self.fail(e))?;
        rows.collect::<rusqlite::Result<_>>().map_err(|e| self.fail(e))
    }

    fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|e| self.damaged(&e.to_string()))
    }

    fn damaged(&self, what: &str) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.to_string() }
    }
}

/// A column that holds JSON.
fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

/// An input of the corpus: raw bytes in this shape, or without one JSON.
fn read_input(path: &Path, shape: Option<&str>) -> Result<Input, String> {
    let content = fs::read(path).map_err(|e| e.to_string())?;
    let Some(shape) = shape else { return serde_json::from_slice(&content).map_err(|e| e.to_string()) };
    let mut input: Input = serde_json::from_str(shape).map_err(|e| e.to_string())?;
    let object = input.objects.first_mut().ok_or("its shape has no object")?;
    object.data = content;
    Ok(input)
}
