//! The page that states the schemes, docs/FINGERPRINT.md, against the code.

use super::hash::{hash_bytes, shingle};
use super::unicode::{self, Class};
use super::*;
use crate::simhash::Fingerprinter;

const PAGE: &str = include_str!("../../docs/FINGERPRINT.md");

/// The cells of the table rows, without the blanks and backquotes around them.
fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    PAGE.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|line| {
            line.split(" | ")
                .map(|cell| cell.trim_matches('`'))
                .collect()
        })
}

/// The text that the expression of a vector stands for.
fn expand(expression: &str) -> String {
    let part = |part: &str| {
        if let Some(count) = part.strip_prefix("words(") {
            let count: u64 = count.trim_end_matches(')').parse().unwrap();
            let words = (0..count).map(|i| format!("w{}", i * i % 8191));
            return words.collect::<Vec<_>>().join(" ");
        }
        let (literal, times) = part.split_once(" * ").unwrap_or((part, "1"));
        let text: String = serde_json::from_str(literal).unwrap();
        text.repeat(times.parse().unwrap())
    };
    expression.split(" + ").map(part).collect()
}

#[test]
fn vectors_of_the_page_come_out() {
    let mut count = 0;
    for row in rows() {
        let &[scheme, expression, tokens, features, expected] = &row[..] else {
            continue;
        };
        let Ok(scheme) = scheme.parse::<Scheme>() else {
            continue;
        };
        count += 1;
        let text = expand(expression);
        for level in Level::available() {
            let mut extractor = Extractor::with_level(scheme, level);
            let mut fingerprinter = Fingerprinter::new(scheme.is_damped()).with_level(level);
            extractor.push(&text, &mut fingerprinter);
            let counts = extractor.finish(&mut fingerprinter);
            let fingerprint = fingerprinter
                .finish()
                .map(|fingerprint| fingerprint.to_string());
            assert_eq!(
                (
                    counts.tokens.to_string().as_str(),
                    counts.features.to_string().as_str(),
                    fingerprint.as_deref().unwrap_or("-"),
                ),
                (tokens, features, expected),
                "{scheme} {expression} {level:?}"
            );
        }
    }
    assert!(count >= 100, "only {count} vectors");
}

#[test]
fn hashes_of_the_page_come_out() {
    let stated = |name: &str| {
        let row = rows().find(|row| row[0] == name).unwrap();
        u64::from_str_radix(row[1], 16).unwrap()
    };
    assert_eq!(hash_bytes(b"a"), stated("61` (`a`)"));
    assert_eq!(
        hash_bytes(b"shingle"),
        stated("736869 6e676c65` (`shingle`)")
    );
    for (count, name) in [(16, "16"), (17, "17"), (129, "129"), (4096, "4,096")] {
        let stated = stated(&format!("{name} times `78"));
        assert_eq!(hash_bytes(&vec![b'x'; count]), stated, "{count}");
    }
    let two = shingle(1, 2, 2);
    let text = format!(
        "`shingle(1, 2)` = `{two:016x}`, `shingle(1, 2, 3)` = `{:016x}`",
        shingle(two, 3, 3)
    );
    assert!(PAGE.contains(&text), "{text}");
}

/// The code points of a class, as the page writes them.
fn ranges(class: Class) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
        if unicode::class(c) == class {
            let code = u32::from(c);
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == code => *last = code,
                _ => ranges.push((code, code)),
            }
        }
    }
    let write = |&(first, last): &(u32, u32)| {
        if first == last {
            format!("{first:04X}")
        } else {
            format!("{first:04X}..{last:04X}")
        }
    };
    ranges.iter().map(write).collect()
}

#[test]
fn ranges_of_the_page_are_those_of_the_tables() {
    for (name, class) in [
        ("Han", Class::Han),
        ("Kana", Class::Kana),
        ("Thai", Class::Thai),
        ("Lao", Class::Lao),
        ("Khmer", Class::Khmer),
        ("Myanmar", Class::Myanmar),
    ] {
        let row = rows().find(|row| row[0] == name).unwrap();
        assert_eq!(
            row[3].split(' ').collect::<Vec<_>>(),
            ranges(class),
            "{name}"
        );
    }
    let white = format!("White_Space, which is {}.", ranges(Class::White).join(", "));
    assert!(PAGE.contains(&white), "{white}");
}
