//! Cheap runs: batches of inputs run for their coverage alone, and what the two sides of the search give each other.
//!
//! A worker makes the inputs ([`Order`]), random ones or mutants, and has its cheap target run them. What shows something new
//! comes back ([`Harvest`]): all of it joins the worker's mutation corpus; what covers a branch that the campaign has not, or is
//! a finding, gets an ordinary run with a trace and so reaches tree, store and strategies. The other way, inputs that
//! ordinary runs were kept for and words of their comparisons ([`Shared`], which begins with the words of the program map) come with the next order,
//! and so does what other workers' cheap runs have shown, which no other shows again. An input's first turns of mutation are one worker's.

use crate::bias::Bias;
use crate::random::Dice;
use crate::reduce::reduce;
use crate::world::TargetFactory;
use fixedbitset::FixedBitSet;
use mutate::{Mutator, Parent, Place};
use program::BranchId;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use strategy::Cheap;
use trace::{Candidate, Glimpses, Input, Mode, ObjectKind, Request, Run, Target, TargetError};

/// Inputs in a batch of a fuzz target, many of which share a process.
const IN_PROCESS: u32 = 1024;
/// Inputs in a batch of a program with `main` that reads one file or standard input: many share a process where the program
/// leaves little behind.
const BY_MAIN: u32 = 256;
/// Inputs in a batch of any other program, each of which needs a process.
const IN_PROCESSES: u32 = 128;
/// Once so much time has passed no further input of a batch is begun: of inputs that each take nearly as long as they may, a batch has enough
/// for half an hour. Long enough that with ordinary programs, on a busy machine too, all of a batch is run.
pub const LONGEST: Duration = Duration::from_secs(8);
/// Most inputs that wait for a worker.
const MAX_SHARED: usize = 1 << 15;
/// Most words that are.
const MAX_WORDS: usize = 1 << 12;
/// Most runs whose places wait, and most bytes of their inputs; beyond it the oldest are forgotten.
const MAX_PLACES: usize = 1 << 10;
/// See [`MAX_PLACES`].
const MAX_PLACE_BYTES: usize = 16 << 20;
/// One in so many inputs of a batch has a word put in the place of another, while there are such.
const SUBSTITUTES: usize = 4;
/// Most inputs that wait to be made short.
const MAX_LONG: usize = 1 << 8;
/// Runs that all workers may make to shorten inputs at first, and one in so many runs later: alone a run costs what a hundred of a batch do.
const SHORTENING: (u64, u64) = (4096, 2048);

/// How the runs of a batch are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A fuzz target, called many times in a process.
    Target,
    /// A `main`, called many times in a process where that goes.
    Main,
    /// A process a run.
    None,
}

/// How runs of inputs of this shape are made.
pub fn sharing(shape: &Input) -> Sharing {
    match shape.objects.as_slice() {
        objects if objects.iter().any(|o| o.kind == ObjectKind::Fuzz) => Sharing::Target,
        [one] if matches!(one.kind, ObjectKind::Stdin | ObjectKind::File) => Sharing::Main,
        _ => Sharing::None,
    }
}

/// How many runs a batch of inputs of this shape has.
pub fn batch_size(shape: &Input) -> u32 {
    match sharing(shape) {
        Sharing::Target => IN_PROCESS,
        Sharing::Main => BY_MAIN,
        Sharing::None => IN_PROCESSES,
    }
}

/// A batch to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Where its inputs come from.
    pub kind: Cheap,
    /// How many.
    pub runs: u32,
    /// Once so much time has passed no further one is begun.
    pub longest: Duration,
    /// Of the random numbers that are drawn for it.
    pub seed: u64,
    /// What others found meanwhile.
    pub news: News,
}

/// An input of the corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The input.
    pub input: Arc<Input>,
    /// Branches that it covers.
    pub covers: Arc<FixedBitSet>,
    /// The worker whose cheap runs have it and go on from it; `None`: it was an ordinary run, and the first worker that is told of it is to be
    /// that one.
    pub owner: Option<u32>,
}

