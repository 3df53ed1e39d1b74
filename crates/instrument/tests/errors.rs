//! Bad input gets one clear message; what is in the cache is used again.

use instrument::{Destination, Error, Flavour, build};
use std::path::Path;
use toolchain::{Bitcode, Cache, LinkPlan, Options, ProgramSource, SOURCE_VERSION, program_of};

fn source_of(folder: &Path, text: &str) -> ProgramSource {
    let file = folder.join("program.c");
    std::fs::write(&file, text).unwrap();
    program_of(&[file], &Options::default(), &Cache::at(folder)).unwrap()
}

#[test]
fn unreadable_bitcode_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.bc");
    std::fs::write(&path, b"BC\xc0\xdenonsense").unwrap();
    let source = ProgramSource {
        version: SOURCE_VERSION,
        name: "bad".into(),
        executable: path.clone(),
        modules: vec![Bitcode { name: "bad.c".into(), path, hash: "0".into(), library: None }],
        link: LinkPlan::default(),
        opaque: Vec::new(),
        libraries: Vec::new(),
    };
    let error =
        build(&source, &[Flavour::Fast], &[], &Destination::File(folder.path().join("out"))).unwrap_err();
    assert!(matches!(&error, Error::Bitcode { unit, .. } if unit == "bad.c"), "{error}");
}

#[test]
fn flavours_come_from_the_cache_the_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let source = source_of(folder.path(), "int main(int n, char **v) { return n > 3 && v[1] != 0; }");
    let to = Destination::Cache(folder.path().to_path_buf());
    let wanted = [Flavour::Fast, Flavour::Trace];
    let first = build(&source, &wanted, &[], &to).unwrap();
    assert_eq!((first.stats.cached, first.stats.functions), (0, 1));
    let second = build(&source, &wanted, &[], &to).unwrap();
    assert_eq!((second.stats.cached, &second.flavours, &second.map), (2, &first.flavours, &first.map));
}
