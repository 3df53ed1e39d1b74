//! The text form, for people and for tests that are data files.
//!
//! ```text
//! $1 = (Add (ZExt 32 in0[4]) 0x10:32)
//! @0 = table 0x5000 03 01 $2 09
//! (Eq (Mul $1 $1) (ZExt 32 (Read @0 8 (ZExt 64 $1))))
//! ```
//! One expression per line. `in0[4]` is byte 4 of input object 0, `0x10:32` a constant of 32 bits. Expressions used
//! more than once are named `$k` before; a table `@k` is its address, then its bytes in hexadecimal or as names.
//! Operations are written as [`Op::name`]; casts have their width after the name, an extraction its low bit and width, a
//! read its table and width, a rounding its direction, a library function its name: `(Libm1 sin (FCvt 64 $2))`.

use crate::semantics::{operands, well_formed};
use crate::{Arena, ArrayId, Bits, ExprId, Op, Table};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Write;
use trace_abi::libm;

impl Arena {
    /// An expression in text form; the last line is the expression itself.
    pub fn to_text(&self, root: ExprId) -> String {
        Printer::new(self, root).print(root)
    }

    /// Reads expressions in text form and adds them exactly as written, without simplification. The result is
    /// every line that is not a definition.
    ///
    /// # Errors
    /// The first line that is not in the form, and what is wrong with it.
    pub fn parse(&mut self, text: &str) -> Result<Vec<ExprId>, TextError> {
        let mut parser = Parser { arena: self, names: FxHashMap::default(), tables: FxHashMap::default() };
        let mut roots = Vec::new();
        for (k, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parsed = parser.line(line).map_err(|what| TextError { line: k + 1, what })?;
            roots.extend(parsed);
        }
        Ok(roots)
    }
}

/// A line that is not in the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for TextError {}

