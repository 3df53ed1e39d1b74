//! From what a run left in shared memory to a [`Run`]. Nothing is believed.

use crate::config::Capacities;
use crate::outcome::{Stopped, classify};
use crate::server::io_error;
use crate::shared::Shared;
use object::{Object as _, ObjectSegment as _};
use program::{BranchId, CondId, FunctionId};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use trace::{
    Compared, Dropped, EventKind, IndirectCall, Input, Mode, ObjectKind, Problem, Request, Run, TargetError,
    Trace,
};
use trace_abi::{COMPARED_ZERO, Header, Reply};

/// Takes runs over.
pub struct Taker {
    branches: usize,
    functions: usize,
    /// Conditionals whose comparisons are recorded.
    compared: usize,
    /// Coverage bytes count.
    counts: bool,
    /// Link-time address range of the executable.
    image: std::ops::Range<u64>,
    /// Indices of coverage bytes that constructors set: they belong to every run.
    at_start: Vec<usize>,
    /// Indirect calls already reported.
    known_calls: HashSet<(u32, u32)>,
}

impl Taker {
    /// For runs of `executable`.
    pub fn new(executable: &Path, capacities: &Capacities) -> Result<Taker, TargetError> {
        Ok(Taker {
            branches: capacities.branches as usize,
            functions: capacities.functions as usize,
            compared: capacities.compared as usize,
            counts: capacities.batch > 0,
            image: image_range(executable)?,
            at_start: Vec::new(),
            known_calls: HashSet::new(),
        })
    }

    /// Number of branches.
    pub const fn branches(&self) -> usize {
        self.branches
    }

    /// Remembers what was covered before the first run.
    pub fn keep_start_coverage(&mut self, coverage: &[u8]) {
        self.at_start = self.set_bytes(coverage);
    }

    /// The run that `reply` ended, and what was wrong with its records.
    pub fn take(
        &mut self,
        shared: &Shared,
        header: &Header,
        request: &Request<'_>,
        reply: &Reply,
        stopped: Stopped,
    ) -> Result<(Run, Vec<Problem>), TargetError> {
        let input = consumed(request.input, shared, header);
        let mut problems = Vec::new();
        let mut trace = None;
        if request.mode == Mode::Symbolic {
            let (t, p) = take_trace(shared, header, &input).map_err(io_error("reading the trace"))?;
            (trace, problems) = (Some(t), p);
        }
        let compared = if trace.is_some() { self.compared(shared.coverage()) } else { Vec::new() };
        let (covered, entered) = self.coverage(shared.coverage());
        let past_end = trace.as_ref().map_or_else(Vec::new, |t| past_end(t, &input));
        let run = Run {
            outcome: classify(reply.status, stopped),
            covered,
            entered,
            indirect_calls: self
                .indirect_calls(shared, header)
                .map_err(io_error("reading indirect calls"))?,
            trace,
            past_end,
            compared,
            crash_stack: self.crash_stack(header),
            cpu: Duration::from_micros(reply.cpu_us),
            max_rss: u64::from(reply.max_rss_kib) * 1024,
            input,
        };
        Ok((run, problems))
    }

