//! Decoded text → verdict, in one pass and without keeping it.

use crate::cpu::Level;
use crate::options::Binary;

use super::Verdict;

/// With one invalid sequence in so many bytes, or more, a file is not in this encoding.
const BYTES_A_SEQUENCE: u64 = 1000;

/// Bytes that [`is_simple`] looks at between two decisions.
const CHUNK: usize = 1024;

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
        self.blank(piece);
    }

    /// The next piece, as the bytes that were read; `None` where they are not UTF-8.
    pub(super) fn utf8<'b>(&mut self, bytes: &'b [u8]) -> Option<&'b str> {
        if is_simple(bytes, Level::current()) {
            // SAFETY: ASCII is UTF-8.
            let piece = unsafe { std::str::from_utf8_unchecked(bytes) };
            self.blank(piece);
            Some(piece)
        } else {
            let piece = simdutf8::basic::from_utf8(bytes).ok()?;
            self.text(piece);
            Some(piece)
        }
    }

    fn blank(&mut self, piece: &str) {
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

/// Whether all bytes are ASCII and none is NUL: most text is, and this is one pass instead of two.
fn is_simple(bytes: &[u8], level: Level) -> bool {
    #[cfg(target_arch = "x86_64")]
    if level >= Level::Avx2 {
        // SAFETY: the processor has the level.
        return unsafe { is_simple_avx2(bytes) };
    }
    is_simple_portable(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn is_simple_avx2(bytes: &[u8]) -> bool {
    is_simple_portable(bytes)
}

#[inline(always)]
fn is_simple_portable(bytes: &[u8]) -> bool {
    // No branch in a chunk, so that it becomes vector instructions. The first term has the top bit
    // for NUL and what is above 0x80, the second for what is above 0x7F.
    bytes.chunks(CHUNK).all(|chunk| {
        let any = |any, &byte: &u8| any | byte.wrapping_sub(1) | byte;
        chunk.iter().fold(0, any) < 0x80
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_is_ascii_without_nul() {
        for level in Level::available() {
            for len in [0, 1, 31, 64, 65, CHUNK - 1, CHUNK, 2 * CHUNK + 33] {
                let plain: Vec<u8> = (0..len).map(|i| (i % 127) as u8 + 1).collect();
                assert!(is_simple(&plain, level), "{level:?}, {len} bytes");
                for at in [0, len / 2, len.saturating_sub(1)] {
                    for byte in 0..=255 {
                        let mut bytes = plain.clone();
                        let Some(place) = bytes.get_mut(at) else {
                            continue;
                        };
                        *place = byte;
                        let expected = (1..0x80).contains(&byte);
                        let note = format!("{level:?}, {byte} at {at} of {len}");
                        assert_eq!(is_simple(&bytes, level), expected, "{note}");
                    }
                }
            }
        }
    }
}