struct Printer<'a> {
    arena: &'a Arena,
    /// Expressions to be named, ascending, with their numbers.
    names: FxHashMap<ExprId, usize>,
    named: Vec<ExprId>,
    tables: FxHashMap<u64, usize>,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(arena: &'a Arena, root: ExprId) -> Printer<'a> {
        let mut uses: FxHashMap<ExprId, u32> = FxHashMap::default();
        let mut seen_tables = FxHashMap::default();
        let mut stack = vec![root];
        // An expression in a table counts as used often: it must have a name.
        while let Some(e) = stack.pop() {
            let mut visit = |e: ExprId, n: u32, stack: &mut Vec<ExprId>| {
                let count = uses.entry(e).or_default();
                if *count == 0 {
                    stack.push(e);
                }
                *count += n;
            };
            arena.args(e).iter().for_each(|&a| visit(a, 1, &mut stack));
            let n = arena.node(e);
            if n.op == Op::Read && seen_tables.insert(n.imm, ()).is_none() {
                let table = arena.table(ArrayId(n.imm as u32));
                table.symbolic.iter().flatten().for_each(|&b| visit(b, 1 << 16, &mut stack));
            }
        }
        let leaf = |e: ExprId| operands(arena.op(e)) == 0;
        let repeated = uses.into_iter().filter(|&(e, n)| n >= 1 << 16 || (n > 1 && !leaf(e)));
        let mut named: Vec<ExprId> = repeated.map(|(e, _)| e).collect();
        named.sort();
        let names = named.iter().enumerate().map(|(k, &e)| (e, k + 1)).collect();
        Printer { arena, names, named, tables: FxHashMap::default(), out: String::new() }
    }

    fn print(mut self, root: ExprId) -> String {
        for e in std::mem::take(&mut self.named) {
            self.statement(e, Some(self.names[&e]));
        }
        self.statement(root, None);
        self.out
    }

    fn statement(&mut self, e: ExprId, name: Option<usize>) {
        let mut line = name.map_or(String::new(), |k| format!("${k} = "));
        let mut stack = vec![Piece::Whole(e)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Close => line.push(')'),
                Piece::Operand(e) => {
                    line.push(' ');
                    match self.names.get(&e) {
                        Some(k) => write!(line, "${k}").expect("a string"),
                        None => stack.push(Piece::Whole(e)),
                    }
                }
                Piece::Whole(e) => {
                    let head = self.head(e);
                    line.push_str(&head);
                    let args = self.arena.args(e);
                    if !args.is_empty() {
                        stack.push(Piece::Close);
                        stack.extend(args.iter().rev().map(|&a| Piece::Operand(a)));
                    }
                }
            }
        }
        self.out.push_str(&line);
        self.out.push('\n');
    }

    fn head(&mut self, e: ExprId) -> String {
        let n = *self.arena.node(e);
        let name = n.op.name();
        match n.op {
            Op::Input => format!("in{}[{}]", n.imm >> 32, n.imm as u32),
            Op::Const => self.arena.as_const(e).map_or(String::new(), |c| c.to_string()),
            Op::Extract => format!("({name} {} {}", n.imm, n.width),
            op if is_cast(op) => format!("({name} {}", n.width),
            Op::FRound => format!("({name} {}", n.imm),
            Op::Libm1 | Op::Libm2 => format!("({name} {}", libm::TABLE[n.imm as usize].name),
            Op::Read => format!("({name} @{} {}", self.table(n.imm), n.width),
            _ => format!("({name}"),
        }
    }

    /// Number of a table, which is written before the current line if it is new.
    fn table(&mut self, imm: u64) -> usize {
        let number = self.tables.len();
        if let Some(&k) = self.tables.get(&imm) {
            return k;
        }
        self.tables.insert(imm, number);
        let t = self.arena.table(ArrayId(imm as u32));
        write!(self.out, "@{number} = table {:#x}", t.base).expect("a string");
        for (k, b) in t.bytes.iter().enumerate() {
            match t.symbolic_byte(k) {
                Some(e) => write!(self.out, " ${}", self.names[&e]),
                None => write!(self.out, " {b:02x}"),
            }
            .expect("a string");
        }
        self.out.push('\n');
        number
    }
}

enum Piece {
    Whole(ExprId),
    Operand(ExprId),
    Close,
}

struct Parser<'a> {
    arena: &'a mut Arena,
    names: FxHashMap<String, ExprId>,
    tables: FxHashMap<String, ArrayId>,
}

