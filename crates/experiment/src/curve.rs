//! Curves of several campaigns as one: the median of their branches over work or time, and the range.

use crate::record::{Point, Record};
use crate::statistics::Spread;

/// Over what coverage is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Over {
    /// CPU time of the search, in seconds.
    Cpu,
    /// Runs of the program.
    Runs,
}

impl Over {
    /// What stands at the axis.
    pub fn label(self) -> &'static str {
        match self {
            Over::Cpu => "CPU-seconds of the search",
            Over::Runs => "runs",
        }
    }

    /// Its name in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            Over::Cpu => "cpu",
            Over::Runs => "runs",
        }
    }

    fn of(self, point: &Point) -> f64 {
        match self {
            Over::Cpu => point.cpu,
            Over::Runs => point.runs as f64,
        }
    }

    /// Where a campaign ended.
    pub fn end(self, record: &Record) -> f64 {
        match self {
            Over::Cpu => record.cpu,
            Over::Runs => record.runs as f64,
        }
    }
}

/// Median and range of the branches of several campaigns at places of the axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Place, branches.
    pub at: Vec<(f64, Spread)>,
}

/// Median and range at `steps` places from 0 to where the longest campaign ended. A campaign that ended before
/// keeps its branches.
pub fn band(records: &[&Record], over: Over, steps: usize) -> Band {
    let end = records.iter().map(|r| over.end(r)).fold(0.0, f64::max);
    let steps = steps.max(1);
    let at = (0..=steps).filter_map(|step| {
        let x = end * step as f64 / steps as f64;
        let branches = records.iter().map(|r| f64::from(branches_at(r, over, x)));
        Some((x, Spread::of(branches)?))
    });
    Band { at: at.collect() }
}

/// Branches covered by then.
fn branches_at(record: &Record, over: Over, x: f64) -> u32 {
    if x >= over.end(record) {
        return record.branches;
    }
    let after = record.curve.partition_point(|point| over.of(point) <= x);
    after.checked_sub(1).map_or(0, |last| record.curve[last].branches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(end: u64, points: &[(u64, u32)]) -> Record {
        let point =
            |&(runs, branches): &(u64, u32)| Point { runs, branches, cpu: runs as f64 / 10.0, wall: 0.0 };
        let branches = points.last().map_or(0, |p| p.1);
        Record {
            runs: end,
            branches,
            cpu: end as f64 / 10.0,
            curve: points.iter().map(point).collect(),
            ..Record::default()
        }
    }

    #[test]
    fn steps_hold_until_the_next_and_ended_campaigns_keep_theirs() {
        let (long, short) = (record(40, &[(10, 5), (30, 9)]), record(20, &[(5, 7)]));
        let band = band(&[&long, &short], Over::Runs, 4);
        let rows: Vec<_> = band.at.iter().map(|(x, s)| (*x, s.min, s.median, s.max)).collect();
        assert_eq!(
            rows,
            [
                (0.0, 0.0, 0.0, 0.0),
                (10.0, 5.0, 6.0, 7.0),
                (20.0, 5.0, 6.0, 7.0),
                (30.0, 7.0, 8.0, 9.0),
                (40.0, 7.0, 8.0, 9.0)
            ]
        );
        assert_eq!(super::band(&[&long], Over::Cpu, 2).at[1].1.median, 5.0);
    }

    #[test]
    fn no_campaign_no_band() {
        assert_eq!(band(&[], Over::Cpu, 10), Band::default());
    }
}
