//! Functions that expressions call: plain ones, recursive ones, with structures by value, variable arguments, and
//! through pointers.

use super::convert::convert;
use super::{Gen, Helper, Parameter, Scope, Value};
use crate::feature::Feature;
use crate::tree::{Expr, Function, Stmt};
use crate::types::{I32, Ty, U32, U64};

/// Takes what its first argument says: u(int), l(ong), d(ouble), e (long double), p(ointer to int), s(truct).
const VARIADIC: &str = "static u64 variadic(const char *kinds, ...) {
  va_list list, again;
  u64 h = 17;
  va_start(list, kinds);
  va_copy(again, list);
  for (; *kinds; kinds++) {
    va_list *from = *kinds == 'U' ? &again : &list;
    switch (*kinds) {
    case 'u': case 'U': h = h * 31 + va_arg(*from, unsigned); break;
    case 'l': h = h * 33 ^ va_arg(list, u64); break;
    case 'd': h = h * 5 + bits_f64(va_arg(list, double)); break;
    case 'e': h = h * 7 + (u64)bits_f80(va_arg(list, long double)); break;
    case 'p': h = h * 9 + *va_arg(list, u32 *); break;
    case 'q': h = h * 11 + (u64)(va_arg(list, u128) >> 32); break;
    case 's': { struct pair x = va_arg(list, struct pair); h = h * 13 + x.a - x.b; break; }
    }
  }
  va_end(again);
  va_end(list);
  return h;
}";

impl Gen {
    /// Defines the helpers.
    pub(super) fn define_helpers(&mut self) {
        if self.has(Feature::Varargs) {
            self.globals.push(Stmt::text("struct pair { u64 a, b, c; };"));
            self.globals.push(Stmt::text(VARIADIC));
        }
        if self.has(Feature::Call) {
            for _ in 0..self.rng.between(1, 3) {
                self.define_plain();
            }
        }
        if self.has(Feature::Recursion) && self.rng.chance(50) {
            self.define_recursive();
        }
        if self.has(Feature::FunctionPointer) && self.rng.chance(50) {
            self.define_table();
        }
    }

    fn attribute(&mut self) -> &'static str {
        self.rng.pick(&[
            "static ",
            "static inline ",
            "static __attribute__((noinline)) ",
            "static __attribute__((noinline)) ",
            "",
        ])
    }

    fn define_plain(&mut self) {
        let name = self.name("h");
        self.scope = Scope {
            arrays: self.shared.arrays.clone(),
            values: self.shared.values.clone(),
            ..Scope::default()
        };
        let result = self.scalar_type();
        let (mut parameters, mut list) = (Vec::new(), Vec::new());
        for k in 0..self.rng.between(1, 8) {
            let own = format!("a{k}");
            if !self.structs.is_empty() && self.rng.chance(20) && self.take(Feature::ByValue) {
                let s = self.rng.below(self.structs.len());
                list.push(format!("struct {} {own}", self.structs[s].name));
                self.declare_struct(&own, s, true);
                parameters.push(Parameter::Struct(s));
            } else {
                let ty = self.scalar_type();
                list.push(format!("{} {own}", ty.name()));
                self.scope.values.push(Value { name: own, ty, writable: true });
                parameters.push(Parameter::Scalar(ty));
            }
        }
        let head = format!("{}{} {name}({})", self.attribute(), result.name(), list.join(", "));
        let body = (0..self.rng.between(0, 2)).filter_map(|_| self.simple_statement()).collect();
        let value = self.expr(result, 3);
        let tail = vec![Stmt::new("return $;", vec![value], vec![])];
        self.functions.push(Function { head, locals: vec![], body, tail, call: None });
        self.helpers.push(Helper { name, result, parameters, feature: Feature::Call });
    }

    fn define_recursive(&mut self) {
        let name = self.name("r");
        let (result, ty) = (self.int_type(), self.scalar_type());
        self.scope = Scope::default();
        self.scope.values.push(Value { name: "n".into(), ty: U32, writable: false });
        self.scope.values.push(Value { name: "x".into(), ty, writable: true });
        let head = format!("static {} {name}(u32 n, {} x)", result.name(), ty.name());
        let (base, next, own) = (self.expr(result, 1), self.expr(ty, 2), self.expr(result, 2));
        let step = format!("return ({})({name}(n - 1, $) ^ $);", result.name());
        let body = vec![Stmt::new("if (n == 0) return $;", vec![base], vec![])];
        let tail = vec![Stmt::new(&step, vec![next, own], vec![])];
        self.functions.push(Function { head, locals: vec![], body, tail, call: None });
        let parameters = vec![Parameter::Depth, Parameter::Scalar(ty)];
        self.helpers.push(Helper { name, result, parameters, feature: Feature::Recursion });
    }

    /// Four functions of one type, and a table of them.
    fn define_table(&mut self) {
        let table = self.name("t");
        let mut names = Vec::new();
        for _ in 0..4 {
            let name = self.name("g");
            self.scope = Scope::default();
            self.scope.values.push(Value { name: "x".into(), ty: U64, writable: true });
            self.scope.values.push(Value { name: "y".into(), ty: I32, writable: true });
            let value = self.expr(U64, 2);
            let tail = vec![Stmt::new("return $;", vec![value], vec![])];
            let head = format!("static u64 {name}(u64 x, i32 y)");
            self.functions.push(Function { head, locals: vec![], body: vec![], tail, call: None });
            names.push(name);
        }
        let head = format!(
            "static u64 (*const {table}[4])(u64, i32) = {{ {} }};\nstatic u64 {table}_call(u32 k, u64 x, i32 y)",
            names.join(", ")
        );
        let tail = vec![Stmt::text(format!("return {table}[k & 3](x, y);"))];
        self.functions.push(Function { head, locals: vec![], body: vec![], tail, call: None });
        let parameters = vec![Parameter::Scalar(U32), Parameter::Scalar(U64), Parameter::Scalar(I32)];
        let feature = Feature::FunctionPointer;
        self.helpers.push(Helper { name: format!("{table}_call"), result: U64, parameters, feature });
    }

    fn call_of(&mut self, helper: &Helper, depth: usize) -> Option<Expr> {
        let (mut list, mut subs) = (Vec::new(), Vec::new());
        for parameter in &helper.parameters {
            match *parameter {
                Parameter::Scalar(ty) => {
                    list.push("$".to_owned());
                    subs.push(if depth > 0 { self.expr(ty, depth - 1) } else { self.leaf(ty) });
                }
                Parameter::Depth => {
                    list.push("($ & 3)".to_owned());
                    subs.push(self.expr(U32, 1));
                }
                Parameter::Struct(k) => {
                    let names: Vec<&String> =
                        self.scope.structs.iter().filter(|s| s.1 == k).map(|s| &s.0).collect();
                    if names.is_empty() {
                        return None;
                    }
                    list.push(names[self.rng.below(names.len())].clone());
                }
            }
        }
        self.used.insert(helper.feature);
        Some(Expr::new(helper.result, &format!("{}({})", helper.name, list.join(", ")), subs))
    }
}

