//! The few functions of the C library that the runtime calls, and the constants it needs.
//!
//! Declared here rather than taken from crate `libc`: the runtime is compiled by a plain `rustc` call with
//! `trace_abi` as its only dependency. Values are those of x86-64 Linux.

#![expect(missing_docs, reason = "C library functions and constants under their own names")]
#![cfg_attr(test, expect(dead_code, reason = "some are used only inside a tested program"))]

pub use core::ffi::{c_char, c_int, c_long, c_uint, c_void};

pub const PROT_READ: c_int = 1;
pub const PROT_WRITE: c_int = 2;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_FIXED: c_int = 0x10;
pub const MAP_ANONYMOUS: c_int = 0x20;
pub const MAP_NORESERVE: c_int = 0x4000;
pub const MAP_FIXED_NOREPLACE: c_int = 0x10_0000;
pub const MADV_NOHUGEPAGE: c_int = 15;
pub const MADV_DONTDUMP: c_int = 16;
pub const O_RDWR: c_int = 2;
pub const O_CREAT: c_int = 0o100;
pub const O_TRUNC: c_int = 0o1000;
pub const O_CLOEXEC: c_int = 0o2_000_000;
pub const SEEK_SET: c_int = 0;
pub const SEEK_CUR: c_int = 1;
pub const SEEK_END: c_int = 2;
pub const ADDR_NO_RANDOMIZE: u64 = 0x004_0000;
pub const EOF: c_int = -1;

unsafe extern "C" {
    pub fn mmap(at: *mut c_void, len: usize, prot: c_int, flags: c_int, fd: c_int, off: c_long) -> *mut c_void;
    pub fn munmap(at: *mut c_void, len: usize) -> c_int;
    pub fn madvise(at: *mut c_void, len: usize, advice: c_int) -> c_int;
    pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub fn close(fd: c_int) -> c_int;
    pub fn write(fd: c_int, buf: *const c_void, n: usize) -> isize;
    pub fn read(fd: c_int, buf: *mut c_void, n: usize) -> isize;
    pub fn ftruncate(fd: c_int, len: c_long) -> c_int;
    pub fn lseek(fd: c_int, off: c_long, whence: c_int) -> c_long;
    pub fn abort() -> !;
    pub fn _exit(code: c_int) -> !;
    pub fn personality(persona: u64) -> c_int;
    pub fn __errno_location() -> *mut c_int;
}

/// `errno` of this thread.
pub fn errno() -> c_int {
    // SAFETY: the C library returns a valid pointer to this thread's variable.
    unsafe { *__errno_location() }
}

/// Sets `errno`: the runtime hides its own calls from the program.
pub fn set_errno(value: c_int) {
    // SAFETY: as above.
    unsafe { *__errno_location() = value }
}
