//! A few random programs; the long run is `cargo run --release -p progen -- --programs 10000`.

use progen::{Effort, Task, Wanted, one};

/// Seeds of the programs checked here.
const SEEDS: std::ops::Range<u64> = 1..21;

fn task() -> Task {
    let effort = Effort { traces: 2, others: 4 };
    Task { wanted: Wanted::default(), effort, shrink: 100, sanitize: false, flags: Vec::new() }
}

#[test]
fn expressions_agree_with_hardware() {
    let mut counts = progen::check::Counts::default();
    for seed in SEEDS {
        let done = one(seed, &task());
        if let Some((kind, detail, program)) = done.failure {
            panic!("seed {seed}: {kind}: {detail}\n{program}");
        }
        counts.add(&done.counts);
    }
    assert!(counts.events > 0 && counts.predicted > 0, "something was compared: {counts:?}");
}

#[test]
fn a_seed_names_one_program() {
    for seed in SEEDS {
        let [one, other] = [(); 2].map(|()| progen::generate(seed, &Wanted::default()));
        assert_eq!(one.program.to_string(), other.program.to_string());
        assert_eq!(one.flags, other.flags);
    }
}
