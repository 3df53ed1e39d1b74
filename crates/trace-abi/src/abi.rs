//! Records written by the runtime and read by the engine.

use crate::Op;

/// "SPLK" followed by the version, first word of every [`Header`] and [`ModuleInfo`].
pub const MAGIC: u32 = 0x4b4c_5053;

/// Version of everything in this crate. A runtime and an engine of different versions refuse each other.
pub const VERSION: u32 = 8;

/// Descriptor that sanitizers of flavour `check` report to, if it is open; below the limit that programs run with, and
/// above what they use themselves.
pub const CHECK_REPORT: i32 = 250;

/// Largest width, in bits, that a single node may have.
pub const MAX_WIDTH: u16 = 16_384;

/// Widest integer, in bits, that is converted from and to floats.
pub const MAX_FLOAT_INTEGER: u32 = 128;

/// Largest object, in bytes, whose bytes become a select for a read through a symbolic address.
/// Larger objects are pinned to the concrete address, and the loss is recorded.
pub const MAX_SELECT_BYTES: u64 = 4096;

/// The same for objects that the program may change: their snapshots differ from read to read, and each read
/// of a large one is a large formula of its own.
pub const MAX_SELECT_MUTABLE: u64 = 1024;

/// The same for objects that hold symbolic bytes: a read then depends on all of them.
pub const MAX_SELECT_LABELLED: u64 = 256;

/// Largest object, in bytes, that a store through a symbolic address updates byte by byte; beyond it the address is
/// pinned.
pub const MAX_UPDATE_BYTES: u64 = 256;

/// Nodes that such stores may add to one run; after that addresses are pinned.
pub const MAX_UPDATE_NODES: u32 = 1 << 17;

/// Callees that one indirect call through a symbolic pointer tells apart.
pub const MAX_CALLEES: u16 = 256;

/// Flag of an object in `__sp_load_sym` and `__sp_store_sym`: its content never changes.
pub const OBJECT_IS_CONSTANT: u32 = 1;
/// Flag of such an object: a type in the program promises it; how much of it is there nobody knows.
pub const OBJECT_IS_PROMISED: u32 = 2;

/// How an index becomes part of an address, as a number: it is extended to 64 bits from `bits` (at most 64), with its sign or
/// with zeros, and multiplied with `scale`.
pub const fn index_form(scale: u32, bits: u16, signed: bool) -> u64 {
    scale as u64 | (bits as u64 & 0xff) << 32 | (signed as u64) << 40
}

/// An expression node, as it is read and written; in memory it lies as a [`crate::PackedNode`].
///
/// An operand label of 0 in a *binary* node means a constant operand, whose value is `a` (for `l`) or `b`
/// (for `r`) and whose width is that of the other operand (in an [`Op::Concat`]: what is left of the node's width);
/// allowed for widths up to 64. In unary and
/// ternary nodes every operand is a label (constants are [`Op::Const`] nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// An [`Op`] as number.
    pub op: u8,
    /// Direction of an [`Op::FRound`], function of an [`Op::Libm1`] or [`Op::Libm2`] (index in
    /// [`crate::libm::TABLE`]); else 0.
    pub aux: u8,
    /// Result width in bits, at least 1.
    pub width: u16,
    /// First operand.
    pub l: u32,
    /// Second operand.
    pub r: u32,
    /// Third operand.
    pub t: u32,
    /// Meaning depends on `op`; constant value of a 0 in `l`.
    pub a: u64,
    /// Meaning depends on `op`; constant value of a 0 in `r`.
    pub b: u64,
}

