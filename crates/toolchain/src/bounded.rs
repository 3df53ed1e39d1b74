//! A folder of the cache whose entries (folders by content) are kept below a size together: those used longest ago go first.
//!
//! Who uses an entry keeps it ([`keep`]) by a shared lock on its file `used`, whose time is that of the last use. [`sweep`] removes
//! an entry only under an exclusive lock, so entries in use stay, in whatever process.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Name of the lock file in an entry.
const USED: &str = "used";

/// Keeps an entry until this process ends: no [`sweep`] removes it.
///
/// # Errors
/// When the entry is not there or its lock file cannot be made.
pub fn keep(entry: &Path) -> io::Result<()> {
    let path = entry.join(USED);
    let file = File::options().create(true).append(true).open(&path)?;
    file.lock_shared()?;
    // It may have been removed while this waited for the lock.
    if fs::metadata(&path)?.ino() != file.metadata()?.ino() {
        return Err(io::ErrorKind::NotFound.into());
    }
    file.set_modified(SystemTime::now())?;
    // The lock is the process's: it goes with its descriptors.
    std::mem::forget(file);
    Ok(())
}

/// Removes entries of `folder` that nobody keeps, longest unused first, until all together have at most `limit` bytes. What cannot
/// be removed, or is removed by somebody else at the same time, is passed over.
///
/// # Errors
/// When the folder cannot be read.
pub fn sweep(folder: &Path, limit: u64) -> io::Result<()> {
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
        .map(|e| (last_use(&e.path()), size(&e.path()), e.path()))
        .collect();
    let mut total: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    if total <= limit {
        return Ok(());
    }
    entries.sort_unstable();
    for (_, bytes, path) in entries {
        if total <= limit {
            break;
        }
        if remove(&path).is_ok() {
            total -= bytes;
        }
    }
    Ok(())
}

/// Removes an entry unless somebody keeps it.
fn remove(entry: &Path) -> io::Result<()> {
    let file = File::options().create(true).append(true).open(entry.join(USED))?;
    file.try_lock()?;
    fs::remove_dir_all(entry)
}

/// When it was used last; an entry that nobody kept yet is as old as its folder.
fn last_use(entry: &Path) -> SystemTime {
    let time = |p: &Path| fs::metadata(p).and_then(|m| m.modified());
    time(&entry.join(USED)).or_else(|_| time(entry)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Bytes of the files in an entry.
fn size(entry: &Path) -> u64 {
    let Ok(files) = fs::read_dir(entry) else { return 0 };
    files.flatten().filter_map(|f| f.metadata().ok()).filter(fs::Metadata::is_file).map(|m| m.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn entry(folder: &Path, name: &str, bytes: usize, age: u64) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("content"), vec![0; bytes]).unwrap();
        let used = File::create(path.join(USED)).unwrap();
        used.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        path
    }

    #[test]
    fn the_longest_unused_go_first_and_what_is_kept_stays() {
        let folder = tempfile::tempdir().unwrap();
        let kept = entry(folder.path(), "kept", 100, 4000);
        let old = entry(folder.path(), "old", 100, 3000);
        let newer = entry(folder.path(), "newer", 100, 2000);
        let newest = entry(folder.path(), "newest", 100, 1000);
        keep(&kept).unwrap();
        sweep(folder.path(), 400).unwrap();
        assert!(old.exists(), "nothing goes while all fit");
        fs::File::open(kept.join(USED)).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        sweep(folder.path(), 300).unwrap();
        assert!(kept.exists() && !old.exists() && newer.exists() && newest.exists());
        sweep(folder.path(), 0).unwrap();
        assert!(kept.exists() && !newer.exists() && !newest.exists());
    }

    #[test]
    fn what_is_not_there_cannot_be_kept() {
        assert!(keep(Path::new("/nowhere/at/all")).is_err());
    }
}
