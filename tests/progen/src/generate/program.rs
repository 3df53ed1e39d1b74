//! The whole: globals, helpers, functions that `main` calls with the input, observations.

use super::{Array, Gen, INPUT_BYTES, Scope, Value, text};
use crate::feature::Feature;
use crate::tree::{Function, Program, Stmt};
use crate::types::{Ty, U64, VECTORS};

/// What every program begins with.
const PRELUDE: &str = include_str!("../prelude.c");
/// Room for observations; as in the prelude.
const MAX_OBSERVATIONS: usize = 512;

impl Gen {
    /// The program of this generator's seed.
    pub(super) fn program(&mut self) -> Program {
        self.globals.push(Stmt::text(text::SUPPORT));
        self.define_types();
        self.define_globals();
        self.define_helpers();
        for _ in 0..self.rng.between(1, 2) {
            self.top_function();
        }
        let begin = format!(
            "int main(void) {{\n  static u8 in[{INPUT_BYTES}];\n  if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;"
        );
        let end = format!("  fwrite(out, 8, {}, stdout);\n  return 0;\n}}\n", self.observations);
        Program {
            prelude: PRELUDE.into(),
            globals: std::mem::take(&mut self.globals),
            functions: std::mem::take(&mut self.functions),
            main: (begin, end),
        }
    }

    fn define_globals(&mut self) {
        if self.has(Feature::ConstTable) {
            for _ in 0..self.rng.between(0, 2) {
                let (name, ty) = (self.name("table"), self.plain_int_type());
                let len = 1 << self.rng.between(2, 6);
                let values: Vec<String> =
                    (0..len).map(|_| format!("({}){:#x}", ty.name(), self.rng.next())).collect();
                let text = format!("static const {} {name}[{len}] = {{ {} }};", ty.name(), values.join(", "));
                self.globals.push(Stmt::text(text));
                let feature = Feature::ConstTable;
                self.shared.arrays.push(Array { name, element: ty, len, writable: false, feature });
            }
        }
        if self.has(Feature::Global) {
            for _ in 0..self.rng.between(0, 3) {
                let (name, ty) = (self.name("global"), self.scalar_type());
                self.used.insert(Feature::Global);
                self.globals.push(Stmt::text(format!("static {} {name};", ty.name())));
                self.shared.values.push(Value { name, ty, writable: true });
            }
        }
    }

    /// A function that gets the input, computes and observes.
    fn top_function(&mut self) {
        let name = self.name("f");
        self.scope = Scope {
            input: true,
            arrays: self.shared.arrays.clone(),
            values: self.shared.values.clone(),
            ..Scope::default()
        };
        let mut locals = Vec::new();
        for _ in 0..self.rng.between(2, 6) {
            self.scalar_local(&mut locals);
        }
        for _ in 0..self.rng.between(0, 2) {
            self.vector_local(&mut locals);
        }
        for _ in 0..self.rng.between(0, 3) {
            self.array_local(&mut locals);
        }
        self.compound_locals(&mut locals);
        let body: Vec<Stmt> = (0..self.rng.between(3, 9)).filter_map(|_| self.statement(2)).collect();
        let tail = self.observations();
        let attribute = self.rng.pick(&["static ", "static __attribute__((noinline)) ", ""]);
        let head = format!("{attribute}void {name}(const u8 *in)");
        let call = Some(format!("{name}(in);"));
        self.functions.push(Function { head, locals, body, tail, call });
    }

    fn scalar_local(&mut self, locals: &mut Vec<Stmt>) {
        let (name, ty) = (self.name("v"), self.scalar_type());
        let value = if self.rng.chance(85) { self.input(ty) } else { self.leaf(ty) };
        locals.push(Stmt::new(&format!("{} {name} = $;", ty.name()), vec![value], vec![]));
        self.scope.values.push(Value { name, ty, writable: true });
    }

