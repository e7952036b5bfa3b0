//! Paths → text, with a verdict on what the file is and an identity of its bytes.
//!
//! A [`Loader`] opens one file after the other and reuses its buffers; every worker has its own.
//! One open, one look at the open file, as few reads as its size allows, one close: the path is
//! never looked at a second time, so nothing can be swapped in between. The file is opened in a
//! way that never waits, and only regular files are read.
//!
//! # Reading
//!
//! Files of up to [`WHOLE`] bytes are read whole into a buffer and judged *before* any text is
//! handed out; their text comes as one piece. Larger ones are read block by block, and from
//! [`MAP_FROM`] on they are mapped, window by window, the one before gone before the next comes.
//! What comes out is the same in all three ways, the pieces apart; pieces end between characters.
//! A worker holds at most one file, one window of 16 MiB, and some 4 MiB of buffers.
//!
//! The size that the system states is a hint: `/proc` states 0 and has text, files grow. Reading
//! goes on to the end. Where the bytes read are not as many as stated, or the file is large, the
//! loader asks again at the end; a file whose size or modification time has changed meanwhile is
//! a failure with the code `changed`, for its text may never have existed.
//!
//! # Decoding
//!
//! A byte order mark (UTF-8, UTF-16LE, UTF-16BE) decides and is no text; else the encoding that
//! was named; else UTF-8. A NUL character makes the file [`Verdict::Binary`], wherever it lies. A
//! sequence that means nothing in the encoding (for UTF-8: a maximal subpart in the sense of the
//! Unicode Standard, section 3.9, as U+FFFD would replace it) becomes one blank, so that it
//! separates; one in 1,000 bytes or more of them and the file is [`Verdict::Undecodable`]: with
//! the wrong encoding, two texts would be compared by what little of them is ASCII. With
//! [`Binary::Text`] neither rule holds, and all of it is text.

mod decode;
mod judge;
mod map;
mod opener;
mod read;
mod stat;
mod stream;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use encoding_rs::UTF_8;
use xxhash_rust::xxh3::xxh3_128;

use crate::aligned::AlignedBytes;
use crate::options::{Binary, LoadOptions};
use crate::record::Failure;
use decode::{Decoder, Piece};
use judge::Judge;
use opener::Opener;
pub use stat::Stat;
use stream::Stream;

/// Files of at most so many bytes are read whole; larger ones block by block.
pub const WHOLE: usize = 1 << 20;

/// Files of at least so many bytes are mapped, where the system can map them. Reading is as fast up
/// to here (docs/MEASUREMENTS.md, "Reading"), and a file that is read can be cut short without harm.
pub const MAP_FROM: u64 = 1 << 30;

/// Bytes in one mapped window. All of it may count as memory of the process; larger ones are no
/// faster.
const WINDOW: u64 = 16 << 20;

/// Bytes in one block: the passes over it find it in the cache.
const BLOCK: usize = 128 << 10;

/// So many bytes of a file are looked at for a NUL before the rest is read.
const PEEK: usize = 64 << 10;

/// Takes the text of a file, piece by piece. A piece ends between characters, but anywhere in a
/// word.
pub trait TextSink {
    /// The next piece, never empty.
    fn text(&mut self, piece: &str);
}

impl<F: FnMut(&str)> TextSink for F {
    fn text(&mut self, piece: &str) {
        self(piece);
    }
}

/// The bytes of a file, as good as themselves: equal for two files exactly when their bytes are
/// (but for a chance of 2^-128 a pair).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId {
    /// XXH3, 128 bits, seed 0, of the raw bytes.
    pub hash: u128,
    /// How many bytes there are.
    pub len: u64,
}

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Text: what the sink got is all of it.
    Text,
    /// It has a NUL in its text.
    Binary,
    /// No text but white space, or none at all.
    Empty,
    /// Too many sequences that mean nothing in its encoding.
    Undecodable,
    /// Smaller than asked for; not read.
    TooSmall,
    /// Larger than asked for; not read.
    TooLarge,
    /// Not a regular file; not read.
    Special,
}

