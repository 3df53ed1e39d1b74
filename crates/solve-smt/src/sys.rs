//! Bindings to the part of Bitwuzla's C interface that is used here, written by hand after `bitwuzla/c/bitwuzla.h`
//! of version 0.9.1 (the version that `bitwuzla-build` pins; a test compares). Term kinds are numbers of
//! `bitwuzla/enums.h`; options are looked up by their long name, see `context`.

use std::ffi::{c_char, c_void};

/// A term manager; owns sorts and terms.
#[repr(C)]
pub struct TermManager {
    _opaque: [u8; 0],
}
/// Options of a solver.
#[repr(C)]
pub struct Options {
    _opaque: [u8; 0],
}
/// A solver.
#[repr(C)]
pub struct Solver {
    _opaque: [u8; 0],
}
/// What a sort points to.
#[repr(C)]
pub struct RawSort {
    _opaque: [u8; 0],
}
/// What a term points to.
#[repr(C)]
pub struct RawTerm {
    _opaque: [u8; 0],
}
/// A sort, owned by its term manager.
pub type Sort = *mut RawSort;
/// A term, owned by its term manager.
pub type Term = *mut RawTerm;

/// `BitwuzlaOptionInfo`.
#[repr(C)]
pub struct OptionInfo {
    pub option: i32,
    pub short: *const c_char,
    pub long: *const c_char,
    pub description: *const c_char,
    pub is_numeric: bool,
    pub is_mode: bool,
    pub is_string: bool,
    pub numeric: [u64; 4],
    pub mode: [*const c_void; 4],
    pub string: [*const c_char; 2],
}

/// `BITWUZLA_SAT`.
pub const SAT: i32 = 10;
/// `BITWUZLA_UNSAT`.
pub const UNSAT: i32 = 20;

/// `BitwuzlaKind`: what a term is made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    And = 4,
    Equal = 6,
    Not = 9,
    Or = 10,
    Xor = 11,
    Ite = 12,
    BvAdd = 19,
    BvAnd = 20,
    BvAshr = 21,
    BvConcat = 23,
    BvMul = 26,
    BvNeg = 28,
    BvNot = 31,
    BvOr = 32,
    BvSaddOverflow = 38,
    BvSdiv = 40,
    BvShl = 43,
    BvShr = 44,
    BvSle = 45,
    BvSlt = 46,
    BvSmulOverflow = 48,
    BvSrem = 49,
    BvSsubOverflow = 50,
    BvSub = 51,
    BvUaddOverflow = 52,
    BvUdiv = 53,
    BvUle = 56,
    BvUlt = 57,
    BvUmulOverflow = 58,
    BvUrem = 59,
    BvUsubOverflow = 60,
    BvXor = 62,
    BvExtract = 63,
    BvSignExtend = 67,
    BvZeroExtend = 68,
    FpAbs = 69,
    FpAdd = 70,
    FpDiv = 71,
    FpEqual = 72,
    FpFma = 73,
    FpIsNan = 78,
    FpIsNeg = 79,
    FpLeq = 84,
    FpLt = 85,
    FpMul = 88,
    FpNeg = 89,
    FpRti = 91,
    FpSqrt = 92,
    FpSub = 93,
    FpFromBv = 94,
    FpFromFp = 95,
    FpFromSbv = 96,
    FpFromUbv = 97,
    FpToSbv = 98,
    FpToUbv = 99,
}

/// `BitwuzlaRoundingMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum RoundingMode {
    NearestEven = 0,
    NearestAway = 1,
    Down = 2,
    Up = 3,
    TowardZero = 4,
}

unsafe extern "C" {
    pub fn bitwuzla_version() -> *const c_char;
    pub fn bitwuzla_set_abort_callback(function: Option<unsafe extern "C" fn(*const c_char)>);

    pub fn bitwuzla_options_new() -> *mut Options;
    pub fn bitwuzla_options_delete(options: *mut Options);
    pub fn bitwuzla_set_option(options: *mut Options, option: i32, value: u64);
    pub fn bitwuzla_get_option_info(options: *mut Options, option: i32, info: *mut OptionInfo);

    pub fn bitwuzla_term_manager_new() -> *mut TermManager;
    pub fn bitwuzla_term_manager_delete(manager: *mut TermManager);

    pub fn bitwuzla_new(manager: *mut TermManager, options: *const Options) -> *mut Solver;
    pub fn bitwuzla_delete(solver: *mut Solver);
    pub fn bitwuzla_set_termination_callback(
        solver: *mut Solver,
        function: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
        state: *mut c_void,
    );
    pub fn bitwuzla_check_sat_assuming(solver: *mut Solver, count: u32, assumptions: *mut Term) -> i32;
    pub fn bitwuzla_get_unsat_assumptions(solver: *mut Solver, count: *mut usize) -> *const Term;
    pub fn bitwuzla_get_value(solver: *mut Solver, term: Term) -> Term;

    pub fn bitwuzla_mk_bv_sort(manager: *mut TermManager, width: u64) -> Sort;
    pub fn bitwuzla_mk_true(manager: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_false(manager: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_bv_value_uint64(manager: *mut TermManager, sort: Sort, value: u64) -> Term;
    pub fn bitwuzla_mk_bv_value(
        manager: *mut TermManager,
        sort: Sort,
        digits: *const c_char,
        base: u8,
    ) -> Term;
    pub fn bitwuzla_mk_const(manager: *mut TermManager, sort: Sort, symbol: *const c_char) -> Term;
    pub fn bitwuzla_mk_term1(manager: *mut TermManager, kind: Kind, a: Term) -> Term;
    pub fn bitwuzla_mk_term2(manager: *mut TermManager, kind: Kind, a: Term, b: Term) -> Term;
    pub fn bitwuzla_mk_term3(manager: *mut TermManager, kind: Kind, a: Term, b: Term, c: Term) -> Term;
    pub fn bitwuzla_mk_term1_indexed1(manager: *mut TermManager, kind: Kind, a: Term, index: u64) -> Term;
    pub fn bitwuzla_mk_term1_indexed2(manager: *mut TermManager, kind: Kind, a: Term, i: u64, j: u64)
    -> Term;
    pub fn bitwuzla_mk_fp_sort(manager: *mut TermManager, exponent: u64, significand: u64) -> Sort;
    pub fn bitwuzla_mk_fp_nan(manager: *mut TermManager, sort: Sort) -> Term;
    pub fn bitwuzla_mk_rm_value(manager: *mut TermManager, mode: RoundingMode) -> Term;
    pub fn bitwuzla_mk_term(manager: *mut TermManager, kind: Kind, count: u32, args: *mut Term) -> Term;
    pub fn bitwuzla_mk_term2_indexed1(
        manager: *mut TermManager,
        kind: Kind,
        a: Term,
        b: Term,
        index: u64,
    ) -> Term;
    pub fn bitwuzla_mk_term2_indexed2(
        manager: *mut TermManager,
        kind: Kind,
        a: Term,
        b: Term,
        i: u64,
        j: u64,
    ) -> Term;
    pub fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
    pub fn bitwuzla_term_to_string(term: Term) -> *const c_char;
    pub fn bitwuzla_term_release(term: Term);
}
