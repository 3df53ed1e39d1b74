//! What all functions of a module share: types, the runtime's functions, shapes.

use super::rules::Code;
use super::shape::Shape;
use crate::emit::Tables;
use crate::llvm::{Builder, Context, FUNCTION, Module, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use trace_abi::{Op, SYMBOLS, TLS_SYMBOL, Ty};

/// Shared by all functions of a module.
pub struct Env<'m> {
    /// The module.
    pub module: &'m Module,
    /// Its context.
    pub context: Context,
    /// Builds instructions.
    pub b: Builder,
    /// `i32`.
    pub i32t: Type,
    /// `i64`.
    pub i64t: Type,
    /// `ptr`.
    pub ptr: Type,
    /// The functions that are instrumented.
    pub instrumented: FxHashSet<Value>,
    /// Metadata kind that holds a call's id.
    pub call_metadata: u32,
    /// What is written beside labels.
    pub tables: Tables,
    tls: Value,
    runtime: FxHashMap<&'static str, (Type, Value)>,
    shapes: RefCell<FxHashMap<Type, Option<Rc<Shape>>>>,
    accesses: Cell<u32>,
}

impl<'m> Env<'m> {
    /// Declares the runtime in `module`.
    pub fn new(module: &'m Module, functions: &[Value], tables: &Tables) -> Env<'m> {
        let context = module.context();
        let (i8t, i32t, i64t, ptr) = (context.int(8), context.int(32), context.int(64), context.pointer());
        let tls = module.add_global(TLS_SYMBOL, context.array(i8t, trace_abi::TLS_SIZE));
        tls.set_initial_exec();
        tls.set_alignment(16);
        let mut runtime = FxHashMap::default();
        for symbol in SYMBOLS {
            let of = |t: &Ty| match t {
                Ty::Void => context.void(),
                Ty::L | Ty::W => i32t,
                Ty::D => i64t,
                Ty::P => ptr,
            };
            let params: Vec<Type> = symbol.params.iter().map(of).collect();
            let ty = of(&symbol.ret).function(&params, false);
            let function = module.declare(symbol.name, ty);
            function.add_attribute(context, FUNCTION, "nounwind", 0);
            if symbol.cold {
                function.add_attribute(context, FUNCTION, "cold", 0);
            }
            runtime.insert(symbol.name, (ty, function));
        }
        Env {
            module,
            context,
            b: Builder::new(context),
            i32t,
            i64t,
            ptr,
            instrumented: functions.iter().copied().collect(),
            call_metadata: context.metadata_kind(crate::mark::CALL_METADATA),
            tls,
            tables: *tables,
            runtime,
            shapes: RefCell::default(),
            accesses: Cell::new(0),
        }
    }

    /// Constant `i32`.
    pub fn k32(&self, n: u64) -> Value {
        self.i32t.int(n)
    }

    /// Constant `i64`.
    pub fn k64(&self, n: u64) -> Value {
        self.i64t.int(n)
    }

    /// The label of concrete data.
    pub fn zero(&self) -> Value {
        self.i32t.zero()
    }

    /// Number of an operation as an argument.
    pub fn op(&self, op: Op) -> Value {
        self.k32(op as u64)
    }

    /// An operation with its `aux` as an argument.
    pub fn code(&self, code: Code) -> Value {
        self.k32(code.op as u64 | u64::from(code.aux) << 8)
    }

    /// Calls a function of the runtime.
    pub fn rt(&self, name: &str, arguments: &[Value]) -> Value {
        let (ty, function) = self.runtime[name];
        self.b.call(ty, function, arguments)
    }

    /// Number of a memory access that may go through a symbolic address, as an argument. The order is that of the
    /// module, so the numbers are equal in all flavours.
    pub fn next_access(&self) -> Value {
        let n = self.accesses.get();
        self.accesses.set(n + 1);
        self.k32(n.into())
    }

    /// Shape of a type; `None` if not followed.
    pub fn shape(&self, ty: Type) -> Option<Rc<Shape>> {
        let mut shapes = self.shapes.borrow_mut();
        shapes.entry(ty).or_insert_with(|| Shape::of(self.module, ty).map(Rc::new)).clone()
    }

    /// Address in the thread-local record.
    pub fn tls(&self, offset: u64) -> Value {
        self.b.offset(self.context, self.tls, self.k64(offset))
    }

    /// A load of the runtime's data.
    pub fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        self.b.load(ty, pointer, alignment)
    }

    /// A store of the runtime's data.
    pub fn store(&self, value: Value, pointer: Value, alignment: u32) {
        self.b.store(value, pointer, alignment);
    }

    /// `pointer + bytes`.
    pub fn at(&self, pointer: Value, bytes: u64) -> Value {
        self.b.offset(self.context, pointer, self.k64(bytes))
    }
}
