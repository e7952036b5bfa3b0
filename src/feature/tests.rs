//! Whole extractors against the oracle, and against what people see.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

struct Collect(Vec<u64>);

impl FeatureSink for Collect {
    fn features(&mut self, hashes: &[u64]) {
        self.0.extend_from_slice(hashes);
    }
}

const SCHEMES: [Scheme; 9] = [
    Scheme::Words,
    Scheme::WordShingles(1),
    Scheme::WordShingles(3),
    Scheme::WordShingles(64),
    Scheme::CharShingles(1),
    Scheme::CharShingles(5),
    Scheme::CharShingles(64),
    Scheme::Classic,
    Scheme::WordShingles(2),
];

fn extract(extractor: &mut Extractor, pieces: &[&str]) -> (Vec<u64>, TextCounts) {
    let mut sink = Collect(Vec::new());
    for piece in pieces {
        extractor.push(piece, &mut sink);
    }
    let counts = extractor.finish(&mut sink);
    (sink.0, counts)
}

/// Holds an extractor equal to the oracle, with the text whole and in pieces.
fn check(scheme: Scheme, text: &str, cuts: &[usize]) {
    let (expected, tokens) = naive::features(scheme, text);
    let counts = TextCounts {
        tokens,
        features: expected.len() as u64,
        blank: text.chars().all(|c| naive::class(c) == Class::White),
    };
    let mut pieces = Vec::new();
    let mut rest = text;
    for &cut in cuts {
        let mut cut = cut.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut -= 1;
        }
        let (piece, other) = rest.split_at(cut);
        pieces.push(piece);
        rest = other;
    }
    pieces.push(rest);
    for level in Level::available() {
        let mut extractor = Extractor::with_level(scheme, level);
        for pieces in [&[text][..], &pieces] {
            let (features, found) = extract(&mut extractor, pieces);
            assert!(features == expected, "{scheme} {level:?}: {pieces:?}");
            assert_eq!(found, counts, "{scheme} {level:?}: {pieces:?}");
        }
    }
}

fn words(text: &str) -> Vec<u64> {
    extract(&mut Extractor::new(Scheme::Words), &[text]).0
}

/// Strings that meet each branch: scripts, marks, ignorables, jamo, what expands, line breaks.
#[rustfmt::skip]
const ATOMS: &[&str] = &[
    " ", "\n", "\r\n", "\t", ", ", ".", "the", "Word", "snake_case", "x", "42", "A", "don't",
    "a_rather_long_identifier_of_many_bytes", "\u{AD}", "\u{AD}\n", "\u{AD}\r\n", "\u{AD}\r",
    "\u{200B}", "\u{FE0F}", "\u{34F}", "\u{202E}", "ä", "Ö", "ß", "ﬁ", "ẞ", "İ", "ſ", "Å",
    "e\u{301}", "\u{301}", "\u{323}\u{307}", "\u{307}\u{323}", "q\u{307}\u{323}", "\u{345}",
    "α\u{345}\u{301}", "Привет", "ЖУК", "и\u{306}", "Σίσυφος", "中文", "漢", "々", "〇", "豈",
    "\u{2F800}", "カタカナ", "ひら", "ー", "ｶﾞ", "か\u{3099}", "\u{1B001}かな", "ﾊﾟ", "ภาษาไทย", "น้ำ",
    "ก", "ກະ", "ភាសា", "မြန်မာ", "한국어", "\u{1112}\u{1161}\u{11AB}", "\u{1100}", "\u{1161}",
    "\u{11A8}", "각", "가", "𝐀𝟙", "👍🏽", "1\u{FE0F}\u{20E3}", "नमस्ते", "क़", "שָׁלוֹם",
    "العَرَبِيَّة", "ﷺ", "２０２４", "Ⅷ", "½", "\u{A0}", "\u{3000}", "\u{85}", "\u{2028}", "K",
    "\u{1D15E}", "ཱྀ", "\u{E0001}", "\u{10FFFF}", "\u{9E7}\u{9BE}", "ো", "\u{9C7}", "\u{9BE}",
    "ꙮ", "Ⱥ", "Ꭰ", "ꭰ",
];

