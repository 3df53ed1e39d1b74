//! Snapshots: runs frozen where the program asked for input, from which other runs go on.

use crate::{Input, Request, Run, TargetError};
use program::BranchId;

/// A frozen run; known to the target that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId(pub u32);

/// A concrete run that is to freeze.
pub struct Advance<'a> {
    /// Where it goes on from; `None`: it begins anew.
    pub from: Option<SnapshotId>,
    /// What it is given first: the whole input of a run that begins anew, else what comes behind the snapshot: values, standard
    /// input from where it stood, and all connections of the program's start, in their order, each from where it was read up to.
    pub input: &'a Input,
    /// Values asked for beyond that are drawn from this seed.
    pub value_seed: u64,
    /// Every other one of these is a value that the program was given before, where there is one of the same name and size.
    pub repeats: bool,
    /// What is covered already: anything else is something new.
    pub known: &'a dyn Fn(BranchId) -> bool,
    /// It freezes after so many input statements in a row that came with nothing new (θ2); 0: not for that reason.
    pub patience: u32,
    /// How many in a row came with nothing new before it.
    pub idle: u32,
    /// It freezes after so many input statements at the latest; 0: not for that reason.
    pub freeze_at: u32,
    /// It freezes where it asks for a value beyond those of the input.
    pub freeze_behind: bool,
    /// It freezes where it comes to the end of standard input, or of a connection when nothing is left to be read on any other: there
    /// is more to be had.
    pub freeze_at_end: bool,
    /// It ends quietly when it asks for more input than so many statements; 0: no limit.
    pub max_inputs: u32,
    /// Asked now and then: once it says so, the run freezes at its next input statement. One that comes to none is stopped.
    pub stop: &'a dyn Fn() -> bool,
}

/// How far a run got.
#[derive(Clone, Debug)]
pub struct Advanced {
    /// What it consumed and covered since it began or went on. If it froze, its outcome says nothing.
    pub run: Run,
    /// Where it froze.
    pub snapshot: Option<SnapshotId>,
    /// It wanted to freeze and could not, for this reason: it ended there, with an exit code that says nothing.
    pub refused: Option<String>,
    /// How many input statements in a row came with nothing new when it froze.
    pub idle: u32,
    /// Input statements that it executed.
    pub inputs: u64,
    /// How many bytes of standard input were read when it froze, since the program's start.
    pub stream_at: u64,
    /// How far each connection of its input was when it froze.
    pub connections: Vec<Progress>,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read since the program's start.
    pub read: u64,
    /// The program has closed it.
    pub is_closed: bool,
}

/// A target that can freeze runs.
pub trait Snapshots {
    /// Runs concretely until the program ends or the run freezes.
    ///
    /// # Errors
    /// As [`crate::Target::run`]; also when the snapshot is gone (something killed it).
    fn advance(&mut self, order: &Advance<'_>) -> Result<Advanced, TargetError>;

    /// Runs once from a snapshot. Input, coverage and trace of the run are those behind the snapshot, and so is the number of
    /// inputs that it may ask for.
    ///
    /// # Errors
    /// As for [`Snapshots::advance`].
    fn run_from(&mut self, from: SnapshotId, request: &Request<'_>) -> Result<Run, TargetError>;

    /// Ends a snapshot. Those that were frozen further on stay.
    fn forget(&mut self, snapshot: SnapshotId);
}