/// What an [`Event`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EventKind {
    /// A two-way branch or a source-level select was decided: `label` (width 1) had `value` 0 or 1;
    /// `site` is the conditional's id. `aux` is [`DATA`] where only values depend on it.
    Branch = 1,
    /// A switch was decided: `label` had `value`; `site` is the conditional's id.
    Switch = 2,
    /// A call through a symbolic pointer; `site` is the call's id. `width` 0: `label` (width 64) is the pointer, which had
    /// `value`. Else it is one of `width` pointers ([`MAX_CALLEES`] at most), and `label` and `value` are the index of the
    /// one called among them, in ascending order of addresses.
    IndirectCall = 3,
    /// An access through symbolic address `label` used the table (or the range, [`TABLE_RANGE`]) at offset `value`; it holds
    /// only while all `width`/8 bytes lie inside that. `site`: which access of the program it is (ids equal in all flavours).
    Bounds = 4,
    /// `label` was pinned to `value`: the path is known to be followed only while they are equal.
    /// `aux` is a [`Reason`], `site` depends on it.
    Pin = 5,
    /// The program assumed `label` (width 1) to be `value` (`klee_assume`, `__VERIFIER_assume`).
    Assume = 6,
    /// Symbolic data was lost without a constraint; `aux` is a [`Reason`]; `site` is a call id for
    /// [`Reason::ExternalCall`], else a conditional, function or 0; `value` is extra (a count, an address).
    Lost = 7,
    /// The program tried to read past the end of input object `site`; `value` is the length it would
    /// have needed (in bytes).
    Eof = 8,
    /// A library model went one way or the other for symbolic data (which character ends a word, how a sort
    /// compared): `label` has width 1, `value` is 0 or 1. Flipped as a branch is, but no branch of the program.
    Decision = 9,
    /// An access through a pointer chosen among several objects was followed only while `label` (width 1) has `value`,
    /// which is 1: the pointer is one of those known, and the access lies in its object. `site` as in `Bounds`.
    Within = 10,
    /// Check `site` of the program map failed: the operation that follows is undefined. No label.
    Failed = 11,
    /// The branch event that follows was decided in calling context number `site` of the program map. No label.
    Context = 12,
}

impl EventKind {
    /// The kind with this number, or `None`.
    pub const fn from_u8(n: u8) -> Option<EventKind> {
        Some(match n {
            1 => EventKind::Branch,
            2 => EventKind::Switch,
            3 => EventKind::IndirectCall,
            4 => EventKind::Bounds,
            5 => EventKind::Pin,
            6 => EventKind::Assume,
            7 => EventKind::Lost,
            8 => EventKind::Eof,
            9 => EventKind::Decision,
            10 => EventKind::Within,
            11 => EventKind::Failed,
            12 => EventKind::Context,
            _ => return None,
        })
    }
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $num:literal, $text:literal;)+) => {
        /// Why precision was lost or a value pinned.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Reason { $($(#[doc = $doc])+ $name = $num,)+ }
        impl Reason {
            /// Every reason, in numeric order.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)+];
            /// The reason with this number, or `None`.
            pub const fn from_u8(n: u8) -> Option<Reason> { match n { $($num => Some(Reason::$name),)+ _ => None } }
            /// For people: completes "precision lost at …: ".
            pub const fn text(self) -> &'static str { match self { $(Reason::$name => $text,)+ } }
        }
    };
}

reasons! {
    /// A symbolic value was passed to a function without bitcode and without a model.
    ExternalCall = 1, "call of a function without bitcode or model";
    /// Inline assembly took symbolic operands.
    InlineAsm = 2, "inline assembly";
    /// A floating-point operation on symbolic data (not followed yet).
    Float = 3, "floating-point arithmetic";
    /// A read through a symbolic address of unknown or too large an object.
    LoadAddress = 4, "read through an input-dependent address";
    /// A store through a symbolic address.
    StoreAddress = 5, "store through an input-dependent address";
    /// A symbolic size of a memory operation or allocation.
    Size = 6, "input-dependent size";
    /// An operation the runtime has no node for.
    Unsupported = 7, "operation without a symbolic meaning";
    /// A library model follows only part of the function's meaning.
    Model = 8, "library function followed in part";
    /// A symbolic value passed through `...`.
    Varargs = 9, "variable arguments";
    /// The node table was full; everything after is concrete.
    NodesFull = 10, "expression table full";
    /// The event buffer was full; everything after is unrecorded.
    EventsFull = 11, "event buffer full";
    /// The table area was full.
    TablesFull = 12, "select-table area full";
    /// An atomic read-modify-write of symbolic memory.
    Atomic = 13, "atomic operation";
    /// A file position, mode or descriptor the runtime does not follow.
    FileState = 14, "file state";
    /// `setjmp`/`longjmp`, exceptions: labels in flight were dropped.
    NonLocal = 15, "non-local control flow";
    /// A conditional jump that the optimiser made of something else than a conditional of the source.
    Jump = 16, "condition made by the optimiser";
}

