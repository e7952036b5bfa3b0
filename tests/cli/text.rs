//! What counts as the same text.

use serde_json::json;

use crate::util::{Workspace, one_word_changed, text};

const SCAN: &str = "scan -k 3 --no-verify -q";

#[test]
fn fault_a1_copies_pair_at_every_distance() {
    let text = text(1, 300);
    let space = Workspace::new()
        .file("a", &text)
        .file("b", &text)
        .file("c", &text);
    for k in [0, 1, 3, 64] {
        space
            .run(&format!("scan --no-verify -q -k {k}"))
            .status(0)
            .stdout_is("0\t-\ta\tb\n0\t-\ta\tc\n0\t-\tb\tc\n");
        space
            .run(&format!("scan --no-verify -q -k {k} --groups"))
            .status(0)
            .stdout_is("3 files, exact, distance <= 0\n  * a\n    b\n    c\n");
    }
}

#[test]
fn fault_a2_punctuation_alone_is_too_short_to_judge() {
    let space = Workspace::new()
        .file("a", "!#$%&'()*+")
        .file("b", "<=>?@[]^_{}".replace('_', ""))
        .file("c", "....")
        .file("d", "....");
    let run = space.run(&format!("{SCAN} -k 64 --format json")).status(0);
    let report = run.json();
    assert_eq!(report["summary"]["pairs"], 1);
    assert_eq!(report["pairs"][0]["kind"], "exact");
    assert_eq!(
        (&report["pairs"][0]["a"], &report["pairs"][0]["b"]),
        (&json!("c"), &json!("d"))
    );
    assert_eq!(report["summary"]["skipped"]["too_short"], 4);
}

#[test]
fn fault_a3_short_texts_do_not_collapse_into_one_group() {
    let space = Workspace::new()
        .file("1", "cat")
        .file("2", "dog")
        .file("3", "a b")
        .file("4", "cat\n");
    for features in ["words", "word:5", "char:5"] {
        space
            .run(&format!("{SCAN} --features {features}"))
            .status(0)
            .stdout_is("0\t-\t1\t4\n");
    }
}

#[test]
fn fault_a4_files_without_text_are_empty() {
    let space = Workspace::new()
        .file("a", "")
        .file("b", "   \t  ")
        .file("c", "\n")
        .file("d", "\u{feff}");
    let run = space
        .run(&format!("{SCAN} --min-size 0 --format json"))
        .status(0);
    let report = run.json();
    assert_eq!(report["pairs"], json!([]));
    assert_eq!(report["summary"]["skipped"]["empty"], 4);
}

#[test]
fn fault_a14_line_ends_and_blanks_do_not_matter() {
    let lf = text(1, 300);
    let space = Workspace::new()
        .file("cr", lf.replace('\n', "\r"))
        .file("crlf", lf.replace('\n', "\r\n"))
        .file("lf", &lf)
        .file("lf-again", &lf)
        .file("tabs", lf.replace(' ', "\t"))
        .file("trailing", lf.replace('\n', "   \n"));
    let run = space.run(&format!("{SCAN} -k 0 --format json")).status(0);
    let report = run.json();
    assert_eq!(report["summary"]["pairs"], 15);
    assert_eq!(report["summary"]["exact_pairs"], 1);
    for pair in report["pairs"].as_array().unwrap() {
        let exact = pair["a"] == "lf" && pair["b"] == "lf-again";
        assert_eq!(pair["kind"], if exact { "exact" } else { "near" }, "{pair}");
    }
}

#[test]
fn fault_a15_and_a16_byte_order_marks_are_understood() {
    let text = format!("{} žluťoučký", text(1, 300));
    let utf16 = |to_bytes: fn(u16) -> [u8; 2]| {
        std::iter::once(0xfeff)
            .chain(text.encode_utf16())
            .flat_map(to_bytes)
            .collect::<Vec<_>>()
    };
    let space = Workspace::new()
        .file("bom", format!("\u{feff}{text}"))
        .file("plain", &text)
        .file("utf16be", utf16(u16::to_be_bytes))
        .file("utf16le", utf16(u16::to_le_bytes));
    let run = space.run(&format!("{SCAN} -k 0 --format json")).status(0);
    assert_eq!(run.json()["summary"]["pairs"], 6);
}

#[test]
fn fault_a16_other_encodings_are_named_or_left_out_by_name() {
    let russian = "Каждое утро почтальон приносил письма в дом на холме. ".repeat(20);
    let (koi8, _, _) = encoding_rs::KOI8_R.encode(&russian);
    let space = Workspace::new().file("koi8", &koi8).file("utf8", &russian);
    let run = space.run(&format!("{SCAN} --format json")).status(0);
    let report = run.json();
    assert_eq!(report["pairs"], json!([]));
    assert_eq!(
        report["skipped"],
        json!([{"path": "koi8", "reason": "undecodable"}])
    );
    let run = space.run("fingerprint -q --encoding koi8-r koi8").status(0);
    let other = space.run("fingerprint -q utf8").status(0);
    assert_eq!(run.stdout()[..16], other.stdout()[..16]);
}

