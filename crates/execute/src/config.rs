//! What to run and within which limits: plain data, filled by the caller.

use crate::curfew::Curfew;
use crate::launch::Isolation;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use trace_abi::Layout;

/// How an executable is run.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable.
    pub executable: PathBuf,
    /// Its arguments, without the program's name; `@@` inside one stands for the path of the input file.
    pub args: Vec<OsString>,
    /// The program's name as it sees it (`argv[0]`); `None`: the path of the executable.
    pub name: Option<OsString>,
    /// Variables set on top of this process's environment.
    pub env: Vec<(OsString, OsString)>,
    /// Extension of the input file (`png`): some programs look at it.
    pub extension: Option<String>,
    /// Where scratch directories are made; `None`: shared memory if there is any, else the temporary directory.
    pub scratch: Option<PathBuf>,
    /// Limits of each run.
    pub limits: Limits,
    /// Input statements (values asked for) after which a run ends quietly when it asks for more; 0: no limit.
    pub max_inputs: u32,
    /// How strictly to shut the program in.
    pub sandbox: Sandbox,
    /// Flavour `check`: sanitizers' reports are read from a descriptor of their own, and a run out of time is asked
    /// where it is.
    pub report: bool,
    /// What a plain run writes to standard output is kept ([`crate::PlainRun::stdout`]).
    pub output: bool,
    /// Plain runs have other addresses each time.
    pub moved: bool,
    /// When runs are stopped because the session is to end; their results are [`trace::TargetError::Interrupted`]. Targets that
    /// make snapshots do not heed it: they are told by who orders a leg.
    pub curfew: Curfew,
}

impl Config {
    /// An executable without arguments, default limits.
    pub fn new(executable: impl Into<PathBuf>) -> Config {
        Config {
            executable: executable.into(),
            args: Vec::new(),
            name: None,
            env: Vec::new(),
            extension: None,
            scratch: None,
            limits: Limits::default(),
            max_inputs: 0,
            sandbox: Sandbox::Best,
            report: false,
            output: false,
            moved: false,
            curfew: Curfew::default(),
        }
    }
}

/// Limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of the main process.
    pub cpu: Duration,
    /// Wall-clock time after which a run that may freeze does so at its next input statement. Of such a run the two limits above
    /// begin anew with each input statement until then, and once more then.
    pub leg: Duration,
    /// Memory in bytes: private resident memory of all processes of the run together.
    pub memory: u64,
    /// Largest file that the program may write, in bytes.
    pub file_size: u64,
    /// All files in its working directory together, in bytes (enforced where the sandbox can mount).
    pub disk: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// Processes and threads at once (enforced where the sandbox has user namespaces).
    pub processes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall: Duration::from_secs(5),
            cpu: Duration::from_secs(5),
            leg: Duration::from_secs(60),
            memory: 2 << 30,
            file_size: 64 << 20,
            disk: 256 << 20,
            descriptors: 256,
            processes: 64,
        }
    }
}

/// How strictly a program is shut in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// The strictest that this machine allows and the program runs in.
    #[default]
    Best,
    /// This one and no other.
    Exactly(Isolation),
}

/// Capacities of the shared mapping; memory is used only as far as runs need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Number of branches in the program map.
    pub branches: u32,
    /// Number of functions in the program map.
    pub functions: u32,
    /// Number of conditionals in the program map if the executable records what they compare, else 0.
    pub compared: u32,
    /// Bytes of input with its object headers.
    pub input_bytes: u64,
    /// Bytes of values asked for by calls, with their headers.
    pub value_bytes: u64,
    /// Events per run.
    pub events: u64,
    /// Expression nodes per run.
    pub nodes: u64,
    /// Bytes of select tables per run.
    pub table_bytes: u64,
    /// Entries of the path log per run; 0 unless the flavour is `path`.
    pub path: u64,
    /// Inputs in a batch; 0 unless the flavour is `fast`, whose coverage bytes count.
    pub batch: u64,
    /// Whether runs may freeze ([`trace::Snapshots`]).
    pub snapshots: bool,
}

impl Capacities {
    /// Usual capacities for a program with that many branches and functions.
    pub fn new(branches: u32, functions: u32) -> Capacities {
        Capacities {
            branches,
            functions,
            compared: 0,
            input_bytes: 64 << 20,
            value_bytes: 4 << 20,
            events: 1 << 21,
            nodes: 1 << 21,
            table_bytes: 32 << 20,
            path: 0,
            batch: 0,
            snapshots: false,
        }
    }

    /// The same for an executable that records what its conditionals compare (flavours `trace` and `path`).
    pub fn with_comparisons(self, conditionals: u32) -> Capacities {
        Capacities { compared: conditionals, ..self }
    }

    /// The same for runs that may freeze.
    pub fn with_snapshots(self) -> Capacities {
        Capacities { snapshots: true, ..self }
    }

    /// The same with room for the path log of flavour `path`.
    pub fn with_path_log(self) -> Capacities {
        Capacities { path: 1 << 22, ..self }
    }

    /// For flavour `fast`: room for batches, and none for traces.
    pub fn for_batches(self) -> Capacities {
        Capacities { batch: 1 << 11, compared: 0, events: 2, nodes: 2, table_bytes: 8, path: 0, ..self }
    }

    pub(crate) fn layout(&self) -> Layout {
        let of = u64::from;
        Layout {
            input_bytes: self.input_bytes,
            value_bytes: self.value_bytes,
            coverage_bytes: trace_abi::coverage_bytes(
                of(self.branches),
                of(self.functions),
                of(self.compared),
            ),
            max_batch: self.batch.min(1 << 20),
            has_known: u64::from(self.snapshots),
            max_events: self.events.max(2),
            max_path: self.path,
            table_bytes: self.table_bytes,
            max_icalls: 1 << 14,
            max_nodes: self.nodes.clamp(2, 1 << 31),
        }
    }
}