/// A file that was looked at.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// What the system said of it when it was opened.
    pub stat: Stat,
    /// Bytes that were read, mapped ones too.
    pub bytes_read: u64,
    /// The identity of its bytes, where all of them were read: always for [`Verdict::Text`],
    /// [`Verdict::Empty`] and [`Verdict::Undecodable`], for [`Verdict::Binary`] unless binary
    /// files are skipped.
    pub content: Option<ContentId>,
    /// What it is.
    pub verdict: Verdict,
    /// Sequences that could not be decoded; each is one blank in the text. Of a binary file, those
    /// that were met.
    pub replaced: u64,
}

/// Why a file could not be loaded.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    Changed,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads files and turns them into text.
pub struct Loader {
    options: LoadOptions,
    opener: Opener,
    /// Read into: [`PEEK`] bytes, or [`WHOLE`] + 1 once a file needed more.
    raw: AlignedBytes,
    /// The decoded text of a file that is read whole and is not plain UTF-8.
    text: String,
    decoder: Decoder,
    /// Files of at least so many bytes are mapped.
    map_from: u64,
    /// Bytes in one mapped window; a multiple of the page size.
    window: u64,
}

impl Loader {
    /// A loader with buffers that grow when they are needed.
    pub fn new(options: LoadOptions) -> Self {
        Self {
            options,
            opener: Opener::default(),
            raw: AlignedBytes::new(0),
            text: String::new(),
            decoder: Decoder::new(),
            map_from: MAP_FROM,
            window: WINDOW,
        }
    }

    /// Opens and reads the file and hands its text to `sink`.
    ///
    /// What the sink got counts only if the verdict is [`Verdict::Text`]: of a file above
    /// [`WHOLE`] bytes it may have got something before another verdict, or an error, came out.
    /// Size limits do not hold for a file that was named as an argument (`explicit`).
    ///
    /// # Errors
    ///
    /// What the system says when the file cannot be opened or read, and `changed` (see above).
    pub fn load(
        &mut self,
        path: &Path,
        explicit: bool,
        sink: &mut dyn TextSink,
    ) -> Result<Loaded, Failure> {
        let is_file = true;
        self.try_load(path, explicit, sink)
            .map_err(|fault| match fault {
                Fault::Io(error) => Failure::from_io(path, &error, is_file),
                Fault::Changed => Failure {
                    path: path.to_path_buf(),
                    code: "changed",
                    message: "changed while it was read".to_string(),
                    is_file,
                },
            })
    }

    fn try_load(
        &mut self,
        path: &Path,
        explicit: bool,
        sink: &mut dyn TextSink,
    ) -> Result<Loaded, Fault> {
        let (file, stat) = match read::open(&mut self.opener, path)? {
            read::Opened::File(file, stat) => (file, stat),
            read::Opened::Special(stat) => return Ok(unread(stat, Verdict::Special)),
        };
        let max_size = self.options.max_size.filter(|_| !explicit);
        let min_size = if explicit { 0 } else { self.options.min_size };
        if stat.len > 0 && stat.len < min_size {
            return Ok(unread(stat, Verdict::TooSmall));
        }
        if max_size.is_some_and(|max_size| stat.len > max_size) {
            return Ok(unread(stat, Verdict::TooLarge));
        }
        let mapped = if stat.len >= self.map_from {
            self.map_all(path, &file, stat, sink)?
        } else {
            None
        };
        let loaded = match mapped {
            Some(loaded) => loaded,
            None => self.read_all(&mut &file, stat, max_size, sink)?,
        };
        // A size that was not stated (as in /proc) is known only now.
        if stat.len == 0 && loaded.bytes_read > 0 && loaded.bytes_read < min_size {
            return Ok(unread(stat, Verdict::TooSmall));
        }
        let is_complete = loaded.content.is_some();
        let in_doubt = loaded.bytes_read != stat.len || stat.len > WHOLE as u64;
        if is_complete && stat.len > 0 && in_doubt && Stat::of(path, &file.metadata()?) != stat {
            return Err(Fault::Changed);
        }
        Ok(loaded)
    }