/// Something that happened during a run, 24 bytes, in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Event {
    /// An [`EventKind`] as number.
    pub kind: u8,
    /// Depends on the kind, see there.
    pub aux: u8,
    /// Depends on the kind, see there.
    pub width: u16,
    /// Depends on the kind, see there.
    pub site: u32,
    /// The label concerned.
    pub label: u32,
    /// Length of the path log when this happened (flavour `path` only, else 0).
    pub pos: u32,
    /// Depends on the kind, see there.
    pub value: u64,
}

/// [`Event::aux`] of a two-way branch that optimisation has made data (`n += c == 'a'`): what the program does next depends on it only
/// through the values that were computed with it, and these have labels.
pub const DATA: u8 = 1;
/// The same in the outcome that a marker passes to the runtime.
pub const DATA_OUTCOME: u32 = 2;

/// Entry of the path log (flavour `path`): two tag bits and an id.
pub mod path_log {
    /// Branch (outcome) `id` was taken.
    pub const BRANCH: u32 = 0;
    /// Function `id` was entered.
    pub const ENTER: u32 = 1 << 30;
    /// Function `id` returned.
    pub const EXIT: u32 = 2 << 30;
    /// Mask of the tag.
    pub const TAG: u32 = 3 << 30;
}

/// In front of each table in the table area: a snapshot of an object read through a symbolic address.
/// Followed by `len` value bytes, padding to 4, and, if `labelled`, `len` labels of the bytes (0 = concrete).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TableHeader {
    /// Address of the object's first byte.
    pub base: u64,
    /// Its length in bytes, at most [`MAX_SELECT_BYTES`] unless it is a range.
    pub len: u32,
    /// 1 if labels follow the values; [`TABLE_RANGE`] if neither values nor labels follow.
    pub labelled: u32,
}
/// In [`TableHeader::labelled`]: only where the object lies, for [`EventKind::Bounds`]; no node reads from it.
pub const TABLE_RANGE: u32 = 2;

/// A callee seen at an indirect call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct IndirectCall {
    /// The call's id.
    pub call: u32,
    /// The callee's function id, or `u32::MAX` for a function without bitcode.
    pub function: u32,
}

/// What kind of input object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum ObjectKind {
    /// Standard input.
    Stdin = 1,
    /// The content of the file named by the object's name (`@@` stands for the scratch file). In the input
    /// area the name is the path under which the program finds the file, `@@` resolved.
    File = 2,
    /// A command-line argument; the name is its index in decimal. A NUL ends the argument early.
    Arg = 3,
    /// An environment variable of that name.
    Env = 4,
    /// A typed value from a call (`CREST_int`, `__VERIFIER_nondet_int`, `klee_make_symbolic`), in call order.
    Value = 5,
    /// The buffer given to `LLVMFuzzerTestOneInput`.
    Fuzz = 6,
    /// What a client sends on a connection that the program accepts, before it closes its sending side. The name is the
    /// connection's number in the order of acceptance, from 0, and may say in which [`crate::Pieces`] it is sent.
    Connection = 7,
    /// No bytes, only a mark: the run ends quietly when it asks for more values than the input has. Of programs that ask for
    /// ever more.
    End = 8,
}

impl ObjectKind {
    /// The kind with this number, or `None`.
    pub const fn from_u32(n: u32) -> Option<ObjectKind> {
        Some(match n {
            1 => ObjectKind::Stdin,
            2 => ObjectKind::File,
            3 => ObjectKind::Arg,
            4 => ObjectKind::Env,
            5 => ObjectKind::Value,
            6 => ObjectKind::Fuzz,
            7 => ObjectKind::Connection,
            8 => ObjectKind::End,
            _ => return None,
        })
    }
}

/// In front of each object of the input area and of the consumed-values area: followed by the name, then
/// the data, then padding to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ObjectHeader {
    /// An [`ObjectKind`] as number.
    pub kind: u32,
    /// Length of the name in bytes.
    pub name_len: u32,
    /// Length of the data in bytes.
    pub data_len: u32,
    /// For values: a [`ValueType`] as number; else 0.
    pub value_type: u32,
}

/// Type of an input value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum ValueType {
    /// Raw bytes.
    Bytes = 0,
    /// Signed integer of the data's length.
    Signed = 1,
    /// Unsigned integer of the data's length.
    Unsigned = 2,
    /// IEEE float of the data's length.
    Float = 3,
    /// `_Bool`: one byte, 0 or 1.
    Bool = 4,
}

