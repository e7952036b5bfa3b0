//! The schemes, written down plainly: the oracle of the tests. Never optimised.
//!
//! Works on whole texts, with the ICU4X crates in place of the committed tables.

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

use std::collections::HashSet;
use std::sync::OnceLock;

use super::hash::{hash_bytes, shingle};
use super::unicode::Class;
use super::{Scheme, fold, token};

/// The class of a character, from its properties.
pub(crate) fn class(c: char) -> Class {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    let script = CodePointMapData::<Script>::new().get(c);
    if CodePointSetData::new::<WhiteSpace>().contains(c) {
        Class::White
    } else if GeneralCategoryGroup::Mark.contains(category) {
        Class::Mark
    } else if c == '_' || category == GeneralCategory::DecimalNumber {
        Class::Word
    } else if !CodePointSetData::new::<Alphabetic>().contains(c) {
        Class::Separator
    } else if CodePointSetData::new::<Ideographic>().contains(c) || c == '\u{3005}' {
        Class::Han
    } else if script == Script::Hiragana
        || script == Script::Katakana
        || matches!(c, '\u{30FC}' | '\u{3031}'..='\u{3035}')
    {
        Class::Kana
    } else if script == Script::Thai {
        Class::Thai
    } else if script == Script::Lao {
        Class::Lao
    } else if script == Script::Khmer {
        Class::Khmer
    } else if script == Script::Myanmar {
        Class::Myanmar
    } else {
        Class::Word
    }
}

/// `NFKC_Casefold` of one character: NFKC, case folding and the removal of default-ignorable code
/// points, repeated until nothing changes.
pub(crate) fn nfkc_casefold(c: char) -> String {
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

/// Whether a decomposed character is never reordered with, nor composed onto, what is before it.
pub(crate) fn starts_a_segment(c: char) -> bool {
    static SECONDS: OnceLock<HashSet<char>> = OnceLock::new();
    let seconds = SECONDS.get_or_init(|| {
        let decomposition = CanonicalDecompositionBorrowed::new();
        let composition = CanonicalCompositionBorrowed::new();
        let mut seconds = HashSet::new();
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            if let Decomposed::Expansion(first, second) = decomposition.decompose(c)
                && composition.compose(first, second).is_some()
            {
                seconds.insert(second);
            }
        }
        seconds
    });
    CanonicalCombiningClassMapBorrowed::new().get_u8(c) == 0 && !seconds.contains(&c)
}

/// The folded text.
pub(crate) fn fold(text: &str) -> String {
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    let nfd = DecomposingNormalizerBorrowed::new_nfd();
    let mut kept = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let broken = ["\u{AD}\r\n", "\u{AD}\n"]
            .into_iter()
            .find(|head| rest.starts_with(head));
        if broken.is_none() {
            kept.push(c);
        }
        rest = &rest[broken.map_or(c.len_utf8(), str::len)..];
    }
    let mut folded = String::new();
    let mut segment = String::new();
    let mut count = 0;
    for c in kept.chars() {
        let mapped = nfkc_casefold(c);
        let Some(first) = nfd.normalize(&mapped).chars().next() else {
            continue;
        };
        if starts_a_segment(first) || count == fold::MAX_SEGMENT {
            folded += &nfc.normalize(&segment);
            segment.clear();
            count = 0;
        }
        segment += &mapped;
        count += 1;
    }
    folded + &nfc.normalize(&segment)
}

/// The n of a class whose tokens are n-grams of clusters.
fn gram_len(class: Class) -> usize {
    match class {
        Class::Kana => 3,
        Class::Thai | Class::Lao | Class::Khmer | Class::Myanmar => 4,
        _ => 1,
    }
}

