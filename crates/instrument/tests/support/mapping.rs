//! Reading back the mapping that a run by hand (`SPELUNK_TRACE=FILE`) left.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use trace::{Dropped, Event, Input, Object, ObjectKind, PackedNode, Trace, ValueType};
use trace_abi::{Header, MAGIC, ObjectHeader, PAGE};

/// What a symbolic run left.
pub struct Recorded {
    /// The input as the runtime saw it.
    pub input: Input,
    /// The trace, validated.
    pub trace: Trace,
    /// What validation complained about.
    pub problems: Vec<String>,
}

/// Reads the mapping that a run by hand left in `file`.
pub fn read_mapping(file: &Path) -> Recorded {
    let file = File::open(file).unwrap();
    let header: Header = read(&file, 0, 1)[0];
    assert_eq!(header.magic, MAGIC, "the run left no mapping");
    let layout = header.layout;
    let mut input = Input::default();
    objects(&file, layout.input_at(), header.n_objects, &mut input);
    objects(&file, layout.values_at(), header.n_values, &mut input);
    let nodes: Vec<PackedNode> = read(&file, layout.nodes_at(), header.n_nodes as usize);
    let events: Vec<Event> = read(&file, layout.events_at(), header.n_events as usize);
    let tables: Vec<u8> = read(&file, layout.tables_at(), header.tables_len as usize);
    let path: Vec<u32> = read(&file, layout.path_at(), header.n_path as usize);
    let dropped = Dropped {
        nodes: header.dropped_nodes,
        events: header.dropped_events,
        path: header.dropped_path,
        tables: header.dropped_tables,
    };
    let (trace, problems) = Trace::validated(nodes, events, tables, path, dropped, &input);
    Recorded { input, trace, problems: problems.iter().map(|p| p.to_string()).collect() }
}

fn objects(file: &File, at: u64, n: u32, input: &mut Input) {
    let mut at = at;
    for _ in 0..n {
        let header: ObjectHeader = read(file, at, 1)[0];
        at += size_of::<ObjectHeader>() as u64;
        let name: Vec<u8> = read(file, at, header.name_len as usize);
        at += u64::from(header.name_len);
        let data: Vec<u8> = read(file, at, header.data_len as usize);
        at = (at + u64::from(header.data_len)).div_ceil(8) * 8;
        input.objects.push(Object {
            kind: ObjectKind::from_u32(header.kind).unwrap(),
            name: String::from_utf8_lossy(&name).into_owned(),
            value_type: ValueType::from_u32(header.value_type).unwrap(),
            data,
        });
    }
    assert!(at < 1 << 40, "beyond {PAGE}-byte pages of the mapping");
}

fn read<T: Copy>(file: &File, at: u64, n: usize) -> Vec<T> {
    let mut bytes = vec![0u8; n * size_of::<T>()];
    file.read_exact_at(&mut bytes, at).unwrap();
    // SAFETY: only called for integers and `repr(C)` records of integers of crate trace-abi, for which every
    // bit pattern is valid; the reads are unaligned and inside the buffer.
    (0..n).map(|k| unsafe { bytes.as_ptr().cast::<T>().add(k).read_unaligned() }).collect()
}
