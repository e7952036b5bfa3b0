//! Writes the Unicode tables of `src/feature/tables/` from the ICU4X crates.
//!
//! ```text
//! cargo run --example unicode_tables
//! ```
//!
//! The tables are committed, so that a fingerprint depends on them alone and not on the compiler
//! or on a dependency. `src/feature/unicode.rs` reads them and says how they are laid out; its
//! tests hold every code point equal to the crates. Run this only together with a new version of
//! the schemes: other tables mean other fingerprints.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use icu_casemap::CaseMapper;
use icu_normalizer::properties::{
    CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed,
    CanonicalDecompositionBorrowed, Decomposed,
};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{
    Alphabetic, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Ideographic,
    Script, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// Classes, in the order of `Class` in `src/feature/unicode.rs`.
const CLASSES: [&str; 10] = [
    "Separator",
    "White",
    "Word",
    "Mark",
    "Han",
    "Kana",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
];
/// Actions below this one have a meaning of their own: keep, remove, join, expand.
const FIRST_DELTA: u16 = 4;
/// Values of the second trie below this one are combining classes.
const FIRST_OFFSET: usize = 256;

fn all_chars() -> impl Iterator<Item = char> {
    (0..=0x10_FFFF).filter_map(char::from_u32)
}

fn class(c: char) -> u16 {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    let script = CodePointMapData::<Script>::new().get(c);
    let alphabetic = CodePointSetData::new::<Alphabetic>().contains(c);
    let ideographic = CodePointSetData::new::<Ideographic>().contains(c);
    if CodePointSetData::new::<WhiteSpace>().contains(c) {
        return 1;
    }
    if GeneralCategoryGroup::Mark.contains(category) {
        return 3;
    }
    if c == '_' || category == GeneralCategory::DecimalNumber {
        return 2;
    }
    if !alphabetic {
        return 0;
    }
    if ideographic || c == '\u{3005}' {
        return 4;
    }
    match script {
        Script::Hiragana | Script::Katakana => 5,
        _ if matches!(c, '\u{30FC}' | '\u{3031}'..='\u{3035}') => 5,
        Script::Thai => 6,
        Script::Lao => 7,
        Script::Khmer => 8,
        Script::Myanmar => 9,
        _ => 2,
    }
}

/// `NFKC_Casefold` of one character: case folding, NFKC and the removal of default-ignorable code
/// points, repeated until nothing changes (The Unicode Standard, section 3.13; UAX #44).
fn nfkc_casefold(c: char) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let mut text = c.to_string();
    loop {
        let kept: String = text.chars().filter(|&c| !ignorable.contains(c)).collect();
        let folded = CaseMapper::new()
            .fold_string(&nfkc.normalize(&kept))
            .into_owned();
        let next = nfkc.normalize(&folded).into_owned();
        if next == text {
            return text;
        }
        text = next;
    }
}

/// A two-level table: `index[c >> shift]` is the number of the block that holds `c`.
struct Trie {
    index: Vec<u16>,
    blocks: Vec<u16>,
}

fn trie(values: &[u16], shift: u32) -> Trie {
    let mut known: HashMap<&[u16], u16> = HashMap::new();
    let (mut index, mut blocks) = (Vec::new(), Vec::new());
    for block in values.chunks(1 << shift) {
        let number = *known.entry(block).or_insert_with(|| {
            blocks.extend_from_slice(block);
            u16::try_from((blocks.len() >> shift) - 1).expect("few blocks")
        });
        index.push(number);
    }
    Trie { index, blocks }
}

fn write_u16(folder: &Path, name: &str, values: &[u16]) {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    write(folder, name, &bytes);
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("the folder of the tables is writable");
    println!("{name}: {} bytes", bytes.len());
}