impl ValueType {
    /// The type with this number, or `None`.
    pub const fn from_u32(n: u32) -> Option<ValueType> {
        Some(match n {
            0 => ValueType::Bytes,
            1 => ValueType::Signed,
            2 => ValueType::Unsigned,
            3 => ValueType::Float,
            4 => ValueType::Bool,
            _ => return None,
        })
    }
}

/// Flags of a run, in [`Header::flags`].
pub mod run_flags {
    /// Give input bytes labels and record the trace. Without it the run is concrete (coverage only).
    pub const SYMBOLIC: u32 = 1;
    /// Values asked for beyond those provided are drawn from [`crate::Header::value_seed`]; otherwise zero.
    pub const RANDOM_VALUES: u32 = 2;
    /// The run may be frozen where it asks for input: see [`crate::Header::patience`]. Only with
    /// [`crate::CommandKind::Advance`].
    pub const FREEZES: u32 = 4;
    /// With [`FREEZES`]: freeze where standard input would be at its end, or a connection, while nothing is left to be read on any
    /// other; there is more to be had.
    pub const FREEZES_AT_END: u32 = 8;
    /// With [`RANDOM_VALUES`]: every other value drawn is one that the program was given before at a place of the same name and
    /// size, if there is one.
    pub const REPEATS: u32 = 16;
    /// With [`FREEZES`]: freeze where a value is asked for beyond those provided.
    pub const FREEZES_BEHIND: u32 = 32;
}

/// First page of the shared mapping.
///
/// The engine writes sizes and per-run fields before a run; the runtime writes the `n_*` counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u32,
    /// [`VERSION`].
    pub version: u32,
    /// Sizes of all areas; fixed for the life of the mapping.
    pub layout: crate::Layout,
    /// See [`run_flags`]; per run.
    pub flags: u32,
    /// Number of objects in the input area; per run.
    pub n_objects: u32,
    /// Bytes used in the input area; per run.
    pub input_len: u64,
    /// Seed of values drawn by the runtime; per run.
    pub value_seed: u64,
    /// Nodes in use, including the unused node 0 (so at least 1).
    pub n_nodes: u32,
    /// Number of values in the consumed-values area.
    pub n_values: u32,
    /// Events recorded (never above the capacity).
    pub n_events: u64,
    /// Entries in the path log.
    pub n_path: u64,
    /// Bytes used in the table area.
    pub tables_len: u64,
    /// Bytes used in the consumed-values area.
    pub values_len: u64,
    /// Indirect-call records in use.
    pub n_icalls: u64,
    /// Nodes, events, path entries, table bytes that did not fit: counts of what was dropped.
    pub dropped_nodes: u64,
    /// See `dropped_nodes`.
    pub dropped_events: u64,
    /// See `dropped_nodes`.
    pub dropped_path: u64,
    /// See `dropped_nodes`.
    pub dropped_tables: u64,
    /// 1 once user code (`main` or the fuzz target) was entered.
    pub entered: u32,
    /// Frames in `crash_frames`.
    pub n_crash_frames: u32,
    /// Faulting address of a memory fault, else 0.
    pub crash_address: u64,
    /// Signal seen by the runtime's handler, 0 if none.
    pub crash_signal: u32,
    /// With [`run_flags::FREEZES`]: not 0 once the run is to freeze at its next input statement, or to end quietly where it cannot.
    /// Written by the server while it runs.
    pub hurries: u32,
    /// Return addresses of the crashing stack, innermost first (absolute; subtract `image_base`).
    pub crash_frames: [u64; 64],
    /// Load address of the executable (difference between run-time and link-time addresses).
    pub image_base: u64,
    /// Input statements after which the run ends quietly when it asks for more; 0: no limit. Per run.
    pub max_inputs: u32,
    /// With [`run_flags::FREEZES`]: freeze after so many input statements in a row that came with nothing new; 0: never.
    pub patience: u32,
    /// With [`run_flags::FREEZES`]: freeze after so many input statements at the latest; 0: never.
    pub freeze_at: u32,
    /// How many in a row came with nothing new before the run began (of a run that goes on from where another one froze), and
    /// when it froze.
    pub idle: u32,
    /// Input statements so far.
    pub n_inputs: u64,
    /// Where standard input stood when the run froze, in bytes.
    pub stream_at: u64,
    /// How much of each connection the program had read when the run froze, in bytes since its start; with
    /// [`crate::CONNECTION_CLOSED`] where it has closed it.
    pub connections_at: [u64; crate::MAX_CONNECTIONS],
}

