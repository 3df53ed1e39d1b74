//! `reached` of a target: what it names, and when a campaign first reached it.

use events::{Event, Record as Logged, Verdict};
use experiment::{Reached, is_named};
use program::{BlockCoverage, Coverage, FileId, FunctionId, ProgramMap};
use std::collections::HashSet;
use store::{Campaign, StoreError};

/// What is to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A confirmed finding of this kind, or of any.
    Finding(Option<events::Kind>),
    /// Functions of this name, as linked or for people.
    Function(Vec<FunctionId>),
    /// A line with code on it.
    Line(FileId, u32),
}

impl Goal {
    /// What `text` names in this program.
    ///
    /// # Errors
    /// When it names nothing; the message says what there is.
    pub fn of(text: &str, map: &ProgramMap) -> Result<Goal, String> {
        if text == "finding" {
            return Ok(Goal::Finding(None));
        }
        if let Some(kind) = events::Kind::named(text) {
            return Ok(Goal::Finding(Some(kind)));
        }
        if let Some((file, line)) = text.rsplit_once(':').and_then(|(f, l)| Some((f, l.parse::<u32>().ok()?)))
        {
            return line_of(file, line, map);
        }
        functions(text, map).map(Goal::Function).ok_or_else(|| {
            format!(
                "\"{text}\" is neither a function of the program, nor a line (file.c:12), nor \"finding\", nor a kind of one ({})",
                kinds()
            )
        })
    }

    /// When a campaign first reached it. `ended`: all of its search.
    ///
    /// # Errors
    /// When the campaign cannot be read.
    pub fn reached(
        &self,
        campaign: &Campaign,
        map: &ProgramMap,
        ended: Reached,
    ) -> Result<Option<Reached>, StoreError> {
        match self {
            Goal::Finding(kind) => finding(campaign, *kind, ended),
            Goal::Function(ids) => {
                let entered = campaign.events_called("function-entered")?;
                let wanted = |e: &Event| matches!(e, Event::FunctionEntered { function, .. } if ids.contains(function));
                Ok(entered.iter().find(|r| wanted(&r.event)).map(at))
            }
            Goal::Line(file, line) => line_reached(campaign, map, *file, *line),
        }
    }
}

/// The program's own functions of this name; `None` if there are none.
pub fn functions(name: &str, map: &ProgramMap) -> Option<Vec<FunctionId>> {
    let ids = (0..).map(FunctionId).zip(&map.functions);
    let named = ids.filter(|(id, f)| map.is_own(*id) && is_named(name, &f.name, &f.linkage_name));
    let found: Vec<FunctionId> = named.map(|(id, _)| id).collect();
    (!found.is_empty()).then_some(found)
}

fn kinds() -> String {
    events::Kind::ALL.iter().map(|k| k.name()).collect::<Vec<_>>().join(", ")
}

fn line_of(file: &str, line: u32, map: &ProgramMap) -> Result<Goal, String> {
    let is = |name: &str| name == file || name.ends_with(&format!("/{file}"));
    let Some(id) = map.files.iter().position(|name| is(name)) else {
        return Err(format!("the program has no source file {file}"));
    };
    let id = FileId(id as u32);
    let lines = BlockCoverage::new(map, &Coverage::new(map)).lines(map);
    match lines.get(&id).is_some_and(|lines| lines.contains_key(&line)) {
        true => Ok(Goal::Line(id, line)),
        false => Err(format!("{file} has no code on line {line}; name the line of a statement")),
    }
}

fn at(record: &Logged) -> Reached {
    let measured = &record.measured;
    Reached { wall: record.at_ms as f64 / 1e3, cpu: measured.search_cpu_us as f64 / 1e6, runs: measured.runs }
}

/// The first sighting of a confirmed finding, or of one that turned out to be the same.
fn finding(
    campaign: &Campaign,
    kind: Option<events::Kind>,
    ended: Reached,
) -> Result<Option<Reached>, StoreError> {
    let all = campaign.findings()?;
    let confirmed = |verdict: &Option<Verdict>| match verdict {
        Some(Verdict::Confirmed(d)) => kind.is_none_or(|kind| d.kind == kind),
        _ => false,
    };
    let mut wanted: HashSet<_> = all.iter().filter(|f| confirmed(&f.verdict)).map(|f| f.id).collect();
    let same = all.iter().filter(|f| match &f.verdict {
        Some(Verdict::SameAs { finding }) => wanted.contains(finding),
        _ => false,
    });
    let same: Vec<_> = same.map(|f| f.id).collect();
    wanted.extend(same);
    let seen = campaign.events_called("finding-seen")?;
    let first = seen
        .iter()
        .find(|r| matches!(&r.event, Event::FindingSeen { finding, .. } if wanted.contains(finding)));
    // What only the suite's runs on flavour `check` showed was there when the search ended.
    Ok(first.map(|r| if r.measured.runs == 0 { ended } else { at(r) }))
}

/// When the first block with code of this line ran: coverage only grows, so the moment is found by halving.
fn line_reached(
    campaign: &Campaign,
    map: &ProgramMap,
    file: FileId,
    line: u32,
) -> Result<Option<Reached>, StoreError> {
    let mut log = campaign.events_called("branch-covered")?;
    log.extend(campaign.events_called("function-entered")?);
    log.sort_by_key(|record| record.seq);
    let covered = |events: usize| {
        let mut coverage = Coverage::new(map);
        for record in &log[..events] {
            match record.event {
                Event::BranchCovered { branch, .. } if branch.index() < map.branches.len() => {
                    coverage.add_branch(branch);
                }
                Event::FunctionEntered { function, .. } if function.index() < map.functions.len() => {
                    coverage.add_function(function);
                }
                _ => {}
            }
        }
        let lines = BlockCoverage::new(map, &coverage).lines(map);
        lines.get(&file).and_then(|lines| lines.get(&line)).copied().unwrap_or(false)
    };
    if !covered(log.len()) {
        return Ok(None);
    }
    let (mut without, mut with) = (0, log.len());
    while with - without > 1 {
        let middle = without + (with - without) / 2;
        if covered(middle) {
            with = middle;
        } else {
            without = middle;
        }
    }
    Ok(log.get(with.saturating_sub(1)).map(at))
}
