//! The scratch directory of a server: the input file, and the working directory of runs, emptied after each.
//!
//! ```text
//! spelunk-XXXX/        of the engine, mode 711
//!     input[.EXT]      the file behind `@@`, rewritten for each run
//!     run/             working directory of the program, which may do there what it likes
//! ```

use crate::beneath::{self, open_dir};
use crate::saved::Saved;
use crate::sys::effective_ids;
use rustix::fs::{CWD, FlockOperation, Mode};
use std::ffi::{CString, OsStr};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown, fchown};
use std::path::{Component, Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// What stands for the input file's path in arguments and object names.
pub const FILE_ARGUMENT: &str = "@@";

/// How names of scratch directories begin.
const PREFIX: &str = "spelunk-";
/// A directory younger than this may not be locked yet.
const SETTLED: Duration = Duration::from_secs(60);

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
        rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
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
        let run = open_dir(CWD, &c_name(run_path.as_os_str())?)?;
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
                fchown(&file, Some(user), Some(group))?;
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
        let name = self.input_path.file_name().unwrap_or_default();
        let above = open_dir(CWD, &c_name(self.dir.path().as_os_str())?)?;
        beneath::remove(above.as_fd(), &c_name(name)?)
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
        beneath::write(self.run.as_fd(), path, data, Mode::from_raw_mode(0o666))
    }

    /// A copy of what is in the working directory, of at most so many bytes.
    ///
    /// # Errors
    /// When something cannot be read, or there is too much of it.
    pub fn save(&self, most: u64) -> io::Result<Saved> {
        let _user = self.owner.map(FileUser::become_user);
        Saved::of(self.run.as_fd(), most)
    }

    /// Makes the working directory hold what was in it when it was copied, and nothing else.
    ///
    /// # Errors
    /// When something cannot be removed or written.
    pub fn restore(&self, saved: &Saved) -> io::Result<()> {
        self.wipe()?;
        if saved.is_empty() {
            return Ok(());
        }
        let _user = self.owner.map(FileUser::become_user);
        saved.restore(self.run.as_fd())
    }

    /// Removes whatever runs left in the working directory; whether there was something.
    pub fn wipe(&self) -> io::Result<bool> {
        let run = self.run.as_fd();
        if beneath::names(run, 1).is_ok_and(|names| names.is_empty()) {
            return Ok(false);
        }
        let _user = self.owner.map(FileUser::become_user);
        // The program may have locked it.
        rustix::fs::fchmod(run, Mode::RWXU)?;
        beneath::empty(run)?;
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
            let Ok(dir) = c_name(entry.path().as_os_str()).and_then(|name| Ok(open_dir(CWD, &name)?)) else {
                continue;
            };
            // Others' directories may be called so, too.
            let is_own = rustix::fs::fstat(&dir).is_ok_and(|stat| stat.st_uid == effective_ids().0);
            if is_own && rustix::fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let _ = beneath::empty(dir.as_fd());
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
        let dir = c_name(self.dir.path().as_os_str()).and_then(|name| Ok(open_dir(CWD, &name)?));
        if let Ok(dir) = dir {
            let _ = beneath::empty(dir.as_fd());
        }
    }
}

fn c_name(name: &OsStr) -> io::Result<CString> {
    Ok(CString::new(name.as_bytes())?)
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
