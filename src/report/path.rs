//! File names → text that any terminal, line-based tool or JSON reader can take, and back.
//!
//! A name may hold any byte but NUL. In text the control characters (Unicode `Cc`), invisible
//! format characters (bidi controls and their like) and the bytes that are not UTF-8 are escaped as in C, and so is
//! the backslash, which makes the form reversible: `\a \b \t \n \v \f \r`, `\\`, and `\xNN` with
//! exactly two lower-case digits for each other byte.
//! JSON holds the name with U+FFFD, and base64 beside it where that loses something.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The letters of `\a` to `\r`, in the order of the characters 7 to 13.
const LETTERS: &[u8; 7] = b"abtnvfr";

/// The longest path and the longest part of one that Linux takes, in bytes.
const LONGEST: (usize, usize) = (4095, 255);

/// Characters that are left at the start and at the end of a path that is too long to exist.
const SHOWN: (usize, usize) = (40, 20);

/// A path for messages: escaped, and shortened if it is too long to be that of any file.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a Path);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.as_os_str().as_bytes();
        let text = escape(bytes);
        let impossible = bytes.len() > LONGEST.0
            || bytes.len() > LONGEST.1
                && bytes
                    .split(|&byte| byte == b'/')
                    .any(|part| part.len() > LONGEST.1);
        if !impossible {
            return f.write_str(&text);
        }
        let start = text
            .char_indices()
            .nth(SHOWN.0)
            .map_or(text.len(), |(at, _)| at);
        let end = text
            .char_indices()
            .nth_back(SHOWN.1 - 1)
            .map_or(0, |(at, _)| at);
        write!(
            f,
            "{}[...]{} ({} bytes)",
            &text[..start],
            &text[end.max(start)..],
            bytes.len()
        )
    }
}

/// Escapes the bytes of a name. Borrows where nothing has to be escaped.
pub fn escape(name: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(name)
        && (is_plain(name) || !text.chars().any(is_escaped))
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\x07'..='\x0d' => {
                    out.push('\\');
                    out.push(char::from(LETTERS[c as usize - 7]));
                }
                _ if is_unsafe(c) => {
                    hex(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut out);
                }
                _ => out.push(c),
            }
        }
        hex(chunk.invalid(), &mut out);
    }
    Cow::Owned(out)
}

/// Whether all bytes are printable ASCII and none is a backslash, as in nearly every name.
fn is_plain(name: &[u8]) -> bool {
    /// Eight bytes at once: no sum and no difference crosses a byte, since its top bit is set.
    fn are_plain(bytes: [u8; 8]) -> bool {
        let each = |byte: u8| u64::from_ne_bytes([byte; 8]);
        let word = u64::from_ne_bytes(bytes);
        let at_least = |word: u64, least: u8| (word | each(0x80)) - each(least);
        let is_printable = at_least(word, b' ');
        let is_no_backslash = at_least(word ^ each(b'\\'), 1);
        let is_no_delete = at_least(word ^ each(0x7f), 1);
        is_printable & is_no_backslash & is_no_delete & !word & each(0x80) == each(0x80)
    }
    let Some(&last) = name.last_chunk() else {
        return name
            .iter()
            .all(|&byte| matches!(byte, b' '..0x7f) && byte != b'\\');
    };
    name.as_chunks().0.iter().all(|&bytes| are_plain(bytes)) && are_plain(last)
}

fn is_escaped(c: char) -> bool {
    c == '\\' || is_unsafe(c)
}

/// Whether a terminal or a browser would obey the character or show nothing for it: the control
/// characters, the line and paragraph separators, and the format characters that reorder text or
/// are invisible. The zero-width joiner and non-joiner are none of them: emoji and several scripts
/// are written with them.
pub(super) fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{ad}' // soft hyphen
        | '\u{61c}' // Arabic letter mark
        | '\u{180e}' // Mongolian vowel separator
        | '\u{200b}' | '\u{200e}' | '\u{200f}' // zero-width space, left-to-right and right-to-left marks
        | '\u{2028}'..='\u{202e}' // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, isolates, deprecated controls
        | '\u{feff}' // byte order mark
        | '\u{fff9}'..='\u{fffb}' // interlinear annotation
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

fn hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push_str("\\x");
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Writes the path escaped.
///
/// # Errors
/// What the writer says.
pub fn write_escaped(out: &mut (impl Write + ?Sized), path: &Path) -> io::Result<()> {
    let name = path.as_os_str().as_bytes();
    if is_plain(name) {
        out.write_all(name)
    } else {
        out.write_all(escape(name).as_bytes())
    }
}

