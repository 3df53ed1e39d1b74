//! A program with `main`, called again and again in one process.
//!
//! What a call leaves behind is taken back as far as it is known: the program's global variables get the values they had
//! after constructors, the standard streams of C++ are put back, too, standard input is a new file, standard output and error
//! are what they were, and `exit` ends the call (after the handlers that the call registered), not the process. What is not known
//! (memory of libraries, files, threads) shows in the runner's check: the first input then covers something else, and such
//! programs get a process a run.

use super::runner::Given;
use super::serve::{deliver_file, stdin_file};
use crate::arguments::Invocation;
use crate::libc::{self, FILE, c_char, c_int, c_void};
use crate::server::reopen_stdin;
use crate::{state, sys, tls};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};
use trace_abi::{GlobalObject, OBJECT_CONSTANT, ObjectKind, RUNNER_FD};

/// Most bytes of global variables: they are copied before every call.
const MAX_GLOBALS: u64 = 4 << 20;
/// Descriptors that this process keeps for itself, below the runner's.
const STDIN_FD: c_int = RUNNER_FD - 1;
/// See [`STDIN_FD`].
const STDOUT_FD: c_int = RUNNER_FD - 2;
/// See [`STDIN_FD`].
const STDERR_FD: c_int = RUNNER_FD - 3;

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

// Calls a `main` so that it can be left from anywhere below: `__spelunk_call(main, argc, argv, envp, &stack)` keeps what
// a callee must keep on the stack and the stack pointer in `stack`; `__spelunk_leave(stack, status)` makes it return.
core::arch::global_asm!(
    ".section .text.__spelunk_call,\"ax\",@progbits",
    ".hidden __spelunk_call",
    ".globl __spelunk_call",
    ".type __spelunk_call,@function",
    "__spelunk_call:",
    "endbr64",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [r8], rsp",
    "mov rax, rdi",
    "mov edi, esi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "jmp 2f",
    ".hidden __spelunk_leave",
    ".globl __spelunk_leave",
    ".type __spelunk_leave,@function",
    "__spelunk_leave:",
    "endbr64",
    "mov rsp, rdi",
    "mov eax, esi",
    "2:",
    "cld",
    "fninit",
    "fldcw [rsp + 4]",
    "ldmxcsr [rsp]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".size __spelunk_call, . - __spelunk_call",
    ".text",
);

// The standard streams of libstdc++ and libc++, where the program has them: each address is followed by the object's size, which
// the libraries' binary interfaces fix.
core::arch::global_asm!(
    ".section .data.rel.ro.__spelunk_streams,\"aw\",@progbits",
    ".balign 8",
    ".hidden __spelunk_streams",
    ".globl __spelunk_streams",
    "__spelunk_streams:",
    ".weak _ZSt3cin",
    ".quad _ZSt3cin, 280",
    ".weak _ZSt4cout",
    ".quad _ZSt4cout, 272",
    ".weak _ZSt4cerr",
    ".quad _ZSt4cerr, 272",
    ".weak _ZSt4clog",
    ".quad _ZSt4clog, 272",
    ".weak _ZNSt3__13cinE",
    ".quad _ZNSt3__13cinE, 168",
    ".weak _ZNSt3__14coutE",
    ".quad _ZNSt3__14coutE, 160",
    ".weak _ZNSt3__14cerrE",
    ".quad _ZNSt3__14cerrE, 160",
    ".weak _ZNSt3__14clogE",
    ".quad _ZNSt3__14clogE, 160",
    ".text",
);

unsafe extern "C" {
    static __spelunk_streams: [GlobalObject; 8];
    fn __spelunk_call(
        main: Main,
        argc: c_int,
        argv: *mut *mut c_char,
        envp: *mut *mut c_char,
        stack: *mut usize,
    ) -> c_int;
    fn __spelunk_leave(stack: usize, status: c_int) -> !;
    fn on_exit(handler: unsafe extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn __fpurge(f: *mut FILE);
    fn clearerr(f: *mut FILE);
    static mut optind: c_int;
}

/// Stack pointer to go back to; 0: no call is under way.
static STACK: AtomicUsize = AtomicUsize::new(0);
/// The process that calls, and the address of its thread's record: children and other threads do not go back.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// See [`PROCESS`].
static THREAD: AtomicUsize = AtomicUsize::new(0);

/// The program's global variables that can change, and the standard streams.
fn globals() -> impl Iterator<Item = &'static GlobalObject> {
    // SAFETY: the table above.
    let streams = unsafe { &__spelunk_streams };
    state::globals().iter().chain(streams).filter(|o| o.size & OBJECT_CONSTANT == 0 && !o.address.is_null())
}

/// Whether the program has a `main` that can be called again and again.
pub fn is_possible() -> bool {
    state::module().is_some_and(|m| !m.main.is_null())
        && globals().map(|g| g.size).fold(0, u64::saturating_add) <= MAX_GLOBALS
}

/// A program's `main`, and what each call of it begins with.
pub struct Program {
    call: Invocation,
    main: Main,
    /// Copies of the arguments' vector, which programs may reorder.
    argv: &'static mut [*mut c_char],
    /// Copies of the globals, one behind the other.
    globals: *mut u8,
}