#[test]
fn fault_a18_composed_and_decomposed_accents_are_the_same() {
    let words = "café naïve façade jalapeño über résumé piñata smörgåsbord crème brûlée ".repeat(3);
    let decomposed: String = words
        .chars()
        .flat_map(|c| match c {
            'é' => vec!['e', '\u{301}'],
            'ï' => vec!['i', '\u{308}'],
            'ç' => vec!['c', '\u{327}'],
            'ñ' => vec!['n', '\u{303}'],
            'ü' => vec!['u', '\u{308}'],
            'ö' => vec!['o', '\u{308}'],
            'å' => vec!['a', '\u{30a}'],
            'è' => vec!['e', '\u{300}'],
            'û' => vec!['u', '\u{302}'],
            c => vec![c],
        })
        .collect();
    assert_ne!(words, decomposed);
    let space = Workspace::new()
        .file("é", &words)
        .file("e\u{301}", &decomposed);
    space
        .run(&format!("{SCAN} -k 0"))
        .status(0)
        .stdout_is("0\t-\te\u{301}\té\n");
}

#[test]
fn fault_a19_prose_without_code_is_reported() {
    let text = text(1, 300);
    let space = Workspace::new().file("a.md", &text).file("b.md", &text);
    space.run(SCAN).status(0).has_pairs(&[("a.md", "b.md")]);
}

#[test]
fn fault_a6_unrelated_texts_in_other_scripts_do_not_pair() {
    let folders = ["english", "russian", "chinese"];
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/prose");
    let space = Workspace::new();
    let run = space
        .run(&format!(
            "scan -k 10 --no-verify -q --format json {fixtures}"
        ))
        .status(0);
    let report = run.json();
    for pair in report["pairs"].as_array().unwrap() {
        let [a, b] = [&pair["a"], &pair["b"]].map(|path| path.as_str().unwrap());
        let folder = folders.iter().find(|folder| a.contains(*folder)).unwrap();
        assert!(b.contains(folder), "{a} {b}");
    }
    assert_eq!(report["summary"]["groups"], 3);
}

#[test]
fn fault_a8_changing_the_distance_changes_the_result() {
    let original = text(1, 300);
    let mut space = Workspace::new().file("00", &original);
    let mut changed = original;
    for step in 1..8 {
        for word in 0..5 {
            let at = (step * 5 + word) * 36;
            changed.replace_range(at..at + 5, "other");
        }
        space = space.file(format!("{step:02}"), &changed);
    }
    let count = |k: u32| {
        space
            .run(&format!("scan --no-verify -q -k {k}"))
            .pairs()
            .len()
    };
    let counts: Vec<_> = [0, 3, 8, 16, 64].map(count).into();
    assert!(counts.is_sorted());
    assert!(counts[0] < counts[2] && counts[2] < counts[4]);
    assert_eq!(counts[4], 28);
}

#[test]
fn binary_files_are_left_out_compared_by_bytes_or_read_as_text() {
    let original = text(1, 300);
    let changed = one_word_changed(&original);
    let space = Workspace::new()
        .file("a", format!("{original}\0"))
        .file("b", format!("{original}\0"))
        .file("c", format!("{changed}\0"));
    let run = space.run(&format!("{SCAN} --format json")).status(0);
    assert_eq!(run.json()["summary"]["skipped"]["binary"], 3);
    space
        .run(&format!("{SCAN} --binary exact"))
        .status(0)
        .has_pairs(&[("a", "b")]);
    space
        .run(&format!("{SCAN} -k 8 --binary text"))
        .status(0)
        .has_pairs(&[("a", "b"), ("a", "c"), ("b", "c")]);
}

#[test]
fn fault_a5_one_line_templates_have_a_score_and_can_be_left_out() {
    let space = (0..10).fold(Workspace::new(), |space, number| {
        let line = format!("Road 150{number} lies in county {}\n", number / 2);
        space.file(format!("{number}"), line)
    });
    let run = space.run("scan -q -k 64 --format json").status(0);
    let report = run.json();
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 45);
    for pair in pairs {
        let similarity = pair["similarity"].as_f64().unwrap();
        assert!(similarity > 0.2 && similarity < 1.0, "{pair}");
    }
    let run = space
        .run("scan -q -k 64 --min-features 20 --format json")
        .status(0);
    assert_eq!(run.json()["pairs"], json!([]));
    assert_eq!(run.json()["summary"]["skipped"]["too_short"], 10);
}

#[test]
fn fault_a11_a_tie_of_votes_is_zero() {
    let space = Workspace::new()
        .file("1", "cat")
        .file("2", "dog")
        .file("3", "cat dog");
    let run = space.run("fingerprint -q --features word:1").status(0);
    let bits: Vec<_> = run
        .stdout()
        .lines()
        .map(|line| u64::from_str_radix(&line[..16], 16).unwrap())
        .collect();
    // One vote for each bit of each word: where the two differ, the votes cancel.
    assert_eq!(bits[2], bits[0] & bits[1]);
    assert_ne!(bits[0], bits[1]);
}

#[test]
fn fault_a12_the_fingerprint_is_the_same_on_every_path() {
    let space = [1, 2, 63, 64, 65, 4095, 4096, 4097, 65_536]
        .into_iter()
        .fold(Workspace::new(), |space, words| {
            space.file(format!("{words}"), text(words as u64, words))
        });
    let plain = space.run("fingerprint -q -j1").status(0);
    assert_eq!(plain.stdout().lines().count(), 9);
    for line in ["SIMDUP_KERNEL=portable simdup", "simdup -j8"] {
        let line = line.replace("simdup", "simdup fingerprint -q");
        space.bash(&line).status(0).stdout_is(plain.stdout());
    }
}
