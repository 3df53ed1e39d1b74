//! What can go wrong, in words for the person at the terminal.

use std::path::{Path, PathBuf};

/// Why a campaign folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is a campaign already.
    #[error("{} already holds a campaign; continue it with --resume, or choose another folder with --out", dir.display())]
    Exists {
        /// The folder.
        dir: PathBuf,
    },
    /// There is none.
    #[error("{} holds no campaign (there is no campaign.db in it); `spelunk explore … --out {}` makes one", dir.display(), dir.display())]
    NotACampaign {
        /// The folder.
        dir: PathBuf,
    },
    /// It was written by another version.
    #[error(
        "{} was written in format {found}, this spelunk reads format {ours}; use the version that wrote it, or start a new campaign (its corpus folder can be given with --seeds)",
        path.display()
    )]
    Version {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// [`crate::FORMAT`].
        ours: i64,
    },
    /// Another process is writing.
    #[error("another spelunk (process {pid}) is working in {}; stop it, or choose another folder with --out", dir.display())]
    Locked {
        /// The folder.
        dir: PathBuf,
        /// What the lock file says.
        pid: String,
    },
    /// No room.
    #[error("no space left on the disk that holds {}; what was recorded before is kept: make room and continue with --resume", path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// Another error of the operating system.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was being done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// An error of the database.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Something in the database cannot be read.
    #[error("{} is damaged: {what}; the inputs found are still in corpus/ beside it: start a new campaign with them as --seeds", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl StoreError {
    /// An error of the operating system; a full disk is told apart.
    pub(crate) fn io(what: &'static str, path: &Path, source: std::io::Error) -> StoreError {
        let path = path.to_path_buf();
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                StoreError::DiskFull { path }
            }
            _ => StoreError::Io { what, path, source },
        }
    }

    /// An error of SQLite; a full disk and a foreign file are told apart.
    pub(crate) fn db(path: &Path, source: rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(rusqlite::ErrorCode::NotADatabase) => {
                StoreError::Damaged { path, what: "it is not a database".to_string() }
            }
            // What SQLite says when its shared-memory file finds no room, among others.
            Some(rusqlite::ErrorCode::SystemIoFailure) => {
                let source = std::io::Error::other(format!("{source}; the disk may be full or failing"));
                StoreError::Io { what: "write", path, source }
            }
            Some(rusqlite::ErrorCode::DatabaseCorrupt) => {
                StoreError::Damaged { path, what: source.to_string() }
            }
            _ => StoreError::Database { path, source },
        }
    }
}
