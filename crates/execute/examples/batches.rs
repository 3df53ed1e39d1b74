//! How fast a program of flavour `fast` runs batches: `batches PROGRAM FOLDER RUNS`, with the files of the folder, over and
//! over, each with one byte changed. Prints runs, CPU time of the program, and what was shown.

use execute::{Capacities, Config, ForkServer};
use std::error::Error;
use std::time::{Duration, Instant};
use trace::{Candidate, Input, Object, ObjectKind, Target};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, program, folder, runs] = arguments.as_slice() else {
        return Err("usage: batches PROGRAM FOLDER RUNS".into());
    };
    let runs: usize = runs.parse()?;
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::path);
    let seeds = files.iter().map(|f| std::fs::read(f.path())).collect::<Result<Vec<_>, _>>()?;
    // More branches and functions than any program has that this is tried on.
    let mut server =
        ForkServer::start(Config::new(program), &Capacities::new(32 << 10, 4 << 10).for_batches())?;
    let (mut done, mut shown, mut alone, mut cpu, mut state) = (0, 0, 0, 0.0, 1u64);
    let start = Instant::now();
    while done < runs {
        let inputs: Vec<Input> = (0..1024)
            .map(|k| {
                let mut data = seeds[k % seeds.len()].clone();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (state >> 33) as usize % data.len().max(1);
                if let Some(byte) = data.get_mut(at) {
                    *byte = (state >> 24) as u8;
                }
                Input { objects: vec![Object::new(ObjectKind::Fuzz, "data", data)] }
            })
            .collect();
        let candidates: Vec<_> = inputs.iter().map(|input| Candidate { input, value_seed: None }).collect();
        let all = server.run_many(&candidates, Duration::from_secs(60))?;
        done += inputs.len();
        shown += all.each.iter().filter(|g| g.shown.is_some()).count();
        (alone, cpu) = (alone + all.alone, cpu + all.cpu.as_secs_f64());
    }
    let wall = start.elapsed().as_secs_f64();
    println!("{done} runs, {shown} shown, {alone} made alone, {cpu:.2} s CPU of the program, {wall:.2} s");
    Ok(())
}