    /// Reads to the end, however little each read gives.
    fn read_all(
        &mut self,
        reader: &mut impl Read,
        stat: Stat,
        max_size: Option<u64>,
        sink: &mut dyn TextSink,
    ) -> Result<Loaded, Fault> {
        self.raw.grow(PEEK);
        let mut filled = read::fill(reader, &mut self.raw[..PEEK], 0, stat.len)?;
        if !filled.ended {
            if self.is_surely_binary(&self.raw[..filled.len]) {
                return Ok(Loaded {
                    bytes_read: filled.len as u64,
                    ..unread(stat, Verdict::Binary)
                });
            }
            self.raw.grow(WHOLE + 1);
            filled = read::fill(reader, &mut self.raw, filled.len, stat.len)?;
        }
        let too_large = |len: u64| max_size.is_some_and(|max_size| len > max_size);
        if too_large(filled.len as u64) {
            return Ok(unread(stat, Verdict::TooLarge));
        }
        if filled.ended {
            return Ok(self.whole(filled.len, stat, sink));
        }
        let mut stream = Stream::begin(&mut self.decoder, &self.options, &self.raw[..BLOCK]);
        let mut goes_on = true;
        for block in self.raw[..filled.len].chunks(BLOCK) {
            goes_on = goes_on && stream.block(block, sink);
        }
        while goes_on && !filled.ended && !too_large(stream.len) {
            filled = read::fill(reader, &mut self.raw[..BLOCK], 0, u64::MAX)?;
            goes_on = stream.block(&self.raw[..filled.len], sink);
        }
        if too_large(stream.len) {
            return Ok(unread(stat, Verdict::TooLarge));
        }
        Ok(stream.end(stat, sink))
    }

    /// Maps the file window by window; `None` where the system cannot map it.
    fn map_all(
        &mut self,
        path: &Path,
        file: &File,
        stat: Stat,
        sink: &mut dyn TextSink,
    ) -> Result<Option<Loaded>, Fault> {
        let Ok(mut window) = map::window(file, 0, stat.len.min(self.window)) else {
            return Ok(None);
        };
        self.raw.grow(WHOLE + 1);
        let start = &window[..BLOCK.min(window.len())];
        let mut stream = Stream::begin(&mut self.decoder, &self.options, start);
        loop {
            for block in window.chunks(BLOCK) {
                let copy = &mut self.raw[..block.len()];
                copy.copy_from_slice(block);
                if !stream.block(copy, sink) {
                    return Ok(Some(stream.end(stat, sink)));
                }
            }
            drop(window); // before the next one comes
            if stream.len == stat.len {
                return Ok(Some(stream.end(stat, sink)));
            }
            if Stat::of(path, &file.metadata()?) != stat {
                return Err(Fault::Changed);
            }
            window = map::window(file, stream.len, (stat.len - stream.len).min(self.window))?;
        }
    }

    /// Whether a file that begins so is binary and left out, so that the rest need not be read.
    fn is_surely_binary(&self, start: &[u8]) -> bool {
        self.options.binary == Binary::Skip
            && decode::sniff(start, self.options.encoding).0 == UTF_8
            && memchr::memchr(0, start).is_some()
    }

    /// Judges the first `len` bytes of the buffer, which are a whole file, and hands out its text.
    fn whole(&mut self, len: usize, stat: Stat, sink: &mut dyn TextSink) -> Loaded {
        let bytes = &self.raw[..len];
        let (encoding, mark) = decode::sniff(bytes, self.options.encoding);
        let mut judge = Judge::new(self.options.binary);
        let plain = if encoding == UTF_8 {
            judge.utf8(&bytes[mark..])
        } else {
            None
        };
        let text = if let Some(text) = plain {
            text
        } else {
            self.text.clear();
            self.decoder.start(encoding);
            self.decoder
                .decode(&bytes[mark..], true, &mut |piece| match piece {
                    Piece::Text(text) => {
                        judge.text(text);
                        self.text.push_str(text);
                    }
                    Piece::Invalid => {
                        judge.replaced += 1;
                        self.text.push(' ');
                    }
                });
            &self.text
        };
        let verdict = judge.verdict(len as u64);
        if verdict == Verdict::Text {
            sink.text(text);
        }
        let is_left_out = verdict == Verdict::Binary && self.options.binary == Binary::Skip;
        Loaded {
            stat,
            bytes_read: len as u64,
            content: (!is_left_out).then(|| ContentId {
                hash: xxh3_128(bytes),
                len: len as u64,
            }),
            verdict,
            replaced: judge.replaced,
        }
    }
}

/// What is known of a file that was not read.
fn unread(stat: Stat, verdict: Verdict) -> Loaded {
    Loaded {
        stat,
        bytes_read: 0,
        content: None,
        verdict,
        replaced: 0,
    }
}