/// Address shadowing: each program byte has one 4-byte label at this address.
pub const fn shadow_address(address: u64) -> u64 {
    ((address << 2) & SHADOW_MASK) ^ SHADOW_XOR
}
/// See [`shadow_address`].
pub const SHADOW_MASK: u64 = 0x3fff_ffff_fffc;
/// See [`shadow_address`].
pub const SHADOW_XOR: u64 = 0x2000_0000_0000;
/// First byte of the mapping that holds all shadow of x86-64 user addresses in use (executable, heap, stack, libraries).
pub const SHADOW_LOW: u64 = 0x1800_0000_0000;
/// End of that mapping.
pub const SHADOW_HIGH: u64 = 0x3c00_0000_0000;

/// Which parts of the shadow to look at: of each [`GRANULE`] program bytes one byte at this address, not 0 if one of them may be
/// labelled. It is what instrumented code tests.
pub const fn summary_address(address: u64) -> u64 {
    ((address >> GRANULE.trailing_zeros()) & SUMMARY_MASK) + SUMMARY_BASE
}
/// Program bytes that share a byte of the summary.
pub const GRANULE: u64 = 8;
/// See [`summary_address`].
pub const SUMMARY_MASK: u64 = (1 << 44) - 1;
/// First byte of the mapping that holds the summary of all user addresses.
pub const SUMMARY_BASE: u64 = 0x4000_0000_0000;
/// Its length: one byte more than there are granules, as two are read at once.
pub const SUMMARY_LEN: u64 = (1 << 44) + 4096;

/// Description of an instrumented program, emitted by the instrumenter as the global [`crate::MODULE_SYMBOL`].
/// Pointers are null where the program has no such thing.
#[derive(Debug)]
#[repr(C)]
pub struct ModuleInfo {
    /// [`MAGIC`].
    pub magic: u32,
    /// [`VERSION`].
    pub version: u32,
    /// A [`Flavour`] as number.
    pub flavour: u32,
    /// Number of branches (bytes at `coverage`, first part).
    pub n_branches: u32,
    /// Number of functions (bytes at `coverage`, after the branches; entries of `functions`).
    pub n_functions: u32,
    /// Number of indirect or direct call ids.
    pub n_calls: u32,
    /// Number of entries in `objects`.
    pub n_objects: u32,
    /// Number of conditionals whose compared values are kept behind the coverage bytes, see [`crate::compared_at`]; 0 in
    /// flavour `fast`.
    pub n_compared: u32,
    /// Coverage bytes in the program's own memory: one per branch, then one per function; 1 = covered. In flavour
    /// `fast` they count, and wrap. The runtime maps the shared coverage area over them (they are page-aligned and padded to whole pages).
    pub coverage: *mut u8,
    /// Addresses of the instrumented functions by function id (null where optimised away).
    pub functions: *const *const u8,
    /// Global variables with their sizes, for reads through symbolic addresses.
    pub objects: *const GlobalObject,
    /// The program's own `main`, renamed; `int (*)(int, char **, char **)`.
    pub main: *const u8,
    /// `LLVMFuzzerTestOneInput`.
    pub fuzz_one: *const u8,
    /// `LLVMFuzzerInitialize`.
    pub fuzz_init: *const u8,
    /// One pointer per call id: last callee recorded by the inline check, all null at the start.
    pub last_callee: *mut *const u8,
    /// Identity of the program map this flavour belongs to: first 16 bytes of its hash.
    pub map_hash: [u8; 16],
}

/// A global variable of the program.
#[derive(Debug)]
#[repr(C)]
pub struct GlobalObject {
    /// Its address.
    pub address: *const u8,
    /// Its size in bytes; the top bit ([`OBJECT_CONSTANT`]) marks constants.
    pub size: u64,
}
/// See [`GlobalObject::size`].
pub const OBJECT_CONSTANT: u64 = 1 << 63;

/// Which derived executable this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Flavour {
    /// Symbolic and coverage.
    Trace = 1,
    /// Coverage only.
    Fast = 2,
    /// As `Trace`, and the path log (every branch, function entry and exit).
    Path = 3,
}

impl Node {
    /// The node's operation, or `None` if the number is none.
    #[inline]
    pub const fn op(&self) -> Option<Op> {
        Op::from_u8(self.op)
    }
}