/// Turns an escaped name back into its bytes; `None` where a backslash begins no escape.
pub fn unescape(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let Some(first) = memchr::memchr(b'\\', text) else {
        return Some(Cow::Borrowed(text));
    };
    let mut out = text[..first].to_vec();
    let mut rest = text[first..].iter();
    while let Some(&byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match *rest.next()? {
            b'\\' => out.push(b'\\'),
            b'x' => {
                let mut digit = || char::from(*rest.next()?).to_digit(16);
                out.push((digit()? << 4 | digit()?) as u8);
            }
            letter => out.push(7 + LETTERS.iter().position(|&l| l == letter)? as u8),
        }
    }
    Some(Cow::Owned(out))
}

/// The base64 form of a path that is not UTF-8; `None` for all others.
pub fn bytes_base64(path: &Path) -> Option<String> {
    match path.to_str() {
        Some(_) => None,
        None => Some(STANDARD.encode(path.as_os_str().as_bytes())),
    }
}

/// The name that a base64 form stands for.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// The path of a name.
pub fn from_bytes(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_names_stay_as_they_are() {
        for name in [
            "a b",
            "é",
            "имя",
            "名前",
            "👩\u{200d}🚀",
            "می\u{200c}خواهم",
            "a\"b",
            "-x",
            "a,b",
        ] {
            assert!(matches!(escape(name.as_bytes()), Cow::Borrowed(text) if text == name));
        }
    }

    #[test]
    fn control_characters_and_bad_bytes_are_escaped_as_in_c() {
        assert_eq!(escape(b"a\nb\tc\rd"), r"a\nb\tc\rd");
        assert_eq!(escape(b"\x07\x08\x0b\x0c"), r"\a\b\v\f");
        assert_eq!(escape(b"\x01\x1b[1m\x7f"), r"\x01\x1b[1m\x7f");
        assert_eq!(escape(b"a\\b"), r"a\\b");
        assert_eq!(escape(b"\xff\xfe"), r"\xff\xfe");
        assert_eq!(escape("\u{85}".as_bytes()), r"\xc2\x85");
    }

    #[test]
    fn characters_that_hide_or_reorder_text_are_escaped_byte_by_byte() {
        let hidden = "\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\
                      \u{202d}\u{202e}\u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{206f}\u{feff}\u{fff9}\u{e0041}";
        for c in hidden.chars() {
            let name = format!("a{c}b");
            let bytes = c.to_string().into_bytes();
            let bytes: Vec<String> = bytes.iter().map(|b| format!("\\x{b:02x}")).collect();
            let expected = format!("a{}b", bytes.concat());
            assert_eq!(escape(name.as_bytes()), expected);
            assert_eq!(
                unescape(expected.as_bytes()).as_deref(),
                Some(name.as_bytes())
            );
        }
        assert_eq!(escape("gpj.\u{202e}exe".as_bytes()), r"gpj.\xe2\x80\xaeexe");
    }

    #[test]
    fn every_control_character_is_unsafe() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(is_unsafe(c) || !c.is_control(), "{c:?}");
        }
    }

    #[test]
    fn a_path_that_no_file_can_have_is_shortened_in_messages() {
        let shown = |path: &str| Escaped(Path::new(path)).to_string();
        let longest = format!("{}/{}", "a".repeat(255), "b".repeat(255));
        assert_eq!(shown(&longest), longest);
        let name = format!("docs/{}end", "a".repeat(300));
        assert_eq!(
            shown(&name),
            format!(
                "docs/{}[...]{}end (308 bytes)",
                "a".repeat(35),
                "a".repeat(17)
            )
        );
        let deep = "é/".repeat(2000);
        assert_eq!(
            shown(&deep),
            format!("{}[...]{} (6000 bytes)", "é/".repeat(20), "é/".repeat(10))
        );
    }

    #[test]
    fn what_is_no_escape_is_refused() {
        for text in [r"\", r"a\", r"\x", r"\x1", r"\xg0", r"\q", r"\x-1"] {
            assert_eq!(unescape(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn base64_stands_beside_names_that_are_not_utf8() {
        assert_eq!(bytes_base64(Path::new("é")), None);
        let odd = from_bytes(b"\xff\xfe");
        assert_eq!(bytes_base64(odd).as_deref(), Some("//4="));
        assert_eq!(from_base64("//4=").as_deref(), Some(&b"\xff\xfe"[..]));
    }

    proptest! {
        #[test]
        fn plain_is_what_has_nothing_to_escape(
            name in prop::collection::vec(prop_oneof![9 => b' '..=b'~', 1 => any::<u8>()], 0..40),
        ) {
            let is_plain_byte = |&byte: &u8| (b' '..=b'~').contains(&byte) && byte != b'\\';
            prop_assert_eq!(is_plain(&name), name.iter().all(is_plain_byte));
        }

        #[test]
        fn escaping_is_reversible(name in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = escape(&name);
            prop_assert!(!text.chars().any(is_unsafe));
            let back = unescape(text.as_bytes());
            prop_assert_eq!(back.as_deref(), Some(&*name));
        }
    }
}
