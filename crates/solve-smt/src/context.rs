//! A term manager and a solver of Bitwuzla behind a safe interface.
//!
//! **Errors.** Every function of the C interface catches the exceptions of the C++ library and hands their text to a
//! callback, after which it *returns* (with null where it returns something): the callback here leaves the text in a
//! thread-local variable, nothing unwinds and nothing aborts, and the call becomes an `Err`. What stays fatal is
//! memory exhaustion inside the C++ library (`std::bad_alloc` is not among the exceptions it catches).

use crate::sys::{self, Kind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{self, NonNull};

/// A term; belongs to the [`Context`] that made it and must be used with that one only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term(NonNull<sys::RawTerm>);

// SAFETY: a handle by itself does nothing; it is used only through the context that owns it, which one thread has at a
// time.
unsafe impl Send for Term {}

/// What Bitwuzla said about an error, or about an option that this version lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error(pub String);

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    Sat,
    Unsat,
    Unknown,
}

thread_local! {
    static LAST_ERROR: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Called by Bitwuzla with the text of an error.
unsafe extern "C" fn keep_error(message: *const c_char) {
    // SAFETY: Bitwuzla passes a NUL-terminated string that lives during the call.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().trim().to_owned();
    LAST_ERROR.with(|last| *last.borrow_mut() = Some(text));
}

fn last_error() -> Option<Error> {
    LAST_ERROR.with(|last| last.borrow_mut().take()).map(Error)
}

/// Options, by long name, with the value they get.
pub(crate) type Setting = (&'static str, u64);

/// A term manager, and a solver on it.
///
/// # Invariants
/// `manager` and `solver` are live objects of Bitwuzla used by nobody else; all terms in `values` and all [`Term`]s
/// handed out belong to `manager` and live until it is deleted (each handle made is kept, none is released, but the
/// values of [`Context::value`], which are not handed out).
pub(crate) struct Context {
    manager: NonNull<sys::TermManager>,
    solver: NonNull<sys::Solver>,
    sorts: FxHashMap<u16, sys::Sort>,
    values: FxHashMap<(u16, u64), Term>,
    /// Variables with their names and widths, if they get any.
    named: Option<Vec<(Term, String, u16)>>,
}

// SAFETY: the objects behind the pointers are used by nobody else; Bitwuzla ties nothing but the abort callback to a
// thread, and that is set again by `enter` at the start of each use.
unsafe impl Send for Context {}

impl Context {
    /// A fresh term manager and solver.
    pub(crate) fn new(settings: &[Setting]) -> Result<Context> {
        Context::enter();
        // SAFETY: no arguments; the result is checked.
        let manager = NonNull::new(unsafe { sys::bitwuzla_term_manager_new() }).ok_or_else(unexplained)?;
        match new_solver(manager, settings) {
            Ok(solver) => {
                let (sorts, values) = (FxHashMap::default(), FxHashMap::default());
                Ok(Context { manager, solver, sorts, values, named: None })
            }
            Err(error) => {
                // SAFETY: just made, and nothing refers to it.
                unsafe { sys::bitwuzla_term_manager_delete(manager.as_ptr()) };
                Err(error)
            }
        }
    }

    /// Makes errors of Bitwuzla in the current thread come back as values. To be called at the start of each use.
    pub(crate) fn enter() {
        // SAFETY: the callback is a function of static life; the setting is thread-local in Bitwuzla.
        unsafe { sys::bitwuzla_set_abort_callback(Some(keep_error)) };
        last_error();
    }

    fn term(&self, raw: sys::Term) -> Result<Term> {
        NonNull::new(raw).map(Term).ok_or_else(unexplained)
    }

    fn sort(&mut self, width: u16) -> Result<sys::Sort> {
        if let Some(&sort) = self.sorts.get(&width) {
            return Ok(sort);
        }
        // SAFETY: the manager is live.
        let sort = unsafe { sys::bitwuzla_mk_bv_sort(self.manager.as_ptr(), width.into()) };
        if sort.is_null() {
            return Err(unexplained());
        }
        self.sorts.insert(width, sort);
        Ok(sort)
    }

    /// A new variable of `width` bits.
    pub(crate) fn variable(&mut self, width: u16) -> Result<Term> {
        let sort = self.sort(width)?;
        let Some(named) = &mut self.named else {
            // SAFETY: manager and sort are live; a null symbol means an unnamed variable.
            return self.term(unsafe { sys::bitwuzla_mk_const(self.manager.as_ptr(), sort, ptr::null()) });
        };
        let name = format!("v{}", named.len());
        let symbol = CString::new(name.clone()).map_err(|_| unexplained())?;
        // SAFETY: manager and sort are live; the symbol is NUL-terminated and copied by the call.
        let raw = unsafe { sys::bitwuzla_mk_const(self.manager.as_ptr(), sort, symbol.as_ptr()) };
        let term = NonNull::new(raw).map(Term).ok_or_else(unexplained)?;
        named.push((term, name, width));
        Ok(term)
    }

    /// From now on variables have names.
    pub(crate) fn name_variables(&mut self) {
        self.named.get_or_insert_default();
    }

    /// Names and widths of the variables that have names.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, u16)> {
        self.named.iter().flatten().map(|(_, name, width)| (name.as_str(), *width))
    }

    /// The name of a variable, if it has one.
    pub(crate) fn name_of(&self, variable: Term) -> Option<&str> {
        self.named.iter().flatten().find(|named| named.0 == variable).map(|named| named.1.as_str())
    }

    /// A term in SMT-LIB's language.
    pub(crate) fn text(&self, term: Term) -> Result<String> {
        // SAFETY: the term is live; the text lives until the next such call in this thread.
        let text = unsafe {
            let text = sys::bitwuzla_term_to_string(term.0.as_ptr());
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        text.ok_or_else(unexplained)
    }

    /// The Boolean constants.
    pub(crate) fn boolean(&self, value: bool) -> Result<Term> {
        let manager = self.manager.as_ptr();
        // SAFETY: the manager is live.
        self.term(unsafe {
            if value { sys::bitwuzla_mk_true(manager) } else { sys::bitwuzla_mk_false(manager) }
        })
    }

    /// The bit-vector `value`, which must fit into `width` bits.
    pub(crate) fn value_u64(&mut self, width: u16, value: u64) -> Result<Term> {
        if let Some(&term) = self.values.get(&(width, value)) {
            return Ok(term);
        }
        let sort = self.sort(width)?;
        // SAFETY: manager and sort are live.
        let term =
            self.term(unsafe { sys::bitwuzla_mk_bv_value_uint64(self.manager.as_ptr(), sort, value) })?;
        self.values.insert((width, value), term);
        Ok(term)
    }

    /// The bit-vector constant `bits`.
    pub(crate) fn bits(&mut self, bits: &expr::Bits) -> Result<Term> {
        if bits.width() <= 64 {
            return self.value_u64(bits.width(), bits.low());
        }
        let sort = self.sort(bits.width())?;
        let digits: Vec<u8> = (0..bits.width()).rev().map(|k| b'0' + u8::from(bits.bit(k))).collect();
        let digits = CString::new(digits).map_err(|_| unexplained())?;
        // SAFETY: manager and sort are live, the digits are NUL-terminated and copied by the call.
        self.term(unsafe { sys::bitwuzla_mk_bv_value(self.manager.as_ptr(), sort, digits.as_ptr(), 2) })
    }

    /// A term of one operand.
    pub(crate) fn mk1(&self, kind: Kind, a: Term) -> Result<Term> {
        // SAFETY: the manager is live and owns the operand.
        self.term(unsafe { sys::bitwuzla_mk_term1(self.manager.as_ptr(), kind, a.0.as_ptr()) })
    }

    /// A term of two operands.
    pub(crate) fn mk2(&self, kind: Kind, a: Term, b: Term) -> Result<Term> {
        // SAFETY: the manager is live and owns the operands.
        self.term(unsafe { sys::bitwuzla_mk_term2(self.manager.as_ptr(), kind, a.0.as_ptr(), b.0.as_ptr()) })
    }

    /// `condition` (a Boolean) ? `a` : `b`.
    pub(crate) fn ite(&self, condition: Term, a: Term, b: Term) -> Result<Term> {
        let (c, a, b) = (condition.0.as_ptr(), a.0.as_ptr(), b.0.as_ptr());
        // SAFETY: the manager is live and owns the operands.
        self.term(unsafe { sys::bitwuzla_mk_term3(self.manager.as_ptr(), Kind::Ite, c, a, b) })
    }

    /// A term of three operands.
    pub(crate) fn mk3(&self, kind: Kind, a: Term, b: Term, c: Term) -> Result<Term> {
        let (a, b, c) = (a.0.as_ptr(), b.0.as_ptr(), c.0.as_ptr());
        // SAFETY: the manager is live and owns the operands.
        self.term(unsafe { sys::bitwuzla_mk_term3(self.manager.as_ptr(), kind, a, b, c) })
    }

    /// A term of four operands.
    pub(crate) fn mk4(&self, kind: Kind, operands: [Term; 4]) -> Result<Term> {
        let mut raw = operands.map(|term| term.0.as_ptr());
        // SAFETY: the manager is live and owns the operands, of which there are four.
        self.term(unsafe { sys::bitwuzla_mk_term(self.manager.as_ptr(), kind, 4, raw.as_mut_ptr()) })
    }

    /// A rounding mode.
    pub(crate) fn rounding_mode(&self, mode: sys::RoundingMode) -> Result<Term> {
        // SAFETY: the manager is live.
        self.term(unsafe { sys::bitwuzla_mk_rm_value(self.manager.as_ptr(), mode) })
    }

    /// What is not a number in the format of so many exponent and significand bits.
    pub(crate) fn nan(&self, (exponent, significand): (u16, u16)) -> Result<Term> {
        let manager = self.manager.as_ptr();
        // SAFETY: the manager is live; the sort belongs to it.
        self.term(unsafe {
            let sort = sys::bitwuzla_mk_fp_sort(manager, exponent.into(), significand.into());
            if sort.is_null() { ptr::null_mut() } else { sys::bitwuzla_mk_fp_nan(manager, sort) }
        })
    }

    /// The float whose IEEE bit pattern is `bits`.
    pub(crate) fn float_from_bits(&self, bits: Term, (exponent, significand): (u16, u16)) -> Result<Term> {
        let (manager, raw) = (self.manager.as_ptr(), bits.0.as_ptr());
        let (e, s) = (exponent.into(), significand.into());
        // SAFETY: the manager is live and owns the operand.
        self.term(unsafe { sys::bitwuzla_mk_term1_indexed2(manager, Kind::FpFromBv, raw, e, s) })
    }

    /// A conversion to a float format, rounded.
    pub(crate) fn to_float(&self, kind: Kind, mode: Term, a: Term, format: (u16, u16)) -> Result<Term> {
        let (manager, mode, raw) = (self.manager.as_ptr(), mode.0.as_ptr(), a.0.as_ptr());
        let (e, s) = (format.0.into(), format.1.into());
        // SAFETY: the manager is live and owns the operands.
        self.term(unsafe { sys::bitwuzla_mk_term2_indexed2(manager, kind, mode, raw, e, s) })
    }

    /// A float as an integer of `width` bits, rounded; unspecified where it does not fit.
    pub(crate) fn to_integer(&self, kind: Kind, mode: Term, a: Term, width: u16) -> Result<Term> {
        let (manager, mode, raw) = (self.manager.as_ptr(), mode.0.as_ptr(), a.0.as_ptr());
        // SAFETY: the manager is live and owns the operands.
        self.term(unsafe { sys::bitwuzla_mk_term2_indexed1(manager, kind, mode, raw, width.into()) })
    }

    /// [`Kind::BvZeroExtend`] or [`Kind::BvSignExtend`] by `by` bits.
    pub(crate) fn extend(&self, kind: Kind, a: Term, by: u16) -> Result<Term> {
        if by == 0 {
            return Ok(a);
        }
        // SAFETY: the manager is live and owns the operand.
        self.term(unsafe {
            sys::bitwuzla_mk_term1_indexed1(self.manager.as_ptr(), kind, a.0.as_ptr(), by.into())
        })
    }

    /// Bits `low ..= high`.
    pub(crate) fn extract(&self, a: Term, high: u16, low: u16) -> Result<Term> {
        let (manager, raw) = (self.manager.as_ptr(), a.0.as_ptr());
        // SAFETY: the manager is live and owns the operand.
        self.term(unsafe {
            sys::bitwuzla_mk_term1_indexed2(manager, Kind::BvExtract, raw, high.into(), low.into())
        })
    }

    /// Checks whether all `assumptions` (Booleans) can be true at once. `stop` is asked now and then.
    pub(crate) fn check(&mut self, assumptions: &[Term], stop: &mut dyn FnMut() -> bool) -> Result<Check> {
        let mut raw: Vec<sys::Term> = assumptions.iter().map(|term| term.0.as_ptr()).collect();
        let mut stop = stop;
        let state: *mut &mut dyn FnMut() -> bool = &mut stop;
        let solver = self.solver.as_ptr();
        // SAFETY: `state` outlives the check; afterwards the callback is replaced by one that uses no state. The
        // manager owns the assumptions, `raw` is as long as said and only read.
        let result = unsafe {
            sys::bitwuzla_set_termination_callback(solver, Some(ask_stop), state.cast());
            let result = sys::bitwuzla_check_sat_assuming(solver, raw.len() as u32, raw.as_mut_ptr());
            sys::bitwuzla_set_termination_callback(solver, Some(never_stop), ptr::null_mut());
            result
        };
        if let Some(error) = last_error() {
            return Err(error);
        }
        Ok(match result {
            sys::SAT => Check::Sat,
            sys::UNSAT => Check::Unsat,
            _ => Check::Unknown,
        })
    }

    /// After [`Check::Unsat`]: assumptions that contradict each other.
    pub(crate) fn failed_assumptions(&mut self) -> Result<Vec<Term>> {
        let mut count = 0;
        // SAFETY: the solver is live; the array it returns holds `count` terms until the next call.
        let found = unsafe {
            let array = sys::bitwuzla_get_unsat_assumptions(self.solver.as_ptr(), &raw mut count);
            if array.is_null() || count == 0 { &[][..] } else { std::slice::from_raw_parts(array, count) }
        };
        if let Some(error) = last_error() {
            return Err(error);
        }
        found.iter().map(|&raw| self.term(raw)).collect()
    }

    /// After [`Check::Sat`]: the low byte of the value of a bit-vector term.
    pub(crate) fn value(&mut self, term: Term) -> Result<u8> {
        // SAFETY: the solver is live and the term belongs to its manager.
        let value = self.term(unsafe { sys::bitwuzla_get_value(self.solver.as_ptr(), term.0.as_ptr()) })?;
        // SAFETY: the value is a live term; the text lives until the next such call in this thread.
        let text = unsafe {
            let text = sys::bitwuzla_term_value_get_str_fmt(value.0.as_ptr(), 2);
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_bytes().to_vec()) }
        };
        // SAFETY: the call above made one reference to the value, which nobody uses any more.
        unsafe { sys::bitwuzla_term_release(value.0.as_ptr()) };
        let text = text.ok_or_else(unexplained)?;
        Ok(text.iter().fold(0, |byte, &digit| byte << 1 | (digit & 1)))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        Context::enter();
        // SAFETY: both are live and used by nobody else; the solver goes before the manager that it refers to.
        unsafe {
            sys::bitwuzla_delete(self.solver.as_ptr());
            sys::bitwuzla_term_manager_delete(self.manager.as_ptr());
        }
    }
}