/// An open parenthesis: the operation, its numbers, the operands so far.
struct Open<'t> {
    op: Op,
    table: Option<&'t str>,
    numbers: Vec<u64>,
    args: Vec<ExprId>,
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> Result<Option<ExprId>, String> {
        if let Some((name, rest)) = line.split_once(" = ")
            && !name.contains('(')
        {
            let (name, rest) = (name.trim(), rest.trim());
            if name.starts_with('@') {
                let table = self.table(rest)?;
                self.tables.insert(name.to_string(), table);
            } else {
                let e = self.expr(rest)?;
                self.names.insert(name.to_string(), e);
            }
            return Ok(None);
        }
        self.expr(line).map(Some)
    }

    fn table(&mut self, text: &str) -> Result<ArrayId, String> {
        let mut words = text.split_whitespace();
        if words.next() != Some("table") {
            return Err("a table is written `table ADDRESS BYTE…`".to_string());
        }
        let base = number(words.next().unwrap_or(""))?;
        let (mut bytes, mut symbolic) = (Vec::new(), Vec::new());
        for w in words {
            if w.starts_with('$') {
                let e = self.name(w)?;
                if self.arena.width(e) != 8 {
                    return Err(format!("{w} has {} bits, a table's bytes have 8", self.arena.width(e)));
                }
                symbolic.push(Some(e));
                bytes.push(0);
            } else {
                bytes.push(u8::from_str_radix(w, 16).map_err(|_| format!("{w} is not a byte"))?);
                symbolic.push(None);
            }
        }
        if symbolic.iter().all(Option::is_none) {
            symbolic.clear();
        }
        Ok(self.arena.add_table(Table { base, bytes: bytes.into(), symbolic }))
    }

    fn expr(&mut self, text: &str) -> Result<ExprId, String> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace();
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut result = None;
        while let Some(w) = words.next() {
            if result.is_some() {
                return Err(format!("unexpected {w} after the expression"));
            }
            let done = match w {
                "(" => {
                    let name = words.next().unwrap_or("");
                    let op = Op::ALL.iter().find(|op| op.name() == name);
                    let op = *op.ok_or_else(|| format!("there is no operation {name:?}"))?;
                    open.push(Open { op, table: None, numbers: vec![], args: vec![] });
                    None
                }
                ")" => {
                    let last = open.pop().ok_or("a parenthesis too many")?;
                    Some(self.close(&last)?)
                }
                _ => match open.last_mut() {
                    Some(o) if w.starts_with('@') => {
                        o.table = Some(w);
                        None
                    }
                    Some(o) if matches!(o.op, Op::Libm1 | Op::Libm2) && o.numbers.is_empty() => {
                        let id = libm::by_name(w).ok_or_else(|| format!("there is no function {w:?}"))?;
                        o.numbers.push(id.into());
                        None
                    }
                    Some(o) if w.bytes().all(|b| b.is_ascii_digit()) => {
                        o.numbers.push(number(w)?);
                        None
                    }
                    _ => Some(self.atom(w)?),
                },
            };
            if let Some(e) = done {
                match open.last_mut() {
                    Some(o) => o.args.push(e),
                    None => result = Some(e),
                }
            }
        }
        if !open.is_empty() {
            return Err("a parenthesis is not closed".to_string());
        }
        result.ok_or_else(|| "there is no expression".to_string())
    }

    fn name(&self, w: &str) -> Result<ExprId, String> {
        self.names.get(w).copied().ok_or_else(|| format!("{w} is not defined"))
    }

    fn atom(&mut self, w: &str) -> Result<ExprId, String> {
        if w.starts_with('$') {
            return self.name(w);
        }
        if let Some((object, offset)) =
            w.strip_prefix("in").and_then(|r| r.strip_suffix(']')?.split_once('['))
        {
            let small = |t: &str| t.parse::<u32>().map_err(|_| format!("{w} is not an input byte"));
            return Ok(self.arena.input(small(object)?, small(offset)?));
        }
        let wrong =
            || format!("{w} is neither a constant like 0x1f:8 nor a byte like in0[3] nor a name like $1");
        let (value, width) = w.strip_prefix("0x").and_then(|r| r.split_once(':')).ok_or_else(wrong)?;
        let width: u16 = width.parse().map_err(|_| wrong())?;
        if width == 0 || width > trace_abi::MAX_WIDTH || !value.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let digits: Vec<&[u8]> = value.as_bytes().rchunks(16).collect();
        let word =
            |d: &&[u8]| u64::from_str_radix(std::str::from_utf8(d).unwrap_or(""), 16).map_err(|_| wrong());
        let words: SmallVec<[u64; 2]> = digits.iter().map(word).collect::<Result<_, _>>()?;
        Ok(self.arena.constant(&Bits::from_words(width, words)))
    }

    fn close(&mut self, o: &Open<'_>) -> Result<ExprId, String> {
        let widths: Vec<u16> = o.args.iter().map(|&a| self.arena.width(a)).collect();
        let number =
            |k: usize| o.numbers.get(k).copied().ok_or_else(|| format!("{} lacks a number", o.op.name()));
        let first = widths.first().copied().unwrap_or(0);
        let (width, imm) = match o.op {
            Op::Input | Op::Const => return Err(format!("{} is not written in parentheses", o.op.name())),
            Op::Extract => (number(1)?, number(0)?),
            op if is_cast(op) => (number(0)?, 0),
            Op::FRound | Op::Libm1 | Op::Libm2 => (first.into(), number(0)?),
            Op::Read => {
                let table = o.table.and_then(|t| self.tables.get(t)).ok_or("the table is not defined")?;
                (number(0)?, table.0.into())
            }
            Op::Concat => (widths.iter().map(|&w| u64::from(w)).sum(), 0),
            Op::Ite => (widths.get(1).copied().unwrap_or(0).into(), 0),
            op if op.is_predicate() => (1, 0),
            _ => (first.into(), 0),
        };
        let width = u16::try_from(width).unwrap_or(0);
        if !well_formed(o.op, width, imm, &widths) {
            return Err(format!(
                "{} of width {width} cannot have operands of widths {widths:?}",
                o.op.name()
            ));
        }
        Ok(self.arena.raw(o.op, width, &o.args, imm))
    }
}

