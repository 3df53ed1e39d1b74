//! Runs by hand: `SPELUNK_TRACE=FILE ./program` makes standard input (or file arguments) symbolic and leaves the
//! shared mapping in FILE. Without the variable nothing happens here.

use crate::arguments::{self, Invocation};
use crate::libc::{self, c_char, c_int};
use crate::{message, state, sys};
use core::ptr::null_mut;
use trace_abi::{ENV_TRACE, ENV_TRACE_BYTES, ObjectHeader, ObjectKind, run_flags};

/// Reads the variables; with a trace file, collects the input and begins a symbolic run.
///
/// # Safety
/// `call` holds the process's own vectors; called from `main` before user code.
pub unsafe fn prepare(call: &mut Invocation) {
    // SAFETY: the vectors are the process's own; strings found in them are C strings.
    unsafe {
        let Some(value) = sys::lookup(call.envp, ENV_TRACE.as_bytes()) else { return };
        if sys::bytes(value).first() != Some(&b'=') {
            return;
        }
        let limit = sys::lookup(call.envp, ENV_TRACE_BYTES.as_bytes()).and_then(|v| number(sys::bytes(v)));
        share(value.add(1));
        arguments::hide_own_environment(call);
        let mut area = InputArea { used: 0, objects: 0, left: limit.unwrap_or(u64::MAX) };
        add_files(&mut area, call);
        if area.objects == 0 {
            add_stdin(&mut area);
        }
        let h = state::header();
        (*h).flags = run_flags::SYMBOLIC;
        (*h).n_objects = area.objects;
        (*h).input_len = area.used;
        (*h).image_base = crate::crash::image_base();
        state::begin_run();
        crate::files::register_inputs();
        (*h).entered = 1;
    }
}

/// `=N` as a number.
fn number(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"=")?;
    digits.iter().try_fold(0u64, |n, &c| {
        n.checked_mul(10)?.checked_add(u64::from(c.checked_sub(b'0').filter(|&d| d < 10)?))
    })
}

/// Attaches a mapping of the file at `path`, made or emptied.
///
/// # Safety
/// `path` is a C string.
unsafe fn share(path: *const c_char) {
    let layout = state::layout();
    let len = layout.total() as usize;
    // SAFETY: maps the whole, freshly sized file; coverage is copied before it is mapped over.
    unsafe {
        let fd =
            libc::open(path, libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC, 0o644 as c_int);
        if fd < 0 || libc::ftruncate(fd, len as libc::c_long) != 0 {
            message::die("cannot write the file named by SPELUNK_TRACE");
        }
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let base = libc::mmap(null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0);
        if base as isize == -1 {
            message::die("cannot map the file named by SPELUNK_TRACE");
        }
        let base = base.cast::<u8>();
        state::format(base, layout);
        state::attach(base, len as u64);
        if let Some(m) = state::module()
            && !m.coverage.is_null()
        {
            let to = state::at(layout.coverage_at());
            core::ptr::copy_nonoverlapping(m.coverage, to, state::coverage_len() as usize);
        }
        state::share_coverage(fd);
        libc::close(fd);
    }
}

/// The input area while it is filled.
struct InputArea {
    used: u64,
    objects: u32,
    /// Bytes that may still become symbolic.
    left: u64,
}

impl InputArea {
    /// Appends an object, cut to what fits and may be symbolic.
    fn add(&mut self, kind: ObjectKind, name: &[u8], data: &[u8]) {
        const HEAD: u64 = size_of::<ObjectHeader>() as u64;
        let layout = state::layout();
        let room = layout.input_bytes.saturating_sub(self.used + HEAD + name.len() as u64 + 8);
        let len = (data.len() as u64).min(room).min(self.left);
        if self.used + HEAD + name.len() as u64 + 8 > layout.input_bytes {
            return;
        }
        let head = ObjectHeader {
            kind: kind as u32,
            name_len: name.len() as u32,
            data_len: len as u32,
            value_type: 0,
        };
        let at = state::at(layout.input_at() + self.used);
        // SAFETY: header, name and data fit into the area, as computed above.
        unsafe {
            at.cast::<ObjectHeader>().write_unaligned(head);
            core::ptr::copy_nonoverlapping(name.as_ptr(), at.add(HEAD as usize), name.len());
            core::ptr::copy_nonoverlapping(data.as_ptr(), at.add(HEAD as usize + name.len()), len as usize);
        }
        self.used = (self.used + HEAD + name.len() as u64 + len).next_multiple_of(8);
        self.objects += 1;
        self.left -= len;
    }
}

/// Every argument that names a readable file is one.
///
/// # Safety
/// `call` holds valid vectors.
unsafe fn add_files(area: &mut InputArea, call: &Invocation) {
    for i in 1..call.argc.max(1) {
        // SAFETY: `i < argc`; arguments are C strings; the descriptor is ours.
        unsafe {
            let path = *call.argv.add(i as usize);
            let fd = libc::open(path, sys::O_RDONLY | libc::O_CLOEXEC);
            if fd >= 0 {
                if let Some(data) = read_all(fd) {
                    area.add(ObjectKind::File, sys::bytes(path), data);
                }
                libc::close(fd);
            }
        }
    }
}

/// Standard input as a whole; a pipe is replaced by a file in memory, so that the program still reads it. A terminal is
/// left alone.
fn add_stdin(area: &mut InputArea) {
    // SAFETY: asks about, reads and replaces descriptor 0; all buffers are valid.
    unsafe {
        if sys::isatty(0) == 1 {
            return;
        }
        let position = libc::lseek(0, 0, libc::SEEK_CUR);
        let Some(data) = read_all(0) else { return };
        if position >= 0 {
            libc::lseek(0, position, libc::SEEK_SET);
        } else {
            let fd = sys::memfd_create(c"stdin".as_ptr(), 0);
            let mut done = 0;
            while done < data.len() {
                let n = libc::write(fd, data[done..].as_ptr().cast(), data.len() - done);
                if n <= 0 {
                    message::die("cannot keep standard input in memory");
                }
                done += n as usize;
            }
            libc::lseek(fd, 0, libc::SEEK_SET);
            sys::dup2(fd, 0);
            libc::close(fd);
        }
        area.add(ObjectKind::Stdin, b"stdin", data);
    }
}

/// Everything that can be read from `fd`, up to 1 GiB, in memory that is never freed. `None` if it cannot be read.
pub fn read_all(fd: c_int) -> Option<&'static [u8]> {
    const MOST: usize = 1 << 30;
    let buffer = state::map_anonymous(MOST);
    if buffer.is_null() {
        return None;
    }
    let mut n = 0;
    while n < MOST {
        // SAFETY: the rest of the buffer is `MOST - n` bytes.
        match unsafe { libc::read(fd, buffer.add(n).cast(), MOST - n) } {
            0 => break,
            k if k > 0 => n += k as usize,
            _ if libc::errno() == sys::EINTR => {}
            _ => return None,
        }
    }
    // SAFETY: `n` bytes were read.
    Some(unsafe { core::slice::from_raw_parts(buffer, n) })
}
