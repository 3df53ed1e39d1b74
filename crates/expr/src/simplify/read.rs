//! Reads from tables.

use crate::{Arena, ArrayId, ExprId};

/// At a known address: the bytes themselves.
pub(crate) fn read(arena: &mut Arena, table: ArrayId, address: ExprId, width: u16) -> Option<ExprId> {
    let address = arena.as_u64(address)?;
    let mut whole = None;
    for k in 0..u64::from(width / 8) {
        let t = arena.table(table);
        let at = address.wrapping_add(k).wrapping_sub(t.base) as usize;
        let byte = match (t.symbolic_byte(at), t.bytes.get(at).copied().unwrap_or(0)) {
            (Some(e), _) => e,
            (None, value) => arena.const_u64(8, value.into()),
        };
        whole = Some(match whole {
            Some(low) => arena.concat(byte, low),
            None => byte,
        });
    }
    whole
}
