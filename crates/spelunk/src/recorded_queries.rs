//! `--record-queries`: what the solver is asked, in a file for `bench/queries`.

use crate::cli::ExploreArgs;
use crate::exit;
use crate::failure::Failure;
use flate2::Compression;
use flate2::write::GzEncoder;
use query_log::{Log, Recording};
use solve::Solver;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

type Out = GzEncoder<BufWriter<File>>;

/// The file that is being written.
pub struct RecordedQueries {
    file: PathBuf,
    log: Log<Out>,
}

impl RecordedQueries {
    /// Begins the file, if one is asked for.
    ///
    /// # Errors
    /// When there are several workers, or the file cannot be written.
    pub fn begin(args: &ExploreArgs) -> Result<Option<RecordedQueries>, Failure> {
        let Some(file) = &args.record_queries else { return Ok(None) };
        if args.jobs > 1 {
            let what = "--record-queries keeps the order in which one worker asks; use it with -j 1";
            return Err(Failure::new(exit::USAGE, what));
        }
        let failed = |error| Failure::io("write", file, &error);
        let out = BufWriter::new(File::create(file).map_err(failed)?);
        let log = Log::new(GzEncoder::new(out, Compression::default())).map_err(failed)?;
        Ok(Some(RecordedQueries { file: file.clone(), log }))
    }

    /// Records what `solver` is asked.
    pub fn around(&self, solver: impl Solver + 'static) -> Box<dyn Solver> {
        Box::new(Recording::new(solver, self.log.clone()))
    }

    /// Ends the file, and says how many queries are in it.
    ///
    /// # Errors
    /// When something of it could not be written.
    pub fn finish(&self) -> Result<(), Failure> {
        let failed = |error| Failure::io("write", &self.file, &error);
        if let Some((out, count)) = self.log.finish().map_err(failed)? {
            let mut file = out.finish().map_err(failed)?;
            std::io::Write::flush(&mut file).map_err(failed)?;
            eprintln!("{count} queries recorded in {}", self.file.display());
        }
        Ok(())
    }
}