/// A call of a helper.
pub(super) fn call(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let fits = |h: &&Helper| h.result.is_float() == ty.is_float() && h.feature != Feature::FunctionPointer;
    let all: Vec<Helper> = g.helpers.iter().filter(fits).cloned().collect();
    if all.is_empty() {
        return None;
    }
    let helper = &all[g.rng.below(all.len())];
    Some(convert(g.call_of(helper, depth)?, ty))
}

/// A call through a table of functions.
pub(super) fn indirect(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let helper = g.helpers.iter().find(|h| h.feature == Feature::FunctionPointer)?.clone();
    Some(convert(g.call_of(&helper, depth)?, ty))
}

/// A call with variable arguments.
pub(super) fn varargs(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    // Its definition comes before all others.
    g.take(Feature::Varargs).then_some(())?;
    let (mut kinds, mut list, mut subs) = (String::new(), String::new(), Vec::new());
    // Registers for integers that are taken. Where one is left clang passes a 128-bit argument in memory and reads what
    // follows it from the wrong place.
    let mut registers = 1;
    for _ in 0..g.rng.between(1, 9) {
        let (kind, own) = match g.rng.below(12) {
            0 | 1 if g.take(Feature::Float64) => ('d', Ty::Float(64)),
            2 if g.take(Feature::Float80) => ('e', Ty::Float(80)),
            3 if registers != 5 && g.take(Feature::Int128) => ('q', Ty::int(128, false)),
            4..8 => ('l', U64),
            8 => {
                list.push_str(", (struct pair){$, $, 3}");
                kinds.push('s');
                subs.extend([g.leaf(U64), g.leaf(U64)]);
                continue;
            }
            9 => {
                list.push_str(", &(u32){$}");
                kinds.push('p');
                registers += 1;
                subs.push(g.leaf(U32));
                continue;
            }
            _ => ('u', U32),
        };
        registers += match kind {
            'd' | 'e' => 0,
            'q' => 2,
            _ => 1,
        };
        kinds.push(kind);
        list.push_str(", $");
        subs.push(if depth > 0 && g.rng.chance(30) { g.expr(own, depth - 1) } else { g.leaf(own) });
    }
    if kinds.starts_with('u') && g.rng.chance(50) {
        kinds.push('U');
    }
    Some(convert(Expr::new(U64, &format!("variadic(\"{kinds}\"{list})"), subs), ty))
}