    fn vector_local(&mut self, locals: &mut Vec<Stmt>) {
        let k = self.rng.below(VECTORS.len());
        let feature = if VECTORS[k].1.is_float() { Feature::VectorFloat } else { Feature::Vector };
        if !self.has(Feature::Vector) || !self.take(feature) {
            return;
        }
        let (name, ty) = (self.name("w"), Ty::Vector(k));
        if VECTORS[k].1.is_float() {
            let value = self.leaf(ty);
            locals.push(Stmt::new(&format!("{} {name} = $;", ty.name()), vec![value], vec![]));
        } else {
            let bytes = usize::from(ty.bits()) / 8;
            let at = self.rng.below(INPUT_BYTES - bytes + 1);
            locals.push(Stmt::text(format!("{} {name}; memcpy(&{name}, in + {at}, {bytes});", ty.name())));
        }
        self.scope.values.push(Value { name, ty, writable: true });
    }

    fn array_local(&mut self, locals: &mut Vec<Stmt>) {
        if !self.take(Feature::Array) {
            return;
        }
        let (name, len) = (self.name("a"), 1 << self.rng.between(1, 4));
        let floats: Vec<u16> = [(Feature::Float32, 32), (Feature::Float64, 64)]
            .into_iter()
            .filter(|f| self.has(f.0))
            .map(|f| f.1)
            .collect();
        let element = match floats.is_empty() || self.rng.chance(75) {
            true => self.plain_int_type(),
            false => Ty::Float(self.rng.pick(&floats)),
        };
        let values = (0..len).map(|_| self.leaf(element)).collect();
        let list = vec!["$"; len].join(", ");
        locals.push(Stmt::new(&format!("{} {name}[{len}] = {{ {list} }};", element.name()), values, vec![]));
        self.scope.arrays.push(Array { name, element, len, writable: true, feature: Feature::Array });
    }

    fn compound_locals(&mut self, locals: &mut Vec<Stmt>) {
        for k in 0..self.structs.len() {
            for _ in 0..self.rng.between(0, 2) {
                let name = self.name("x");
                let fields = self.structs[k].fields.clone();
                let values = fields.iter().map(|f| self.input(f.ty)).collect();
                let list = vec!["$"; fields.len()].join(", ");
                let ty = self.structs[k].name.clone();
                locals.push(Stmt::new(&format!("struct {ty} {name} = {{ {list} }};"), values, vec![]));
                self.declare_struct(&name, k, true);
            }
        }
        if self.rng.chance(40) && self.take(Feature::Union) {
            let name = self.name("u");
            let value = self.input(U64);
            locals.push(Stmt::new(&format!("union uni {name}; {name}.q = $;"), vec![value], vec![]));
            self.scope.unions.push(name);
        }
    }

    /// Every variable, whole.
    fn observations(&mut self) -> Vec<Stmt> {
        let mut words = Vec::new();
        for value in self.scope.values.clone() {
            words.extend(words_of(&value.name, value.ty));
        }
        for union_ in &self.scope.unions {
            words.push(format!("{union_}.q"));
        }
        let mut out: Vec<Stmt> = Vec::new();
        for array in self.scope.arrays.clone().iter().filter(|a| a.writable) {
            let (h, i) = (self.name("c"), self.name("i"));
            let element = words_of(&format!("{}[{i}]", array.name), array.element).swap_remove(0);
            out.push(Stmt::text(format!(
                "u64 {h} = 0; for (int {i} = 0; {i} < {}; {i}++) {h} = ({h} << 5 | {h} >> 59) + {element};",
                array.len
            )));
            words.push(h);
        }
        for word in words {
            if self.observations < MAX_OBSERVATIONS {
                out.push(Stmt::text(format!("OBS({}, {word});", self.observations)));
                self.observations += 1;
            }
        }
        out
    }
}

/// A value as words of 64 bits.
fn words_of(name: &str, ty: Ty) -> Vec<String> {
    let part = |bits: u16| {
        (0..bits.div_ceil(64)).map(|k| format!("(u64)({name} >> {})", 64 * k)).collect::<Vec<_>>()
    };
    match ty {
        Ty::Float(80) => vec![format!("(u64)bits_f80({name})"), format!("(u64)(bits_f80({name}) >> 64)")],
        Ty::Float(bits) => vec![format!("(u64)bits_f{bits}({name})")],
        Ty::Vector(k) => {
            let (lanes, element) = VECTORS[k];
            (0..lanes).flat_map(|lane| words_of(&format!("{name}[{lane}]"), element)).collect()
        }
        Ty::Int { bits: 128, .. } => part(128),
        Ty::BitInt { bits, .. } if bits > 64 => part(bits),
        _ => vec![format!("(u64)({name})")],
    }
}