impl Entry {
    /// What `run` ran.
    pub fn of(run: &Run, owner: Option<u32>) -> Entry {
        let covers = run.covered.iter().map(|b| b.index()).collect();
        Entry { input: Arc::new(run.input.clone()), covers: Arc::new(covers), owner }
    }

    fn branches(&self) -> impl Iterator<Item = u32> {
        self.covers.ones().map(|b| b as u32)
    }
}

/// What a worker is told for its mutants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// Inputs for the corpus that it does not know.
    pub inputs: Vec<Entry>,
    /// Words for the dictionary that it does not know.
    pub words: Vec<Arc<[u8]>>,
    /// Where inputs were compared with words; told to one worker only.
    pub places: Vec<(Arc<Input>, Vec<Place>)>,
    /// Branches that some run took and whose conditionals have others that no run took, if these are others than before.
    pub frontier: Option<Arc<[u32]>>,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Runs made.
    pub runs: u64,
    /// Runs that showed something, made alone and without a trace.
    pub shown: Vec<Run>,
    /// Runs that alone did not show what they had been told to.
    pub unconfirmed: u64,
    /// CPU time of the program.
    pub cpu: Duration,
    /// Time, by the clock on the wall, of runs that were stopped for taking too long.
    pub hung: Duration,
    /// Inputs that joined the mutation corpus.
    pub kept: Vec<Entry>,
    /// Runs beside these, made to shorten an input, and their CPU time.
    pub shortening: (u32, Duration),
}

/// What a worker makes batches with.
#[derive(Default)]
pub struct Kitchen<'w> {
    target: Option<Box<dyn Target + 'w>>,
    mutator: Option<Mutator>,
    /// The last batch, whose memory is used again.
    made: Vec<Made>,
    /// Inputs that are to be made short, and the branches they were the first to cover.
    long: VecDeque<(Input, Vec<u32>)>,
    /// Runs of all batches, and those made to shorten inputs.
    runs: (u64, u64),
}

/// Lengths and shape of the inputs to be made.
#[derive(Clone, Copy)]
pub struct Recipe<'c> {
    /// As in [`crate::Config`].
    pub shape: &'c Input,
    /// As in [`crate::Config`].
    pub initial_len: u32,
    /// As in [`crate::Config`].
    pub bias: &'c Arc<Bias>,
    /// As in [`crate::Config`].
    pub max_input: usize,
    /// As in [`crate::Config`].
    pub jobs: u32,
    /// Whether runs that take far longer than others are stopped early.
    pub hasty: bool,
}

/// An input on its way, and what it was made from.
#[derive(Default)]
struct Made {
    input: Input,
    value_seed: Option<u64>,
    parent: Option<Parent>,
}

impl<'w> Kitchen<'w> {
    /// Its runs are to be made in less haste.
    pub fn relax(&mut self) {
        self.target.iter_mut().for_each(|target| target.relax());
    }