/// The tokens of a folded text, in order.
pub(crate) fn tokens(folded: &str) -> Vec<String> {
    // Runs: a class and the clusters of the run; a word is one cluster.
    let mut runs: Vec<(Class, Vec<String>)> = Vec::new();
    let mut current = Class::Separator;
    for c in folded.chars() {
        let class = class(c);
        let goes_on = match class {
            Class::Separator | Class::White => {
                current = Class::Separator;
                continue;
            }
            Class::Mark if current == Class::Separator => continue,
            Class::Mark => true,
            class => current == class,
        };
        if class != Class::Mark {
            current = class;
        }
        if !goes_on {
            runs.push((class, vec![c.to_string()]));
            continue;
        }
        let (run, clusters) = runs.last_mut().expect("a run goes on");
        let limit = match run {
            Class::Word | Class::Han => token::MAX_TOKEN,
            _ => token::MAX_CLUSTER,
        };
        let last = clusters.last_mut().expect("runs have clusters");
        let extends = class == Class::Mark || class == Class::Word;
        if extends && last.len() + c.len_utf8() <= limit {
            last.push(c);
        } else {
            clusters.push(c.to_string());
        }
    }
    let mut tokens = Vec::new();
    for (class, clusters) in runs {
        let n = gram_len(class);
        if clusters.len() < n {
            tokens.push(clusters.concat());
        } else {
            tokens.extend(clusters.windows(n).map(<[_]>::concat));
        }
    }
    tokens
}

/// Hashes of all runs of `n` tokens, or of all tokens where there are fewer.
fn shingles(tokens: &[u64], n: usize) -> Vec<u64> {
    let n = n.min(tokens.len()).max(1);
    tokens
        .windows(n)
        .map(|window| {
            let mut hash = window[0];
            for (i, &next) in window.iter().enumerate().skip(1) {
                hash = shingle(hash, next, i as u64 + 1);
            }
            hash
        })
        .collect()
}

/// The folded text with blanks collapsed and trimmed, as characters.
fn collapsed(folded: &str) -> Vec<char> {
    let mut chars = Vec::new();
    let mut blank = false;
    for c in folded.chars() {
        if class(c) == Class::White {
            blank = !chars.is_empty();
        } else {
            if blank {
                chars.push(' ');
            }
            blank = false;
            chars.push(c);
        }
    }
    chars
}

/// JavaScript's `toLowerCase`, as far as `\w` can see it.
fn classic(text: &str) -> Vec<u64> {
    let lower: String = text
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = lower.split(' ').filter(|word| word.len() >= 2).collect();
    let hash = |text: &str| {
        text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        })
    };
    let mut features = Vec::new();
    for (i, word) in words.iter().enumerate() {
        features.push(hash(word));
        if i > 0 {
            let bigram = hash(&format!("{} {word}", words[i - 1]));
            features.extend([bigram, bigram]);
        }
    }
    features
}

/// The features of a text, in scheme order, and the number of its tokens.
pub(crate) fn features(scheme: Scheme, text: &str) -> (Vec<u64>, u64) {
    if scheme == Scheme::Classic {
        let features = classic(text);
        let tokens = features.len().div_ceil(3) as u64;
        return (features, tokens);
    }
    let folded = fold(text);
    if let Scheme::CharShingles(n) = scheme {
        let chars = collapsed(&folded);
        if chars.is_empty() {
            return (Vec::new(), 0);
        }
        let n = usize::from(n).min(chars.len());
        let features = chars
            .windows(n)
            .map(|window| hash_bytes(window.iter().collect::<String>().as_bytes()))
            .collect();
        return (features, chars.len() as u64);
    }
    let tokens: Vec<u64> = tokens(&folded)
        .iter()
        .map(|token| hash_bytes(token.as_bytes()))
        .collect();
    let count = tokens.len() as u64;
    if let Scheme::WordShingles(n) = scheme {
        return (shingles(&tokens, usize::from(n)), count);
    }
    let mut features = Vec::new();
    for (i, &token) in tokens.iter().enumerate() {
        features.push(token);
        if i > 0 {
            features.push(shingle(tokens[i - 1], token, 2));
        }
    }
    (features, count)
}
