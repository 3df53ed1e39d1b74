//! Argument and environment vectors of a run: the process's own, with the input's objects put in.

use crate::libc::{c_char, c_int};
use crate::state::{self, ObjectView};
use crate::{shadow, sys};
use core::ptr::null_mut;
use trace_abi::ObjectKind;

/// What `main` is called with.
#[derive(Clone, Copy)]
pub struct Invocation {
    /// Number of arguments.
    pub argc: c_int,
    /// Arguments, null-terminated.
    pub argv: *mut *mut c_char,
    /// Environment, null-terminated.
    pub envp: *mut *mut c_char,
}

/// Number of entries before the null.
///
/// # Safety
/// `v` is null or a null-terminated vector.
unsafe fn count(v: *const *mut c_char) -> usize {
    if v.is_null() {
        return 0;
    }
    // SAFETY: as the caller promises.
    (0..).find(|&i| unsafe { (*v.add(i)).is_null() }).unwrap_or(0)
}

/// A copy of `v` in fresh memory with room for `more` further entries; `None` without memory.
///
/// # Safety
/// `v` is null or a null-terminated vector.
unsafe fn copy(v: *const *mut c_char, more: usize) -> Option<(*mut *mut c_char, usize)> {
    // SAFETY: as the caller promises; the new memory has room for `n` entries and is zero, so null-terminated.
    unsafe {
        let n = count(v);
        let new = state::map_anonymous((n + more + 1) * size_of::<*mut c_char>()).cast::<*mut c_char>();
        if new.is_null() {
            return None;
        }
        if n > 0 {
            core::ptr::copy_nonoverlapping(v, new, n);
        }
        Some((new, n))
    }
}

/// Removes our own variables from the environment: the program is not to see them.
///
/// # Safety
/// `call` holds valid vectors, used by no other thread.
pub unsafe fn hide_own_environment(call: &mut Invocation) {
    // SAFETY: as the caller promises; entries only move towards the start.
    unsafe {
        let Some((env, n)) = copy(call.envp, 0) else { return };
        let mut kept = 0;
        for i in 0..n {
            let entry = *env.add(i);
            if !sys::bytes(entry).starts_with(b"SPELUNK_") {
                *env.add(kept) = entry;
                kept += 1;
            }
        }
        *env.add(kept) = null_mut();
        call.envp = env;
        sys::environ = env;
    }
}

/// Puts the argument and environment objects of this run into place and labels their bytes. Argument objects past
/// the last argument are appended in order.
///
/// # Safety
/// `call` holds valid vectors; called in the process of the run, before other threads.
pub unsafe fn apply_objects(call: &mut Invocation) {
    let of_kind = |kind| {
        (0..state::n_objects()).filter(move |&i| state::object(i).is_some_and(|o| o.kind == kind as u32))
    };
    let (args, vars) = (of_kind(ObjectKind::Arg).count(), of_kind(ObjectKind::Env).count());
    // SAFETY: as the caller promises; each vector has room for as many further entries as there are objects.
    unsafe {
        if args > 0
            && let Some((argv, n)) = copy(call.argv, args)
        {
            let mut argc = n;
            for i in of_kind(ObjectKind::Arg) {
                let Some(o) = state::object(i) else { continue };
                let at = decimal(o.name).filter(|&k| k < argc).unwrap_or(argc);
                if let Some(string) = c_string(i, b"", o) {
                    *argv.add(at) = string;
                    argc = argc.max(at + 1);
                }
            }
            call.argv = argv;
            call.argc = argc as c_int;
        }
        if vars > 0
            && let Some((env, n)) = copy(call.envp, vars)
        {
            let mut end = n;
            for i in of_kind(ObjectKind::Env) {
                let Some(o) = state::object(i) else { continue };
                let at = (0..end).find(|&k| is_variable(*env.add(k), o.name)).unwrap_or(end);
                if let Some(string) = c_string(i, o.name, o) {
                    *env.add(at) = string;
                    end = end.max(at + 1);
                }
            }
            call.envp = env;
            sys::environ = env;
        }
    }
}

/// Whether the entry sets the variable `name`.
///
/// # Safety
/// `entry` is a C string.
unsafe fn is_variable(entry: *const c_char, name: &[u8]) -> bool {
    // SAFETY: as the caller promises.
    let entry = unsafe { sys::bytes(entry) };
    entry.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'='))
}

/// `NAME=DATA`, or `DATA` if the name is empty, as a labelled C string in fresh memory.
fn c_string(object: u32, name: &[u8], o: ObjectView) -> Option<*mut c_char> {
    let prefix = if name.is_empty() { 0 } else { name.len() + 1 };
    let p = state::map_anonymous(prefix + o.data.len() + 1);
    if p.is_null() {
        return None;
    }
    // SAFETY: room for all of it and the final zero.
    unsafe {
        if prefix > 0 {
            core::ptr::copy_nonoverlapping(name.as_ptr(), p, name.len());
            *p.add(name.len()) = b'=';
        }
        core::ptr::copy_nonoverlapping(o.data.as_ptr(), p.add(prefix), o.data.len());
    }
    label(p.wrapping_add(prefix), object, o.data.len());
    Some(p.cast())
}

/// Labels `len` bytes at `at` as those of `object`, if this run records.
pub fn label(at: *const u8, object: u32, len: usize) {
    if state::recording() {
        for i in 0..len {
            shadow::set(at as usize + i, state::input_label(object, i as u32));
        }
    }
}

fn decimal(text: &[u8]) -> Option<usize> {
    if text.is_empty() || text.len() > 6 {
        return None;
    }
    text.iter().try_fold(0, |n, &c| c.is_ascii_digit().then(|| n * 10 + (c - b'0') as usize))
}