    /// Makes a batch. A target that fails is started anew and asked once more.
    ///
    /// # Errors
    /// When that fails, too.
    pub fn make(
        &mut self,
        order: &Order,
        recipe: Recipe<'_>,
        factory: &'w TargetFactory<'w>,
        worker: u32,
    ) -> Result<Harvest, TargetError> {
        let made = self.inputs(order, recipe);
        let candidates: Vec<_> =
            made.iter().map(|m| Candidate { input: &m.input, value_seed: m.value_seed }).collect();
        let target = match &mut self.target {
            Some(target) => target,
            none => none.insert(factory(worker)?),
        };
        target.set_haste(recipe.hasty);
        let glimpses = match target.run_many(&candidates, order.longest) {
            Err(TargetError::Server(_) | TargetError::Io { .. }) => {
                *target = factory(worker)?;
                target.set_haste(recipe.hasty);
                target.run_many(&candidates, order.longest)?
            }
            other => other?,
        };
        let (runs, unconfirmed) = (glimpses.each.len() as u64, glimpses.unconfirmed);
        let Glimpses { cpu, hung, .. } = glimpses;
        let mut harvest = Harvest { runs, unconfirmed, cpu, hung, ..Harvest::default() };
        for (made, glimpse) in made.iter().zip(glimpses.each) {
            let Some(run) = glimpse.shown else { continue };
            if let Some(mutator) = &mut self.mutator
                && !run.outcome.is_finding()
                && mutator.add(&run.input)
            {
                made.parent.into_iter().for_each(|p| mutator.found(p));
                harvest.kept.push(Entry::of(&run, Some(worker)));
            }
            if let Some(mutator) = &mut self.mutator {
                let first = mutator.covers(&run.input, run.covered.iter().map(|b| b.0));
                if !first.is_empty() {
                    self.long.push_back((run.input.clone(), first));
                }
            }
            harvest.shown.push(*run);
        }
        self.made = made;
        if let Some(mutator) = &mut self.mutator {
            // After the batch: of those among them that showed something, it told.
            let own = order.news.inputs.iter().filter(|e| e.owner.is_none());
            own.for_each(|e| _ = mutator.covers(&e.input, e.branches()));
        }
        self.shorten(&mut harvest, order.longest, recipe.jobs, worker);
        Ok(harvest)
    }

    /// Makes the newest of the inputs that cover something new short, and puts what comes of it into the corpus.
    fn shorten(&mut self, harvest: &mut Harvest, longest: Duration, jobs: u32, worker: u32) {
        let (Some(target), Some(mutator)) = (&mut self.target, &mut self.mutator) else { return };
        while self.long.len() > MAX_LONG {
            self.long.pop_front();
        }
        self.runs.0 += harvest.runs;
        if self.runs.1 > SHORTENING.0 / u64::from(jobs.max(1)) + self.runs.0 / SHORTENING.1 {
            return;
        }
        let Some((input, wanted)) = self.long.pop_back() else { return };
        let mut shortest = None;
        let (shorter, runs) = reduce(&input, |input| {
            if harvest.cpu + harvest.shortening.1 >= longest {
                return false;
            }
            let request = Request { input, mode: Mode::Concrete, value_seed: None, max_inputs: None };
            // What cannot be run shows nothing; the next batch starts a target that failed anew.
            let Ok(run) = target.run(&request) else { return false };
            harvest.shortening.1 += run.cpu;
            let covers = |branch: &u32| run.covered.binary_search(&BranchId(*branch)).is_ok();
            let shows = !run.outcome.is_finding() && wanted.iter().all(covers);
            if shows {
                shortest = Some(run);
            }
            shows
        });
        harvest.shortening.0 = runs;
        self.runs.1 += u64::from(runs);
        if let (Some(shorter), Some(run)) = (shorter, shortest)
            && mutator.add(&shorter)
        {
            mutator.covers(&shorter, run.covered.iter().map(|b| b.0));
            harvest.kept.push(Entry::of(&run, Some(worker)));
        }
    }

    fn inputs(&mut self, order: &Order, recipe: Recipe<'_>) -> Vec<Made> {
        let mut dice = Dice::biased(order.seed, recipe.bias);
        let mut random = |letters| Made {
            input: dice.input(recipe.shape, recipe.initial_len, letters),
            value_seed: Some(dice.number()),
            parent: None,
        };
        let runs = order.runs as usize;
        let mutator = match order.kind {
            Cheap::Random(letters) => return (0..runs).map(|_| random(letters)).collect(),
            Cheap::Mutants => self.mutator.get_or_insert_with(|| Mutator::new(order.seed, recipe.max_input)),
        };
        let mut made = std::mem::take(&mut self.made);
        let News { inputs, words, places, frontier } = &order.news;
        frontier.iter().for_each(|branches| mutator.set_frontier(branches));
        words.iter().for_each(|word| {
            mutator.add_token(word);
        });
        places.iter().for_each(|(input, places)| mutator.add_places(input, places));
        let mut known: Vec<Input> = Vec::new();
        for entry in inputs {
            if entry.owner.is_some() {
                mutator.adopt(&entry.input, entry.branches());
            } else if mutator.add(&entry.input) && known.len() < runs {
                // Run, too: so that what it covers is not taken for new when a mutant covers it.
                known.push(Input::clone(&entry.input));
            }
        }
        let most = (runs / SUBSTITUTES).min(runs - known.len());
        known.extend(std::iter::from_fn(|| mutator.substitute()).take(most));
        made.resize_with(runs, Made::default);
        let (first, mutants) = made.split_at_mut(known.len());
        for (made, input) in first.iter_mut().zip(known) {
            *made = Made { input, value_seed: None, parent: None };
        }
        for made in mutants {
            (made.value_seed, made.parent) = (None, mutator.mutant_into(&mut made.input));
            if made.parent.is_none() {
                *made = random(strategy::Letters::All);
            }
        }
        made
    }
}

