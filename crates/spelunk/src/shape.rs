//! What an input of a program consists of, found out without configuration: the fuzz buffer of a harness, typed
//! values, the `@@` file, symbolic arguments, standard input.

use program::{Callee, ProgramMap};
use trace::{Input, Object, ObjectKind};

/// Prefixes of functions by which programs ask for typed values.
const VALUE_FUNCTIONS: &[&str] =
    &["__Crest", "__VERIFIER_nondet_", "klee_make_symbolic", "klee_int", "klee_range", "spelunk_"];

/// What the user made an input by options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Arguments: (index, length).
    pub arguments: &'a [(u32, u32)],
    /// Environment variables: (name, length).
    pub variables: &'a [(String, u32)],
    /// Files by the name under which the program opens them.
    pub files: &'a [String],
    /// Standard input as well.
    pub stdin: bool,
}

impl Wanted<'_> {
    fn is_nothing(&self) -> bool {
        self.arguments.is_empty() && self.variables.is_empty() && self.files.is_empty()
    }
}

/// The objects of an input of this program, with empty contents.
pub fn of(map: &ProgramMap, args: &[String], wanted: &Wanted<'_>) -> Input {
    let mut objects = Vec::new();
    let has = |name: &str| map.functions.iter().any(|f| f.linkage_name == name);
    let stdin = || Object::new(ObjectKind::Stdin, "stdin", []);
    let stream = if has("LLVMFuzzerTestOneInput") && !has("main") && !has("__sp_user_main") {
        Some(Object::new(ObjectKind::Fuzz, "data", []))
    } else if args.iter().any(|arg| arg.contains("@@")) {
        Some(Object::new(ObjectKind::File, "@@", []))
    } else if wanted.stdin {
        Some(stdin())
    } else if asks_for_values(map) || !wanted.is_nothing() {
        None
    } else {
        Some(stdin())
    };
    objects.extend(stream);
    if wanted.stdin && objects.iter().all(|o| o.kind != ObjectKind::Stdin) {
        objects.push(stdin());
    }
    objects.extend(wanted.files.iter().map(|name| Object::new(ObjectKind::File, name.as_str(), [])));
    let letters = |length: u32| vec![b'A'; length as usize];
    for &(index, length) in wanted.arguments {
        objects.push(Object::new(ObjectKind::Arg, index.to_string(), letters(length)));
    }
    for (name, length) in wanted.variables {
        objects.push(Object::new(ObjectKind::Env, name.as_str(), letters(*length)));
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
        let argument = Wanted { arguments: &[(1, 4)], ..Wanted::default() };
        assert_eq!(kinds(&of(&program(&["main"], &["read"]), &[], &Wanted::default())), [ObjectKind::Stdin]);
        assert_eq!(kinds(&of(&program(&["main"], &["read"]), &at, &Wanted::default())), [ObjectKind::File]);
        assert_eq!(
            kinds(&of(&program(&["LLVMFuzzerTestOneInput"], &[]), &[], &Wanted::default())),
            [ObjectKind::Fuzz]
        );
        assert_eq!(kinds(&of(&program(&["main"], &["__CrestInt"]), &[], &Wanted::default())), []);
        assert_eq!(kinds(&of(&program(&["main"], &[]), &[], &argument)), [ObjectKind::Arg]);
        assert_eq!(kinds(&of(&program(&["main"], &[]), &at, &argument)), [ObjectKind::File, ObjectKind::Arg]);
    }
    #[test]
    fn options_add_objects() {
        let (variables, files) = ([("LANG".to_string(), 5)], ["a.conf".to_string()]);
        let all = Wanted { variables: &variables, files: &files, ..Wanted::default() };
        let main = program(&["main"], &["read"]);
        let input = of(&main, &[], &all);
        assert_eq!(kinds(&input), [ObjectKind::File, ObjectKind::Env]);
        assert_eq!((input.objects[0].name.as_str(), input.objects[1].data.len()), ("a.conf", 5));
        let with_stdin = of(&main, &[], &Wanted { stdin: true, ..all });
        assert_eq!(kinds(&with_stdin), [ObjectKind::Stdin, ObjectKind::File, ObjectKind::Env]);
    }
}
