//! From queries to a log.

use crate::{MAGIC, number, tag};
use expr::{Arena, ArrayId, ExprId, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use solve::Query;
use std::io::{self, Write};

/// Writes a log. Queries of one arena must follow each other: with another arena all numbering begins anew.
pub struct Writer<W> {
    out: W,
    /// What is not handed to `out` yet.
    buffer: Vec<u8>,
    current: Option<Numbering>,
    /// Hashes of the lists of constraints written.
    seen: FxHashSet<u128>,
    written: u64,
}

/// Numbers of what was written of the current arena.
#[derive(Default)]
struct Numbering {
    arena_id: u64,
    expressions: FxHashMap<ExprId, u64>,
    tables: FxHashMap<u64, u64>,
    /// Bytes of the run, where they are not 0.
    bytes: FxHashMap<(u32, u32), u8>,
    /// Constraints of the query before.
    last: Vec<ExprId>,
}

impl<W: Write> Writer<W> {
    /// Begins a log.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W) -> io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        Ok(Writer { out, buffer: Vec::new(), current: None, seen: FxHashSet::default(), written: 0 })
    }

    /// Number of queries written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Adds a query, unless one with the same constraints in the same order is there already.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn add(&mut self, query: &Query<'_>) -> io::Result<()> {
        let key = list_hash(query.arena, query.constraints);
        if !self.seen.insert(key) {
            return Ok(());
        }
        if self.current.as_ref().is_none_or(|current| current.arena_id != query.arena_id) {
            self.buffer.push(tag::ARENA);
            self.current = Some(Numbering { arena_id: query.arena_id, ..Numbering::default() });
        }
        if let Some(current) = &mut self.current {
            for &constraint in query.constraints {
                current.define(query.arena, constraint, &mut self.buffer);
            }
            current.bytes(query, &mut self.buffer);
            current.query(query.constraints, &mut self.buffer);
        }
        self.written += 1;
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Hands everything to `out` and gives it back.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Depends on the order: the last constraint is the goal.
fn list_hash(arena: &Arena, constraints: &[ExprId]) -> u128 {
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    constraints.iter().fold(constraints.len() as u128, |hash, &constraint| {
        let mixed = (hash ^ arena.hash(constraint)).wrapping_mul(FACTOR);
        mixed ^ mixed >> 64
    })
}

impl Numbering {
    /// Writes what of `root` is not written yet, operands first.
    fn define(&mut self, arena: &Arena, root: ExprId, out: &mut Vec<u8>) {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.expressions.contains_key(&e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(arena.args(e).iter().filter(|a| !self.expressions.contains_key(a)));
            let table = (arena.op(e) == Op::Read).then(|| arena.node(e).imm);
            if let Some(table) = table.filter(|table| !self.tables.contains_key(table)) {
                let bytes = arena.table(ArrayId(table as u32)).symbolic.iter().flatten();
                stack.extend(bytes.filter(|byte| !self.expressions.contains_key(byte)));
                if stack.len() == before {
                    self.table(arena, table, out);
                }
            }
            if stack.len() == before {
                stack.pop();
                self.expression(arena, e, out);
            }
        }
    }

    /// How far back an expression was written.
    fn distance(&self, e: ExprId) -> u64 {
        self.expressions.len() as u64 - self.expressions[&e]
    }

    fn expression(&mut self, arena: &Arena, e: ExprId, out: &mut Vec<u8>) {
        let node = arena.node(e);
        out.extend([tag::EXPRESSION, node.op as u8]);
        number::write(out, node.width.into());
        for &operand in arena.args(e) {
            number::write(out, self.distance(operand));
        }
        match (node.op, arena.as_const(e)) {
            (Op::Read, _) => number::write(out, self.tables[&node.imm]),
            (_, Some(value)) => value.words().iter().for_each(|&word| number::write(out, word)),
            _ => number::write(out, node.imm),
        }
        self.expressions.insert(e, self.expressions.len() as u64);
    }

    /// Writes a table, whose symbolic bytes are all written.
    fn table(&mut self, arena: &Arena, imm: u64, out: &mut Vec<u8>) {
        let table = arena.table(ArrayId(imm as u32));
        out.push(tag::TABLE);
        number::write(out, table.base);
        number::write(out, table.bytes.len() as u64);
        out.extend(table.bytes.iter());
        let symbolic = table.symbolic.iter().enumerate().filter_map(|(place, e)| Some((place, (*e)?)));
        number::write(out, symbolic.clone().count() as u64);
        for (place, e) in symbolic {
            number::write(out, place as u64);
            number::write(out, self.distance(e));
        }
        self.tables.insert(imm, self.tables.len() as u64);
    }

    /// Writes the bytes of the run that the constraints read and that are others than before.
    fn bytes(&mut self, query: &Query<'_>, out: &mut Vec<u8>) {
        let mut sets: Vec<_> = query.constraints.iter().map(|&c| query.arena.input_set(c)).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut news = Vec::new();
        for byte in sets.into_iter().flat_map(|set| query.arena.view_inputs(set)) {
            let value = (query.hint)(byte.0, byte.1);
            if self.bytes.insert(byte, value).unwrap_or(0) != value {
                news.push((byte, value));
            }
        }
        if news.is_empty() {
            return;
        }
        out.push(tag::BYTES);
        number::write(out, news.len() as u64);
        for ((object, offset), value) in news {
            number::write(out, object.into());
            number::write(out, offset.into());
            out.push(value);
        }
    }

    fn query(&mut self, constraints: &[ExprId], out: &mut Vec<u8>) {
        let kept = self.last.iter().zip(constraints).take_while(|(a, b)| a == b).count();
        out.push(tag::QUERY);
        number::write(out, kept as u64);
        number::write(out, (constraints.len() - kept) as u64);
        for &constraint in &constraints[kept..] {
            number::write(out, self.distance(constraint));
        }
        self.last.clear();
        self.last.extend(constraints);
    }
}
