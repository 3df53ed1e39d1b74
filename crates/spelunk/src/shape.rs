//! What an input of a program consists of, found out without configuration: the fuzz buffer of a harness, typed
//! values, the `@@` file, symbolic arguments, standard input.

use program::{Callee, ProgramMap};
use trace::{Input, Object, ObjectKind};

/// Prefixes of functions by which programs ask for typed values.
const VALUE_FUNCTIONS: &[&str] =
    &["__Crest", "__VERIFIER_nondet_", "klee_make_symbolic", "klee_int", "klee_range", "spelunk_"];

/// The objects of an input of this program, with empty contents.
pub fn of(map: &ProgramMap, args: &[String], symbolic_args: &[(u32, u32)]) -> Input {
    let mut objects = Vec::new();
    let has = |name: &str| map.functions.iter().any(|f| f.linkage_name == name);
    let stream = if has("LLVMFuzzerTestOneInput") && !has("main") && !has("__sp_user_main") {
        Some(Object::new(ObjectKind::Fuzz, "data", []))
    } else if args.iter().any(|arg| arg.contains("@@")) {
        Some(Object::new(ObjectKind::File, "@@", []))
    } else if asks_for_values(map) || !symbolic_args.is_empty() {
        None
    } else {
        Some(Object::new(ObjectKind::Stdin, "stdin", []))
    };
    objects.extend(stream);
    for &(index, length) in symbolic_args {
        objects.push(Object::new(ObjectKind::Arg, index.to_string(), vec![b'A'; length as usize]));
    }
    Input { objects }
}

/// Whether the program asks for typed values.
fn asks_for_values(map: &ProgramMap) -> bool {
    map.calls.iter().any(|call| match &call.callee {
        Callee::External(name) => VALUE_FUNCTIONS.iter().any(|prefix| name.starts_with(prefix)),
        Callee::Function(_) | Callee::Indirect => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::{BlockId, Call, Function, FunctionId, Span};

    const NOWHERE: Span = Span { file: None, line: 0, column: 0 };

    fn program(functions: &[&str], calls: &[&str]) -> ProgramMap {
        let function = |name: &&str| Function {
            name: name.to_string(),
            linkage_name: name.to_string(),
            span: NOWHERE,
            first_block: BlockId(0),
            n_blocks: 1,
            address_taken: false,
        };
        let call = |name: &&str| Call {
            block: BlockId(0),
            span: NOWHERE,
            callee: Callee::External(name.to_string()),
        };
        let mut calls: Vec<Call> = calls.iter().map(call).collect();
        calls.push(Call { block: BlockId(0), span: NOWHERE, callee: Callee::Function(FunctionId(0)) });
        ProgramMap { functions: functions.iter().map(function).collect(), calls, ..ProgramMap::default() }
    }

    fn kinds(input: &Input) -> Vec<ObjectKind> {
        input.objects.iter().map(|o| o.kind).collect()
    }

    #[test]
    fn each_convention_is_recognised() {
        let at = ["--in".to_string(), "@@".to_string()];
        assert_eq!(kinds(&of(&program(&["main"], &["read"]), &[], &[])), [ObjectKind::Stdin]);
        assert_eq!(kinds(&of(&program(&["main"], &["read"]), &at, &[])), [ObjectKind::File]);
        assert_eq!(kinds(&of(&program(&["LLVMFuzzerTestOneInput"], &[]), &[], &[])), [ObjectKind::Fuzz]);
        assert_eq!(kinds(&of(&program(&["main"], &["__CrestInt"]), &[], &[])), []);
        assert_eq!(kinds(&of(&program(&["main"], &[]), &[], &[(1, 4)])), [ObjectKind::Arg]);
        assert_eq!(kinds(&of(&program(&["main"], &[]), &at, &[(2, 4)])), [ObjectKind::File, ObjectKind::Arg]);
    }
}
