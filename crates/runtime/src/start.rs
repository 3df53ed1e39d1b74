//! `main`: what an instrumented program starts with.
//!
//! Three ways: as a fork server ([`crate::server`]) under `SPELUNK_SERVER`; by hand with a trace file
//! (module `by_hand`) under `SPELUNK_TRACE`; else exactly as the program itself. A program without `main`
//! that has `LLVMFuzzerTestOneInput` is given one in libFuzzer's manner.

use crate::arguments::{self, Invocation};
use crate::libc::{self, c_char, c_int};
use crate::server::{self, Role};
use crate::{batch, bias, by_hand, message, state, sys};
use trace_abi::{ENV_SERVER, ObjectKind};

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
type FuzzOne = unsafe extern "C" fn(*const u8, usize) -> c_int;
type FuzzInit = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int;

/// The process's entry after constructors.
///
/// # Safety
/// Called by the C library as `main`.
#[cfg_attr(spelunk_staticlib, unsafe(no_mangle))]
pub unsafe extern "C" fn main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    let mut call = Invocation { argc, argv, envp };
    // SAFETY: the vectors are the process's own.
    unsafe {
        let is_server = sys::lookup(envp, ENV_SERVER.as_bytes()).is_some_and(|v| sys::bytes(v) == b"=1");
        if is_server {
            bias::load(call.envp);
            arguments::hide_own_environment(&mut call);
            initialise_fuzz_target(&mut call);
            match server::serve(call) {
                Role::Run(call) => enter(call),
                Role::Runner(call) => many(call),
            }
        } else {
            by_hand::prepare(&mut call);
            initialise_fuzz_target(&mut call);
            enter(call)
        }
    }
}

/// Calls the program's `main`, or the fuzz target.
///
/// # Safety
/// `call` holds the process's vectors.
unsafe fn enter(call: Invocation) -> c_int {
    let Some(m) = state::module() else {
        message::die("the program has no description; instrument it again")
    };
    // SAFETY: the instrumenter gives the addresses of functions of these types.
    unsafe {
        if !m.main.is_null() {
            let main = core::mem::transmute::<*const u8, Main>(m.main);
            return main(call.argc, call.argv, call.envp);
        }
        if m.fuzz_one.is_null() {
            message::die("the program has neither main nor LLVMFuzzerTestOneInput");
        }
        fuzz(core::mem::transmute::<*const u8, FuzzOne>(m.fuzz_one), call)
    }
}

/// Calls `LLVMFuzzerInitialize`, if the program has it and no `main`.
///
/// # Safety
/// As [`enter`].
unsafe fn initialise_fuzz_target(call: &mut Invocation) {
    if let Some(m) = state::module()
        && m.main.is_null()
        && !m.fuzz_init.is_null()
    {
        // SAFETY: the instrumenter gives the address of a function of this type.
        unsafe {
            let init = core::mem::transmute::<*const u8, FuzzInit>(m.fuzz_init);
            init(&raw mut call.argc, &raw mut call.argv);
        }
    }
}

/// Calls the fuzz target or `main` for inputs of batches until the server is gone.
///
/// # Safety
/// As [`enter`].
unsafe fn many(call: Invocation) -> c_int {
    let Some(m) = state::module().filter(|m| !m.main.is_null() || !m.fuzz_one.is_null()) else {
        message::die("the program has neither main nor LLVMFuzzerTestOneInput")
    };
    if m.main.is_null() {
        // SAFETY: the instrumenter gives the address of a function of this type.
        let one = unsafe { core::mem::transmute::<*const u8, FuzzOne>(m.fuzz_one) };
        batch::runner::serve(|given| {
            // SAFETY: `one` is the fuzz target.
            unsafe { fuzz_one(one, None, given.data) };
            0
        })
    }
    // SAFETY: the process's own vectors; no other thread has begun.
    let Some(mut program) = (unsafe { batch::again::Program::new(call) }) else {
        message::die("no memory for a copy of the program's variables")
    };
    batch::runner::serve(|given| program.run(given))
}

/// Gives the fuzz target its input: the run's object, else each file named as an argument, else standard input.
///
/// # Safety
/// As [`enter`].
unsafe fn fuzz(one: FuzzOne, call: Invocation) -> c_int {
    if let Some((index, o)) = state::find_object(ObjectKind::Fuzz, 0) {
        // SAFETY: the object's bytes stay as they are during a run.
        unsafe { fuzz_one(one, Some(index), o.data) };
        return 0;
    }
    let mut names = (1..call.argc.max(1)).peekable();
    if names.peek().is_none() {
        let input = by_hand::read_all(0).unwrap_or(&[]);
        // SAFETY: the bytes were just read into memory of ours.
        unsafe { fuzz_one(one, None, input) };
        return 0;
    }
    for i in names {
        // SAFETY: `i < argc`; the path is a C string; the descriptor is ours.
        unsafe {
            let path = *call.argv.add(i as usize);
            let fd = libc::open(path, sys::O_RDONLY | libc::O_CLOEXEC);
            match by_hand::read_all(fd) {
                Some(input) => fuzz_one(one, None, input),
                None => {
                    message::warn("cannot read an input file; it is skipped:");
                    libc::write(2, path.cast(), sys::strlen(path));
                    libc::write(2, c"\n".as_ptr().cast(), 1);
                }
            }
            libc::close(fd);
        }
    }
    0
}

/// One call of the target with a heap block of exactly the input's length, so that memory checkers see overruns.
///
/// # Safety
/// `one` is the fuzz target.
unsafe fn fuzz_one(one: FuzzOne, object: Option<u32>, data: &[u8]) {
    // SAFETY: the block has room for the data (`malloc(0)` may be null, then nothing is copied).
    unsafe {
        let block = sys::malloc(data.len()).cast::<u8>();
        if block.is_null() && !data.is_empty() {
            message::die("no memory for the input");
        }
        if !data.is_empty() {
            core::ptr::copy_nonoverlapping(data.as_ptr(), block, data.len());
        }
        if let Some(index) = object {
            crate::objects::born(block, data.len());
            arguments::label(block, index, data.len());
        }
        one(block, data.len());
        sys::free(block.cast());
    }
}
