//! What runs of batches have shown, for all servers of a program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Ranges of counts by coverage byte that some run alone showed. Servers of one executable that are given the same map
/// ([`crate::ForkServer::sharing`]) do not show again what another has shown; clones are the same map.
#[derive(Clone, Debug, Default)]
pub struct Seen(Arc<Mutex<Vec<u8>>>);

impl Seen {
    /// The map, with `len` bytes, which all that share it agree on.
    pub(crate) fn lock(&self, len: usize) -> MutexGuard<'_, Vec<u8>> {
        // A byte is written whole: what a panic leaves behind is a map.
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.resize(len, 0);
        map
    }
}
