//! The few functions of the C library that the runtime calls, and the constants it needs.
//!
//! Declared here rather than taken from crate `libc`: the runtime is compiled by a plain `rustc` call with
//! `trace_abi` as its only dependency. Values are those of x86-64 Linux.

#![expect(missing_docs, reason = "C library functions and constants under their own names")]

pub use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// The head of glibc's `struct _IO_FILE`, stable since version 2.0 because macros in programs use it.
#[repr(C)]
#[derive(Debug)]
pub struct FILE {
    pub flags: c_int,
    pub read_ptr: *mut u8,
    pub read_end: *mut u8,
    pub read_base: *mut u8,
    pub write_base: *mut u8,
    pub write_ptr: *mut u8,
    pub write_end: *mut u8,
    pub buf_base: *mut u8,
    pub buf_end: *mut u8,
    pub save_base: *mut u8,
    pub backup_base: *mut u8,
    pub save_end: *mut u8,
}

impl FILE {
    /// In [`FILE::flags`]: no more is read than is asked for.
    pub const UNBUFFERED: c_int = 2;
    /// In [`FILE::flags`]: what is read next are characters that were put back; `save_base` to `save_end` follow them.
    pub const IN_BACKUP: c_int = 0x100;
}

/// `struct iovec`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IoVec {
    pub base: *mut u8,
    pub len: usize,
}

pub const PROT_READ: c_int = 1;
pub const PROT_WRITE: c_int = 2;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_FIXED: c_int = 0x10;
pub const MAP_ANONYMOUS: c_int = 0x20;
pub const MAP_NORESERVE: c_int = 0x4000;
pub const MAP_FIXED_NOREPLACE: c_int = 0x10_0000;
pub const MADV_DONTNEED: c_int = 4;
pub const MADV_NOHUGEPAGE: c_int = 15;
pub const MADV_DONTDUMP: c_int = 16;
pub const O_RDWR: c_int = 2;
pub const O_CREAT: c_int = 0o100;
pub const O_TRUNC: c_int = 0o1000;
pub const O_NONBLOCK: c_int = 0o4000;
pub const O_CLOEXEC: c_int = 0o2_000_000;
pub const SEEK_SET: c_int = 0;
pub const SEEK_CUR: c_int = 1;
pub const SEEK_END: c_int = 2;
pub const ADDR_NO_RANDOMIZE: u64 = 0x004_0000;
pub const EOF: c_int = -1;