/// The pairs that compose, Hangul aside, as `second << 42 | first << 21 | composite`, and all
/// second characters.
fn compositions() -> (BTreeSet<u64>, BTreeSet<char>) {
    let decomposition = CanonicalDecompositionBorrowed::new();
    let composition = CanonicalCompositionBorrowed::new();
    let mut pairs = BTreeSet::new();
    let mut seconds: BTreeSet<char> = ('\u{1161}'..='\u{1175}').collect();
    seconds.extend('\u{11A8}'..='\u{11C2}');
    for c in all_chars().filter(|c| !('\u{AC00}'..='\u{D7A3}').contains(c)) {
        if let Decomposed::Expansion(first, second) = decomposition.decompose(c)
            && composition.compose(first, second) == Some(c)
        {
            seconds.insert(second);
            pairs.insert(u64::from(second) << 42 | u64::from(first) << 21 | u64::from(c));
        }
    }
    (pairs, seconds)
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/feature/tables");
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    let combining = CanonicalCombiningClassMapBorrowed::new();

    let (pairs, seconds) = compositions();
    let mut action = vec![0_u16; 0x11_0000];
    let mut value = vec![0_u16; 0x11_0000];
    let mut deltas: Vec<i32> = Vec::new();
    let mut pool: Vec<u8> = Vec::new();
    let mut pooled: HashMap<String, usize> = HashMap::new();
    let mut ranges: BTreeMap<u16, Vec<(u32, u32)>> = BTreeMap::new();
    for c in all_chars() {
        let code = c as usize;
        let class = class(c);
        let runs = ranges.entry(class).or_default();
        match runs.last_mut() {
            Some(last) if last.1 + 1 == code as u32 => last.1 = code as u32,
            _ => runs.push((code as u32, code as u32)),
        }
        let mapped = nfkc_casefold(c);
        let parts: String = nfd.normalize(&mapped).into_owned();
        let kind = match parts.chars().next() {
            None => 1,
            Some(first) if combining.get_u8(first) != 0 || seconds.contains(&first) => 2,
            Some(_) => {
                let mut chars = mapped.chars();
                let first = chars.next().expect("not empty");
                let one = chars.next().is_none()
                    && first.len_utf8() <= c.len_utf8()
                    && self::class(first) == class;
                let delta = first as i32 - c as i32;
                if !one {
                    3
                } else if delta == 0 {
                    0
                } else {
                    let place = deltas.iter().position(|&d| d == delta).unwrap_or_else(|| {
                        deltas.push(delta);
                        deltas.len() - 1
                    });
                    FIRST_DELTA + u16::try_from(place).expect("few deltas")
                }
            }
        };
        action[code] = kind << 4 | class;
        let hangul = ('\u{AC00}'..='\u{D7A3}').contains(&c);
        value[code] = if hangul {
            0
        } else if parts.chars().eq([c]) {
            u16::from(combining.get_u8(c))
        } else {
            let offset = *pooled.entry(parts.clone()).or_insert_with(|| {
                pool.push(u8::try_from(parts.len()).expect("short"));
                pool.extend_from_slice(parts.as_bytes());
                pool.len() - parts.len() - 1
            });
            u16::try_from(FIRST_OFFSET + offset).expect("the pool is small")
        };
    }
    for text in pooled.keys() {
        for c in text.chars() {
            assert!(
                usize::from(value[c as usize]) < FIRST_OFFSET,
                "{c:?} of {text:?} is final"
            );
        }
    }

    let actions = trie(&action, 6);
    let values = trie(&value, 6);
    write_u16(&folder, "action_index.bin", &actions.index);
    write_u16(&folder, "action_blocks.bin", &actions.blocks);
    write_u16(&folder, "value_index.bin", &values.index);
    write_u16(&folder, "value_blocks.bin", &values.blocks);
    let bytes: Vec<u8> = deltas.iter().flat_map(|d| d.to_le_bytes()).collect();
    write(&folder, "deltas.bin", &bytes);
    write(&folder, "pool.bin", &pool);
    let bytes: Vec<u8> = pairs.iter().flat_map(|p| p.to_le_bytes()).collect();
    write(&folder, "pairs.bin", &bytes);

    for (class, runs) in ranges {
        let text: Vec<String> = runs
            .iter()
            .map(|&(from, to)| {
                if from == to {
                    format!("{from:04X}")
                } else {
                    format!("{from:04X}..{to:04X}")
                }
            })
            .collect();
        println!(
            "{} ({} ranges): {}",
            CLASSES[usize::from(class)],
            runs.len(),
            text.join(" ")
        );
    }
}
