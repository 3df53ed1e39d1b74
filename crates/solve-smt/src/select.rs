//! Reads of a table at a symbolic address, as a tree of choices over the offset.
//!
//! Offsets at which the same value is read are not told apart: the tree branches only where neighbouring values
//! differ. (Bitwuzla's arrays would need a store per byte and lemmas at run time; for the tables met in practice, at
//! most some thousand bytes, choices were what the measurements of the field favour: see also Perry et al.,
//! "Accelerating Array Constraints in Symbolic Execution", ISSTA 2017, section 3.)

use crate::context::{Context, Term};
use crate::sys::Kind;
use crate::translate::{Failure, Result, Translation, Value, table_of};
use expr::{Arena, Bits, ExprId};

/// What is read from some offset on, up to the next entry.
#[derive(Clone, Copy)]
struct Run {
    start: u64,
    term: Term,
}

/// The term of a `Read`: `width / 8` bytes, little-endian; bytes outside the table are zero.
pub(crate) fn read(t: &mut Translation, c: &mut Context, arena: &Arena, e: ExprId) -> Result<Value> {
    let (width, address) = (arena.width(e), arena.args(e)[0]);
    let table = table_of(arena, e);
    let (base, length, bytes) = (table.base, table.bytes.len(), u64::from(width / 8));
    if length == 0 {
        return Ok(Value::Bv(c.bits(&Bits::zero(width))?));
    }
    let address = t.bv(c, address)?;
    // The offset of the read counts from `bytes - 1` before the table, so that reads which only reach into the table
    // have an offset of at least 0 too, and everything further out lies behind the last run.
    let origin = c.value_u64(64, base.wrapping_sub(bytes - 1))?;
    let offset = c.mk2(Kind::BvSub, address, origin)?;
    let runs = runs(t, c, table, bytes, width)?;
    let offset = narrowed(c, offset, &runs)?;
    choose(c, &offset, &runs).map(Value::Bv)
}

/// The values read at each offset, with equal neighbours merged.
fn runs(
    t: &mut Translation,
    c: &mut Context,
    table: &expr::Table,
    bytes: u64,
    width: u16,
) -> Result<Vec<Run>> {
    let length = table.bytes.len() as i64;
    let mut runs: Vec<Run> = Vec::new();
    for start in 0..length + bytes as i64 - 1 {
        let first = start - (bytes as i64 - 1);
        let term = value_at(t, c, table, first, bytes)?;
        if runs.last().is_none_or(|last| last.term != term) {
            runs.push(Run { start: start as u64, term });
        }
    }
    let zero = c.bits(&Bits::zero(width))?;
    if runs.last().is_none_or(|last| last.term != zero) {
        runs.push(Run { start: (length + bytes as i64 - 1) as u64, term: zero });
    }
    if runs.is_empty() {
        return Err(Failure::Unsupported("a read of an empty table".into()));
    }
    Ok(runs)
}

/// What a read of `bytes` bytes at `first` gives.
fn value_at(
    t: &mut Translation,
    c: &mut Context,
    table: &expr::Table,
    first: i64,
    bytes: u64,
) -> Result<Term> {
    let position = |k: u64| usize::try_from(first + k as i64).ok().filter(|&at| at < table.bytes.len());
    let symbolic = |k: u64| position(k).and_then(|at| table.symbolic_byte(at));
    if (0..bytes).all(|k| symbolic(k).is_none()) {
        let values: Vec<u8> = (0..bytes).map(|k| position(k).map_or(0, |at| table.bytes[at])).collect();
        return Ok(c.bits(&Bits::from_le_bytes((bytes * 8) as u16, &values))?);
    }
    let mut whole: Option<Term> = None;
    for k in 0..bytes {
        let byte = match symbolic(k) {
            Some(e) => t.bv(c, e)?,
            None => c.value_u64(8, position(k).map_or(0, |at| table.bytes[at].into()))?,
        };
        whole = Some(match whole {
            Some(low) => c.mk2(Kind::BvConcat, byte, low)?,
            None => byte,
        });
    }
    whole.ok_or_else(|| Failure::Unsupported("a read of no bytes".into()))
}

/// The offset: its low bits, and whether the bits above them are all zero.
struct Offset {
    low: Term,
    width: u16,
    small: Term,
}

/// Comparisons are made on as few bits as the runs need.
fn narrowed(c: &mut Context, offset: Term, runs: &[Run]) -> Result<Offset> {
    let last = runs.last().map_or(0, |run| run.start);
    let width = (u64::BITS - last.leading_zeros()).max(1) as u16;
    if width >= 64 {
        return Ok(Offset { low: offset, width: 64, small: c.boolean(true)? });
    }
    let (high, low) = (c.extract(offset, 63, width)?, c.extract(offset, width - 1, 0)?);
    let zero = c.bits(&Bits::zero(64 - width))?;
    Ok(Offset { low, width, small: c.mk2(Kind::Equal, high, zero)? })
}

fn choose(c: &mut Context, offset: &Offset, runs: &[Run]) -> Result<Term> {
    let inside = tree(c, offset, runs)?;
    let outside = runs[runs.len() - 1].term;
    if inside == outside {
        return Ok(inside);
    }
    Ok(c.ite(offset.small, inside, outside)?)
}

/// Binary search for the run; as deep as the logarithm of their number.
fn tree(c: &mut Context, offset: &Offset, runs: &[Run]) -> Result<Term> {
    if let [run] = runs {
        return Ok(run.term);
    }
    let (below, above) = runs.split_at(runs.len() / 2);
    let border = c.value_u64(offset.width, above[0].start)?;
    let less = c.mk2(Kind::BvUlt, offset.low, border)?;
    let (below, above) = (tree(c, offset, below)?, tree(c, offset, above)?);
    Ok(c.ite(less, below, above)?)
}
