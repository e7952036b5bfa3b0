//! Names of files as text for people. A name is bytes; what is shown is UTF-8 without control
//! characters, whatever the locale.

use std::fmt::Write as _;

/// A name with control characters, and bytes that are not UTF-8, escaped as in C (`\n`, `\x1b`).
pub fn printable(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                control if control.is_control() => hex(&mut text, control.to_string().as_bytes()),
                plain => text.push(plain),
            }
        }
        hex(&mut text, chunk.invalid());
    }
    text
}

fn hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_characters_and_stray_bytes_change() {
        assert_eq!(
            printable("d\u{e9}j\u{e0} vu/\u{4e2d}".as_bytes()),
            "d\u{e9}j\u{e0} vu/\u{4e2d}"
        );
        assert_eq!(
            printable(b"a\nb\rc\td\x1b[0m\x7f"),
            "a\\nb\\rc\\td\\x1b[0m\\x7f"
        );
        assert_eq!(printable(b"a\xff\xfeb"), "a\\xff\\xfeb");
        assert_eq!(printable("\u{85}".as_bytes()), "\\xc2\\x85");
    }
}
