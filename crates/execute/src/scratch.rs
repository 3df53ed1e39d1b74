//! The scratch directory of a server: the input file, and the working directory of runs, emptied after each.
//!
//! ```text
//! spelunk-XXXX/        of the engine, mode 711
//!     input[.EXT]      the file behind `@@`, rewritten for each run
//!     run/             working directory of the program, which may do there what it likes
//! ```

use crate::sys::check;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Component, Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// What stands for the input file's path in arguments and object names.
pub const FILE_ARGUMENT: &str = "@@";

/// How names of scratch directories begin.
const PREFIX: &str = "spelunk-";
/// A directory younger than this may not be locked yet.
const SETTLED: Duration = Duration::from_secs(60);

/// Deeper directories are moved up before they are emptied, so that no tree is too deep.
const DEEPEST: usize = 24;

/// Most bytes of files that are copied.
const MOST_SAVED: u64 = 64 << 20;

/// What was in the working directory: relative paths, modes, and contents of files.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    entries: Vec<(PathBuf, u32, Option<Vec<u8>>)>,
}

/// A scratch directory; removed when dropped.
pub struct Scratch {
    dir: tempfile::TempDir,
    /// Locked for as long as this lives: see [`sweep`].
    _lock: File,
    input_path: PathBuf,
    input: Option<File>,
    run: OwnedFd,
    /// User and group that the program has outside its namespace, if not ours.
    owner: Option<(u32, u32)>,
}

