//! libafl's mutations over one byte string, with the little state that they ask for.

use libafl::HasMetadata;
use libafl::corpus::{Corpus, InMemoryCorpus, Testcase};
use libafl::inputs::BytesInput;
use libafl::mutators::{
    HavocMutationsType, HavocScheduledMutator, Mutator as _, TokenInsert, TokenReplace, Tokens,
    havoc_mutations,
};
use libafl::state::{HasCorpus, HasMaxSize, HasRand};
use libafl_bolts::rands::{Rand, StdRand};
use libafl_bolts::serdeany::SerdeAnyMap;
use libafl_bolts::tuples::{tuple_list, tuple_list_type};
use std::num::NonZero;

/// Stacked mutations are 2, 4 or 8: with batches many small steps, each judged, beat few large ones.
const MAX_STACK: usize = 3;
/// Pieces kept for splicing; later ones replace earlier ones.
const MAX_PIECES: usize = 1 << 12;
/// Most words in the dictionary.
const MAX_TOKENS: usize = 1 << 12;

type Havocs = HavocScheduledMutator<HavocMutationsType>;
type TokenChanges = HavocScheduledMutator<tuple_list_type!(TokenInsert, TokenReplace)>;

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
    havoc: Havocs,
    tokens: TokenChanges,
    n_tokens: usize,
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
        let havoc = HavocScheduledMutator::with_max_stack_pow(havoc_mutations(), MAX_STACK);
        let words = tuple_list!(TokenInsert::new(), TokenReplace::new());
        Havoc { state, havoc, tokens: HavocScheduledMutator::with_max_stack_pow(words, 1), n_tokens: 0 }
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
        // Most mutations have nothing to work on in an empty string.
        let mut input = BytesInput::new(if data.is_empty() { vec![0] } else { data });
        // Splicing draws from the pieces without asking whether there are any.
        if self.state.corpus.count() == 0 {
            let _ = self.state.corpus.add(Testcase::new(input.clone()));
        }
        let with_word = self.n_tokens > 0 && self.below(4) == 0;
        // Mutations fail only on corpora that cannot be read; those in memory can.
        if with_word {
            let _ = self.tokens.mutate(&mut self.state, &mut input);
        }
        if !with_word || self.below(2) == 0 {
            let _ = self.havoc.mutate(&mut self.state, &mut input);
        }
        let mut data: Vec<u8> = input.into();
        data.truncate(room);
        data
    }
}