fn atoms() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(ATOMS).prop_map(str::to_owned),
        1 => "[ -~]{0,80}",
        1 => any::<char>().prop_map(String::from),
        1 => (select(vec!["a", "é", "中", "か", "ก", "\u{301}", "\u{3099}", "ж", " ", "x ", "\u{AD}"]), 1_usize..200)
            .prop_map(|(atom, count)| atom.repeat(count)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(atoms(), 0..120).prop_map(|atoms| atoms.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn features_are_those_of_the_oracle(
        text in text(),
        scheme in select(SCHEMES.to_vec()),
        cuts in prop::collection::vec(0_usize..300, 0..8),
    ) {
        check(scheme, &text, &cuts);
    }
}

#[test]
fn texts_longer_than_every_bound_are_those_of_the_oracle() {
    let atoms = [
        "a",
        "\u{301}",
        "\u{3099}",
        "e\u{301}\u{323}",
        "中",
        "か",
        "ก",
        "ก\u{E49}",
        "é",
        "word ",
        "жук ",
        "\u{1100}",
        "\u{1161}",
        "\u{11A8}",
        "\u{AD}",
        ". ",
        "中\u{302}",
        "か ",
        "ﷺ",
        "ab中か",
    ];
    let heads = ["", "x", "か", "中", "か\u{300}", " "];
    for (i, atom) in atoms.iter().enumerate() {
        for (j, head) in heads.iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
            let text = format!("{head}{} end", atom.repeat(14_000 / atom.len()));
            let scheme = if j < 4 {
                Scheme::Words
            } else {
                SCHEMES[i % SCHEMES.len()]
            };
            check(scheme, &text, &[1, 4095, 5000, 1]);
        }
    }
    let marks = format!(
        "か{}か{}中{}",
        "\u{300}".repeat(600),
        "\u{301}".repeat(512),
        "\u{302}".repeat(5000)
    );
    check(Scheme::Words, &marks, &[700, 900]);
    check(Scheme::Words, &format!("ら{marks}x{marks}"), &[700, 900]);
}

#[test]
fn every_cut_gives_the_same_features() {
    let text = "Ein Wort, e\u{301}te\u{301} \u{1112}\u{1161}\u{11AB}글 カ\u{3099}タカナ ภาษา\u{AD}\r\nไทย 中文 co\u{AD}\noperate\u{AD}\rx \u{301} ﬁ ﷺ";
    for scheme in SCHEMES {
        for cut in 0..=text.len() {
            check(scheme, text, &[cut]);
            check(scheme, text, &[cut, 1, 1, 2]);
        }
    }
}

#[test]
fn memory_is_bounded_whatever_the_text() {
    for atom in [
        "a",
        "\u{301}",
        "\u{AD}",
        "か",
        "中\u{301}",
        "\u{1161}",
        "ﷺ",
        "ก\u{E49}",
        "x ",
    ] {
        for scheme in SCHEMES {
            let mut extractor = Extractor::new(scheme);
            let mut sink = Collect(Vec::new());
            let piece = atom.repeat((1 << 16) / atom.len());
            for _ in 0..8 {
                extractor.push(&piece, &mut sink);
                sink.0.clear();
            }
            let bytes = extractor.memory_usage();
            assert!(bytes < 300_000, "{scheme} {atom:?}: {bytes}");
        }
    }
}

#[test]
fn what_looks_the_same_has_the_same_features() {
    for (a, b) in [
        ("naïve café", "NAI\u{308}VE CAFE\u{301}"),
        ("Straße", "STRASSE"),
        ("coöperate", "co\u{AD}o\u{308}per\u{200B}ate"),
        ("cooperate", "co\u{AD}\r\noperate"),
        ("ﬁne", "fine"),
        ("２０２４年", "2024年"),
        ("バス", "ﾊﾞｽ"),
        ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
        ("ς", "Σ"),
        ("שלום", "\u{202B}שלו\u{200F}ם\u{202C}"),
    ] {
        assert_eq!(words(a), words(b), "{a:?} {b:?}");
    }
}

