//! Bytes of any encoding, cut anywhere → pieces of UTF-8.

use encoding_rs::{DecoderResult, Encoding, UTF_8};

/// What comes out of a decoder.
pub(super) enum Piece<'p> {
    /// Text, never empty.
    Text(&'p str),
    /// A sequence that means nothing.
    Invalid,
}

/// The encoding of a file that begins with `start`, and the length of its byte order mark: the
/// mark decides, then the encoding that was `named`, then UTF-8.
pub(super) fn sniff(start: &[u8], named: Option<&'static Encoding>) -> (&'static Encoding, usize) {
    Encoding::for_bom(start).unwrap_or((named.unwrap_or(UTF_8), 0))
}

/// Decodes one file after the other. What comes out does not depend on where the bytes are cut.
pub(super) struct Decoder {
    /// `None`: UTF-8, which has a way of its own, several times as fast.
    foreign: Option<encoding_rs::Decoder>,
    /// The beginning of a UTF-8 sequence at the end of the bytes so far.
    begun: [u8; 4],
    begun_len: usize,
    /// Where text of other encodings is decoded to.
    out: String,
}

/// Bytes of decoded text handed on at a time.
const OUT: usize = 32 << 10;

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            foreign: None,
            begun: [0; 4],
            begun_len: 0,
            out: String::new(),
        }
    }

    /// Begins a file. Byte order marks in it are text.
    pub(super) fn start(&mut self, encoding: &'static Encoding) {
        self.begun_len = 0;
        self.foreign = (encoding != UTF_8).then(|| encoding.new_decoder_without_bom_handling());
    }

    /// Decodes the next bytes; with `last`, the file ends with them.
    pub(super) fn decode(&mut self, bytes: &[u8], last: bool, take: &mut dyn FnMut(Piece)) {
        if self.foreign.is_some() {
            self.decode_foreign(bytes, last, take);
        } else {
            self.decode_utf8(bytes, last, take);
        }
    }

    fn decode_foreign(&mut self, bytes: &[u8], last: bool, take: &mut dyn FnMut(Piece)) {
        let Some(decoder) = &mut self.foreign else {
            return;
        };
        self.out.reserve(OUT);
        let mut rest = bytes;
        loop {
            self.out.clear();
            let (result, read) =
                decoder.decode_to_string_without_replacement(rest, &mut self.out, last);
            rest = &rest[read..];
            if !self.out.is_empty() {
                take(Piece::Text(&self.out));
            }
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => take(Piece::Invalid),
            }
        }
    }

    fn decode_utf8(&mut self, bytes: &[u8], last: bool, take: &mut dyn FnMut(Piece)) {
        let mut rest = bytes;
        while self.begun_len > 0
            && let Some((&byte, after)) = rest.split_first()
        {
            self.begun[self.begun_len] = byte;
            match std::str::from_utf8(&self.begun[..=self.begun_len]) {
                Ok(character) => {
                    take(Piece::Text(character));
                    self.begun_len = 0;
                    rest = after;
                }
                Err(error) if error.error_len().is_none() => {
                    self.begun_len += 1;
                    rest = after;
                }
                // What was begun is not gone on with; the byte begins something itself.
                Err(_) => {
                    take(Piece::Invalid);
                    self.begun_len = 0;
                }
            }
        }
        if last && self.begun_len > 0 {
            take(Piece::Invalid);
            self.begun_len = 0;
        }
        let cut = if last { rest.len() } else { complete_len(rest) };
        let (complete, begun) = rest.split_at(cut);
        if let Ok(text) = simdutf8::basic::from_utf8(complete) {
            if !text.is_empty() {
                take(Piece::Text(text));
            }
        } else {
            for chunk in complete.utf8_chunks() {
                if !chunk.valid().is_empty() {
                    take(Piece::Text(chunk.valid()));
                }
                if !chunk.invalid().is_empty() {
                    take(Piece::Invalid);
                }
            }
        }
        if !begun.is_empty() {
            self.begun[..begun.len()].copy_from_slice(begun);
            self.begun_len = begun.len();
        }
    }
}

