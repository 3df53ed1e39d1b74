//! The one definition of everything that crosses the border between a tested program and the engine.
//!
//! Three parties read this crate: the `runtime` linked into the tested program (writer), the
//! `instrument`er that emits calls to the runtime, and the engine (`execute`, `trace`), which reads what
//! a run left behind. Nothing here is spelled a second time anywhere else.
//!
//! # The shared mapping
//!
//! One shared mapping per fork server, laid out by [`Layout`]: a [`Header`] page, the input area, the
//! consumed-values area, the coverage bytes, the batch area with its map of what was seen (servers that run batches), the events, the path log, the tables, the indirect-call
//! records, and last (largest, sparsely touched) the nodes. The engine chooses the sizes, writes the
//! header, and **trusts nothing it reads back**: a tested program may scribble anywhere.
//!
//! # Labels
//!
//! A *label* is a `u32`: 0 means concrete; any other value is the index of a [`Node`]. Nodes are only
//! appended, and refer only to nodes with smaller labels.
#![forbid(unsafe_code)]
#![no_std]

mod abi;
mod batch;
mod connection;
mod distribution;
mod layout;
pub mod libm;
mod models;
mod op;
mod packed;
mod provided;
mod symbols;
mod vectors;

pub use abi::*;
pub use batch::*;
pub use connection::*;
pub use distribution::{Distribution, WrongDistribution};
pub use layout::*;
pub use models::MODELED;
pub use op::{Arity, Op, rounding};
pub use packed::PackedNode;
pub use provided::PROVIDED;
pub use symbols::*;
pub use vectors::*;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_documented_sizes() {
        assert_eq!(size_of::<PackedNode>(), 16);
        assert_eq!(size_of::<Event>(), 24);
        assert_eq!(size_of::<Tls>() as u64, TLS_SIZE);
        assert!(size_of::<Header>() as u64 <= PAGE);
    }

    #[test]
    fn operations_round_trip_through_their_numbers() {
        for &op in Op::ALL {
            assert_eq!(Op::from_u8(op as u8), Some(op));
        }
        assert_eq!(Op::from_u8(0), None);
    }

    #[test]
    fn vector_instructions_have_distinct_numbers() {
        for v in Vector::ALL {
            assert_eq!(Vector::from_u32(*v as u32), Some(*v));
        }
        assert_eq!(Vector::by_intrinsic("sse2.psad.bw"), Some(Vector::SumOfDifferences));
        assert_eq!(Vector::by_intrinsic("aesni.aesenc"), None);
        assert_eq!(size_of::<Lanes>() as u64, LANES_SIZE);
    }

    #[test]
    fn library_functions_are_found_by_their_symbols() {
        assert!(libm::TABLE.len() <= 1 + PackedNode::MAX_AUX as usize);
        for (id, f) in libm::TABLE.iter().enumerate() {
            assert!((1..=2).contains(&f.arity));
            for (symbol, width) in f.symbols.iter().zip(libm::WIDTHS) {
                assert_eq!(libm::by_symbol(symbol), Some((id as u8, width)), "{symbol} is there twice");
            }
        }
        assert_eq!(
            libm::by_symbol("sinl").map(|(id, w)| (libm::TABLE[id as usize].name, w)),
            Some(("sin", 80))
        );
        assert_eq!(libm::by_symbol("sine"), None);
    }
}
