//! The node table: hash-consing and appending.

/// Forgets all nodes.
pub fn reset() {}
/// Input byte.
pub fn input(_object: u32, _offset: u32) -> u32 { 0 }
