//! A copy of a directory that a hostile program filled, bounded in every way: for snapshots.
//!
//! Files, directories and symbolic links (their text: nobody follows them); other kinds are left out. Two names of one file become
//! two files.

use crate::beneath::{make_dir, make_file, names, open_dir, open_file};
use rustix::fs::{AtFlags, FileType, Mode};
use std::ffi::{CStr, CString};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};

/// Levels of directories.
const DEEPEST: usize = 32;
/// Files, directories and links.
const MOST_ENTRIES: u32 = 4_096;

/// What was there.
#[derive(Debug, Default)]
pub struct Saved {
    entries: Vec<(CString, Entry)>,
    /// Bytes of files.
    bytes: u64,
}

#[derive(Debug)]
enum Entry {
    Directory(Mode, Vec<(CString, Entry)>),
    File(Mode, Vec<u8>),
    Link(CString),
}

/// What a copy may still take.
struct Room {
    bytes: u64,
    entries: u32,
}

impl Saved {
    /// A copy of what is in `dir`, of at most so many bytes.
    ///
    /// # Errors
    /// When something cannot be read, or there is too much of it.
    pub fn of(dir: BorrowedFd<'_>, most: u64) -> io::Result<Saved> {
        let mut room = Room { bytes: most, entries: MOST_ENTRIES };
        let entries = room.copies(dir, 0)?;
        Ok(Saved { entries, bytes: most - room.bytes })
    }

    /// Whether there was nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Puts everything into `dir`, where nothing of it is.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn restore(&self, dir: BorrowedFd<'_>) -> io::Result<()> {
        restore(&self.entries, dir)
    }
}

fn restore(entries: &[(CString, Entry)], dir: BorrowedFd<'_>) -> io::Result<()> {
    for (name, entry) in entries {
        match entry {
            Entry::File(mode, content) => make_file(dir, name, content, *mode)?,
            Entry::Link(to) => rustix::fs::symlinkat(to.as_c_str(), dir, name.as_c_str())?,
            Entry::Directory(mode, below) => {
                let sub = make_dir(dir, name)?;
                restore(below, sub.as_fd())?;
                rustix::fs::fchmod(&sub, *mode)?;
            }
        }
    }
    Ok(())
}

impl Room {
    fn copies(&mut self, dir: BorrowedFd<'_>, depth: usize) -> io::Result<Vec<(CString, Entry)>> {
        let names = names(dir, self.entries as usize + 1)?;
        let too_many = || io::Error::other(format!("more than {MOST_ENTRIES} files"));
        self.entries = self.entries.checked_sub(names.len() as u32).ok_or_else(too_many)?;
        let mut copies = Vec::with_capacity(names.len());
        for name in names {
            if let Some(entry) = self.copy(dir, &name, depth)? {
                copies.push((name, entry));
            }
        }
        // The order in a directory is the kernel's affair.
        copies.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(copies)
    }

    fn copy(&mut self, dir: BorrowedFd<'_>, name: &CStr, depth: usize) -> io::Result<Option<Entry>> {
        let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => Some(Entry::Link(rustix::fs::readlinkat(dir, name, Vec::new())?)),
            FileType::Directory if depth >= DEEPEST => {
                return Err(io::Error::other(format!("directories more than {DEEPEST} deep")));
            }
            FileType::Directory => {
                let sub = open_dir(dir, name)?;
                let mode = Mode::from_raw_mode(rustix::fs::fstat(&sub)?.st_mode);
                Some(Entry::Directory(mode, self.copies(sub.as_fd(), depth + 1)?))
            }
            FileType::RegularFile => {
                let Some(mut file) = open_file(dir, name)? else { return Ok(None) };
                let mode = Mode::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
                let mut content = Vec::new();
                // Not what it says of its length: it may grow.
                Read::by_ref(&mut file).take(self.bytes + 1).read_to_end(&mut content)?;
                let too_much = || io::Error::other("too many bytes of files");
                self.bytes = self.bytes.checked_sub(content.len() as u64).ok_or_else(too_much)?;
                Some(Entry::File(mode, content))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn everything_comes_back_as_it_was() {
        let s = Scratch::new(None, None, None).expect("scratch");
        let run = s.run_path();
        s.write_named("a/b/deep", b"content").expect("written");
        fs::set_permissions(run.join("a/b/deep"), fs::Permissions::from_mode(0o440)).expect("chmod");
        fs::set_permissions(run.join("a/b"), fs::Permissions::from_mode(0o550)).expect("chmod");
        symlink("/dev/zero", run.join("zero")).expect("a link");
        rustix::fs::mkfifoat(s.run_dir(), "pipe", Mode::RWXU).expect("a pipe");
        let saved = s.save(1 << 20).expect("saved");
        assert_eq!(saved.bytes(), 7);
        for _ in 0..2 {
            s.write_named("other", b"of a run").expect("written");
            s.restore(&saved).expect("restored");
            let mut names: Vec<_> =
                fs::read_dir(&run).expect("list").flatten().map(|e| e.file_name()).collect();
            names.sort();
            assert_eq!(names, ["a", "zero"], "a pipe is nothing that can be put back");
            assert_eq!(fs::read(run.join("a/b/deep")).expect("read"), b"content");
            let mode = |p: &str| fs::metadata(run.join(p)).expect("stat").mode() & 0o7777;
            assert_eq!((mode("a/b"), mode("a/b/deep")), (0o550, 0o440));
            assert_eq!(fs::read_link(run.join("zero")).expect("a link"), std::path::Path::new("/dev/zero"));
        }
    }

    #[test]
    fn too_much_is_refused() {
        let s = Scratch::new(None, None, None).expect("scratch");
        s.write_named("file", &[7; 1000]).expect("written");
        assert!(s.save(1000).is_ok());
        assert!(s.save(999).expect_err("too large").to_string().contains("bytes"));
        let deep: std::path::PathBuf = std::iter::repeat_n("d", DEEPEST + 2).collect();
        fs::create_dir_all(s.run_path().join(deep)).expect("deep");
        assert!(s.save(1000).expect_err("too deep").to_string().contains("deep"));
        s.wipe().expect("wiped");
        for k in 0..=MOST_ENTRIES {
            fs::write(s.run_path().join(k.to_string()), "").expect("written");
        }
        assert!(s.save(1000).expect_err("too many").to_string().contains("more than 4096"));
    }
}
