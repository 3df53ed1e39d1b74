//! libafl's mutations over one byte string, with the little state that they ask for, and three of ours beside them.
//!
//! A mutant is mostly one or two small steps away: with batches many small steps, each judged, beat few large ones. libafl's
//! own stacking begins with two steps, and nothing of its list makes a long repetition (nesting, labels and fields beyond a limit of
//! the program), a likely character or another number. These are `repeat`, `characters` and `digits`, as libFuzzer has some.

use crate::{characters, digits, repeat};
use libafl::HasMetadata;
use libafl::corpus::{Corpus, InMemoryCorpus, Testcase};
use libafl::inputs::BytesInput;
use libafl::mutators::{
    HavocMutationsType, Mutator as _, MutatorsTuple, TokenInsert, TokenReplace, Tokens, havoc_mutations,
};
use libafl::state::{HasCorpus, HasMaxSize, HasRand};
use libafl_bolts::HasLen as _;
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::serdeany::SerdeAnyMap;
use std::num::NonZero;

/// Most steps of a mutant; each number of them is half as likely as the one before.
const MAX_STEPS: u32 = 8;
/// Further steps of one that changed nothing.
const MAX_IDLE: u32 = 4;
/// Pieces kept for splicing; later ones replace earlier ones.
const MAX_PIECES: usize = 1 << 12;
/// Most words in the dictionary.
const MAX_TOKENS: usize = 1 << 12;

/// What libafl's mutations work on besides the input.
struct State {
    rand: StdRand,
    corpus: InMemoryCorpus<BytesInput>,
    metadata: SerdeAnyMap,
    max_size: usize,
}

/// See the module.
pub struct Havoc {
    state: State,
    havoc: HavocMutationsType,
    n_tokens: usize,
    /// What the input was before.
    old: Vec<u8>,
}

impl HasRand for State {
    type Rand = StdRand;
    fn rand(&self) -> &StdRand {
        &self.rand
    }
    fn rand_mut(&mut self) -> &mut StdRand {
        &mut self.rand
    }
}

impl HasCorpus<BytesInput> for State {
    type Corpus = InMemoryCorpus<BytesInput>;
    fn corpus(&self) -> &Self::Corpus {
        &self.corpus
    }
    fn corpus_mut(&mut self) -> &mut Self::Corpus {
        &mut self.corpus
    }
}

impl HasMaxSize for State {
    fn max_size(&self) -> usize {
        self.max_size
    }
    fn set_max_size(&mut self, max_size: usize) {
        self.max_size = max_size;
    }
}

impl HasMetadata for State {
    fn metadata_map(&self) -> &SerdeAnyMap {
        &self.metadata
    }
    fn metadata_map_mut(&mut self) -> &mut SerdeAnyMap {
        &mut self.metadata
    }
}

impl Havoc {
    /// Nothing to splice with and no words yet.
    pub fn new(seed: u64) -> Havoc {
        let mut metadata = SerdeAnyMap::default();
        metadata.insert(Tokens::new());
        let state =
            State { rand: StdRand::with_seed(seed), corpus: InMemoryCorpus::new(), metadata, max_size: 0 };
        Havoc { state, havoc: havoc_mutations(), n_tokens: 0, old: Vec::new() }
    }

    /// A number below `n`; 0 for 0.
    pub fn below(&mut self, n: usize) -> usize {
        NonZero::new(n).map_or(0, |n| self.state.rand.below(n))
    }

    /// Gives a piece to splice with.
    pub fn add(&mut self, piece: &[u8]) {
        if piece.len() < 2 {
            return;
        }
        let case = Testcase::new(BytesInput::new(piece.to_vec()));
        if self.state.corpus.count() < MAX_PIECES {
            // Only corpora on disk fail.
            let _ = self.state.corpus.add(case);
        } else {
            let at = self.below(MAX_PIECES);
            let _ = self.state.corpus.replace(self.state.corpus.nth(at), case);
        }
    }

    /// Adds a word; false if it is there, is of no use or there are too many.
    pub fn add_token(&mut self, token: &[u8]) -> bool {
        if token.is_empty() || self.n_tokens >= MAX_TOKENS {
            return false;
        }
        let words = self.state.metadata.get_mut::<Tokens>();
        let is_new = words.is_some_and(|words| words.add_token(&token.to_vec()));
        self.n_tokens += usize::from(is_new);
        is_new
    }

    /// `data` changed, at most `room` bytes long (or as long as it was).
    pub fn mutate(&mut self, data: Vec<u8>, room: usize) -> Vec<u8> {
        self.state.max_size = room.max(1);
        self.old.clone_from(&data);
        let mut input = BytesInput::new(data);
        // Most mutations have nothing to work on in an empty string.
        if input.as_ref().is_empty() {
            input.as_mut().push(0);
        }
        // Splicing draws from the pieces without asking whether there are any.
        if self.state.corpus.count() == 0 {
            let _ = self.state.corpus.add(Testcase::new(input.clone()));
        }
        let steps = (self.state.rand.next() as u32 | 1 << (MAX_STEPS - 1)).trailing_zeros() + 1;
        for k in 0..steps + MAX_IDLE {
            // A step may have had nothing to work on, or have written what was there.
            if k >= steps && *input.as_ref() != self.old {
                break;
            }
            self.step(&mut input, room);
        }
        let mut data: Vec<u8> = input.into();
        data.truncate(room);
        data
    }

    /// One mutation. libafl's fail only on corpora that cannot be read; those in memory can.
    fn step(&mut self, input: &mut BytesInput, room: usize) {
        match self.below(16) {
            0..3 if self.n_tokens > 0 => {
                let _ = match self.below(2) {
                    0 => TokenInsert::new().mutate(&mut self.state, input),
                    _ => TokenReplace::new().mutate(&mut self.state, input),
                };
            }
            3 => repeat::repeat(input.as_mut(), room, |n| self.below(n)),
            4 | 5 => {
                if let Some(c) = self.likely() {
                    characters::put(input.as_mut(), c, room, |n| self.below(n));
                }
            }
            6 => digits::change(input.as_mut(), room, |n| self.below(n)),
            _ => {
                let which = self.below(self.havoc.len());
                let _ = self.havoc.get_and_mutate(which.into(), &mut self.state, input);
            }
        }
    }

    /// A byte of a word or of an input that is kept.
    fn likely(&mut self) -> Option<u8> {
        let any = |bytes: &[u8], at: usize| bytes.get(at % bytes.len().max(1)).copied();
        let at = self.below(1 << 16);
        if self.n_tokens > 0 && self.below(2) == 0 {
            let word = self.below(self.n_tokens);
            return any(self.state.metadata.get::<Tokens>()?.tokens().get(word)?, at);
        }
        let piece = self.below(self.state.corpus.count());
        let case = self.state.corpus.get(self.state.corpus.nth(piece)).ok()?.borrow();
        any(case.input().as_ref()?.as_ref(), at)
    }
}