unsafe extern "C" {
    pub fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        off: c_long,
    ) -> *mut c_void;
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
    pub fn fstat(fd: c_int, out: *mut c_void) -> c_int;
    pub fn fork() -> c_int;

    pub fn malloc(size: usize) -> *mut c_void;
    pub fn calloc(n: usize, size: usize) -> *mut c_void;
    pub fn realloc(p: *mut c_void, size: usize) -> *mut c_void;
    pub fn reallocarray(p: *mut c_void, n: usize, size: usize) -> *mut c_void;
    pub fn free(p: *mut c_void);
    pub fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int;
    pub fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    pub fn memalign(align: usize, size: usize) -> *mut c_void;
    pub fn malloc_usable_size(p: *mut c_void) -> usize;

    pub fn strlen(s: *const c_char) -> usize;
    pub fn strnlen(s: *const c_char, max: usize) -> usize;
    pub fn strchr(s: *const c_char, c: c_int) -> *mut c_char;
    pub fn strrchr(s: *const c_char, c: c_int) -> *mut c_char;
    pub fn strchrnul(s: *const c_char, c: c_int) -> *mut c_char;
    pub fn strcmp(a: *const c_char, b: *const c_char) -> c_int;
    pub fn strncmp(a: *const c_char, b: *const c_char, n: usize) -> c_int;
    pub fn strcasecmp(a: *const c_char, b: *const c_char) -> c_int;
    pub fn strncasecmp(a: *const c_char, b: *const c_char, n: usize) -> c_int;
    pub fn strcoll(a: *const c_char, b: *const c_char) -> c_int;
    pub fn strstr(h: *const c_char, n: *const c_char) -> *mut c_char;
    pub fn strcasestr(h: *const c_char, n: *const c_char) -> *mut c_char;
    pub fn strspn(s: *const c_char, set: *const c_char) -> usize;
    pub fn strcspn(s: *const c_char, set: *const c_char) -> usize;
    pub fn strpbrk(s: *const c_char, set: *const c_char) -> *mut c_char;
    pub fn strncpy(d: *mut c_char, s: *const c_char, n: usize) -> *mut c_char;
    pub fn memcmp(a: *const c_void, b: *const c_void, n: usize) -> c_int;
    pub fn memchr(s: *const c_void, c: c_int, n: usize) -> *mut c_void;
    pub fn memrchr(s: *const c_void, c: c_int, n: usize) -> *mut c_void;
    pub fn rawmemchr(s: *const c_void, c: c_int) -> *mut c_void;
    pub fn memmem(h: *const c_void, hn: usize, n: *const c_void, nn: usize) -> *mut c_void;
    pub fn memcpy(d: *mut c_void, s: *const c_void, n: usize) -> *mut c_void;
    pub fn memmove(d: *mut c_void, s: *const c_void, n: usize) -> *mut c_void;
    pub fn memset(d: *mut c_void, c: c_int, n: usize) -> *mut c_void;
    pub fn strtol(s: *const c_char, end: *mut *mut c_char, base: c_int) -> c_long;
    pub fn strtoul(s: *const c_char, end: *mut *mut c_char, base: c_int) -> c_ulong;
    pub fn strtod(s: *const c_char, end: *mut *mut c_char) -> f64;
    pub fn strtof(s: *const c_char, end: *mut *mut c_char) -> f32;
    pub fn tolower(c: c_int) -> c_int;
    pub fn toupper(c: c_int) -> c_int;
    pub fn __ctype_b_loc() -> *mut *const u16;
    pub fn __ctype_tolower_loc() -> *mut *const i32;
    pub fn __ctype_toupper_loc() -> *mut *const i32;

    pub fn fileno(f: *mut FILE) -> c_int;
    pub fn ftello(f: *mut FILE) -> c_long;
    pub fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE;
    pub fn freopen(path: *const c_char, mode: *const c_char, f: *mut FILE) -> *mut FILE;
    pub fn fread(p: *mut c_void, size: usize, n: usize, f: *mut FILE) -> usize;
    pub fn fgets(p: *mut c_char, n: c_int, f: *mut FILE) -> *mut c_char;
    pub fn fgetc(f: *mut FILE) -> c_int;
    pub fn getc_unlocked(f: *mut FILE) -> c_int;
    pub fn ungetc(c: c_int, f: *mut FILE) -> c_int;
    pub fn getdelim(line: *mut *mut c_char, n: *mut usize, delim: c_int, f: *mut FILE) -> isize;
    pub fn __uflow(f: *mut FILE) -> c_int;
    #[link_name = "__isoc99_sscanf"]
    pub fn sscanf(s: *const c_char, format: *const c_char, ...) -> c_int;
    #[link_name = "__isoc99_vfscanf"]
    pub fn vfscanf(f: *mut FILE, format: *const c_char, ap: *mut c_void) -> c_int;
    #[link_name = "__isoc99_vsscanf"]
    pub fn vsscanf(s: *const c_char, format: *const c_char, ap: *mut c_void) -> c_int;
    pub fn vsnprintf(s: *mut c_char, n: usize, format: *const c_char, ap: *mut c_void) -> c_int;
    pub fn vasprintf(s: *mut *mut c_char, format: *const c_char, ap: *mut c_void) -> c_int;
    pub fn vfprintf(f: *mut FILE, format: *const c_char, ap: *mut c_void) -> c_int;
    pub fn fwrite(p: *const c_void, size: usize, n: usize, f: *mut FILE) -> usize;
    pub fn fputs(s: *const c_char, f: *mut FILE) -> c_int;
    pub fn fputc(c: c_int, f: *mut FILE) -> c_int;
    pub fn fflush(f: *mut FILE) -> c_int;
    pub fn fclose(f: *mut FILE) -> c_int;
    pub fn fseek(f: *mut FILE, off: c_long, whence: c_int) -> c_int;
    pub fn open_memstream(buffer: *mut *mut c_char, size: *mut usize) -> *mut FILE;
    pub fn fmemopen(buffer: *mut c_void, size: usize, mode: *const c_char) -> *mut FILE;
    pub static stdin: *mut FILE;
    pub static stdout: *mut FILE;
    pub static stderr: *mut FILE;

    pub fn pread(fd: c_int, buf: *mut c_void, n: usize, off: c_long) -> isize;
    pub fn pwrite(fd: c_int, buf: *const c_void, n: usize, off: c_long) -> isize;
    pub fn writev(fd: c_int, iov: *const IoVec, n: c_int) -> isize;
    pub fn readv(fd: c_int, iov: *const IoVec, n: c_int) -> isize;
    pub fn openat(dir: c_int, path: *const c_char, flags: c_int, ...) -> c_int;
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
