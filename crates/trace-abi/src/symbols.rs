//! Functions and variables by which instrumented code and runtime meet.
//!
//! Label propagation in instrumented code follows these conventions:
//! * The label of an integer or pointer is a `u32`; of a vector or aggregate, the same shape of `u32`s.
//! * Argument and return labels travel in the thread-local [`TLS_SYMBOL`]: see [`Tls`].
//! * Runtime functions are called only when some label involved is not 0, in a cold block.

/// The [`crate::ModuleInfo`] global.
pub const MODULE_SYMBOL: &str = "__sp_module";
/// The thread-local [`Tls`] record, initial-exec.
pub const TLS_SYMBOL: &str = "__sp_tls";
/// A byte of the runtime's with the flags of [`labelled`]: while it is 0, functions run code of theirs that knows no labels.
pub const LABELLED_SYMBOL: &str = "__sp_labelled";

/// Why code with labels has to run.
pub mod labelled {
    /// The run has made a label.
    pub const LABELS: u8 = 1;
    /// Another thread or a signal's handler may make one between any two instructions.
    pub const INTERRUPTS: u8 = 2;
}

/// Prefix of library models: a call of `strlen` becomes a call of `__spm_strlen` (see [`crate::MODELED`]).
pub const MODEL_PREFIX: &str = "__spm_";
/// What the program's own `main` is renamed to; the runtime brings its own `main`.
pub const USER_MAIN: &str = "__sp_user_main";

/// Layout of the thread-local record through which labels cross calls.
///
/// Caller, before a call with some label-carrying argument: writes the (flattened) labels of its arguments
/// into `args` and the callee's address into `callee` — or null into `callee` when all labels are 0.
/// Callee, on entry: if `callee` is its own address, takes its labels from `args`, else all are 0; then
/// writes null into `callee`. Labels are flattened in order: one slot per scalar, lanes and fields in order;
/// parameter k starts at the sum of the slots of parameters before it; slots past the end are dropped.
/// Return labels likewise in `ret`: the caller zeroes the slots it will read before the call; an
/// instrumented callee writes them before `ret`.
#[derive(Debug)]
#[repr(C)]
pub struct Tls {
    /// Function the argument labels are meant for.
    pub callee: *const u8,
    /// Flattened labels of the return value.
    pub ret: [u32; RET_SLOTS],
    /// Flattened labels of the arguments.
    pub args: [u32; ARG_SLOTS],
    /// Arguments that the call itself copies (`byval` structures): where the originals lie, in order, so that
    /// an instrumented callee can copy their labels.
    pub byval: [*const u8; BYVAL_SLOTS],
    /// Bytes of variable arguments on the stack: written before each call of a variadic function, taken and zeroed by
    /// an instrumented callee, which clears their shadow and then puts the labels of `va` there.
    pub variadic: u64,
    /// Number of entries in `va`; meant for `callee`.
    pub va_count: u64,
    /// What is symbolic among the variable arguments of the call to `callee`.
    pub va: [VariableArgument; VA_SLOTS],
}

/// A part of a variable argument that may be symbolic: where the x86-64 psABI puts it, and its label or where
/// its bytes are copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct VariableArgument {
    /// Offset in the register save area, or [`VA_STACK`] + offset in the overflow area.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
    /// Label of the value.
    pub label: u32,
    /// Zero.
    pub unused: u32,
    /// If not null: the structure that the call copies there.
    pub source: *const u8,
}
/// See [`VariableArgument::offset`].
pub const VA_STACK: u32 = 1 << 31;
/// Bytes of the register save area: six general registers, eight vector registers.
pub const VA_SAVE_AREA: u64 = 176;
/// Slots for return labels.
pub const RET_SLOTS: usize = 64;
/// Slots for argument labels.
pub const ARG_SLOTS: usize = 64;
/// Slots for structures passed by value in memory.
pub const BYVAL_SLOTS: usize = 4;
/// Variable arguments, or parts of them, that keep their labels in one call.
pub const VA_SLOTS: usize = 64;
/// Byte offset of [`Tls::callee`].
pub const TLS_CALLEE: u64 = 0;
/// Byte offset of [`Tls::ret`].
pub const TLS_RET: u64 = 8;
/// Byte offset of [`Tls::args`].
pub const TLS_ARGS: u64 = TLS_RET + 4 * RET_SLOTS as u64;
/// Byte offset of [`Tls::byval`].
pub const TLS_BYVAL: u64 = TLS_ARGS + 4 * ARG_SLOTS as u64;
/// Byte offset of [`Tls::variadic`].
pub const TLS_VARIADIC: u64 = TLS_BYVAL + 8 * BYVAL_SLOTS as u64;
/// Byte offset of [`Tls::va_count`].
pub const TLS_VA_COUNT: u64 = TLS_VARIADIC + 8;
/// Byte offset of [`Tls::va`].
pub const TLS_VA: u64 = TLS_VA_COUNT + 8;
/// Size of [`Tls`].
pub const TLS_SIZE: u64 = TLS_VA + (VA_SLOTS * size_of::<VariableArgument>()) as u64;

/// Type of a parameter or result in a runtime function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// Nothing (results only).
    Void,
    /// A label.
    L,
    /// `u32`.
    W,
    /// `u64`.
    D,
    /// A pointer.
    P,
}