    /// What the conditionals compared last, of those that recorded it.
    fn compared(&self, bytes: &[u8]) -> Vec<Compared> {
        let at = trace_abi::compared_at(self.branches as u64, self.functions as u64) as usize;
        let area = bytes.get(at..at + 8 * self.compared).unwrap_or(&[]);
        let words = area.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word));
        (0..)
            .zip(words)
            .filter(|(_, word)| *word != 0)
            .map(|(cond, word)| Compared { cond: CondId(cond), apart: (word ^ COMPARED_ZERO) as i64 })
            .collect()
    }

    fn coverage(&self, bytes: &[u8]) -> (Vec<BranchId>, Vec<FunctionId>) {
        let mut set = self.set_bytes(bytes);
        if !self.at_start.is_empty() {
            set.extend(&self.at_start);
            set.sort_unstable();
            set.dedup();
        }
        let split = set.partition_point(|&i| i < self.branches);
        let entered = set[split..].iter().map(|&i| FunctionId((i - self.branches) as u32)).collect();
        (set[..split].iter().map(|&i| BranchId(i as u32)).collect(), entered)
    }

    /// Indices of bytes that are set. Other values than 0 and 1 no instrumented program writes, unless it counts.
    fn set_bytes(&self, bytes: &[u8]) -> Vec<usize> {
        let is_set = |b: u8| b == 1 || (self.counts && b != 0);
        let mut out = Vec::new();
        for (at, chunk) in bytes[..self.branches + self.functions].chunks(64).enumerate() {
            if chunk.iter().fold(0, |all, b| all | b) != 0 {
                out.extend(chunk.iter().enumerate().filter(|(_, b)| is_set(**b)).map(|(i, _)| at * 64 + i));
            }
        }
        out
    }

    fn indirect_calls(&mut self, shared: &Shared, header: &Header) -> std::io::Result<Vec<IndirectCall>> {
        let mut new = shared.indirect_calls(header.n_icalls)?;
        let known = &mut self.known_calls;
        // A hostile program could invent as many as it likes; a real one has few.
        new.retain(|c| known.len() < 1 << 20 && known.insert((c.call, c.function)));
        Ok(new)
    }

    /// Link-time addresses of the stack that a crash left, innermost first.
    pub fn crash_stack(&self, header: &Header) -> Vec<u64> {
        let n = (header.n_crash_frames as usize).min(header.crash_frames.len());
        let link_time = |&a: &u64| Some(a.wrapping_sub(header.image_base)).filter(|a| self.image.contains(a));
        header.crash_frames[..n].iter().map(|a| link_time(a).unwrap_or(0)).collect()
    }
}

/// The request's objects, with the values that the run asked for in place of those that were provided.
fn consumed(given: &Input, shared: &Shared, header: &Header) -> Input {
    let mut objects: Vec<_> = given.objects.iter().filter(|o| o.kind != ObjectKind::Value).cloned().collect();
    objects.extend(shared.consumed_values(header));
    let input = Input { objects };
    // It may have asked for more: without the mark it would, by itself, get more.
    let used_up = header.max_inputs != 0 && header.n_inputs >= u64::from(header.max_inputs);
    if used_up { input.ending() } else { input }
}

fn take_trace(shared: &Shared, header: &Header, input: &Input) -> std::io::Result<(Trace, Vec<Problem>)> {
    let dropped = Dropped {
        nodes: header.dropped_nodes,
        events: header.dropped_events,
        path: header.dropped_path,
        tables: header.dropped_tables,
    };
    Ok(Trace::validated(
        shared.nodes(u64::from(header.n_nodes.max(1)))?,
        shared.events(header.n_events)?,
        shared.tables(header.tables_len)?,
        shared.path(header.n_path)?,
        dropped,
        input,
    ))
}

/// Reads past the end of an object: the longest wish per object.
fn past_end(trace: &Trace, input: &Input) -> Vec<(u32, u64)> {
    let mut out: Vec<(u32, u64)> = Vec::new();
    for e in trace.events.iter().filter(|e| e.kind == EventKind::Eof as u8) {
        if e.site as usize >= input.objects.len() {
            continue;
        }
        match out.iter_mut().find(|o| o.0 == e.site) {
            Some(o) => o.1 = o.1.max(e.value),
            None => out.push((e.site, e.value)),
        }
    }
    out
}

/// Link-time addresses that an executable's segments cover.
fn image_range(executable: &Path) -> Result<std::ops::Range<u64>, TargetError> {
    let name = executable.display();
    let data = std::fs::read(executable).map_err(io_error(&format!("reading {name}")))?;
    let file = object::File::parse(&*data)
        .map_err(|e| TargetError::Server(format!("{name} is not an executable that can be read: {e}")))?;
    let ends = file.segments().map(|s| (s.address(), s.address().saturating_add(s.size())));
    let (low, high) = ends.fold((u64::MAX, 0), |(l, h), (a, b)| (l.min(a), h.max(b)));
    Ok(low..high)
}
