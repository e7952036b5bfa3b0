//! Text → folded text: `NFKC_Casefold` in a stream.
//!
//! A character becomes its `NFKC_Casefold` mapping (compatibility decomposition, full case
//! folding, default-ignorable code points removed), and the whole is put into NFC (The Unicode
//! Standard, section 3.13). A soft hyphen takes a line break (LF or CR LF) right after it with it.
//!
//! **Segments.** A character that nothing before it can compose with or be reordered with starts
//! a segment; normalising segment by segment is normalising the text. Every ASCII character
//! starts one. Most characters that start a segment become one other character, so that where the
//! next one starts a segment too, a look-up is all there is to do; only other segments are
//! decomposed, ordered and composed. A segment ends after [`MAX_SEGMENT`] characters, so that memory
//! is bounded whatever the text.
//!
//! The last character of a text may still be changed by what comes: it is kept until then.

use crate::aligned::LINE;

use super::block::{Block, CLASS_BYTES};
use super::kernel::Kernel;
use super::unicode::{self, Action};

/// Characters of a segment, before mapping and removed ones not counted, after which it ends.
pub(crate) const MAX_SEGMENT: usize = 1024;
/// Room that a block must have to go on: more than a character takes.
const MIN_ROOM: usize = 64;
const SOFT_HYPHEN: char = '\u{AD}';

/// What is known of a line break after a soft hyphen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Break {
    /// The last character was no soft hyphen.
    No,
    /// The last character was one.
    Hyphen,
    /// The last ones were a soft hyphen and a CR, which is kept back.
    Return,
}

/// The state of the fold between two pieces of text.
pub(crate) struct Folder {
    kernel: &'static Kernel,
    /// The open segment, decomposed: combining class and character.
    segment: Vec<(u8, char)>,
    /// Characters of the text in it; 0 where none is open.
    count: usize,
    line_break: Break,
}

impl Folder {
    pub(crate) fn new(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            segment: Vec::new(),
            count: 0,
            line_break: Break::No,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn memory_usage(&self) -> usize {
        self.segment.capacity() * size_of::<(u8, char)>()
    }

    /// Folds text to the end of the block, and returns how many bytes of `text` were taken: all, or
    /// as many as fitted.
    pub(crate) fn fold(&mut self, text: &str, block: &mut Block) -> usize {
        let bytes = text.as_bytes();
        let mut at = 0;
        // Whether the character before `at` was written though its segment may still go on.
        let mut is_written = false;
        while block.room() >= MIN_ROOM {
            if self.count == 0 && self.line_break == Break::No {
                // In whole lines, so that the next block reads and writes whole lines, too.
                let end = text.floor_char_boundary(at + block.room() / LINE * LINE);
                let (to, classes) = block.tail();
                let (read, written) = (self.kernel.fold)(&bytes[at..end], to, classes);
                block.len += written;
                at += read;
                is_written |= read > 0;
                if block.room() < MIN_ROOM {
                    break;
                }
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            let entry = unicode::entry(c);
            match unicode::action(c, entry) {
                Action::Becomes(folded) if self.line_break == Break::No => {
                    self.flush(block);
                    block.put(folded, CLASS_BYTES[usize::from(entry & 15)]);
                    is_written = true;
                }
                Action::Joins | Action::Remove => {
                    if is_written {
                        self.take_back(&text[..at], block);
                    }
                    is_written = false;
                    self.feed(c, block);
                }
                _ => {
                    is_written = false;
                    self.feed(c, block);
                }
            }
            at += c.len_utf8();
        }
        if is_written && !text[at..].chars().next().is_some_and(starts_segment) {
            self.take_back(&text[..at], block);
        }
        at
    }

    /// Writes what was kept back; the text is over.
    pub(crate) fn finish(&mut self, block: &mut Block) {
        self.end_line_break(block);
        self.flush(block);
    }

    /// Makes the last character of `text`, the last in the block, the open segment instead.
    fn take_back(&mut self, text: &str, block: &mut Block) {
        block.pop();
        if let Some(c) = text.chars().next_back() {
            self.feed(c, block);
        }
    }

    /// Takes any character the long way.
    fn feed(&mut self, c: char, block: &mut Block) {
        match (self.line_break, c) {
            (Break::Hyphen, '\r') => {
                self.line_break = Break::Return;
                return;
            }
            (Break::Hyphen | Break::Return, '\n') => {
                self.line_break = Break::No;
                return;
            }
            _ => self.end_line_break(block),
        }
        let action = unicode::action(c, unicode::entry(c));
        if action == Action::Remove {
            if c == SOFT_HYPHEN {
                self.line_break = Break::Hyphen;
            }
            return;
        }
        self.extend(c, action == Action::Joins, block);
    }

    /// No line break followed the soft hyphen: a CR that was kept back is text.
    fn end_line_break(&mut self, block: &mut Block) {
        if self.line_break == Break::Return {
            self.extend('\r', false, block);
        }
        self.line_break = Break::No;
    }

    /// Adds a character to the open segment or starts one with it.
    fn extend(&mut self, c: char, joins: bool, block: &mut Block) {
        if !joins || self.count == MAX_SEGMENT {
            self.flush(block);
        }
        unicode::decompose(c, |part, class| self.segment.push((class, part)));
        self.count += 1;
    }

    /// Ends the open segment.
    #[inline(always)]
    fn flush(&mut self, block: &mut Block) {
        if self.count != 0 {
            self.flush_open(block);
        }
    }

    /// Orders, composes and writes the open segment.
    fn flush_open(&mut self, block: &mut Block) {
        self.count = 0;
        order(&mut self.segment);
        compose(&mut self.segment);
        for (_, c) in self.segment.drain(..) {
            block.push(c, CLASS_BYTES[unicode::class(c) as usize]);
        }
    }
}

/// Whether the segment before this character has ended.
fn starts_segment(c: char) -> bool {
    matches!(unicode::action(c, unicode::entry(c)), Action::Becomes(_))
}

/// Canonical ordering: runs of characters with a combining class, by class, else as they are.
fn order(segment: &mut [(u8, char)]) {
    if segment.len() > 1 {
        for run in segment.split_mut(|&(class, _)| class == 0) {
            run.sort_by_key(|&(class, _)| class);
        }
    }
}

/// Canonical composition of an ordered segment.
fn compose(segment: &mut Vec<(u8, char)>) {
    let mut starter: Option<usize> = None;
    // The class of the last character kept since the starter.
    let mut blocking: Option<u8> = None;
    let mut kept = 0;
    for i in 0..segment.len() {
        let (class, c) = segment[i];
        if let Some(place) = starter
            && blocking.is_none_or(|before| before < class)
            && let Some(composite) = unicode::compose(segment[place].1, c)
        {
            segment[place].1 = composite;
            continue;
        }
        if class == 0 {
            starter = Some(kept);
            blocking = None;
        } else {
            blocking = Some(class);
        }
        segment[kept] = (class, c);
        kept += 1;
    }
    segment.truncate(kept);
}
