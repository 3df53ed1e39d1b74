//! What flavour `check` reports of an operation that is undefined: its place, and what it does with which values.
//!
//! Two sources of such operations: checks of `--find`, and checks of UndefinedBehaviorSanitizer in builds with
//! `-fsanitize-trap`, which have no handler that says anything and share one trap per function (there, every jump to the trap
//! reports before it is taken). The text is a constant with directives in it (`%d0`: value 0, signed; `%u1`: value 1,
//! unsigned; `%f0`: value 0, the bits of a double); `check/report.c` fills them in.

use crate::checks::{Wanted, array_length};
use crate::llvm::{Builder, Kind, Linkage, Module, Opcode, Value};
use program::CheckKind;

/// What is said of a failure: the text, and the values for its directives.
pub struct Words {
    text: String,
    values: Vec<Value>,
}

/// Where a failure is.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Source file; empty if unknown.
    pub file: &'a str,
    /// Line, 0 if unknown.
    pub line: u32,
    /// Column, 0 if unknown.
    pub column: u32,
}

/// Reports failures to a function of `check/report.c`.
pub struct Reporter<'m> {
    module: &'m Module,
    builder: Builder,
}

impl<'m> Reporter<'m> {
    /// For `module`.
    pub fn new(module: &'m Module) -> Reporter<'m> {
        Reporter { module, builder: Builder::new(module.context()) }
    }

    /// Plants before `at`: if `fails`, `function` is told.
    pub fn plant(&self, at: Value, fails: Value, function: &str, place: At<'_>, words: &Words) {
        let (context, builder) = (self.module.context(), &self.builder);
        let long = context.int(64);
        builder.before(at);
        let fails = builder.freeze(fails);
        builder.before(at.guard(fails));
        let mut arguments = vec![self.site(place, &words.text)];
        arguments.extend(words.values.iter().map(|&v| self.word(v, &words.text, &words.values)));
        arguments.resize(3, long.int(0));
        let ty = context.void().function(&[context.pointer(), long, long], false);
        builder.call(ty, self.module.declare(function, ty), &arguments);
    }

    /// A value as the 64 bits that its directive wants.
    fn word(&self, value: Value, text: &str, all: &[Value]) -> Value {
        let (builder, long) = (&self.builder, self.module.context().int(64));
        let k = all.iter().position(|&v| v == value).unwrap_or(0);
        match value.ty().kind() {
            Kind::Float(64) => builder.bitcast(value, long),
            Kind::Float(_) => builder.bitcast(builder.fcast(value, self.module.context().double()), long),
            _ if value.ty().is_pointer() => builder.ptr_to_int(value, long),
            _ if text.contains(&format!("%u{k}")) => builder.zext(value, long),
            _ => builder.sext(value, long),
        }
    }

    /// What is reported: a byte that says whether it was, then the line.
    fn site(&self, at: At<'_>, text: &str) -> Value {
        let At { file, line, column } = at;
        let file = file.replace('%', "%%");
        let text = format!("\0{file}:{line}:{column}: runtime error: {text}\n\0");
        let bytes = self.module.context().const_bytes(text.as_bytes());
        let global = self.module.add_global("spelunk.site", bytes.ty());
        global.set_initializer(bytes);
        global.set_linkage(Linkage::LLVMInternalLinkage);
        global
    }
}

/// What a check of `--find` has to say of its operation.
pub fn of_check(module: &Module, wanted: &Wanted) -> Words {
    let (at, says) = (wanted.at, wanted.kind.text());
    let words = |text: String, values: Vec<Value>| Words { text: format!("{says}: {text}"), values };
    match wanted.kind {
        CheckKind::Overflow => words(overflow(at.opcode(), at, true), vec![at.operand(0), at.operand(1)]),
        CheckKind::Division | CheckKind::Shift => {
            let (text, values) = operation(at);
            words(text, values)
        }
        CheckKind::Bounds => {
            let length = array_length(at, wanted.operand).unwrap_or(0);
            words(format!("index %d0, array of {length}"), vec![at.operand(wanted.operand)])
        }
        CheckKind::Null => {
            let (verb, ty) = match at.opcode() {
                Opcode::LLVMLoad => ("reads", at.ty()),
                _ => ("writes", at.operand(0).ty()),
            };
            let bytes = module.store_size(ty);
            let plural = if bytes == 1 { "" } else { "s" };
            words(format!("{verb} {bytes} byte{plural} at address %u0"), vec![at.operand(wanted.operand)])
        }
        CheckKind::Cast => {
            let (text, values) = operation(at);
            words(text, values)
        }
    }
}

/// `%d0 + %d1 overflows int`.
fn overflow(opcode: Opcode, value: Value, signed: bool) -> String {
    let sign = match opcode {
        Opcode::LLVMAdd => '+',
        Opcode::LLVMSub => '-',
        _ => '*',
    };
    let (d, name) = (if signed { 'd' } else { 'u' }, type_name(value.ty().scalar_width(), signed));
    format!("%{d}0 {sign} %{d}1 overflows {name}")
}

/// What a division, shift or conversion does.
fn operation(at: Value) -> (String, Vec<Value>) {
    use Opcode::*;
    let two = vec![at.operand(0), at.operand(at.n_operands() - 1)];
    let width = at.ty().scalar_width();
    let text = match at.opcode() {
        LLVMSDiv => "%d0 / %d1".into(),
        LLVMSRem => "%d0 %% %d1".into(),
        LLVMUDiv => "%u0 / %u1".into(),
        LLVMURem => "%u0 %% %u1".into(),
        LLVMShl => format!("%d0 << %d1 in {} bits", width.unwrap_or(0)),
        LLVMAShr => format!("%d0 >> %d1 in {} bits", width.unwrap_or(0)),
        LLVMLShr => format!("%u0 >> %d1 in {} bits", width.unwrap_or(0)),
        opcode => {
            let signed = opcode == LLVMFPToSI;
            return (format!("%f0 does not fit {}", type_name(width, signed)), vec![at.operand(0)]);
        }
    };
    (text, two)
}

/// The integer type as C calls it where it is the same on all machines.
fn type_name(width: Option<u32>, signed: bool) -> String {
    match (width, signed) {
        (Some(32), true) => "int".into(),
        (Some(32), false) => "unsigned int".into(),
        (width, true) => format!("a signed integer of {} bits", width.unwrap_or(0)),
        (width, false) => format!("an unsigned integer of {} bits", width.unwrap_or(0)),
    }
}

/// Has every check that would end in a silent trap report first, and end there.
pub fn name_traps(module: &Module) {
    let Some(trap) = module.function("llvm.ubsantrap") else { return };
    let reporter = Reporter::new(module);
    let mut jumps = Vec::new();
    for call in trap.users().into_iter().filter(|user| user.is_call()) {
        let handler = call.operand(0).as_u64().unwrap_or(u64::MAX);
        for block in call.block().function().blocks() {
            let Some(jump) = block.terminator() else { continue };
            let Some(condition) = jump.jump_condition().filter(|_| jump.is(Opcode::LLVMBr)) else { continue };
            if let Some(k) = jump.successors().iter().position(|&to| to == call.block()) {
                jumps.push((jump, condition, k, handler, call));
            }
        }
    }
    for (jump, condition, k, handler, call) in jumps {
        let on = jump.successors()[1 - k];
        let words = of_trap(handler, condition, on.instructions());
        let at = jump.location().filter(|l| l.line > 0).or_else(|| call.location());
        let (file, line, column) = at.map_or((String::new(), 0, 0), |l| (l.file, l.line, l.column));
        reporter.builder.before(jump);
        let fails = match k {
            0 => condition,
            _ => reporter.builder.xor(condition, module.context().int(1).int(1)),
        };
        let place = At { file: &file, line, column };
        reporter.plant(jump, fails, "__spelunk_trapped", place, &words);
    }
}

/// What a check of UndefinedBehaviorSanitizer found: `handler` is its number in clang (`SanitizerHandler.h`), `on` what
/// comes behind it when it holds.
fn of_trap(handler: u64, condition: Value, on: Vec<Value>) -> Words {
    use Opcode::*;
    let plain = |text: &str| Words { text: text.into(), values: Vec::new() };
    let first = |opcodes: &[Opcode]| on.iter().copied().find(|i| opcodes.contains(&i.opcode()));
    let told = |says: &str, opcodes: &[Opcode]| match first(opcodes) {
        Some(at) if at.ty().scalar_width().is_some_and(|w| w <= 64) && at.ty().is_int() => {
            let (text, values) = operation(at);
            Words { text: format!("{says}: {text}"), values }
        }
        _ => plain(says),
    };
    match handler {
        0 | 12 | 13 | 21 => overflowing(condition).unwrap_or_else(|| plain("signed integer overflow")),
        1 => plain("execution reached an unreachable program point"),
        3 => told(CheckKind::Division.text(), &[LLVMSDiv, LLVMUDiv, LLVMSRem, LLVMURem]),
        5 => told(CheckKind::Cast.text(), &[LLVMFPToSI, LLVMFPToUI]),
        7 => plain("implicit conversion changes the value"),
        8 => plain("builtin function called with an argument that it does not take"),
        10 => plain("load of a value that is not a valid value for its type"),
        11 => plain("execution reached the end of a value-returning function without returning a value"),
        14..=17 => plain("null pointer where none may be"),
        18 => index(condition).unwrap_or_else(|| plain("index out of bounds")),
        19 => plain("pointer index expression overflows"),
        20 => told(CheckKind::Shift.text(), &[LLVMShl, LLVMAShr, LLVMLShr]),
        22 => plain("access through a null pointer, a misaligned one, or beyond an object"),
        23 => plain("pointer that is not aligned as promised"),
        24 => plain("array of variable length whose length is not positive"),
        _ => plain("undefined behaviour"),
    }
}

/// Parts of a condition that is made of others.
fn parts(condition: Value) -> Vec<Value> {
    let (mut all, mut next) = (vec![condition], 0);
    while next < all.len() && all.len() < 16 {
        let part = all[next];
        next += 1;
        if part.is_instruction()
            && matches!(part.opcode(), Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor)
        {
            all.extend(part.operands());
        }
    }
    all
}

/// The arithmetic whose overflow a condition is about.
fn overflowing(condition: Value) -> Option<Words> {
    let found = parts(condition).into_iter().find_map(|part| {
        let call = part.is(Opcode::LLVMExtractValue).then(|| part.operand(0))?;
        let name = call.is_call().then(|| call.intrinsic()).flatten()?;
        name.contains(".with.overflow.").then_some((name, call))
    });
    let (name, call) = found?;
    let signed = name.starts_with("llvm.s");
    let opcode = match name.get(6..9)? {
        "add" => Opcode::LLVMAdd,
        "sub" => Opcode::LLVMSub,
        _ => Opcode::LLVMMul,
    };
    let values = vec![call.operand(0), call.operand(1)];
    values.iter().all(|v| v.ty().scalar_width().is_some_and(|w| w <= 64)).then_some(())?;
    let sort = if signed { "signed" } else { "unsigned" };
    Some(Words { text: format!("{sort} integer overflow: {}", overflow(opcode, values[0], signed)), values })
}

/// The index that a condition compares with a constant length.
fn index(condition: Value) -> Option<Words> {
    parts(condition).into_iter().find_map(|part| {
        let length = part.is(Opcode::LLVMICmp).then(|| part.operand(1).as_u64())??;
        let index = part.operand(0);
        (index.ty().scalar_width()? <= 64).then_some(())?;
        Some(Words {
            text: format!("index out of bounds: index %d0, array of {length}"),
            values: vec![index],
        })
    })
}
