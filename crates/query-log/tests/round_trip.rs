//! What is recorded comes back; what is damaged is refused.

use expr::{Arena, ExprId};
use query_log::{Log, Reader, Recording, Writer};
use solve::{Answer, Limits, Query, Solver, Unknown};

/// Two runs in one arena, then another arena: a shared prefix, a table with an input byte in it, a wide constant.
const FIRST: &str = "\
$1 = in0[4]
@0 = table 0x5000 03 01 $1 09
(Ule in0[0] 0x7f:8)
(Eq (Read @0 8 (ZExt 64 in0[0])) 0x3:8)
(Eq (Concat (ZExt 120 in0[1]) in1[70000]) 0x10000000000000000ff:128)
";
const SECOND: &str = "(FLt (SToF 64 (ZExt 32 in0[0])) (Libm1 sin 0x3ff0000000000000:64))\n";

fn hint(run: u8) -> impl Fn(u32, u32) -> u8 {
    move |object, offset| (object as u8).wrapping_mul(31) ^ (offset as u8).wrapping_mul(7) ^ run
}

/// Asked in this order: arena, constraints, run.
fn asked(first: &[ExprId], second: &[ExprId]) -> Vec<(usize, Vec<ExprId>, u8)> {
    vec![
        (0, first[..2].to_vec(), 1),
        (0, first.to_vec(), 1),
        (0, first[..2].to_vec(), 2),
        (0, vec![first[1], first[0]], 2),
        (1, second.to_vec(), 3),
        (0, vec![first[2]], 3),
    ]
}

/// Constraints as text, and the bytes that they read.
type Asked = (Vec<String>, Vec<u8>);

struct Nobody;

impl Solver for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
        Answer::Unknown(Unknown::WorkLimit)
    }
}

fn texts(query: &Query<'_>) -> Vec<String> {
    query.constraints.iter().map(|&c| query.arena.to_text(c)).collect()
}

fn bytes(query: &Query<'_>) -> Vec<u8> {
    let all = query.constraints.iter().flat_map(|&c| query.arena.inputs(c));
    all.map(|(object, offset)| (query.hint)(object, offset)).collect()
}

/// The log, and what was asked: the repeated query is in neither.
fn recorded() -> (Vec<u8>, Vec<Asked>) {
    let log = Log::new(Vec::new()).unwrap();
    let mut solver = Recording::new(Nobody, log.clone());
    let mut arenas = [Arena::new(), Arena::new()];
    let first = arenas[0].parse(FIRST).unwrap();
    let second = arenas[1].parse(SECOND).unwrap();
    let mut expected = Vec::new();
    for (index, (k, constraints, run)) in asked(&first, &second).into_iter().enumerate() {
        let hint = hint(run);
        let mut query =
            Query { arena: &mut arenas[k], arena_id: k as u64, constraints: &constraints, hint: &hint };
        if index != 2 {
            expected.push((texts(&query), bytes(&query)));
        }
        solver.solve(&mut query, &Limits { work: 0, millis: 0 });
    }
    let (log, written) = log.finish().unwrap().unwrap();
    assert_eq!(written, 5, "the third was asked before");
    (log, expected)
}

#[test]
fn queries_come_back_in_order_with_the_bytes_of_their_runs() {
    let (log, expected) = recorded();
    let mut reader = Reader::new(&log).unwrap();
    for wanted in expected {
        assert!(reader.advance().unwrap());
        assert_eq!(reader.with_query(|query| (texts(query), bytes(query))), wanted);
    }
    assert!(!reader.advance().unwrap());
}

#[test]
fn neighbours_share_an_arena() {
    let (log, _) = recorded();
    let mut reader = Reader::new(&log).unwrap();
    let mut ids = Vec::new();
    while reader.advance().unwrap() {
        ids.push(reader.with_query(|query| query.arena_id));
    }
    assert_eq!(ids, [1, 1, 1, 2, 3]);
}

#[test]
fn damaged_logs_are_refused_without_a_panic() {
    let (log, expected) = recorded();
    assert!(Reader::new(b"SPLKQRY\x02").is_err());
    let read = |bytes: &[u8]| -> Result<usize, query_log::FormatError> {
        let mut reader = Reader::new(bytes)?;
        let mut count = 0;
        while reader.advance()? {
            count += 1;
        }
        Ok(count)
    };
    assert_eq!(read(&log), Ok(expected.len()));
    assert!((0..log.len()).any(|end| read(&log[..end]).is_err()));
    let mut refused = 0;
    for at in 8..log.len() {
        for change in [1u8, 0x80, 0xff] {
            let mut damaged = log.clone();
            damaged[at] ^= change;
            refused += usize::from(read(&damaged).is_err());
        }
    }
    assert!(refused > log.len() / 2, "{refused} of {}", 3 * log.len());
}

#[test]
fn a_log_is_written_by_hand_too() {
    let mut arena = Arena::new();
    let constraints = arena.parse("(Eq in0[0] 0x41:8)").unwrap();
    let mut writer = Writer::new(Vec::new()).unwrap();
    let query = Query { arena: &mut arena, arena_id: 9, constraints: &constraints, hint: &|_, _| 7 };
    writer.add(&query).unwrap();
    assert_eq!(writer.written(), 1);
    let log = writer.finish().unwrap();
    let mut reader = Reader::new(&log).unwrap();
    assert!(reader.advance().unwrap());
    assert_eq!(reader.with_query(|query| (query.hint)(0, 0)), 7);
}
