//! How far an access through a symbolic address may range, as far as the program's text tells.
//!
//! The variable or the array inside a variable that the address arithmetic indexes: `s.table[i]` ranges over `table`, not
//! over `s`, and where `s` is behind a pointer this is all that is known. An index into the pointed-to thing itself
//! (`p[i]`) tells nothing: the runtime finds the object. Trailing arrays of at most one element are taken for
//! flexible ones.

use super::body::Body;
use super::cold::Fresh;
use crate::llvm::{Kind, Opcode, Type, Value};
use trace_abi::{OBJECT_IS_CONSTANT, OBJECT_IS_PROMISED};

/// An object as instrumented code knows it: null and 0 if it knows none.
pub struct Extent {
    object: Value,
    size: Value,
    flags: Value,
}

impl Extent {
    /// As arguments of the runtime: object, size, flags.
    pub fn arguments(&self) -> [Value; 3] {
        [self.object, self.size, self.flags]
    }
}

/// The array that an address indexes.
struct Array {
    start: Value,
    bytes: u64,
    /// Labels that must be 0 for `start` to be concrete.
    guards: Vec<Value>,
}

impl Body<'_, '_> {
    /// The extent of an access at `pointer`. Emits code at the builder's place.
    pub fn extent(&self, pointer: Value, fresh: &Fresh) -> Extent {
        let env = self.env;
        let root = pointer.underlying_object();
        let variable = root.is(Opcode::LLVMAlloca) || root.is_global_variable();
        let size = variable.then(|| env.module.object_size(root)).flatten();
        let constant = if root.is_constant_global() { OBJECT_IS_CONSTANT } else { 0 };
        let promised = if size.is_some() { constant } else { constant | OBJECT_IS_PROMISED };
        let whole = match size {
            Some(size) => [root, env.k64(size), env.k32(constant.into())],
            None => [env.ptr.zero(), env.k64(0), env.zero()],
        };
        let Some(array) = self.indexed_array(pointer, fresh) else { return Extent::of(whole) };
        let part = [array.start, env.k64(array.bytes), env.k32(promised.into())];
        let guards = array.guards.into_iter().reduce(|x, y| env.b.or(x, y));
        Extent::of(match guards {
            None => part,
            Some(any) => {
                let moving = env.b.is_not_zero(any);
                [0, 1, 2].map(|k| env.b.select(moving, whole[k], part[k]))
            }
        })
    }

    /// The outermost array whose index may be symbolic; `None` if there is none.
    fn indexed_array(&self, pointer: Value, fresh: &Fresh) -> Option<Array> {
        let mut chain = Vec::new();
        let mut at = pointer;
        while let Some((base, ty, indices)) = at.address_steps() {
            chain.push((base, ty, indices));
            at = base;
        }
        let mut guards = Vec::new();
        self.guard(at, fresh, &mut guards);
        for (base, ty, indices) in chain.into_iter().rev() {
            if let Some((start, bytes)) = self.array_in(base, ty, &indices, fresh, &mut guards) {
                return Some(Array { start, bytes, guards });
            }
        }
        None
    }

    fn guard(&self, v: Value, fresh: &Fresh, guards: &mut Vec<Value>) {
        let label = self.one(fresh, v);
        if !label.is_constant() {
            guards.push(label);
        }
    }

    /// The array that a symbolic index of this piece of address arithmetic goes into: its start and size.
    fn array_in(
        &self,
        base: Value,
        ty: Type,
        indices: &[Value],
        fresh: &Fresh,
        guards: &mut Vec<Value>,
    ) -> Option<(Value, u64)> {
        let (env, module) = (self.env, self.env.module);
        let mut here = ty;
        let mut offset = env.k64(0);
        for (k, &index) in indices.iter().enumerate() {
            let step = |size: u64, wide: Value| env.b.mul(wide, env.k64(size));
            if k == 0 {
                self.guard(index, fresh, guards);
                offset = step(module.alloc_size(ty), self.index64(index));
                continue;
            }
            match here.kind() {
                Kind::Struct => {
                    let field = index.as_u64()? as u32;
                    offset = env.b.add(offset, env.k64(module.field_offset(here, field)));
                    here = *here.fields().get(field as usize)?;
                }
                Kind::Array(element, n) => {
                    let size = module.alloc_size(element);
                    if !self.one(fresh, index).is_constant() {
                        let known = n > 1 && size > 0;
                        return known
                            .then(|| (env.b.offset(env.context, base, offset), n.saturating_mul(size)));
                    }
                    offset = env.b.add(offset, step(size, self.index64(index)));
                    here = element;
                }
                _ => return None,
            }
        }
        None
    }

    fn index64(&self, index: Value) -> Value {
        let env = self.env;
        match index.ty().scalar_width() {
            Some(w) if w > 64 => env.b.trunc(index, env.i64t),
            _ => env.b.sext(index, env.i64t),
        }
    }
}

impl Extent {
    fn of([object, size, flags]: [Value; 3]) -> Extent {
        Extent { object, size, flags }
    }
}
