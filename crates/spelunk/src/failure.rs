//! How a command fails: one clear message, and an exit code.

use crate::exit;

/// A command failed. The message says what was wrong, where, and what to do.
#[derive(Debug)]
pub struct Failure {
    /// One of [`exit`]'s codes.
    pub code: u8,
    /// For people, without a final full stop or newline.
    pub message: String,
}

impl Failure {
    /// A failure with this code and message.
    pub fn new(code: u8, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }

    /// The operating system refused to `what` at `path`.
    pub fn io(what: &str, path: &std::path::Path, error: &std::io::Error) -> Failure {
        let hint = match error.kind() {
            std::io::ErrorKind::StorageFull => "; free some space or choose another folder",
            std::io::ErrorKind::PermissionDenied => "; check its permissions or choose another place",
            _ => "",
        };
        Failure::new(exit::SYSTEM, format!("cannot {what} {}: {error}{hint}", path.display()))
    }
}

/// What commands return: an exit code, or a failure.
pub type Done = Result<u8, Failure>;
