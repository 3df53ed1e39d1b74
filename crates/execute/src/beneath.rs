//! Files below a directory that a hostile program can change, even while this runs.
//!
//! Names are looked up one at a time, each in a directory that is open already, and never through a link: a program that puts a
//! link, a pipe or a device in the place of what was just looked at gets an error out of it, and reaches nothing that it could
//! not reach itself. What is written to is always new. Nothing here waits: only what was seen to be a regular file, by a
//! descriptor that cannot be read yet, is opened.

use crate::sys::through_proc;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Deeper directories are moved up before they are emptied, so that no tree is too deep.
const DEEPEST: usize = 24;
/// Names taken out of a directory at a time.
const PIECE: usize = 1 << 10;
/// Something that makes files faster than they are removed is not waited for: so many steps, and no more.
const MOST_REMOVED: u64 = 1 << 20;

/// What may be done with a directory by its owner.
const OURS: Mode = Mode::RWXU;

/// Opens the directory of this name; nothing else, and no link to one.
pub fn open_dir(at: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty())
}

/// Opens the regular file of this name for reading; `None` if that is something else.
pub fn open_file(at: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<File>> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = rustix::fs::openat(at, name, flags, Mode::empty())?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&seen)?.st_mode);
    // The descriptor's own entry in /proc is that very file, whatever has its name by now.
    if kind.is_file() { Ok(Some(File::open(through_proc(seen.as_fd()))?)) } else { Ok(None) }
}

/// Up to so many names in a directory.
pub fn names(dir: BorrowedFd<'_>, most: usize) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let name = entry?.file_name().to_owned();
        if name.as_bytes() != b"." && name.as_bytes() != b".." {
            if names.len() == most {
                break;
            }
            names.push(name);
        }
    }
    Ok(names)
}

/// Makes a directory and opens it.
pub fn make_dir(at: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(at, name, OURS)?;
    Ok(open_dir(at, name)?)
}

/// Makes a file, which must not be there yet, with this content.
pub fn make_file(at: BorrowedFd<'_>, name: &CStr, content: &[u8], mode: Mode) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(at, name, flags, Mode::RUSR | Mode::WUSR)?);
    file.write_all(content)?;
    Ok(rustix::fs::fchmod(&file, mode)?)
}

/// Makes a file of this relative path, with directories on the way. What else has its name goes, and so does what has that of a
/// directory on the way and is none.
pub fn write(top: BorrowedFd<'_>, path: &Path, content: &[u8], mode: Mode) -> io::Result<()> {
    let names = path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(CString::new(name.as_bytes())),
        _ => None,
    });
    let mut names = names.collect::<Result<Vec<CString>, _>>()?;
    let Some(last) = names.pop() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let mut dir = rustix::io::fcntl_dupfd_cloexec(top, 3)?;
    for name in names {
        dir = match open_dir(dir.as_fd(), &name) {
            Ok(there) => there,
            Err(_) => {
                Sweep::new(dir.as_fd()).remove(dir.as_fd(), &name, 0)?;
                make_dir(dir.as_fd(), &name)?
            }
        };
    }
    Sweep::new(dir.as_fd()).remove(dir.as_fd(), &last, 0)?;
    make_file(dir.as_fd(), &last, content, mode)
}

/// Removes everything in `dir`.
///
/// # Errors
/// When something cannot be removed, or comes back too often.
pub fn empty(dir: BorrowedFd<'_>) -> io::Result<()> {
    Sweep::new(dir).empty(dir, 0)
}

/// Removes what has this name in `dir`, if anything has.
pub fn remove(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    Sweep::new(dir).remove(dir, name, 0)
}

/// Removal of trees.
struct Sweep<'a> {
    top: BorrowedFd<'a>,
    /// Names tried for directories that were moved to the top.
    moved: u64,
    /// Steps that are left.
    left: u64,
}

