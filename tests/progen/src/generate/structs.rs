//! Structures with bit-fields, packed ones, unions.

use super::convert::convert;
use super::{Field, Gen, StmtRule, StructType};
use crate::feature::Feature;
use crate::tree::{Expr, Stmt};
use crate::types::{I32, I64, Ty, U8, U32, U64};

/// The rules with their weights.
pub(super) const STATEMENTS: &[(usize, StmtRule)] =
    &[(4, assign), (3, union_store), (3, choose), (3, compound)];

/// Parts of the prelude's union: text after its name, type.
const UNION_PARTS: &[(&str, Ty)] = &[
    (".q", U64),
    (".s", I64),
    (".d[0]", U32),
    (".d[1]", I32),
    (".h[0]", Ty::int(16, false)),
    (".h[3]", Ty::int(16, false)),
    (".b[2]", U8),
    (".b[7]", U8),
    (".m.x", Ty::int(32, false)),
    (".m.y", Ty::int(64, true)),
    (".m.z", Ty::int(32, true)),
];

impl Gen {
    /// Adds structure types and the union to the globals.
    pub(super) fn define_types(&mut self) {
        let union_ = "union uni { u64 q; i64 s; u32 d[2]; u16 h[4]; u8 b[8]; struct { u32 x : 5; i64 y : 33; i32 z : 20; } m; };";
        self.globals.push(Stmt::text(union_));
        for _ in 0..self.rng.between(1, 2) {
            if !self.has(Feature::Struct) {
                return;
            }
            let packed = self.rng.chance(30) && self.take(Feature::Packed);
            let ty = self.struct_type(packed);
            let fields: Vec<String> =
                ty.fields.iter().map(|f| format!("{} {};", f.ty.name(), declared(f))).collect();
            let packed = if packed { " __attribute__((packed))" } else { "" };
            self.globals.push(Stmt::text(format!("struct {} {{ {} }}{packed};", ty.name, fields.join(" "))));
            self.structs.push(StructType { fields: ty.fields.into_iter().map(plain).collect(), ..ty });
        }
    }

    fn struct_type(&mut self, packed: bool) -> StructType {
        let (name, mut fields) = (self.name("s"), Vec::new());
        for k in 0..self.rng.between(1, 6) {
            let mut name = format!("m{k}");
            let (mut ty, mut feature) = (self.plain_int_type(), None);
            match self.rng.below(10) {
                0..3 if self.has(Feature::BitField) => {
                    feature = Some(Feature::BitField);
                    name = format!("{name} : {}", self.rng.between(1, ty.bits().into()));
                }
                3 | 4 => ty = self.float_type().unwrap_or(ty),
                5 if self.has(Feature::Int128) && !packed => ty = Ty::int(128, false),
                _ => {}
            }
            fields.push(Field { name, ty, feature });
        }
        let mut features = vec![Feature::Struct];
        features.extend(packed.then_some(Feature::Packed));
        StructType { name, fields, features }
    }

    /// Declares a structure and puts its fields into the scope.
    pub(super) fn declare_struct(&mut self, name: &str, k: usize, writable: bool) {
        let ty = self.structs[k].clone();
        self.used.extend(&ty.features);
        for field in &ty.fields {
            self.used.extend(field.feature);
            let value = super::Value { name: format!("{name}.{}", field.name), ty: field.ty, writable };
            self.scope.values.push(value);
        }
        self.scope.structs.push((name.to_owned(), k));
    }
}

fn declared(field: &Field) -> &str {
    &field.name
}

/// Without the width of a bit-field.
fn plain(field: Field) -> Field {
    let name = field.name.split(' ').next().unwrap_or_default().to_owned();
    Field { name, ..field }
}

/// A part of a union, whatever was written last.
pub(super) fn union_part(g: &mut Gen, ty: Ty, _: usize) -> Option<Expr> {
    let name = union_name(g)?;
    let (part, own) = g.rng.pick(UNION_PARTS);
    Some(convert(Expr::text(own, format!("(({})({name}{part}))", own.name())), ty))
}

fn union_name(g: &mut Gen) -> Option<String> {
    if g.scope.unions.is_empty() || !g.take(Feature::Union) {
        return None;
    }
    let k = g.rng.below(g.scope.unions.len());
    Some(g.scope.unions[k].clone())
}

fn union_store(g: &mut Gen, depth: usize) -> Option<Stmt> {
    let name = union_name(g)?;
    let (part, own) = g.rng.pick(UNION_PARTS);
    Some(Stmt::new(&format!("{name}{part} = $;"), vec![g.expr(own, depth.max(2))], vec![]))
}

/// Two structures of one type.
fn pair(g: &mut Gen) -> Option<(String, String)> {
    let all = g.scope.structs.clone();
    let (to, k) = all.get(g.rng.below(all.len().max(1)))?.clone();
    let same: Vec<&(String, usize)> = all.iter().filter(|s| s.1 == k && s.0 != to).collect();
    if same.is_empty() || !g.take(Feature::Struct) {
        return None;
    }
    Some((to, same[g.rng.below(same.len())].0.clone()))
}

fn assign(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (to, from) = pair(g)?;
    Some(Stmt::text(format!("{to} = {from};")))
}

/// The structure that is written is chosen by data.
fn choose(g: &mut Gen, _: usize) -> Option<Stmt> {
    let (one, other) = pair(g)?;
    g.take(Feature::Pointer).then_some(())?;
    let k = g.scope.structs.iter().find(|s| s.0 == one)?.1;
    let ty = g.structs[k].clone();
    let field = &ty.fields[g.rng.below(ty.fields.len())];
    let subs = vec![g.expr(I32, 2), g.expr(field.ty, 2)];
    let (p, name) = (g.name("p"), &ty.name);
    let template = format!("{{ struct {name} *{p} = $ & 1 ? &{one} : &{other}; {p}->{} = $; }}", field.name);
    Some(Stmt::new(&template, subs, vec![]))
}

/// A compound literal by value.
fn compound(g: &mut Gen, _: usize) -> Option<Stmt> {
    let all = g.scope.structs.clone();
    let (to, k) = all.get(g.rng.below(all.len().max(1)))?.clone();
    let ty = g.structs[k].clone();
    let subs: Vec<Expr> = ty.fields.iter().map(|f| g.expr(f.ty, 1)).collect();
    let list: Vec<String> = ty.fields.iter().map(|f| format!(".{} = $", f.name)).collect();
    Some(Stmt::new(&format!("{to} = (struct {}){{{}}};", ty.name, list.join(", ")), subs, vec![]))
}