impl Scratch {
    /// Makes one below `base` (see [`crate::Config::scratch`]).
    pub fn new(
        base: Option<&Path>,
        extension: Option<&str>,
        owner: Option<(u32, u32)>,
    ) -> io::Result<Scratch> {
        let builder = || {
            let mut b = tempfile::Builder::new();
            b.prefix(PREFIX).permissions(Permissions::from_mode(0o711));
            b
        };
        let dir = match base {
            Some(base) => builder().tempdir_in(base)?,
            None => builder().tempdir_in("/dev/shm").or_else(|_| builder().tempdir())?,
        };
        let lock = File::open(dir.path())?;
        // SAFETY: a call about a descriptor of ours.
        check(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) })?;
        fs::set_permissions(dir.path(), Permissions::from_mode(0o711))?;
        if let Some(parent) = dir.path().parent() {
            sweep(parent);
        }
        let path = fs::canonicalize(dir.path())?;
        let name = extension.map_or("input".to_owned(), |e| format!("input.{e}"));
        let run_path = path.join("run");
        fs::create_dir(&run_path)?;
        fs::set_permissions(&run_path, Permissions::from_mode(0o700))?;
        if let Some((user, group)) = owner {
            chown(&run_path, Some(user), Some(group))?;
        }
        let run = open_dir(libc::AT_FDCWD, run_path.as_os_str())?;
        Ok(Scratch { dir, _lock: lock, input_path: path.join(name), input: None, run, owner })
    }

    /// Path of the input file.
    pub fn input_path(&self) -> &Path {
        &self.input_path
    }

    /// The directory that runs start in.
    pub fn run_dir(&self) -> BorrowedFd<'_> {
        self.run.as_fd()
    }

    /// Path of the directory that runs start in, outside the sandbox.
    pub fn run_path(&self) -> PathBuf {
        self.input_path.with_file_name("run")
    }

    /// Uses `run`, a file system mounted for the program alone, as the working directory of runs.
    pub fn adopt_run_dir(&mut self, run: OwnedFd) {
        self.run = run;
    }

    /// Makes the input file hold `data`, whatever a run did to it.
    pub fn write_input(&mut self, data: &[u8]) -> io::Result<()> {
        if !self.input_is_intact() {
            self.input = None;
            self.remove_input()?;
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(&self.input_path)?;
            file.set_permissions(Permissions::from_mode(0o600))?;
            if let Some((user, group)) = self.owner {
                chown(&self.input_path, Some(user), Some(group))?;
            }
            self.input = Some(file);
        }
        let Some(file) = &mut self.input else { return Ok(()) };
        file.rewind()?;
        file.write_all(data)?;
        file.set_len(data.len() as u64)
    }

    /// Whether the path still names our file, as we made it, under that name only.
    fn input_is_intact(&self) -> bool {
        let (Some(file), Ok(there)) = (&self.input, fs::symlink_metadata(&self.input_path)) else {
            return false;
        };
        let Ok(ours) = file.metadata() else { return false };
        there.is_file()
            && (there.dev(), there.ino()) == (ours.dev(), ours.ino())
            && there.nlink() == 1
            && there.mode() & 0o7777 == 0o600
    }

    fn remove_input(&self) -> io::Result<()> {
        match fs::symlink_metadata(&self.input_path) {
            Ok(m) if m.is_dir() => {
                let dir = open_dir(libc::AT_FDCWD, self.input_path.as_os_str())?;
                empty(dir.as_fd(), dir.as_fd(), 0, &mut 0)?;
                fs::remove_dir(&self.input_path)
            }
            Ok(_) => fs::remove_file(&self.input_path),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Puts a file into the working directory of the next run. `name` must be relative and stay below it.
    pub fn write_named(&self, name: &str, data: &[u8]) -> io::Result<()> {
        let path = Path::new(name);
        let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !plain || path.file_name().is_none() {
            let what =
                format!("input file {name}: only relative paths below the working directory can be inputs");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        // A file system mounted in the program's namespace knows the program's user only.
        let _user = self.owner.map(FileUser::become_user);
        let target = PathBuf::from(format!("/proc/self/fd/{}", self.run.as_raw_fd())).join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&target)?;
        file.write_all(data)?;
        file.set_permissions(Permissions::from_mode(0o666))
    }

    /// A copy of what is in the working directory: files and directories; other kinds of files are left out.
    ///
    /// # Errors
    /// When something cannot be read, or all of it is more than [`MOST_SAVED`] bytes.
    pub fn save(&self) -> io::Result<Saved> {
        let mut saved = Saved::default();
        if entries(self.run.as_fd()).is_ok_and(|names| names.is_empty()) {
            return Ok(saved);
        }
        let _user = self.owner.map(FileUser::become_user);
        let top = PathBuf::from(format!("/proc/self/fd/{}", self.run.as_raw_fd()));
        let mut room = MOST_SAVED;
        let mut next = vec![PathBuf::new()];
        while let Some(below) = next.pop() {
            for entry in fs::read_dir(top.join(&below))? {
                let entry = entry?;
                let (name, meta) = (below.join(entry.file_name()), entry.metadata()?);
                let mode = meta.permissions().mode() & 0o7777;
                if meta.is_dir() {
                    saved.entries.push((name.clone(), mode, None));
                    next.push(name);
                } else if meta.is_file() {
                    room = room.checked_sub(meta.len()).ok_or_else(|| {
                        io::Error::other("more than 64 MiB of files in the working directory")
                    })?;
                    saved.entries.push((name.clone(), mode, Some(fs::read(top.join(name))?)));
                }
            }
        }
        Ok(saved)
    }

    /// Makes the working directory hold what was in it when it was copied, and nothing else.
    ///
    /// # Errors
    /// When something cannot be removed or written.
    pub fn restore(&self, saved: &Saved) -> io::Result<()> {
        self.wipe()?;
        if saved.entries.is_empty() {
            return Ok(());
        }
        let _user = self.owner.map(FileUser::become_user);
        let top = PathBuf::from(format!("/proc/self/fd/{}", self.run.as_raw_fd()));
        // Directories stand before what is in them.
        for (name, mode, content) in &saved.entries {
            let path = top.join(name);
            match content {
                None => fs::create_dir(&path)?,
                Some(content) => fs::write(&path, content)?,
            }
            fs::set_permissions(
                &path,
                Permissions::from_mode(*mode | (0o700 * u32::from(content.is_none()))),
            )?;
        }
        Ok(())
    }

    /// Removes whatever runs left in the working directory; whether there was something.
    pub fn wipe(&self) -> io::Result<bool> {
        let run = self.run.as_fd();
        if entries(run).is_ok_and(|names| names.is_empty()) {
            return Ok(false);
        }
        let _user = self.owner.map(FileUser::become_user);
        // The program may have locked it.
        // SAFETY: a call about a descriptor of ours.
        check(unsafe { libc::fchmod(run.as_raw_fd(), 0o700) })?;
        empty(run, run, 0, &mut 0)?;
        Ok(true)
    }
}

/// Removes, once per process, scratch directories in `parent` that engines left that were killed: those that nobody locks.
fn sweep(parent: &Path) {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let is_ours = entry.file_name().as_bytes().starts_with(PREFIX.as_bytes());
            let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
            if !is_ours || age.is_none_or(|a| a < SETTLED) {
                continue;
            }
            let Ok(dir) = open_dir(libc::AT_FDCWD, entry.path().as_os_str()) else { continue };
            // SAFETY: a call about a descriptor of ours.
            if check(unsafe { libc::flock(dir.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }).is_ok() {
                let _ = empty(dir.as_fd(), dir.as_fd(), 0, &mut 0);
                let _ = fs::remove_dir(entry.path());
            }
        }
    });
}

/// This thread's files belong to another user while this lives.
struct FileUser {
    before: (u32, u32),
}

impl FileUser {
    fn become_user((user, group): (u32, u32)) -> FileUser {
        // SAFETY: calls on numbers; these concern the calling thread alone.
        let before = unsafe {
            {
                let g = libc::setfsgid(group) as u32;
                (libc::setfsuid(user) as u32, g)
            }
        };
        FileUser { before }
    }
}

