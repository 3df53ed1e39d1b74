//! Arrays and memory: elements by constant and computed index, pointers, copies, allocation.

use super::convert::convert;
use super::{Array, Gen, StmtRule};
use crate::feature::Feature;
use crate::tree::{Expr, Stmt};
use crate::types::{I32, Ty, U8, U32, U64};

/// The rules with their weights.
pub(super) const STATEMENTS: &[(usize, StmtRule)] =
    &[(8, store), (4, symbolic_store), (5, copy), (3, fill), (5, walk), (3, pointers), (2, heap), (2, vla)];

impl Gen {
    /// An array of the scope that fits.
    fn array(&mut self, fits: impl Fn(&Array) -> bool) -> Option<Array> {
        let all: Vec<usize> = (0..self.scope.arrays.len()).filter(|&k| fits(&self.scope.arrays[k])).collect();
        if all.is_empty() {
            return None;
        }
        let k = self.rng.pick(&all);
        let array = self.scope.arrays[k].clone();
        self.used.insert(array.feature);
        Some(array)
    }
}

/// An element of an array.
pub(super) fn element(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let array = g.array(|a| a.element.is_float() == ty.is_float())?;
    let (template, subs) = if g.rng.chance(60) && g.take(Feature::SymbolicLoad) {
        (format!("{}[$ & {}]", array.name, array.len - 1), vec![g.expr(U32, depth)])
    } else {
        (format!("{}[{}]", array.name, g.rng.below(array.len)), Vec::new())
    };
    Some(convert(Expr::new(array.element, &template, subs), ty))
}

/// Bytes of an array at any address.
pub(super) fn unaligned(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let array = g.array(|a| a.element.is_int() && a.len * usize::from(a.element.bits()) >= 128)?;
    g.take(Feature::Unaligned).then_some(())?;
    let bytes = array.len * usize::from(array.element.bits()) / 8;
    let bits = g.rng.pick(&[16, 32, 64]);
    let (template, subs) = if g.rng.chance(50) && g.take(Feature::SymbolicLoad) {
        // The largest mask of ones under which the access stays inside.
        let mask = (bytes - bits / 8 + 2).next_power_of_two() / 2 - 1;
        (format!("ld{bits}((u8 *){} + ($ & {mask}))", array.name), vec![g.expr(U32, depth)])
    } else {
        (format!("ld{bits}((u8 *){} + {})", array.name, g.rng.below(bytes - bits / 8 + 1)), Vec::new())
    };
    Some(convert(Expr::new(Ty::int(bits as u16, false), &template, subs), ty))
}

/// A byte of input at a computed place.
pub(super) fn input_element(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    if !g.scope.input || !g.take(Feature::SymbolicLoad) {
        return None;
    }
    Some(convert(Expr::new(U8, "in[$ & 63]", vec![g.expr(U32, depth)]), ty))
}

fn store(g: &mut Gen, _: usize) -> Option<Stmt> {
    let array = g.array(|a| a.writable)?;
    let at = g.rng.below(array.len);
    let value = g.expr(array.element, 3);
    Some(Stmt::new(&format!("{}[{at}] = $;", array.name), vec![value], vec![]))
}

fn symbolic_store(g: &mut Gen, _: usize) -> Option<Stmt> {
    let array = g.array(|a| a.writable)?;
    g.take(Feature::SymbolicStore).then_some(())?;
    let op = if array.element.is_int() { g.rng.pick(&["=", "=", "^=", "|="]) } else { "=" };
    let subs = vec![g.expr(U32, 2), g.expr(array.element, 2)];
    Some(Stmt::new(&format!("{}[$ & {}] {op} $;", array.name, array.len - 1), subs, vec![]))
}

/// Bytes of one array into another, or within one.
fn copy(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.array(|a| a.writable && a.element.is_int())?;
    let from = g.array(|a| a.element.is_int())?;
    g.take(Feature::Memory).then_some(())?;
    let size = |a: &Array| a.len * usize::from(a.element.bits()) / 8;
    let n = g.rng.between(1, size(&to).min(size(&from)));
    let (i, j) = (g.rng.below(size(&to) - n + 1), g.rng.below(size(&from) - n + 1));
    let function = if to.name == from.name { "memmove" } else { g.rng.pick(&["memcpy", "memmove"]) };
    let (to, from) = (to.name, from.name);
    Some(Stmt::text(format!("{function}((u8 *){to} + {i}, (u8 *){from} + {j}, {n});")))
}