/// Operations whose result's width is written.
const fn is_cast(op: Op) -> bool {
    use Op::{FCvt, FToS, FToU, SExt, SToF, Trunc, UToF, ZExt};
    matches!(op, Trunc | ZExt | SExt | FCvt | SToF | UToF | FToS | FToU)
}

fn number(w: &str) -> Result<u64, String> {
    let parsed = match w.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => w.parse(),
    };
    parsed.map_err(|_| format!("{w:?} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        let text = "$1 = (Add (ZExt 32 in0[4]) 0x10:32)\n\
                    $2 = (Extract 3 8 $1)\n\
                    @0 = table 0x5000 03 $2 09\n\
                    (Eq (Mul $1 $1) (ZExt 32 (Read @0 8 (ZExt 64 $1))))\n";
        let mut arena = Arena::new();
        let roots = arena.parse(text).unwrap();
        assert_eq!(arena.to_text(roots[0]), text);
    }

    #[test]
    fn floats_are_printed_and_read_back() {
        let text = "$1 = (Concat in0[1] in0[0])\n\
                    (FLe (FRound 3 (Libm1 sin (FCvt 80 $1))) (Libm2 pow (SToF 80 $1) (FFma 0x0:80 0x1:80 0x2:80)))\n";
        let mut arena = Arena::new();
        let roots = arena.parse(text).unwrap();
        assert_eq!(arena.to_text(roots[0]), text);
        let told = |t: &str| Arena::new().parse(t).unwrap_err().to_string();
        assert_eq!(told("(Libm1 foo 0x0:64)"), "line 1: there is no function \"foo\"");
        assert!(told("(Libm2 sin 0x0:64 0x0:64)").contains("cannot have operands"));
        assert!(told("(FAdd 0x0:8 0x0:8)").contains("cannot have operands"));
        assert!(told("(FRound 5 0x0:64)").contains("cannot have operands"));
    }

    #[test]
    fn a_very_deep_expression_is_printed_and_read() {
        let mut arena = Arena::new();
        let mut e = arena.input(0, 0);
        for _ in 0..100_000 {
            e = arena.raw(Op::Ctpop, 8, &[e], 0);
        }
        let text = arena.to_text(e);
        assert_eq!(arena.parse(&text), Ok(vec![e]));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let told = |t: &str| Arena::new().parse(t).unwrap_err().to_string();
        assert_eq!(told("in0[0]\n(Foo in0[0])"), "line 2: there is no operation \"Foo\"");
        assert_eq!(
            told("(Add in0[0] 0x1:16)"),
            "line 1: Add of width 8 cannot have operands of widths [8, 16]"
        );
        assert_eq!(told("(Add in0[0] 0x1:8"), "line 1: a parenthesis is not closed");
        assert_eq!(told("$1"), "line 1: $1 is not defined");
        assert!(told("17").contains("neither a constant"));
        assert!(told("0x1:0").contains("neither a constant"));
        assert_eq!(told("in0[0] in0[1]"), "line 1: unexpected in0[1] after the expression");
    }
}
