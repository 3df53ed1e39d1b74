//! From a log to queries. Nothing in a log is trusted: what cannot be is an error that names the place.

use crate::{MAGIC, number, tag};
use expr::{Arena, ArrayId, Bits, ExprId, Op, Table, semantics};
use rustc_hash::FxHashMap;
use solve::Query;

/// What is wrong with a log, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} of the query log: {what}")]
pub struct FormatError {
    /// Offset.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// Reads a log, query by query.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    arena_id: u64,
    arena: Arena,
    expressions: Vec<ExprId>,
    tables: Vec<ArrayId>,
    /// Bytes of the run, where they are not 0.
    run: FxHashMap<(u32, u32), u8>,
    constraints: Vec<ExprId>,
}

impl<'a> Reader<'a> {
    /// At the beginning of a log.
    ///
    /// # Errors
    /// When it is none, or of another version.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, FormatError> {
        if !bytes.starts_with(MAGIC) {
            return Err(FormatError { at: 0, what: "this is no query log of this version; record it again" });
        }
        Ok(Reader {
            bytes,
            at: MAGIC.len(),
            arena_id: 0,
            arena: Arena::new(),
            expressions: Vec::new(),
            tables: Vec::new(),
            run: FxHashMap::default(),
            constraints: Vec::new(),
        })
    }

    /// Goes on to the next query; whether there is one.
    ///
    /// # Errors
    /// When the log is damaged there.
    pub fn advance(&mut self) -> Result<bool, FormatError> {
        while let Some(&tag) = self.bytes.get(self.at) {
            self.at += 1;
            match tag {
                tag::ARENA => {
                    self.arena_id += 1;
                    self.arena = Arena::new();
                    self.expressions.clear();
                    self.tables.clear();
                    self.run.clear();
                    self.constraints.clear();
                }
                tag::EXPRESSION => self.expression()?,
                tag::TABLE => self.table()?,
                tag::BYTES => self.run_bytes()?,
                tag::QUERY => {
                    self.query()?;
                    return Ok(true);
                }
                _ => return Err(self.error("there is no such record")),
            }
        }
        Ok(false)
    }

    /// The current query. What a solver adds to the arena stays there for the next one.
    pub fn with_query<R>(&mut self, ask: impl FnOnce(&mut Query<'_>) -> R) -> R {
        let run = &self.run;
        let hint = |object, offset| run.get(&(object, offset)).copied().unwrap_or(0);
        ask(&mut Query {
            arena: &mut self.arena,
            arena_id: self.arena_id,
            constraints: &self.constraints,
            hint: &hint,
        })
    }

    fn error(&self, what: &'static str) -> FormatError {
        FormatError { at: self.at, what }
    }

    fn number(&mut self) -> Result<u64, FormatError> {
        number::read(self.bytes, &mut self.at).ok_or(FormatError { at: self.at, what: "a number is cut off" })
    }

    /// A number that the rest of the log can hold so many things of.
    fn count(&mut self) -> Result<usize, FormatError> {
        let count = self.number()?;
        let left = self.bytes.len() - self.at;
        usize::try_from(count).ok().filter(|&c| c <= left).ok_or(self.error("the log ends too early"))
    }

    fn byte(&mut self) -> Result<u8, FormatError> {
        let byte = self.bytes.get(self.at).copied().ok_or(self.error("the log ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    /// An expression written before.
    fn back(&mut self) -> Result<ExprId, FormatError> {
        let distance = usize::try_from(self.number()?).ok();
        let place = distance.filter(|&d| d > 0).and_then(|d| self.expressions.len().checked_sub(d));
        place
            .map(|place| self.expressions[place])
            .ok_or(self.error("an expression is used before it is there"))
    }

    fn expression(&mut self) -> Result<(), FormatError> {
        let op = Op::from_u8(self.byte()?).ok_or(self.error("there is no such operation"))?;
        let width = u16::try_from(self.number()?).map_err(|_| self.error("too wide an expression"))?;
        let operands: Vec<ExprId> =
            (0..semantics::operands(op)).map(|_| self.back()).collect::<Result<_, _>>()?;
        let widths: Vec<u16> = operands.iter().map(|&e| self.arena.width(e)).collect();
        let e = match op {
            Op::Const => {
                self.shaped(op, width, 0, &widths)?;
                let words: Vec<u64> =
                    (0..usize::from(width).div_ceil(64)).map(|_| self.number()).collect::<Result<_, _>>()?;
                self.arena.constant(&Bits::from_words(width, words.into()))
            }
            _ => {
                let imm = self.number()?;
                self.shaped(op, width, imm, &widths)?;
                let table = usize::try_from(imm).ok().and_then(|k| self.tables.get(k));
                let imm = match (op, table) {
                    (Op::Read, None) => return Err(self.error("a table is read before it is there")),
                    (Op::Read, Some(table)) => table.0.into(),
                    _ => imm,
                };
                self.arena.raw(op, width, &operands, imm)
            }
        };
        self.expressions.push(e);
        Ok(())
    }

    fn shaped(&self, op: Op, width: u16, imm: u64, widths: &[u16]) -> Result<(), FormatError> {
        let is = semantics::well_formed(op, width, imm, widths);
        if is { Ok(()) } else { Err(self.error("an expression of impossible widths")) }
    }

    fn table(&mut self) -> Result<(), FormatError> {
        let (base, length) = (self.number()?, self.count()?);
        let bytes = &self.bytes[self.at..self.at + length];
        self.at += length;
        let count = self.count()?;
        let mut symbolic = if count > 0 { vec![None; length] } else { Vec::new() };
        for _ in 0..count {
            let (place, e) = (usize::try_from(self.number()?).unwrap_or(usize::MAX), self.back()?);
            if self.arena.width(e) != 8 {
                return Err(self.error("a table's expressions are bytes"));
            }
            match symbolic.get_mut(place) {
                Some(byte) => *byte = Some(e),
                None => return Err(self.error("a byte beyond its table")),
            }
        }
        self.tables.push(self.arena.add_table(Table { base, bytes: bytes.into(), symbolic }));
        Ok(())
    }

    fn run_bytes(&mut self) -> Result<(), FormatError> {
        for _ in 0..self.count()? {
            let (object, offset) = (self.number()?, self.number()?);
            let byte = (object.try_into().ok(), offset.try_into().ok());
            let (Some(object), Some(offset)) = byte else {
                return Err(self.error("no input has such a byte"));
            };
            let value = self.byte()?;
            self.run.insert((object, offset), value);
        }
        Ok(())
    }

    fn query(&mut self) -> Result<(), FormatError> {
        let kept = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if kept > self.constraints.len() {
            return Err(self.error("more is kept of a query than there is"));
        }
        self.constraints.truncate(kept);
        for _ in 0..self.count()? {
            let constraint = self.back()?;
            if self.arena.width(constraint) != 1 {
                return Err(self.error("a constraint has one bit"));
            }
            self.constraints.push(constraint);
        }
        Ok(())
    }
}