/// What workers have for each other's mutation corpora and dictionaries.
#[derive(Default)]
pub struct Shared {
    /// Number of workers.
    jobs: usize,
    /// In the order they came, without those that all workers were told.
    inputs: VecDeque<Entry>,
    /// How many those are.
    gone: usize,
    words: Vec<Arc<[u8]>>,
    known_words: HashSet<Arc<[u8]>>,
    /// Not told yet.
    places: VecDeque<(Arc<Input>, Vec<Place>)>,
    /// Of the inputs among these.
    place_bytes: usize,
    /// How much of both each worker was told, and of which frontier.
    told: BTreeMap<u32, (usize, usize, usize)>,
    /// The frontier, and how many there were before.
    frontier: (usize, Arc<[u32]>),
}

impl Shared {
    /// For so many workers, with these words.
    pub fn new(jobs: u32, words: Vec<Vec<u8>>) -> Shared {
        let mut shared = Shared { jobs: jobs.max(1) as usize, ..Shared::default() };
        shared.add_words(words);
        shared
    }

    /// An input for all workers but its owner.
    pub fn add_input(&mut self, entry: Entry) {
        if self.inputs.len() < MAX_SHARED {
            self.inputs.push_back(entry);
        }
    }

    /// Words of comparisons.
    pub fn add_words(&mut self, words: Vec<Vec<u8>>) {
        for word in words {
            if self.words.len() < MAX_WORDS && !self.known_words.contains(word.as_slice()) {
                let word: Arc<[u8]> = word.into();
                self.known_words.insert(word.clone());
                self.words.push(word);
            }
        }
    }

    /// Where a run of `input` looked for words.
    pub fn add_places(&mut self, input: &Input, places: Vec<Place>) {
        if places.is_empty() {
            return;
        }
        self.place_bytes += input.len();
        self.places.push_back((Arc::new(input.clone()), places));
        while self.places.len() > MAX_PLACES || self.place_bytes > MAX_PLACE_BYTES {
            let Some((old, _)) = self.places.pop_front() else { return };
            self.place_bytes -= old.len();
        }
    }

    /// Something was covered: the frontier (see [`News::frontier`]) is another one.
    pub fn set_frontier(&mut self, branches: impl Iterator<Item = u32>) {
        self.frontier = (self.frontier.0 + 1, branches.collect());
    }

    /// What `worker` was not told yet.
    pub fn news(&mut self, worker: u32) -> News {
        self.place_bytes = 0;
        let (inputs, words, frontier) = self.told.entry(worker).or_default();
        let untold = self.inputs.iter_mut().skip(inputs.saturating_sub(self.gone));
        let fresh = untold.filter(|entry| entry.owner != Some(worker)).map(|entry| {
            let told = entry.clone();
            entry.owner.get_or_insert(worker);
            told
        });
        let news = News {
            inputs: fresh.collect(),
            words: self.words[*words..].to_vec(),
            places: self.places.drain(..).collect(),
            frontier: (*frontier != self.frontier.0).then(|| self.frontier.1.clone()),
        };
        (*inputs, *words, *frontier) = (self.gone + self.inputs.len(), self.words.len(), self.frontier.0);
        self.forget();
        news
    }