fn fill(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.array(|a| a.writable && a.element.is_int())?;
    g.take(Feature::Memory).then_some(())?;
    let size = to.len * usize::from(to.element.bits()) / 8;
    let n = g.rng.between(1, size);
    let value = g.expr(U8, 2);
    Some(Stmt::new(&format!("memset((u8 *){} + {}, $, {n});", to.name, size - n), vec![value], vec![]))
}

/// A pointer runs over an array.
fn walk(g: &mut Gen, _: usize) -> Option<Stmt> {
    let array = g.array(|a| a.element.is_int())?;
    let into = g.target(|v| v.ty.is_int() && v.ty != Ty::Bool)?;
    g.take(Feature::Pointer).then_some(())?;
    let (p, name, of) = (g.name("p"), array.name, array.element.name());
    let (own, wrapping) = (into.ty.name(), into.ty.wrapping().name());
    let op = g.rng.pick(&["+", "^", "*", "-"]);
    let step = format!("{0} = ({own})((({wrapping}){0} << 1) {op} ({wrapping})*{p});", into.name);
    let text = if g.rng.chance(50) {
        format!("for (const {of} *{p} = {name}; {p} < {name} + {}; {p}++) {step}", array.len)
    } else {
        format!("for (const {of} *{p} = {name} + {}; {p}-- != {name}; ) {step}", array.len)
    };
    Some(Stmt::text(text))
}

/// Pointers to variables and elements, chosen by data.
fn pointers(g: &mut Gen, _: usize) -> Option<Stmt> {
    let array = g.array(|a| a.writable && a.element.is_int())?;
    let into = g.target(|v| v.ty.is_int())?;
    g.take(Feature::Pointer).then_some(())?;
    let (p, q, of) = (g.name("p"), g.name("p"), array.element.name());
    let (i, j) = (g.rng.below(array.len), g.rng.below(array.len));
    let subs = vec![g.expr(I32, 2), g.expr(array.element, 2)];
    let name = &array.name;
    let template = format!(
        "{{ {of} *{p} = $ < 0 ? &{name}[{i}] : &{name}[{j}]; {of} **{q} = &{p}; **{q} = $; {} = ({})(({p} - {name}) + *{p}); }}",
        into.name,
        into.ty.name()
    );
    Some(Stmt::new(&template, subs, vec![]))
}

/// Memory of the heap, filled, read and given back.
fn heap(g: &mut Gen, _: usize) -> Option<Stmt> {
    let into = g.target(|v| v.ty.is_int())?;
    g.take(Feature::Heap).then_some(())?;
    let (p, of, len) = (g.name("p"), g.plain_int_type(), g.rng.pick(&[2usize, 4, 8]));
    let get = g.rng.pick(&["malloc(n_ * sizeof *q_)", "calloc(n_, sizeof *q_)"]);
    let get = get.replace("n_", &len.to_string()).replace("q_", &p);
    let subs = vec![g.expr(of, 2), g.expr(of, 2), g.expr(U32, 2)];
    let template = format!(
        "{{ {0} *{p} = {get}; for (int i_ = 0; i_ < {len}; i_++) {p}[i_] = ({0})(i_ * 3); {p}[0] = $; {p}[1] = $; {1} = ({2}){p}[$ & {3}]; free({p}); }}",
        of.name(),
        into.name,
        into.ty.name(),
        len - 1
    );
    Some(Stmt::new(&template, subs, vec![]))
}

/// An array whose length comes from input.
fn vla(g: &mut Gen, _: usize) -> Option<Stmt> {
    let into = g.target(|v| v.ty.is_int())?;
    g.take(Feature::Vla).then_some(())?;
    let a = g.name("a");
    let subs = vec![g.expr(U32, 1), g.expr(U64, 2), g.expr(U64, 2)];
    let template = format!(
        "{{ u32 n_ = ($ & 7) + 2; u64 {a}[n_]; {a}[0] = $; {a}[n_ - 1] = $; {} = ({})({a}[0] - {a}[n_ - 1] + n_); }}",
        into.name,
        into.ty.name()
    );
    Some(Stmt::new(&template, subs, vec![]))
}