/// How many of the bytes come before a sequence that further bytes could complete.
fn complete_len(bytes: &[u8]) -> usize {
    let is_begin = |byte: &u8| byte & 0xC0 != 0x80;
    let near = bytes.len().saturating_sub(3);
    match bytes[near..].iter().rposition(is_begin) {
        Some(at) => match std::str::from_utf8(&bytes[near + at..]) {
            Err(error) if error.error_len().is_none() => near + at,
            _ => bytes.len(),
        },
        None => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text, with a blank for every invalid sequence, and the number of those.
    fn decoded(encoding: &'static Encoding, parts: &[&[u8]]) -> (String, u64) {
        let mut decoder = Decoder::new();
        let (mut text, mut invalid) = (String::new(), 0);
        decoder.start(encoding);
        for (index, part) in parts.iter().enumerate() {
            let last = index + 1 == parts.len();
            decoder.decode(part, last, &mut |piece| match piece {
                Piece::Text(piece) => {
                    assert!(!piece.is_empty());
                    text.push_str(piece);
                }
                Piece::Invalid => {
                    text.push(' ');
                    invalid += 1;
                }
            });
        }
        (text, invalid)
    }

    #[test]
    fn every_maximal_subpart_is_one_blank() {
        for (bytes, text, invalid) in [
            (&b"a\xFFb"[..], "a b", 1),
            (b"\xFF\xFE", "  ", 2),
            (b"a\xE2\x82b", "a b", 1),
            (b"\xE2\x82", " ", 1),
            (b"\xF0\x9F\xA6", " ", 1),
            (b"\xC0\x80", "  ", 2),
            (b"\xED\xA0\x80", "   ", 3),      // a surrogate
            (b"\xF4\x90\x80\x80", "    ", 4), // above U+10FFFF
            ("é🦀".as_bytes(), "é🦀", 0),
            (b"", "", 0),
        ] {
            assert_eq!(decoded(UTF_8, &[bytes]), (text.to_string(), invalid));
        }
    }

    #[test]
    fn foreign_text_longer_than_one_piece_comes_out_whole() {
        let text = "Пример\u{1F980}".repeat(20_000);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(encoding_rs::UTF_16LE, &[&bytes]), (text, 0));
        let lone = [0x61, 0x00, 0x00, 0xD8, 0x62, 0x00, 0x63];
        let (text, invalid) = decoded(encoding_rs::UTF_16LE, &[&lone]);
        assert_eq!((text.as_str(), invalid), ("a b ", 2));
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let sequences = prop::sample::select(vec![
            &b"a"[..],
            b"\0",
            "é".as_bytes(),
            "€".as_bytes(),
            "🦀".as_bytes(),
            b"\xE2\x82",
            b"\xF0\x9F",
            b"\xF0\x9F\xA6",
            b"\x80",
            b"\xFF",
            b"\xED\xA0\x80",
            b"\x81\x30\x81\x30",
            b"\x1B$B",
        ]);
        prop::collection::vec(sequences, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn cuts_do_not_show(bytes in bytes(), a in 0usize..40, b in 0usize..40) {
            let a = a.min(bytes.len());
            let b = b.max(a).min(bytes.len());
            let single: Vec<&[u8]> = bytes.chunks(1).chain([&[][..]]).collect();
            for encoding in [
                UTF_8,
                encoding_rs::UTF_16LE,
                encoding_rs::UTF_16BE,
                encoding_rs::SHIFT_JIS,
                encoding_rs::GB18030,
                encoding_rs::ISO_2022_JP,
                encoding_rs::WINDOWS_1252,
            ] {
                let whole = decoded(encoding, &[&bytes]);
                let parts = [&bytes[..a], &bytes[a..b], &bytes[b..]];
                prop_assert_eq!(&decoded(encoding, &parts), &whole);
                prop_assert_eq!(&decoded(encoding, &single), &whole);
            }
        }

        /// The standard library replaces the same sequences.
        #[test]
        fn utf8_is_as_the_standard_library_has_it(bytes in bytes()) {
            let expected = String::from_utf8_lossy(&bytes).replace('\u{FFFD}', " ");
            prop_assert_eq!(decoded(UTF_8, &[&bytes]).0, expected);
        }
    }
}
