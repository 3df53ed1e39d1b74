//! From a seed to a program: deterministic, without undefined behaviour, whatever its 64 bytes of input.
//!
//! How undefined behaviour is kept out: arithmetic wraps in unsigned types or has operands of half the width; shift
//! counts and indexes are masked; divisors are odd; floats are clamped before they become integers; the bits of a NaN
//! are never looked at. What a library function or a language rule leaves open is not observed.

mod bits;
mod calls;
mod control;
mod convert;
mod floats;
mod ints;
mod leaf;
mod library;
mod memory;
mod program;
mod statements;
mod structs;
mod text;
mod vectors;

pub use convert::convert;

use crate::feature::Feature;
use crate::rng::Rng;
use crate::tree::{Expr, Program, Stmt};
use crate::types::Ty;
use std::collections::BTreeSet;

/// Bytes of input that every program reads.
pub const INPUT_BYTES: usize = 64;

/// What is to be generated.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Features that are switched off.
    pub without: BTreeSet<Feature>,
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program.
    pub program: Program,
    /// What it contains.
    pub features: BTreeSet<Feature>,
    /// Flags of its compilation.
    pub flags: Vec<String>,
}

/// The program of a seed.
pub fn generate(seed: u64, wanted: &Wanted) -> Generated {
    let mut gen_ = Gen {
        rng: Rng::new(seed),
        without: wanted.without.clone(),
        used: BTreeSet::new(),
        scope: Scope::default(),
        shared: Scope::default(),
        globals: Vec::new(),
        structs: Vec::new(),
        helpers: Vec::new(),
        functions: Vec::new(),
        names: 0,
        observations: 0,
        loops: 0,
    };
    let program = gen_.program();
    let level = gen_.rng.pick(&["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"]);
    Generated { program, features: gen_.used, flags: vec![level.into()] }
}

/// A variable.
#[derive(Clone, Debug)]
struct Value {
    name: String,
    ty: Ty,
    writable: bool,
}

/// An array whose length is a power of two.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    element: Ty,
    len: usize,
    writable: bool,
    feature: Feature,
}

/// What expressions may refer to.
#[derive(Clone, Debug, Default)]
struct Scope {
    values: Vec<Value>,
    arrays: Vec<Array>,
    /// Structures: name and index of their type.
    structs: Vec<(String, usize)>,
    /// Unions.
    unions: Vec<String>,
    /// Whether `in` is there.
    input: bool,
}

/// A structure type.
#[derive(Clone, Debug)]
struct StructType {
    name: String,
    fields: Vec<Field>,
    features: Vec<Feature>,
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    ty: Ty,
    feature: Option<Feature>,
}

/// A function that expressions may call.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    result: Ty,
    parameters: Vec<Parameter>,
    feature: Feature,
}

#[derive(Clone, Copy, Debug)]
enum Parameter {
    Scalar(Ty),
    /// By value: index of the structure type.
    Struct(usize),
    /// `n & 3`: how deep a recursion goes.
    Depth,
}

/// The generator's state.
struct Gen {
    rng: Rng,
    without: BTreeSet<Feature>,
    used: BTreeSet<Feature>,
    scope: Scope,
    /// Global variables.
    shared: Scope,
    globals: Vec<Stmt>,
    structs: Vec<StructType>,
    helpers: Vec<Helper>,
    functions: Vec<crate::tree::Function>,
    names: usize,
    observations: usize,
    /// Loops around the place that is being filled.
    loops: usize,
}

/// A way to make an expression of a type; `None` where it does not apply. The number is the depth that is left.
type Rule = fn(&mut Gen, Ty, usize) -> Option<Expr>;
/// A way to make a statement.
type StmtRule = fn(&mut Gen, usize) -> Option<Stmt>;

impl Gen {
    /// Whether the feature is wanted; it counts as used then.
    fn take(&mut self, feature: Feature) -> bool {
        let wanted = !self.without.contains(&feature);
        if wanted {
            self.used.insert(feature);
        }
        wanted
    }

    /// Whether the feature is wanted.
    fn has(&self, feature: Feature) -> bool {
        !self.without.contains(&feature)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}_{}", self.names)
    }

    /// An expression of this type, at most so deep.
    fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(12) {
            return self.leaf(ty);
        }
        let rules = match ty {
            Ty::Float(_) => floats::RULES,
            Ty::Vector(_) => vectors::RULES,
            _ => ints::RULES,
        };
        for _ in 0..20 {
            let rule = self.weighted(rules);
            if let Some(e) = rule(self, ty, depth - 1) {
                return e;
            }
        }
        self.leaf(ty)
    }

    /// One of the rules, by weight.
    fn weighted<R: Copy>(&mut self, rules: &[(usize, R)]) -> R {
        let mut at = self.rng.below(rules.iter().map(|r| r.0).sum());
        for &(weight, rule) in rules {
            if at < weight {
                return rule;
            }
            at -= weight;
        }
        unreachable!("the weights were summed")
    }

    /// An integer type.
    fn int_type(&mut self) -> Ty {
        let signed = self.rng.chance(50);
        match self.rng.below(100) {
            0..4 if self.take(Feature::Bool) => Ty::Bool,
            4..12 if self.take(Feature::Int128) => Ty::int(128, signed),
            12..22 if self.take(Feature::BitInt) => {
                let most = if self.rng.chance(15) { 250 } else { 70 };
                Ty::BitInt { bits: self.rng.between(2, most) as u16, signed }
            }
            22..38 => Ty::int(8, signed),
            38..52 => Ty::int(16, signed),
            52..78 => Ty::int(32, signed),
            _ => Ty::int(64, signed),
        }
    }

    /// An integer type of at most 64 bits that arrays and structures have.
    fn plain_int_type(&mut self) -> Ty {
        let bits = self.rng.pick(&[8, 8, 16, 32, 32, 64]);
        Ty::int(bits, self.rng.chance(50))
    }

    /// A float type, if there are any.
    fn float_type(&mut self) -> Option<Ty> {
        let all = [
            (Feature::Float16, 16),
            (Feature::Float32, 32),
            (Feature::Float32, 32),
            (Feature::Float64, 64),
            (Feature::Float64, 64),
            (Feature::Float64, 64),
            (Feature::Float80, 80),
        ];
        let (feature, bits) = self.rng.pick(&all);
        self.take(feature).then_some(Ty::Float(bits))
    }

    /// A type of a variable.
    fn scalar_type(&mut self) -> Ty {
        if self.rng.chance(30)
            && let Some(ty) = self.float_type()
        {
            return ty;
        }
        self.int_type()
    }
}