#[test]
fn texts_without_tokens_have_no_features() {
    for (text, blank) in [
        ("", true),
        (" \n\u{3000}\u{85}", true),
        ("...", false),
        ("👍🏽👍", false),
        ("\u{200B}", false),
        ("\u{301}", false),
    ] {
        for scheme in [Scheme::Words, Scheme::WordShingles(3), Scheme::Classic] {
            let (features, counts) = extract(&mut Extractor::new(scheme), &[text]);
            assert!(features.is_empty(), "{text:?}");
            assert_eq!(
                counts,
                TextCounts {
                    tokens: 0,
                    features: 0,
                    blank
                },
                "{text:?}"
            );
        }
    }
}

#[test]
fn tokens_of_scripts_without_blanks() {
    let tokens = |text: &str| naive::tokens(&naive::fold(text));
    assert_eq!(tokens("x中文y"), ["x", "中", "文", "y"]);
    assert_eq!(tokens("カタカナ"), ["カタカ", "タカナ"]);
    assert_eq!(tokens("かな"), ["かな"]);
    assert_eq!(tokens("日本の紙"), ["日", "本", "の", "紙"]);
    assert_eq!(tokens("น้ำใจ"), ["น\u{E49}\u{E4D}าใจ"]);
    assert_eq!(tokens("ภาษาไทย๑"), ["ภาษา", "าษาไ", "ษาไท", "าไทย", "๑"]);
    assert_eq!(tokens("\u{301}x \u{301}y"), ["x", "y"]);
}

#[test]
fn the_tutorials_fingerprints_come_out() {
    #[derive(serde::Deserialize)]
    struct Golden {
        text: String,
        fingerprint: String,
        features: usize,
    }

    let lines = include_str!("../../fixtures/golden/tutorial-scheme.jsonl");
    assert_eq!(lines.lines().count(), 24);
    for line in lines.lines() {
        let golden: Golden = serde_json::from_str(line).unwrap();
        let mut features = extract(&mut Extractor::new(Scheme::Classic), &[&golden.text]).0;
        let mut votes = [0_i64; 64];
        for feature in &features {
            for (i, vote) in votes.iter_mut().enumerate() {
                *vote += if feature >> i & 1 == 1 { 1 } else { -1 };
            }
        }
        let fingerprint = votes
            .iter()
            .rev()
            .fold(0_u64, |bits, &vote| bits << 1 | u64::from(vote > 0));
        assert_eq!(
            format!("{fingerprint:016x}"),
            golden.fingerprint,
            "{}",
            golden.text
        );
        features.sort_unstable();
        features.dedup();
        assert_eq!(features.len(), golden.features, "{}", golden.text);
    }
}

#[test]
fn names_and_ids_of_schemes_come_back() {
    for scheme in SCHEMES {
        assert_eq!(scheme.to_string().parse(), Ok(scheme));
        assert_eq!(Scheme::from_id(&scheme.id()), Ok(scheme));
    }
    assert_eq!(Scheme::CharShingles(5).id(), "char:5/1");
    assert_eq!(Scheme::default().id(), "words/1");
}

#[test]
fn what_names_no_scheme_is_an_error_that_lists_them() {
    for text in [
        "", "word", "word:0", "word:65", "char:", "char:-1", "char:+5", "Words", "words:2",
        "word:3/1",
    ] {
        let error = text.parse::<Scheme>().unwrap_err().to_string();
        assert!(error.contains("word:N, char:N or classic"), "{error}");
    }
    for id in ["words", "words/2", "word:03/1", "words/01", "/1", "char:5/"] {
        assert!(Scheme::from_id(id).is_err(), "{id}");
    }
}