impl Program {
    /// The program as it is now, after constructors; `None` without memory or `main`.
    ///
    /// # Safety
    /// `call` holds the process's own vectors; this is the only thread.
    pub unsafe fn new(call: Invocation) -> Option<Program> {
        let main = state::module().map(|m| m.main).filter(|m| !m.is_null())?;
        let total: u64 = globals().map(|g| g.size).sum();
        let (copies, n) = (state::map_anonymous(total.max(1) as usize), call.argc.max(0) as usize);
        let vector = state::map_anonymous((n + 1) * size_of::<*mut c_char>()).cast::<*mut c_char>();
        if copies.is_null() || vector.is_null() {
            return None;
        }
        // SAFETY: room for all of it; the instrumenter gives `main`'s address and type.
        unsafe {
            let mut to = copies;
            for g in globals() {
                core::ptr::copy_nonoverlapping(g.address, to, g.size as usize);
                to = to.add(g.size as usize);
            }
            let argv = core::slice::from_raw_parts_mut(vector, n);
            argv.copy_from_slice(core::slice::from_raw_parts(call.argv, n));
            sys::dup2(1, STDOUT_FD);
            sys::dup2(2, STDERR_FD);
            PROCESS.store(sys::getpid(), Relaxed);
            THREAD.store(tls::tls() as usize, Relaxed);
            let main = core::mem::transmute::<*const u8, Main>(main);
            Some(Program { call, main, argv, globals: copies })
        }
    }

    /// One call; the status it ends with.
    pub fn run(&mut self, given: &Given<'_>) -> c_int {
        self.restore();
        if given.kind == ObjectKind::Stdin as u32 {
            give_stdin(given.data);
        } else {
            deliver_file(given.name, given.data);
        }
        let Invocation { argc, argv, envp } = self.call;
        let mut stack = 0;
        // SAFETY: the program's function with the process's vectors. The stack pointer is stored before anything can
        // use it, and is good until the call returns.
        unsafe {
            on_exit(back, null_mut());
            STACK.store((&raw mut stack) as usize, Relaxed);
            let status = __spelunk_call(self.main, argc, argv, envp, &raw mut stack);
            if STACK.load(Relaxed) != 0 {
                // It returned. What `exit` does belongs to the run; it ends in `back`.
                let again = __spelunk_call(ending, status, null_mut(), null_mut(), &raw mut stack);
                STACK.store(0, Relaxed);
                return again;
            }
            status
        }
    }

    /// What is known to be left over from the call before is taken back.
    fn restore(&mut self) {
        // SAFETY: the copies were made of the same variables in the same order; descriptors are ours.
        unsafe {
            let mut from = self.globals;
            for g in globals() {
                core::ptr::copy_nonoverlapping(from, g.address.cast_mut(), g.size as usize);
                from = from.add(g.size as usize);
            }
            core::ptr::copy_nonoverlapping(self.argv.as_ptr(), self.call.argv, self.argv.len());
            sys::dup2(STDOUT_FD, 1);
            sys::dup2(STDERR_FD, 2);
            optind = 1;
        }
    }
}

/// In place of a `main` that returned: what the C library does then.
unsafe extern "C" fn ending(status: c_int, _: *mut *mut c_char, _: *mut *mut c_char) -> c_int {
    // SAFETY: runs the exit handlers of this call, `back` after them.
    unsafe { sys::exit(status) }
}

/// The exit handler that is registered before each call, so that it runs after those of the call itself.
unsafe extern "C" fn back(status: c_int, _: *mut c_void) {
    let stack = STACK.load(Relaxed);
    // SAFETY: asks for a number.
    let is_ours =
        unsafe { sys::getpid() } == PROCESS.load(Relaxed) && tls::tls() as usize == THREAD.load(Relaxed);
    if stack != 0 && is_ours {
        STACK.store(0, Relaxed);
        // SAFETY: a call is under way in this thread, so its frame is there.
        unsafe { __spelunk_leave(*(stack as *const usize), status) }
    }
}

/// Whether a stream that the program closes has to stay open for the next call.
pub fn keeps(f: *mut FILE) -> bool {
    // SAFETY: the C library's variables.
    STACK.load(Relaxed) != 0 && unsafe { f == libc::stdin || f == libc::stdout || f == libc::stderr }
}

/// Standard input holds `data` and was not read from.
fn give_stdin(data: &[u8]) {
    // SAFETY: descriptors of ours; the C library's own stream.
    unsafe {
        // Forgets its position first (`fseek` would trust it), then its bytes.
        libc::fflush(libc::stdin);
        __fpurge(libc::stdin);
        clearerr(libc::stdin);
        let mut done = 0;
        while done < data.len() {
            let n = libc::pwrite(STDIN_FD, data[done..].as_ptr().cast(), data.len() - done, done as i64);
            if n <= 0 {
                break;
            }
            done += n as usize;
        }
        let is_there = done == data.len() && libc::ftruncate(STDIN_FD, done as i64) == 0;
        // Not a memory file of ours yet.
        if !is_there {
            let memory = stdin_file(data);
            sys::dup2(memory, STDIN_FD);
            libc::close(memory);
        }
        if !is_there || libc::lseek(0, 0, libc::SEEK_SET) != 0 {
            sys::dup2(STDIN_FD, 0);
            reopen_stdin();
        }
    }
}