/// Asked by Bitwuzla during a check.
unsafe extern "C" fn ask_stop(state: *mut c_void) -> i32 {
    // SAFETY: `check` passes a pointer to its own reference, valid and unshared during the check.
    let stop = unsafe { &mut *state.cast::<&mut dyn FnMut() -> bool>() };
    stop().into()
}

unsafe extern "C" fn never_stop(_state: *mut c_void) -> i32 {
    0
}

fn unexplained() -> Error {
    last_error().unwrap_or_else(|| Error("Bitwuzla failed without a message".into()))
}

fn new_solver(manager: NonNull<sys::TermManager>, settings: &[Setting]) -> Result<NonNull<sys::Solver>> {
    // SAFETY: no arguments; the result is checked.
    let options = NonNull::new(unsafe { sys::bitwuzla_options_new() }).ok_or_else(unexplained)?;
    let result =
        settings.iter().try_for_each(|&(name, value)| set_option(options, name, value)).and_then(|()| {
            // SAFETY: manager and options are live; the solver copies the options.
            NonNull::new(unsafe { sys::bitwuzla_new(manager.as_ptr(), options.as_ptr()) })
                .ok_or_else(unexplained)
        });
    // SAFETY: made above, and copied by the solver.
    unsafe { sys::bitwuzla_options_delete(options.as_ptr()) };
    result
}

