//! One writer per campaign folder: an advisory lock that the system drops when the process ends, however it ends.

use crate::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// Held while it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder and writes our process id into it.
    pub(crate) fn take(dir: &Path) -> Result<Lock, StoreError> {
        let path = dir.join("lock");
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(|e| StoreError::io("open", &path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let read = file.read_to_string(&mut pid);
                let known = read.is_ok() && !pid.trim().is_empty();
                let pid = if known { pid.trim().to_string() } else { "unknown".to_string() };
                return Err(StoreError::Locked { dir: dir.to_path_buf(), pid });
            }
            Err(TryLockError::Error(e)) => return Err(StoreError::io("lock", &path, e)),
        }
        let write = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        write.map_err(|e| StoreError::io("write", &path, e))?;
        Ok(Lock { _file: file })
    }
}