    /// A worker is gone: what it would have gone on from, another one is to.
    pub fn lost(&mut self, worker: u32) {
        self.told.remove(&worker);
        self.jobs = self.jobs.saturating_sub(1);
        self.inputs.iter_mut().filter(|e| e.owner == Some(worker)).for_each(|e| e.owner = None);
        self.forget();
    }

    /// Drops inputs that all workers were told.
    fn forget(&mut self) {
        let by_all = self.told.values().map(|told| told.0).min().filter(|_| self.told.len() == self.jobs);
        let gone = by_all.unwrap_or(0).saturating_sub(self.gone);
        self.inputs.drain(..gone);
        self.gone += gone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frontier_is_told_to_each_worker_once() {
        let mut shared = Shared::new(2, Vec::new());
        assert_eq!(shared.news(0).frontier, None);
        shared.set_frontier([3, 5].into_iter());
        for worker in [0, 1] {
            assert_eq!(shared.news(worker).frontier.as_deref(), Some(&[3, 5][..]));
            assert_eq!(shared.news(worker).frontier, None);
        }
    }

    #[test]
    fn places_are_told_to_one_worker() {
        let mut shared = Shared::new(2, Vec::new());
        let place = Place { object: 0, offset: 1, compared: b"word".to_vec() };
        shared.add_places(&Input::stdin(*b"0word"), vec![place]);
        shared.add_places(&Input::stdin(*b"none"), vec![]);
        assert_eq!(shared.news(0).places.len(), 1);
        assert_eq!(shared.news(1), News::default());
    }

    #[test]
    fn places_of_long_inputs_do_not_pile_up() {
        let mut shared = Shared::new(2, Vec::new());
        for _ in 0..40 {
            let place = Place { object: 0, offset: 1, compared: b"word".to_vec() };
            shared.add_places(&Input::stdin(vec![0; 1 << 20]), vec![place]);
        }
        assert_eq!(shared.news(0).places.len(), MAX_PLACE_BYTES >> 20);
        assert_eq!(shared.place_bytes, 0);
    }

    #[test]
    fn what_a_lost_worker_was_told_of_others_go_on_from() {
        let mut shared = Shared::new(3, Vec::new());
        let entry = |owner| Entry { input: Arc::new(Input::stdin([1])), covers: Arc::default(), owner };
        shared.add_input(entry(None));
        assert_eq!((shared.news(0).inputs, shared.news(1).inputs), (vec![entry(None)], vec![entry(Some(0))]));
        shared.lost(0);
        assert_eq!(shared.news(2).inputs, [entry(None)]);
        assert!(shared.inputs.is_empty());
    }

    #[test]
    fn every_worker_hears_of_what_others_found_once() {
        let mut shared = Shared::new(2, Vec::new());
        let input =
            |n: u8, owner| Entry { input: Arc::new(Input::stdin([n])), covers: Arc::default(), owner };
        shared.add_input(input(0, None));
        shared.add_input(input(1, Some(1)));
        shared.add_words(vec![b"word".to_vec(), b"word".to_vec()]);
        assert_eq!(shared.news(0).inputs, [input(0, None), input(1, Some(1))]);
        assert_eq!(shared.news(1).inputs, [input(0, Some(0))], "0 goes on from it");
        assert_eq!(shared.news(0), News::default());
        shared.add_input(input(2, Some(0)));
        shared.add_words(vec![b"word".to_vec(), b"more".to_vec()]);
        let words: Vec<Arc<[u8]>> = vec![Arc::from(&b"more"[..])];
        assert_eq!(
            shared.news(1),
            News { inputs: vec![input(2, Some(0))], words: words.clone(), ..News::default() }
        );
        assert_eq!(shared.inputs.len(), 1);
        assert_eq!(shared.news(0), News { words, ..News::default() });
        assert!(shared.inputs.is_empty());
    }
}