/// Sets an option by its long name: the numbers of options change between versions, names do not.
fn set_option(options: NonNull<sys::Options>, name: &str, value: u64) -> Result<()> {
    for option in 0.. {
        // SAFETY: all-zero is a valid value of this plain record.
        let mut info: sys::OptionInfo = unsafe { std::mem::zeroed() };
        // SAFETY: options and info are live; a number past the last option is answered with an error.
        unsafe { sys::bitwuzla_get_option_info(options.as_ptr(), option, &raw mut info) };
        if last_error().is_some() || info.long.is_null() {
            break;
        }
        // SAFETY: the name is a NUL-terminated string owned by the options.
        if unsafe { CStr::from_ptr(info.long) }.to_bytes() == name.as_bytes() {
            // SAFETY: the options are live and the number is that of an option.
            unsafe { sys::bitwuzla_set_option(options.as_ptr(), option, value) };
            return last_error().map_or(Ok(()), Err);
        }
    }
    Err(Error(format!("this version of Bitwuzla has no option `{name}`")))
}

/// Version of the library linked.
pub(crate) fn version() -> String {
    // SAFETY: returns a NUL-terminated string of static life.
    unsafe { CStr::from_ptr(sys::bitwuzla_version()) }.to_string_lossy().into_owned()
}
