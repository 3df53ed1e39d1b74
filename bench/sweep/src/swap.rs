//! Programs of a built tree replaced by their flavours, and put back.
//!
//! What is put in place keeps the time of the program, so that `make` and its like see nothing to build. Its time of access
//! is set to long ago: the kernel moves it when the file is run (also on file systems mounted with `relatime`), which
//! tells afterwards what was run at all.

use crate::process::User;
use std::fs::{File, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The programs of a tree, of which copies are kept.
pub struct Swap {
    source: PathBuf,
    kept: PathBuf,
    user: User,
    programs: Vec<PathBuf>,
}

/// What was put into a tree.
pub struct Placed {
    files: Vec<(PathBuf, u64)>,
}

/// What became of what was put into a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Run at least once.
    pub ran: usize,
    /// Made anew by the test target, so that the flavour was gone.
    pub replaced: usize,
}

impl Swap {
    /// Keeps a copy of each program in the folder `kept`.
    pub fn new(source: &Path, kept: &Path, user: User, programs: &[PathBuf]) -> std::io::Result<Swap> {
        if kept.exists() {
            std::fs::remove_dir_all(kept)?;
        }
        for path in programs {
            let (from, to) = (source.join(path), kept.join(path));
            std::fs::create_dir_all(to.parent().unwrap_or(kept))?;
            std::fs::copy(&from, &to)?;
            let modified = from.metadata()?.modified()?;
            File::options().write(true).open(&to)?.set_modified(modified)?;
        }
        let (source, kept, programs) = (source.to_path_buf(), kept.to_path_buf(), programs.to_vec());
        Ok(Swap { source, kept, user, programs })
    }

    /// The kept copy of a program.
    pub fn plain(&self, program: &Path) -> PathBuf {
        self.kept.join(program)
    }

    /// Puts for each program the file that `with` names, or the program itself.
    pub fn put(&self, with: impl Fn(&Path) -> Option<PathBuf>) -> std::io::Result<Placed> {
        let mut files = Vec::new();
        for path in &self.programs {
            let kept = self.plain(path);
            let new = with(path).unwrap_or_else(|| kept.clone());
            let (place, meta) = (self.source.join(path), kept.metadata()?);
            // A program that runs cannot be written to, but its name can be given to another file.
            let _ = std::fs::remove_file(&place);
            std::fs::copy(&new, &place)?;
            std::fs::set_permissions(&place, meta.permissions())?;
            self.user.own(&place)?;
            let file = File::open(&place)?;
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
            file.set_times(FileTimes::new().set_accessed(long_ago).set_modified(meta.modified()?))?;
            files.push((place.clone(), place.metadata()?.ino()));
        }
        Ok(Placed { files })
    }
}

impl Placed {
    /// What was run, and what was made anew.
    pub fn seen(&self) -> Seen {
        let mut seen = Seen::default();
        for (place, inode) in &self.files {
            match place.metadata() {
                Ok(meta) if meta.ino() == *inode => seen.ran += usize::from(meta.atime() > 1),
                _ => seen.replaced += 1,
            }
        }
        seen
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_keeps_its_time_and_is_seen_to_run() {
        let folder = std::env::temp_dir().join(format!("sweep-swap-{}", std::process::id()));
        let (source, kept) = (folder.join("src"), folder.join("kept"));
        std::fs::create_dir_all(&source).expect("a folder");
        for name in ["a", "b"] {
            std::fs::copy("/bin/true", source.join(name)).expect("a program");
        }
        let modified = |name| source.join(name).metadata().expect("there").modified().expect("a time");
        let before = modified("a");
        let user = User::unprivileged().expect("a user");
        let swap = Swap::new(&source, &kept, user, &["a".into(), "b".into()]).expect("kept");
        let placed = swap.put(|p| (p == Path::new("a")).then(|| "/bin/false".into())).expect("put");
        assert_eq!(modified("a"), before);
        assert_eq!(placed.seen(), Seen::default());
        let status = std::process::Command::new(source.join("a")).status().expect("it runs");
        assert!(!status.success());
        std::fs::remove_file(source.join("b")).expect("removable");
        assert_eq!(placed.seen(), Seen { ran: 1, replaced: 1 });
        std::fs::remove_dir_all(&folder).expect("removable");
    }
}
