//! Connections that a tested program accepts: what both ends of the border know of them.

/// Most connections of one input: each is a few descriptors of the program.
pub const MAX_CONNECTIONS: usize = 16;

/// Mark in [`crate::Header::connections_at`]: the program has closed the connection.
pub const CONNECTION_CLOSED: u64 = 1 << 63;

/// In which pieces a client sends what it has to say. The next piece is sent when the program has read the one before, so
/// that programs that take what one call of `recv` gives for one message see one message after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pieces {
    /// All at once.
    #[default]
    Whole,
    /// Line by line, each with its line feed.
    Lines,
    /// So many bytes at a time, at least one; the last piece may be shorter.
    Bytes(u32),
}

impl Pieces {
    /// The part of a connection's name that says so: what follows its number and a colon, `line` or a number of bytes.
    /// Anything else is [`Pieces::Whole`].
    pub fn of_name(name: &[u8]) -> Pieces {
        let Some(colon) = name.iter().position(|&c| c == b':') else { return Pieces::Whole };
        match &name[colon + 1..] {
            b"line" => Pieces::Lines,
            digits => {
                let number = digits.iter().try_fold(0u32, |n, c| {
                    let digit = c.checked_sub(b'0').filter(|&d| d < 10)?;
                    n.checked_mul(10)?.checked_add(u32::from(digit))
                });
                number.filter(|&n| n > 0).map_or(Pieces::Whole, Pieces::Bytes)
            }
        }
    }

    /// Where the piece that begins at `from` ends.
    pub fn end(self, data: &[u8], from: usize) -> usize {
        let rest = data.get(from..).unwrap_or_default();
        match self {
            Pieces::Whole => data.len(),
            Pieces::Lines => rest.iter().position(|&c| c == b'\n').map_or(data.len(), |k| from + k + 1),
            Pieces::Bytes(n) => (from / n as usize + 1).saturating_mul(n as usize).min(data.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_in_which_pieces() {
        assert_eq!(Pieces::of_name(b"0"), Pieces::Whole);
        assert_eq!(Pieces::of_name(b"1:line"), Pieces::Lines);
        assert_eq!(Pieces::of_name(b"1:16"), Pieces::Bytes(16));
        for odd in [&b"1:0"[..], b"1:", b"1:x", b"1:99999999999"] {
            assert_eq!(Pieces::of_name(odd), Pieces::Whole);
        }
    }

    #[test]
    fn pieces_end_where_they_should() {
        let data = b"ab\ncd";
        assert_eq!(Pieces::Whole.end(data, 0), 5);
        assert_eq!((Pieces::Lines.end(data, 0), Pieces::Lines.end(data, 3)), (3, 5));
        assert_eq!((Pieces::Bytes(2).end(data, 0), Pieces::Bytes(2).end(data, 4)), (2, 5));
        assert_eq!((Pieces::Bytes(2).end(data, 3), Pieces::Bytes(2).end(data, 9)), (4, 5));
    }
}
