//! Programs as trees of text: enough structure to print them and to make them smaller.

use crate::types::Ty;
use std::fmt;

/// An expression: text with typed expressions inside.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Ty,
    /// Its text.
    pub parts: Vec<Part>,
}

/// A piece of an expression or statement.
#[derive(Clone, Debug)]
pub enum Part {
    /// As it is.
    Text(String),
    /// An expression.
    Expr(Expr),
    /// A block's statements.
    Block(Vec<Stmt>),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt(pub Vec<Part>);

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// All before the body: `static u32 h1(u8 a)`.
    pub head: String,
    /// Declarations of its variables.
    pub locals: Vec<Stmt>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Observations and the return; not part of what is generated at random.
    pub tail: Vec<Stmt>,
    /// The call in `main`, if it is called there.
    pub call: Option<String>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What every program begins with.
    pub prelude: String,
    /// Types and global variables.
    pub globals: Vec<Stmt>,
    /// Functions in order of definition.
    pub functions: Vec<Function>,
    /// The end: `main` up to the calls, and from there on.
    pub main: (String, String),
}

impl Expr {
    /// From a template, in which each `$` stands for the next of `subs`.
    pub fn new(ty: Ty, template: &str, subs: Vec<Expr>) -> Expr {
        Expr { ty, parts: fill(template, subs, Vec::new()) }
    }

    /// Without parts.
    pub fn text(ty: Ty, text: impl Into<String>) -> Expr {
        Expr { ty, parts: vec![Part::Text(text.into())] }
    }
}

impl Stmt {
    /// From a template, in which each `$` stands for the next of `subs` and each `#` for the next block.
    pub fn new(template: &str, subs: Vec<Expr>, blocks: Vec<Vec<Stmt>>) -> Stmt {
        Stmt(fill(template, subs, blocks))
    }

    /// Without parts.
    pub fn text(text: impl Into<String>) -> Stmt {
        Stmt(vec![Part::Text(text.into())])
    }
}

fn fill(template: &str, subs: Vec<Expr>, blocks: Vec<Vec<Stmt>>) -> Vec<Part> {
    let (mut subs, mut blocks) = (subs.into_iter(), blocks.into_iter());
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['$', '#']) {
        parts.push(Part::Text(rest[..at].to_owned()));
        parts.push(match rest.as_bytes()[at] {
            b'$' => Part::Expr(subs.next().expect("an expression for each $")),
            _ => Part::Block(blocks.next().expect("a block for each #")),
        });
        rest = &rest[at + 1..];
    }
    parts.push(Part::Text(rest.to_owned()));
    debug_assert!(subs.next().is_none() && blocks.next().is_none(), "nothing left over: {template}");
    parts
}

fn write_parts(f: &mut fmt::Formatter<'_>, parts: &[Part], depth: usize) -> fmt::Result {
    for part in parts {
        match part {
            Part::Text(text) => f.write_str(text)?,
            Part::Expr(e) => write_parts(f, &e.parts, depth)?,
            Part::Block(block) => {
                writeln!(f)?;
                write_block(f, block, depth + 1)?;
                write!(f, "{:1$}", "", 2 * depth)?;
            }
        }
    }
    Ok(())
}

fn write_block(f: &mut fmt::Formatter<'_>, block: &[Stmt], depth: usize) -> fmt::Result {
    for Stmt(parts) in block {
        write!(f, "{:1$}", "", 2 * depth)?;
        write_parts(f, parts, depth)?;
        writeln!(f)?;
    }
    Ok(())
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.prelude)?;
        write_block(f, &self.globals, 0)?;
        for function in &self.functions {
            writeln!(f, "\n{} {{", function.head)?;
            for block in [&function.locals, &function.body, &function.tail] {
                write_block(f, block, 1)?;
            }
            writeln!(f, "}}")?;
        }
        writeln!(f, "\n{}", self.main.0)?;
        for call in self.functions.iter().filter_map(|f| f.call.as_ref()) {
            writeln!(f, "  {call}")?;
        }
        f.write_str(&self.main.1)
    }
}
