//! Where runs lost or pinned symbolic data, added up by place: what lets an open branch say why.

use events::{Event, Place, RunId};
use program::{CallId, FunctionId};
use std::collections::BTreeMap;
use trace::{EventKind, Reason, Trace};

/// A kind of loss at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Where.
    pub place: Place,
    /// Why.
    pub reason: Reason,
    /// The value was pinned (there is a constraint) rather than lost.
    pub pinned: bool,
}

/// The losses of all runs.
#[derive(Debug, Default)]
pub struct Losses {
    /// Occurrences and runs by loss.
    totals: BTreeMap<Loss, (u64, u64)>,
}

impl Losses {
    /// Takes in the losses of a run: how many there were, and an event for each that is new.
    pub fn add(&mut self, run: RunId, trace: &Trace) -> (u64, Vec<Event>) {
        let mut count_all = 0;
        let mut events = Vec::new();
        for (loss, count) in losses(trace) {
            count_all += count;
            let total = self.totals.entry(loss).or_insert_with(|| {
                let Loss { place, reason, pinned } = loss;
                events.push(Event::Lost { run, reason, place, count, pinned });
                (0, 0)
            });
            total.0 += count;
            total.1 += 1;
        }
        (count_all, events)
    }

    /// The totals as events, in a fixed order.
    pub fn totals(&self) -> impl Iterator<Item = Event> + '_ {
        self.totals.iter().map(|(&Loss { place, reason, pinned }, &(count, runs))| Event::LostInAll {
            reason,
            place,
            count,
            runs,
            pinned,
        })
    }
}

/// What a recorded site stands for: instrumented code gives calls and functions, the runtime's own models give nothing.
fn place(reason: Reason, site: u32) -> Place {
    match reason {
        Reason::ExternalCall => Place::Call(CallId(site)),
        Reason::LoadAddress
        | Reason::StoreAddress
        | Reason::Float
        | Reason::InlineAsm
        | Reason::Unsupported
        | Reason::Atomic
        | Reason::Varargs => Place::Function(FunctionId(site)),
        Reason::Size if site != 0 => Place::Function(FunctionId(site)),
        _ => Place::Site(site),
    }
}

/// The losses of one trace with how often each occurred.
fn losses(trace: &Trace) -> BTreeMap<Loss, u64> {
    let mut out = BTreeMap::new();
    for event in &trace.events {
        let pinned = match EventKind::from_u8(event.kind) {
            Some(EventKind::Pin) => true,
            Some(EventKind::Lost) => false,
            _ => continue,
        };
        // A number that is no reason cannot come out of a validated trace.
        let Some(reason) = Reason::from_u8(event.aux) else { continue };
        let place = place(reason, event.site);
        *out.entry(Loss { place, reason, pinned }).or_default() += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, reason: Reason, site: u32) -> trace::Event {
        trace::Event { kind: kind as u8, aux: reason as u8, width: 0, site, label: 1, pos: 0, value: 0 }
    }

    #[test]
    fn a_place_is_reported_once_and_added_up() {
        let call = event(EventKind::Lost, Reason::ExternalCall, 3);
        let trace =
            Trace { events: vec![call, call, event(EventKind::Pin, Reason::Size, 0)], ..Trace::default() };
        let mut losses = Losses::default();
        let (count, events) = losses.add(RunId(0), &trace);
        assert_eq!((count, events.len()), (3, 2));
        assert_eq!(losses.add(RunId(1), &trace), (3, vec![]));
        let totals: Vec<Event> = losses.totals().collect();
        let place = Place::Call(CallId(3));
        let expected =
            Event::LostInAll { reason: Reason::ExternalCall, place, count: 4, runs: 2, pinned: false };
        assert_eq!(totals[0], expected);
        assert_eq!(totals.len(), 2);
    }
}
