//! The second reading: a document's features once more, for verification, and only if the file
//! still holds the bytes that were fingerprinted.

use crate::feature::Extractor;
use crate::load::{Loader, TextSink};
use crate::options::Options;
use crate::record::Failure;
use crate::verify::{FeatureCollector, FeatureSource};

use super::corpus::Corpus;

/// Reads the documents of a corpus again.
pub(crate) struct Rereader<'a> {
    corpus: &'a Corpus,
    options: &'a Options,
}

impl<'a> Rereader<'a> {
    /// With the options of the first reading.
    pub(crate) fn new(corpus: &'a Corpus, options: &'a Options) -> Self {
        Self { corpus, options }
    }
}

/// Text → features → collector.
struct Path<'a> {
    extractor: &'a mut Extractor,
    collector: &'a mut FeatureCollector,
}

impl TextSink for Path<'_> {
    fn text(&mut self, piece: &str) {
        self.extractor.push(piece, self.collector);
    }
}

impl FeatureSource for Rereader<'_> {
    type Scratch = Option<(Loader, Extractor)>;

    fn collect(
        &self,
        document: u32,
        scratch: &mut Self::Scratch,
        collector: &mut FeatureCollector,
    ) -> Result<(), Failure> {
        let (loader, extractor) = scratch.get_or_insert_with(|| {
            (
                Loader::new(self.options.load),
                Extractor::new(self.options.scheme),
            )
        });
        let content = self.corpus.content(document);
        let path = self.corpus.path(content.position);
        let loaded = loader.load(
            path,
            true,
            &mut Path {
                extractor,
                collector,
            },
        );
        extractor.finish(collector);
        let loaded = loaded?;
        if loaded.content == Some(content.id()) {
            Ok(())
        } else {
            Err(Failure {
                path: path.to_path_buf(),
                code: "changed",
                message: "changed while it was scanned".to_string(),
                is_file: false,
            })
        }
    }

    fn weight_hint(&self, document: u32) -> u32 {
        let position = self.corpus.content(document).position;
        self.corpus.sketch(position).votes
    }
}