impl Drop for FileUser {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            libc::setfsuid(self.before.0);
            libc::setfsgid(self.before.1);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The directory object removes the rest; what it cannot remove (no permission) is removed here first.
        let _ = self.wipe();
        if let Ok(dir) = open_dir(libc::AT_FDCWD, self.dir.path().as_os_str()) {
            let _ = empty(dir.as_fd(), dir.as_fd(), 0, &mut 0);
        }
    }
}

fn open_dir(at: i32, name: &OsStr) -> io::Result<OwnedFd> {
    let name = CString::new(name.as_bytes())?;
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: a valid C string; the descriptor returned is new.
    unsafe { Ok(OwnedFd::from_raw_fd(check(libc::openat(at, name.as_ptr(), flags))?)) }
}

fn entries(dir: BorrowedFd<'_>) -> io::Result<Vec<OsString>> {
    let list = fs::read_dir(format!("/proc/self/fd/{}", dir.as_raw_fd()))?;
    list.map(|e| e.map(|e| e.file_name())).collect()
}

/// Removes everything below `dir`. Directories more than [`DEEPEST`] levels down are moved to `top` first.
fn empty(top: BorrowedFd<'_>, dir: BorrowedFd<'_>, depth: usize, moved: &mut u64) -> io::Result<()> {
    loop {
        let names = entries(dir)?;
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            let c_name = CString::new(name.into_vec())?;
            remove(top, dir, &c_name, depth, moved)?;
        }
    }
}

fn remove(
    top: BorrowedFd<'_>,
    dir: BorrowedFd<'_>,
    name: &CString,
    depth: usize,
    moved: &mut u64,
) -> io::Result<()> {
    let at = dir.as_raw_fd();
    // SAFETY: a valid C string and a descriptor of ours, here and below.
    let unlinked = check(unsafe { libc::unlinkat(at, name.as_ptr(), 0) });
    match unlinked.map_err(|e| e.raw_os_error()) {
        Ok(_) | Err(Some(libc::ENOENT)) => return Ok(()),
        Err(Some(libc::EISDIR | libc::EPERM)) => {}
        Err(code) => return Err(io::Error::from_raw_os_error(code.unwrap_or(libc::EIO))),
    }
    if depth >= DEEPEST {
        *moved += 1;
        let new = CString::new(format!("spelunk-moved-{moved}"))?;
        // SAFETY: as above.
        check(unsafe { libc::renameat(at, name.as_ptr(), top.as_raw_fd(), new.as_ptr()) })?;
        return Ok(());
    }
    // SAFETY: as above. The directory may have been made unreadable.
    unsafe { libc::fchmodat(at, name.as_ptr(), 0o700, 0) };
    let sub = open_dir(at, OsStr::from_bytes(name.as_bytes()))?;
    empty(top, sub.as_fd(), depth + 1, moved)?;
    // SAFETY: as above.
    check(unsafe { libc::unlinkat(at, name.as_ptr(), libc::AT_REMOVEDIR) })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_file_is_made_again_whatever_was_done_to_it() {
        let mut s = Scratch::new(None, Some("txt"), None).expect("scratch");
        s.write_input(b"longer text").expect("write");
        s.write_input(b"short").expect("write");
        assert_eq!(fs::read(s.input_path()).expect("read"), b"short");
        fs::remove_file(s.input_path()).expect("remove");
        fs::create_dir_all(s.input_path().join("a/b")).expect("a directory in its place");
        s.write_input(b"again").expect("write");
        assert_eq!(fs::read(s.input_path()).expect("read"), b"again");
        fs::remove_file(s.input_path()).expect("remove");
        std::os::unix::fs::symlink("/dev/null", s.input_path()).expect("a link in its place");
        s.write_input(b"still").expect("write");
        assert_eq!(fs::read(s.input_path()).expect("read"), b"still");
    }

    #[test]
    fn deep_and_locked_trees_are_wiped_and_nothing_stays() {
        let s = Scratch::new(None, None, None).expect("scratch");
        let mut deep = s.run_path();
        for _ in 0..200 {
            deep.push("d");
        }
        fs::create_dir_all(&deep).expect("deep");
        fs::write(deep.join("f"), "x").expect("file");
        fs::create_dir(s.run_path().join("locked")).expect("dir");
        fs::set_permissions(s.run_path().join("locked"), Permissions::from_mode(0o000)).expect("chmod");
        s.wipe().expect("wipe");
        assert_eq!(fs::read_dir(s.run_path()).expect("list").count(), 0);
        let path = s.run_path();
        drop(s);
        assert!(!path.exists());
    }

    #[test]
    fn named_files_stay_below_the_working_directory() {
        let s = Scratch::new(None, None, None).expect("scratch");
        s.write_named("conf/app.ini", b"x=1").expect("relative");
        assert_eq!(fs::read(s.run_path().join("conf/app.ini")).expect("read"), b"x=1");
        for bad in ["../up", "/etc/passwd", "", "a/../../b"] {
            assert!(s.write_named(bad, b"").is_err(), "{bad}");
        }
    }
}
