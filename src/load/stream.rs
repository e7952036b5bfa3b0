//! A large file, block by block: hashed, decoded, judged and handed on while it is in the cache.

use xxhash_rust::xxh3::Xxh3;

use crate::options::{Binary, LoadOptions};

use super::decode::{Decoder, Piece, sniff};
use super::judge::Judge;
use super::{ContentId, Loaded, Stat, TextSink, Verdict, unread};

/// A file on its way through.
pub(super) struct Stream<'l> {
    decoder: &'l mut Decoder,
    binary: Binary,
    hash: Box<Xxh3>,
    judge: Judge,
    /// Bytes of the byte order mark still to come.
    mark: usize,
    /// Bytes that went through.
    pub(super) len: u64,
}

impl<'l> Stream<'l> {
    /// Begins a file whose first block (three bytes at least, if it has them) is `start`.
    pub(super) fn begin(decoder: &'l mut Decoder, options: &LoadOptions, start: &[u8]) -> Self {
        let (encoding, mark) = sniff(start, options.encoding);
        decoder.start(encoding);
        Self {
            decoder,
            binary: options.binary,
            hash: Box::new(Xxh3::new()),
            judge: Judge::new(options.binary),
            mark,
            len: 0,
        }
    }

    /// The next block. False: no more are needed, since the file is left out.
    pub(super) fn block(&mut self, bytes: &[u8], sink: &mut dyn TextSink) -> bool {
        self.len += bytes.len() as u64;
        self.hash.update(bytes);
        let mark = std::mem::take(&mut self.mark);
        self.decode(&bytes[mark..], false, sink);
        !self.is_left_out()
    }

    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut dyn TextSink) {
        if self.judge.is_binary() {
            return; // only its bytes count now
        }
        let judge = &mut self.judge;
        self.decoder.decode(bytes, last, &mut |piece| match piece {
            Piece::Text(text) => {
                judge.text(text);
                sink.text(text);
            }
            Piece::Invalid => {
                judge.replaced += 1;
                sink.text(" ");
            }
        });
    }

    fn is_left_out(&self) -> bool {
        self.judge.is_binary() && self.binary == Binary::Skip
    }

    /// The file has ended, or needs no more.
    pub(super) fn end(mut self, stat: Stat, sink: &mut dyn TextSink) -> Loaded {
        self.decode(&[], true, sink);
        if self.is_left_out() {
            return Loaded {
                bytes_read: self.len,
                ..unread(stat, Verdict::Binary)
            };
        }
        Loaded {
            stat,
            bytes_read: self.len,
            content: Some(ContentId {
                hash: self.hash.digest128(),
                len: self.len,
            }),
            verdict: self.judge.verdict(self.len),
            replaced: self.judge.replaced,
        }
    }
}
