//! What an input of a program consists of, found out without configuration: the fuzz buffer of a harness, typed
//! values, the `@@` file, symbolic arguments, connections of a server, standard input.

use program::{Callee, ProgramMap};
use trace::{Input, Object, ObjectKind, Pieces};

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
    /// Connections: how many, and in which pieces clients send.
    pub connections: Option<(u32, Pieces)>,
}

impl Wanted<'_> {
    fn is_nothing(&self) -> bool {
        self.arguments.is_empty()
            && self.variables.is_empty()
            && self.files.is_empty()
            && self.connections.is_none_or(|(n, _)| n == 0)
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
    } else if wanted.connections.is_none() && accepts_connections(map) {
        Some(connection(0, Pieces::Whole))
    } else {
        Some(stdin())
    };
    objects.extend(stream);
    if wanted.stdin && objects.iter().all(|o| o.kind != ObjectKind::Stdin) {
        objects.push(stdin());
    }
    objects.extend(wanted.files.iter().map(|name| Object::new(ObjectKind::File, name.as_str(), [])));
    let (n, pieces) = wanted.connections.unwrap_or_default();
    objects.extend((0..n).map(|k| connection(k, pieces)));
    let letters = |length: u32| vec![b'A'; length as usize];
    for &(index, length) in wanted.arguments {
        objects.push(Object::new(ObjectKind::Arg, index.to_string(), letters(length)));
    }
    for (name, length) in wanted.variables {
        objects.push(Object::new(ObjectKind::Env, name.as_str(), letters(*length)));
    }
    Input { objects }
}

/// What the client of connection `k` sends, in these pieces: nothing yet.
fn connection(k: u32, pieces: Pieces) -> Object {
    let name = match pieces {
        Pieces::Whole => k.to_string(),
        Pieces::Lines => format!("{k}:line"),
        Pieces::Bytes(n) => format!("{k}:{n}"),
    };
    Object::new(ObjectKind::Connection, name, [])
}

/// Whether the program asks for typed values.
fn asks_for_values(map: &ProgramMap) -> bool {
    calls(map, |name| VALUE_FUNCTIONS.iter().any(|prefix| name.starts_with(prefix)))
}

/// Whether the program accepts connections.
fn accepts_connections(map: &ProgramMap) -> bool {
    calls(map, |name| name == "listen") && calls(map, |name| matches!(name, "accept" | "accept4"))
}

/// Whether a function outside the program that is `wanted` is called.
fn calls(map: &ProgramMap, wanted: impl Fn(&str) -> bool) -> bool {
    map.calls.iter().any(|call| match &call.callee {
        Callee::External(name) => wanted(name),
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
    fn servers_are_recognised() {
        let server = program(&["main"], &["listen", "accept4", "recv"]);
        let names = |wanted: &Wanted<'_>| {
            let input = of(&server, &[], wanted);
            input.objects.into_iter().map(|o| (o.kind, o.name)).collect::<Vec<_>>()
        };
        let connection = |name: &str| (ObjectKind::Connection, name.to_string());
        let stdin = (ObjectKind::Stdin, "stdin".to_string());
        assert_eq!(names(&Wanted::default()), [connection("0")]);
        let two = Wanted { connections: Some((2, Pieces::Lines)), ..Wanted::default() };
        assert_eq!(names(&two), [connection("0:line"), connection("1:line")]);
        let sized = Wanted { connections: Some((1, Pieces::Bytes(16))), stdin: true, ..Wanted::default() };
        assert_eq!(names(&sized), [stdin.clone(), connection("0:16")]);
        let none = Wanted { connections: Some((0, Pieces::Whole)), ..Wanted::default() };
        assert_eq!(names(&none), [stdin]);
        assert_eq!(
            kinds(&of(&program(&["main"], &["listen"]), &[], &Wanted::default())),
            [ObjectKind::Stdin]
        );
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
