//! The table area: snapshots of objects that were read through symbolic addresses.

use trace_abi::{MAX_SELECT_BYTES, TABLE_RANGE};

/// One snapshot, as laid out behind a [`trace_abi::TableHeader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableView<'t> {
    /// Address of the first byte.
    pub base: u64,
    /// Length of the object in bytes.
    pub len: u64,
    /// Concrete values; none if only the range is known.
    pub bytes: &'t [u8],
    /// Labels, 4 little-endian bytes each; empty if no byte is symbolic.
    labels: &'t [u8],
}

impl<'t> TableView<'t> {
    /// The table whose header lies at `offset`, or `None` if there is none that lies within `area`.
    pub fn at(area: &'t [u8], offset: u64) -> Option<TableView<'t>> {
        let rest = area.get(usize::try_from(offset).ok()?..)?;
        let (header, rest) = rest.split_at_checked(size_of::<trace_abi::TableHeader>())?;
        let word = |k: usize| u32::from_le_bytes(header[k..k + 4].try_into().expect("four bytes"));
        let base = u64::from(word(4)) << 32 | u64::from(word(0));
        let (len, labelled) = (word(8) as usize, word(12));
        base.checked_add(len as u64)?;
        if labelled == TABLE_RANGE {
            return Some(TableView { base, len: len as u64, bytes: &rest[..0], labels: &rest[..0] });
        }
        if len as u64 > MAX_SELECT_BYTES || labelled > 1 {
            return None;
        }
        let bytes = rest.get(..len)?;
        let labels = match labelled {
            0 => &rest[..0],
            _ => rest.get(len.next_multiple_of(4)..)?.get(..4 * len)?,
        };
        Some(TableView { base, len: len as u64, bytes, labels })
    }

    /// Where the table ends whose header lies at `offset`.
    pub fn end(area: &'t [u8], offset: u64) -> Option<usize> {
        let table = TableView::at(area, offset)?;
        let labels = if table.labels.is_empty() {
            0
        } else {
            table.bytes.len().next_multiple_of(4) - table.bytes.len()
        };
        let start = usize::try_from(offset).ok()? + size_of::<trace_abi::TableHeader>();
        Some(start + table.bytes.len() + labels + table.labels.len())
    }

    /// Whether only its bounds are known, so that nothing can be read from it.
    pub fn is_range(&self) -> bool {
        self.bytes.len() as u64 != self.len
    }

    /// Label of byte `k`; 0 if it is concrete or outside.
    pub fn label(&self, k: usize) -> u32 {
        match k.checked_mul(4).and_then(|k| self.labels.get(k..k.checked_add(4)?)) {
            Some(b) => u32::from_le_bytes(b.try_into().expect("four bytes")),
            None => 0,
        }
    }

    /// Whether some byte may be symbolic.
    pub fn is_labelled(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Labels of all bytes, if some byte may be symbolic.
    pub fn labels(&self) -> impl Iterator<Item = u32> + use<'t> {
        self.labels.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(base: u64, len: u32, labelled: u32, rest: &[u8]) -> Vec<u8> {
        [&base.to_le_bytes()[..], &len.to_le_bytes(), &labelled.to_le_bytes(), rest].concat()
    }

    #[test]
    fn values_padding_and_labels_are_found() {
        let a = area(0x1000, 3, 1, &[7, 8, 9, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0]);
        let t = TableView::at(&a, 0).unwrap();
        assert_eq!((t.base, t.bytes), (0x1000, &[7, 8, 9][..]));
        assert_eq!(t.labels().collect::<Vec<_>>(), [5, 0, 262]);
        assert_eq!((t.label(2), t.label(3)), (262, 0));
    }

    #[test]
    fn a_range_has_a_length_and_no_content() {
        let a = area(0x1000, 100_000, 2, &[]);
        let t = TableView::at(&a, 0).unwrap();
        assert_eq!((t.base, t.len, t.bytes.len(), t.is_range()), (0x1000, 100_000, 0, true));
    }

    #[test]
    fn what_leaves_the_area_is_refused() {
        assert_eq!(TableView::at(&area(0, 3, 0, &[1, 2]), 0), None);
        assert_eq!(TableView::at(&area(0, 1, 1, &[1, 0, 0, 0]), 0), None);
        assert_eq!(TableView::at(&area(0, 1, 3, &[1, 0, 0, 0]), 0), None);
        assert_eq!(TableView::at(&area(u64::MAX, 2, 0, &[1, 2]), 0), None);
        assert_eq!(TableView::at(&area(0, 5000, 0, &[0; 5000]), 0), None);
        assert_eq!(TableView::at(&[], u64::MAX), None);
    }
}