impl<'a> Sweep<'a> {
    fn new(top: BorrowedFd<'a>) -> Sweep<'a> {
        Sweep { top, moved: 0, left: MOST_REMOVED }
    }

    fn empty(&mut self, dir: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        loop {
            let names = names(dir, PIECE)?;
            if names.is_empty() {
                return Ok(());
            }
            for name in names {
                self.remove(dir, &name, depth)?;
            }
        }
    }

    fn remove(&mut self, dir: BorrowedFd<'_>, name: &CStr, depth: usize) -> io::Result<()> {
        let spent = || io::Error::other("something makes files faster than they are removed");
        self.left = self.left.checked_sub(1).ok_or_else(spent)?;
        match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        let sub = match unlocked(dir, name) {
            // It is something else by now: whoever empties the directory looks again.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            sub => sub?,
        };
        if depth >= DEEPEST {
            return self.move_up(dir, name);
        }
        self.empty(sub.as_fd(), depth + 1)?;
        match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::NOTEMPTY) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn move_up(&mut self, dir: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        for _ in 0..PIECE {
            self.moved += 1;
            let new = format!("spelunk-moved-{}", self.moved);
            match rustix::fs::renameat_with(dir, name, self.top, new, RenameFlags::NOREPLACE) {
                Err(Errno::EXIST) => {}
                Ok(()) | Err(Errno::NOENT) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::other("a directory cannot be moved"))
    }
}

/// Opens the directory of this name, which may have been made unreadable, and lets its owner do everything with it.
fn unlocked(at: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = rustix::fs::openat(at, name, flags, Mode::empty())?;
    // Not by its name, which may be a link to something else by now. What belongs to somebody else opens, or it does not.
    let _ = rustix::fs::chmod(through_proc(seen.as_fd()), OURS);
    open_dir(seen.as_fd(), c".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A directory of somebody else, with a file in it.
    fn victim() -> tempfile::TempDir {
        let victim = tempfile::tempdir().expect("a directory");
        fs::write(victim.path().join("kept"), "precious").expect("a file");
        fs::set_permissions(victim.path().join("kept"), fs::Permissions::from_mode(0o640)).expect("chmod");
        victim
    }

    fn is_whole(victim: &tempfile::TempDir) {
        let names: Vec<_> =
            fs::read_dir(victim.path()).expect("list").flatten().map(|e| e.file_name()).collect();
        assert_eq!(names, ["kept"]);
        let file = victim.path().join("kept");
        assert_eq!(fs::read(&file).expect("read"), b"precious");
        assert_eq!(fs::metadata(&file).expect("stat").mode() & 0o7777, 0o640);
    }

    #[test]
    fn links_in_the_way_of_a_file_are_replaced_and_not_followed() {
        let victim = victim();
        let s = Scratch::new(None, None, None).expect("scratch");
        let run = s.run_path();
        symlink(victim.path(), run.join("conf")).expect("a link to a directory");
        s.write_named("conf/new", b"x").expect("written");
        assert!(fs::symlink_metadata(run.join("conf")).expect("stat").is_dir());
        symlink(victim.path().join("kept"), run.join("file")).expect("a link to a file");
        fs::hard_link(victim.path().join("kept"), run.join("hard")).ok();
        for name in ["file", "hard"] {
            s.write_named(name, b"mine").expect("written");
            assert_eq!(fs::read(run.join(name)).expect("read"), b"mine");
        }
        rustix::fs::mkfifoat(s.run_dir(), "pipe", OURS).expect("a pipe");
        s.write_named("pipe", b"no longer").expect("nobody waits for a reader");
        assert_eq!(fs::read(run.join("pipe")).expect("read"), b"no longer");
        is_whole(&victim);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let victim = victim();
        let s = Scratch::new(None, None, None).expect("scratch");
        rustix::fs::mkfifoat(s.run_dir(), "pipe", OURS).expect("a pipe");
        symlink(victim.path().join("kept"), s.run_path().join("link")).expect("a link");
        symlink("/dev/zero", s.run_path().join("zero")).expect("a link");
        s.write_named("file", b"x").expect("written");
        for (name, opens) in [(c"pipe", false), (c"link", false), (c"zero", false), (c"file", true)] {
            assert_eq!(open_file(s.run_dir(), name).expect("looked at").is_some(), opens, "{name:?}");
        }
    }

    /// A directory that becomes a link and back, all the time, while everything is removed: what the link leads to stays.
    #[test]
    fn what_changes_while_it_is_removed_leads_nowhere() {
        let victim = victim();
        let s = Scratch::new(None, None, None).expect("scratch");
        let (run, done) = (s.run_path(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::create_dir_all(run.join("a/swap"));
                    let _ = fs::remove_dir(run.join("a/swap"));
                    let _ = symlink(victim.path(), run.join("a/swap"));
                    let _ = fs::remove_file(run.join("a/swap"));
                }
            });
            for _ in 0..3_000 {
                let _ = remove(s.run_dir(), c"a");
            }
            done.store(true, Ordering::Relaxed);
        });
        is_whole(&victim);
    }

    #[test]
    fn names_in_the_way_of_deep_trees_do_not_matter() {
        let s = Scratch::new(None, None, None).expect("scratch");
        for k in 0..4 {
            fs::create_dir_all(s.run_path().join(format!("spelunk-moved-{k}/full"))).expect("in the way");
        }
        let deep: std::path::PathBuf = std::iter::repeat_n("d", 100).collect();
        fs::create_dir_all(s.run_path().join(deep)).expect("deep");
        s.wipe().expect("wiped");
        assert_eq!(fs::read_dir(s.run_path()).expect("list").count(), 0);
    }
}
