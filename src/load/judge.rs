//! Decoded text → verdict, in one pass and without keeping it.

use crate::options::Binary;

use super::Verdict;

/// With one invalid sequence in so many bytes, or more, a file is not in this encoding.
const BYTES_A_SEQUENCE: u64 = 1000;

/// Sees all text of a file and says what the file is.
pub(super) struct Judge {
    binary: Binary,
    has_nul: bool,
    is_blank: bool,
    /// Sequences that could not be decoded.
    pub(super) replaced: u64,
}

impl Judge {
    pub(super) fn new(binary: Binary) -> Self {
        Self {
            binary,
            has_nul: false,
            is_blank: true,
            replaced: 0,
        }
    }

    /// The next piece of text.
    pub(super) fn text(&mut self, piece: &str) {
        self.has_nul = self.has_nul || memchr::memchr(0, piece.as_bytes()).is_some();
        self.is_blank = self.is_blank && piece.trim_start().is_empty();
    }

    /// Whether the file is binary, whatever follows.
    pub(super) fn is_binary(&self) -> bool {
        self.has_nul && self.binary != Binary::Text
    }

    /// The verdict on a file of `len` bytes, all of which were decoded.
    pub(super) fn verdict(&self, len: u64) -> Verdict {
        let sequences = self.replaced.saturating_mul(BYTES_A_SEQUENCE);
        if self.is_binary() {
            Verdict::Binary
        } else if self.replaced > 0 && sequences >= len && self.binary != Binary::Text {
            Verdict::Undecodable
        } else if self.is_blank {
            Verdict::Empty
        } else {
            Verdict::Text
        }
    }
}