/// A runtime function that instrumented code calls.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: &'static str,
    /// Its result.
    pub ret: Ty,
    /// Its parameters.
    pub params: &'static [Ty],
    /// Called only in cold blocks.
    pub cold: bool,
}

use Ty::{D, L, P, Void, W};
const fn s(name: &'static str, ret: Ty, params: &'static [Ty], cold: bool) -> Symbol {
    Symbol { name, ret, params, cold }
}

/// Every runtime function that instrumented code calls. The comment gives the parameters' names.
pub const SYMBOLS: &[Symbol] = &[
    // In the next two and in `__sp_tri`, `op` is the operation's number, with the node's `aux` above it: op | aux << 8.
    // (op, operand width, l, r, a, b): binary operation or predicate; a, b are the concrete operand values,
    // used where the label is 0 (width <= 64; wider constants are labels from `__sp_const`). Both labels 0: returns 0.
    s("__sp_bin", L, &[W, W, L, L, D, D], true),
    // (op, result width, l): casts (Trunc, ZExt, SExt, FCvt, SToF, UToF, FToS, FToU) and unary operations.
    s("__sp_un", L, &[W, W, L], true),
    // (l, low bit, result width): Extract.
    s("__sp_extract", L, &[L, W, W], true),
    // (op, result width, l, r, t, a, b, c): Ite, Fshl, Fshr, FFma; a, b, c concrete values where labels are 0 (width <= 64).
    s("__sp_tri", L, &[W, W, L, L, L, D, D, D], true),
    // (width, address of the little-endian value): a Const label, for operands wider than 64 bits.
    s("__sp_const", L, &[W, P], true),
    // (address, bytes, value width): label of a value in memory.
    s("__sp_load", L, &[P, W, W], true),
    // (address, bytes, value width, address label, object or null, object size, object flags, site, access id): the same
    // through a symbolic address.
    s("__sp_load_sym", L, &[P, W, W, L, P, D, W, W, W], true),
    // (address, bytes, value width, base label, index label, index, form, constant, object or null, object size, object flags,
    // site, access id): the same through `base + index * scale + constant`, of which only the parts have labels; the form is an
    // `index_form`.
    s("__sp_load_index", L, &[P, W, W, L, L, D, D, D, P, D, W, W, W], true),
    // (address, bytes, label): store of a value (label 0 clears).
    s("__sp_store", Void, &[P, W, L], true),
    // (address, bytes, label, value, address label, object or null, object size, object flags, site, access id): the same
    // through a symbolic address, before the store itself.
    s("__sp_store_sym", Void, &[P, W, L, D, L, P, D, W, W, W], true),
    // (address, bytes, label, value, base label, index label, index, form, constant, object or null, object size, object flags,
    // site, access id): likewise.
    s("__sp_store_index", Void, &[P, W, L, D, L, L, D, D, D, P, D, W, W, W], true),
    // (address, bytes): clears shadow, called when it may not be zero (allocas, stores of concrete aggregates).
    s("__sp_clear", Void, &[P, D], false),
    // (dst, src, bytes, label of bytes, site): memcpy and memmove, called before the copy itself.
    s("__sp_memcpy", Void, &[P, P, D, L, W], false),
    // (dst, label of the byte value (any width), bytes, label of bytes, site): memset.
    s("__sp_memset", Void, &[P, L, D, L, W], false),
    // (label, taken 0/1, conditional id)
    s("__sp_branch", Void, &[L, W, W], true),
    // (label, taken 0/1, conditional id, number of the calling context): the same in a function whose callers are told apart.
    s("__sp_branch_in", Void, &[L, W, W, W], true),
    // (label, value, conditional id)
    s("__sp_switch", Void, &[L, D, W], true),
    // (label, callee address, call id): call through a symbolic pointer.
    s("__sp_icall_sym", Void, &[L, D, W], true),
    // (callee address, call id): a callee not seen last time at this indirect call.
    s("__sp_icall", Void, &[P, W], true),
    // (label, concrete value, reason, site): records a pin.
    s("__sp_pin", Void, &[L, D, W, W], true),
    // (label, reason, site): records a loss.
    s("__sp_lost", Void, &[L, W, W], true),
    // (family, operands: array of Lanes, their number, result: Lanes): labels of a vector instruction's result.
    s("__sp_lanes", Void, &[W, P, W, P], true),
    // (address, bytes): 1 if any of the bytes is labelled, else 0: for accesses too large to test inline.
    s("__sp_any", W, &[P, D], false),
    // (address, bytes, reason, site): a load that is not followed; a loss if any of the bytes is labelled.
    s("__sp_unfollowed", Void, &[P, D, W, W], false),
    // (check id): the operation that follows is undefined; see `program::Check`.
    s("__sp_failed", Void, &[W], true),
    // (path-log entry): flavour `path` only.
    s("__sp_path", Void, &[W], false),
    // (call id, number of pointers, array of pointers): before a call of an unmodelled external function that is handed
    // pointers: the runtime remembers labelled bytes behind them; `__sp_external_after` drops labels of bytes that changed.
    s("__sp_external_before", Void, &[W, W, P], false),
    // (call id)
    s("__sp_external_after", Void, &[W], false),
    // (va_list just started, callee): a variadic function was entered: its variable arguments get the labels that the
    // caller left in `Tls::va`, and no others.
    s("__sp_va_enter", Void, &[P, P], false),
];