/// Messages on the fork server's control socket, all [`Command`]-sized records.
///
/// The engine sends a [`Command`]; the server answers each run and each batch with one [`Reply`]. The socket is
/// descriptor [`CONTROL_FD`]; the shared mapping is descriptor [`SHM_FD`]; both are closed in the child.
pub const CONTROL_FD: i32 = 198;
/// See [`CONTROL_FD`].
pub const SHM_FD: i32 = 199;
/// Socket between the server and a process that makes many runs: the process's end.
pub const RUNNER_FD: i32 = 197;
/// In a run that may freeze: its end of the socket that it serves then.
pub const SNAPSHOT_FD: i32 = 196;
/// In a run that may freeze: where it tells that it did.
pub const FROZEN_FD: i32 = 195;
/// Environment variable that makes an instrumented program a fork server: `SPELUNK_SERVER=1`.
pub const ENV_SERVER: &str = "SPELUNK_SERVER";
/// Environment variable that tells a fork server how values are drawn: lines of `NAME=DISTRIBUTION`, see [`crate::Distribution`];
/// a name's first line counts, and for all other names that of `*`.
pub const ENV_RANDOM: &str = "SPELUNK_RANDOM";
/// Environment variable for runs by hand: `SPELUNK_TRACE=FILE` makes standard input (or `@@`-less file
/// arguments) symbolic and writes the shared mapping to FILE.
pub const ENV_TRACE: &str = "SPELUNK_TRACE";
/// With [`ENV_TRACE`]: at most this many input bytes become symbolic (default: all).
pub const ENV_TRACE_BYTES: &str = "SPELUNK_TRACE_BYTES";

/// Engine to server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Command {
    /// A [`CommandKind`] as number.
    pub kind: u32,
    /// Sequence number, echoed.
    pub seq: u32,
    /// Wall-clock limit in milliseconds.
    pub wall_ms: u32,
    /// CPU limit in milliseconds.
    pub cpu_ms: u32,
    /// Batch: first entry to run.
    pub first: u32,
    /// Batch: how many; the limits above are for each.
    pub count: u32,
    /// Batch: how many runs one process may make.
    pub per_process: u32,
    /// Batch: after so many milliseconds no further input is begun. A run that may freeze: after so many it hurries
    /// ([`Header::hurries`]); the limits above, which begin anew with each input statement, do so no more from then on.
    pub slice_ms: u32,
    /// The CPU that the server and what it starts go on with: the one of the thread that waits for them. [`ANY_CPU`]: as before.
    pub cpu: u32,
}

impl Command {
    /// Asks for nothing.
    pub const EMPTY: Command = Command {
        kind: 0,
        seq: 0,
        wall_ms: 0,
        cpu_ms: 0,
        first: 0,
        count: 0,
        per_process: 0,
        slice_ms: 0,
        cpu: ANY_CPU,
    };
}

/// [`Command::cpu`]: no CPU is named.
pub const ANY_CPU: u32 = u32::MAX;

/// What the engine asks of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CommandKind {
    /// Run the program once on the input in the shared mapping.
    Run = 1,
    /// Run a range of the inputs of the batch area, one after the other.
    Batch = 3,
    /// As `Run`, but the run may freeze where it asks for input, and is a server itself from then on: for the socket that comes
    /// with this message. Until all such servers are gone, no other kind of run may be ordered of the first server.
    Advance = 4,
    /// Exit.
    Quit = 2,
    /// The run that may freeze, and is under way, is to hurry. No reply; without such a run it means nothing.
    Hurry = 5,
}

/// Server to engine, after a run (and once after start-up, with `seq` = `u32::MAX`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Reply {
    /// Echo of the command's number.
    pub seq: u32,
    /// `waitpid` status of the child.
    pub status: i32,
    /// 1 if the server killed it for its wall-clock limit, 2 for CPU, else 0.
    pub timed_out: u32,
    /// Peak resident set in KiB.
    pub max_rss_kib: u32,
    /// User and system CPU time in microseconds.
    pub cpu_us: u64,
    /// Wall time in microseconds.
    pub wall_us: u64,
    /// Batch: number of the first entry that was not run.
    pub next: u32,
    /// Batch: see [`crate::batch_flags`]; else see [`reply_flags`].
    pub flags: u32,
}

/// Flags of a [`Reply`] to an order for one run.
pub mod reply_flags {
    /// The run froze where it asked for input and serves its socket.
    pub const FROZEN: u32 = 1;
    /// There are processes below the one that replies, and it cannot end them.
    pub const LEFTOVERS: u32 = 2;
}
