//! What a loader says of files, on small ones and with small windows.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use encoding_rs::{KOI8_R, UTF_16LE, WINDOWS_1252};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A folder for one test, with a loader.
struct Bench {
    temp: TempDir,
    loader: Loader,
}

fn bench(options: LoadOptions) -> Bench {
    Bench {
        temp: tempfile::tempdir().unwrap(),
        loader: Loader::new(options),
    }
}

impl Bench {
    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.temp.path().join("file");
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The outcome, and the text where that is what it is.
    fn load(&mut self, bytes: &[u8]) -> (Loaded, String) {
        let path = self.file(bytes);
        let mut text = String::new();
        let loaded = self
            .loader
            .load(&path, false, &mut |piece: &str| text.push_str(piece))
            .unwrap();
        if loaded.content.is_some() {
            let hash = xxh3_128(bytes);
            let len = bytes.len() as u64;
            assert_eq!(loaded.content, Some(ContentId { hash, len }));
            assert_eq!(loaded.bytes_read, len);
        }
        if loaded.verdict != Verdict::Text {
            text.clear();
        }
        (loaded, text)
    }

    fn verdict(&mut self, bytes: &[u8]) -> Verdict {
        self.load(bytes).0.verdict
    }
}

fn plain() -> Bench {
    bench(LoadOptions::default())
}

fn decoding(encoding: &'static encoding_rs::Encoding) -> Bench {
    bench(LoadOptions {
        encoding: Some(encoding),
        ..LoadOptions::default()
    })
}

fn utf16(text: &str, to_bytes: impl Fn(u16) -> [u8; 2], mark: &[u8]) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    bytes.extend(text.encode_utf16().flat_map(to_bytes));
    bytes
}

const PROSE: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю. Fine 🦀\r\n";

#[test]
fn text_comes_out_as_it_is() {
    let (loaded, text) = plain().load(PROSE.as_bytes());
    assert_eq!((loaded.verdict, text.as_str()), (Verdict::Text, PROSE));
    assert_eq!(loaded.stat.len, PROSE.len() as u64);
    assert_eq!(loaded.stat.link_count, 1);
    assert_ne!(loaded.stat.id, crate::record::FileId::default());
    assert!(loaded.stat.modified_ns > 1_600_000_000_000_000_000);
}

#[test]
fn fault_a14_line_ends_are_left_to_the_features() {
    for text in ["a b\nc\n", "a b\r\nc\r\n", "a b\rc\r", "a\tb \nc\n"] {
        assert_eq!(plain().load(text.as_bytes()).1, text);
    }
}

#[test]
fn fault_a15_a_byte_order_mark_is_no_text_and_alone_is_empty() {
    let marked = [b"\xEF\xBB\xBF", PROSE.as_bytes()].concat();
    assert_eq!(plain().load(&marked).1, PROSE);
    // Only the first; one in the middle is a character like others.
    let doubled = [b"\xEF\xBB\xBF", &marked[..]].concat();
    assert_eq!(plain().load(&doubled).1, format!("\u{FEFF}{PROSE}"));
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"] {
        assert_eq!(plain().verdict(mark), Verdict::Empty);
    }
}

#[test]
fn fault_a16_marked_utf16_is_text_and_other_encodings_are_named_or_undecodable() {
    let little = utf16(PROSE, u16::to_le_bytes, b"\xFF\xFE");
    let big = utf16(PROSE, u16::to_be_bytes, b"\xFE\xFF");
    for bytes in [&little, &big] {
        assert_eq!(plain().load(bytes).1, PROSE);
        // The mark wins over the name.
        assert_eq!(decoding(WINDOWS_1252).load(bytes).1, PROSE);
    }
    assert_eq!(plain().verdict(&little[2..]), Verdict::Binary);
    assert_eq!(decoding(UTF_16LE).load(&little[2..]).1, PROSE);
    let latin = "Fähre über die Förde, très près de l'île".repeat(9);
    let (bytes, _, _) = WINDOWS_1252.encode(&latin);
    assert_eq!(plain().verdict(&bytes), Verdict::Undecodable);
    assert_eq!(decoding(WINDOWS_1252).load(&bytes).1, latin);
}

#[test]
fn koi8_is_undecodable_until_it_is_named() {
    let letter = format!("From: a@example.org\nSubject: hello\n\n{}", &PROSE[..80]).repeat(30);
    let (bytes, _, _) = KOI8_R.encode(&letter);
    let (loaded, text) = plain().load(&bytes);
    assert_eq!((loaded.verdict, text.as_str()), (Verdict::Undecodable, ""));
    assert!(loaded.replaced > 1000);
    assert_eq!(decoding(KOI8_R).load(&bytes).1, letter);
    // The wrong name is no better than none.
    assert_eq!(
        decoding(UTF_16LE).verdict(b"\x00\xD8".repeat(9).as_slice()),
        Verdict::Undecodable
    );
}

#[test]
fn rare_invalid_sequences_separate_and_frequent_ones_condemn() {
    let with_invalid = |len: usize, count: usize| {
        let mut bytes = b"word ".repeat(len / 5);
        for index in 0..count {
            bytes[index * 10 + 2] = 0xFF;
        }
        bytes
    };
    let (loaded, text) = plain().load(&with_invalid(2005, 2));
    assert_eq!((loaded.verdict, loaded.replaced), (Verdict::Text, 2));
    assert!(text.starts_with("wo d word wo d word"));
    assert_eq!(
        plain().verdict(&with_invalid(2000, 2)),
        Verdict::Undecodable
    );
    assert_eq!(plain().verdict(&with_invalid(1005, 1)), Verdict::Text);
    assert_eq!(
        plain().verdict(&with_invalid(1000, 1)),
        Verdict::Undecodable
    );
    assert_eq!(plain().verdict(b"\xFF"), Verdict::Undecodable);
    // With `text` they are text whatever their number.
    let options = LoadOptions {
        binary: Binary::Text,
        ..LoadOptions::default()
    };
    let (loaded, text) = bench(options).load(b"a\xFFb\0c");
    assert_eq!((loaded.verdict, loaded.replaced), (Verdict::Text, 1));
    assert_eq!(text, "a b\0c");
}

#[test]
fn a_nul_anywhere_is_binary() {
    let mut late = PROSE.repeat(3000).into_bytes();
    late.push(0);
    for bytes in [&b"\0"[..], b"a\0", b"\xFF\0", &late] {
        let skip = plain().load(bytes).0;
        assert_eq!((skip.verdict, skip.content), (Verdict::Binary, None));
        let exact = bench(LoadOptions {
            binary: Binary::Exact,
            ..LoadOptions::default()
        })
        .load(bytes)
        .0;
        assert_eq!(exact.verdict, Verdict::Binary);
        assert!(exact.content.is_some());
    }
    let early = [b"\0", &late[..]].concat();
    assert_eq!(plain().load(&early).0.bytes_read, PEEK as u64);
    let marked = utf16("a\0b", u16::to_be_bytes, b"\xFE\xFF");
    assert_eq!(plain().verdict(&marked), Verdict::Binary);
}

#[test]
fn fault_e4_nothing_and_blanks_are_empty() {
    for bytes in [&b""[..], b" ", b"\n", b"\t\r\n \xC2\xA0\xE3\x80\x80"] {
        let (loaded, text) = plain().load(bytes);
        assert_eq!((loaded.verdict, text.as_str()), (Verdict::Empty, ""));
        assert!(loaded.content.is_some());
    }
    let options = LoadOptions {
        min_size: 5,
        ..LoadOptions::default()
    };
    assert_eq!(bench(options).verdict(b""), Verdict::Empty);
    assert_eq!(bench(options).verdict(b"    "), Verdict::TooSmall);
}

#[cfg(target_os = "linux")]
#[test]
fn fault_e4_files_of_the_process_file_system_have_text() {
    let mut options = LoadOptions::default();
    let load = |options, explicit| {
        let mut text = String::new();
        let loaded = Loader::new(options)
            .load(
                Path::new("/proc/self/maps"),
                explicit,
                &mut |piece: &str| {
                    text.push_str(piece);
                },
            )
            .unwrap();
        assert_eq!(loaded.stat.len, 0);
        (loaded.verdict, text)
    };
    let (verdict, text) = load(options, false);
    assert_eq!(verdict, Verdict::Text);
    assert!(text.contains("[stack]"));
    // Limits hold for what is there, not for what is stated.
    options.max_size = Some(10);
    assert_eq!(load(options, false).0, Verdict::TooLarge);
    assert_eq!(load(options, true).0, Verdict::Text);
    options.max_size = None;
    options.min_size = 1 << 30;
    assert_eq!(load(options, false).0, Verdict::TooSmall);
    assert_eq!(load(options, true).0, Verdict::Text);
}

#[test]
fn size_limits_include_their_ends_and_spare_arguments() {
    let options = LoadOptions {
        min_size: 3,
        max_size: Some(5),
        ..LoadOptions::default()
    };
    for (bytes, expected) in [
        ("ab", Verdict::TooSmall),
        ("abc", Verdict::Text),
        ("abcde", Verdict::Text),
        ("abcdef", Verdict::TooLarge),
    ] {
        let mut bench = bench(options);
        let (loaded, _) = bench.load(bytes.as_bytes());
        assert_eq!(loaded.verdict, expected);
        if expected != Verdict::Text {
            assert_eq!((loaded.bytes_read, loaded.content), (0, None));
        }
        let path = bench.file(bytes.as_bytes());
        let explicit = bench.loader.load(&path, true, &mut |_: &str| ()).unwrap();
        assert_eq!(explicit.verdict, Verdict::Text);
    }
}

#[test]
fn fault_d7_special_files_are_told_without_waiting() {
    let bench = plain();
    let base = bench.temp.path();
    let _socket = UnixListener::bind(base.join("socket")).unwrap();
    let made = Command::new("mkfifo").arg(base.join("fifo")).status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", base.join("zero")).unwrap();
    let mut loader = Loader::new(LoadOptions::default());
    for name in ["socket", "fifo", "zero"] {
        let mut sink = |_: &str| panic!("nothing is read");
        let loaded = loader.load(&base.join(name), true, &mut sink).unwrap();
        assert_eq!((loaded.verdict, loaded.bytes_read), (Verdict::Special, 0));
    }
}

#[test]
fn fault_e5_what_cannot_be_read_is_a_failure_of_its_own_name() {
    let bench = plain();
    let base = bench.temp.path();
    symlink("loop", base.join("loop")).unwrap();
    fs::write(base.join("file"), "x").unwrap();
    let long = "x".repeat(300);
    let mut loader = Loader::new(LoadOptions::default());
    for (name, code) in [
        ("none", "not_found"),
        ("loop", "loop"),
        ("file/below", "not_a_directory"),
        (".", "is_directory"),
        (&long, "invalid_name"),
    ] {
        let path = base.join(name);
        let failure = loader
            .load(&path, false, &mut |_: &str| panic!("nothing is read"))
            .unwrap_err();
        assert_eq!((failure.code, &failure.path), (code, &path));
        assert!(failure.is_file);
    }
}

/// Gives a few bytes a call, with interruptions, as slow file systems do; ends with an error if
/// it has one.
struct Drip<'b> {
    bytes: &'b [u8],
    calls: usize,
    error: Option<ErrorKind>,
}

impl<'b> Drip<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            calls: 0,
            error: None,
        }
    }
}

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.bytes.is_empty()
            && let Some(error) = self.error.take()
        {
            return Err(error.into());
        }
        let given = (self.calls % 7 + 1).min(buffer.len()).min(self.bytes.len());
        buffer[..given].copy_from_slice(&self.bytes[..given]);
        self.bytes = &self.bytes[given..];
        Ok(given)
    }
}

fn stated(len: u64) -> Stat {
    Stat {
        len,
        id: crate::record::FileId::default(),
        link_count: 1,
        modified_ns: 0,
    }
}

/// Everything a reading gives: verdict, identity, replaced sequences, text.
type Outcome = (Verdict, Option<ContentId>, u64, String);

fn outcome(loaded: Loaded, text: String) -> Outcome {
    let text = if loaded.verdict == Verdict::Text {
        text
    } else {
        String::new()
    };
    // A binary file may have been left before all of it was decoded.
    let is_binary = loaded.verdict == Verdict::Binary;
    let replaced = if is_binary { 0 } else { loaded.replaced };
    (loaded.verdict, loaded.content, replaced, text)
}

fn read_in_drips(options: LoadOptions, bytes: &[u8], len: u64) -> Outcome {
    let mut text = String::new();
    let sink = &mut |piece: &str| text.push_str(piece);
    let loaded = Loader::new(options)
        .read_all(&mut Drip::new(bytes), stated(len), None, sink)
        .unwrap();
    outcome(loaded, text)
}

/// Through maps, whatever the size, in small windows.
fn mapped(options: LoadOptions, bytes: &[u8]) -> Outcome {
    let mut bench = bench(options);
    bench.loader.map_from = 1;
    bench.loader.window = 64 << 10;
    let (loaded, text) = bench.load(bytes);
    outcome(loaded, text)
}

#[test]
fn fault_e6_short_reads_and_maps_give_the_same() {
    let large = PROSE.repeat(WHOLE / PROSE.len() + 2000);
    let mut rare = large.clone().into_bytes();
    rare[700_001] = 0xFF;
    let mut nul = rare.clone();
    nul[1_100_000] = 0;
    let mark = [b"\xEF\xBB\xBF", large.as_bytes()].concat();
    let wide = utf16(&large, u16::to_le_bytes, b"\xFF\xFE");
    let (koi8, _, _) = KOI8_R.encode(&large);
    let blank = vec![b' '; WHOLE + 9];
    let small = &large.as_bytes()[..5000];
    let files = [
        small,
        large.as_bytes(),
        &rare,
        &nul,
        &mark,
        &wide,
        &koi8,
        &blank,
        b"a",
    ];
    for bytes in files {
        for binary in [Binary::Skip, Binary::Exact, Binary::Text] {
            let options = LoadOptions {
                binary,
                ..LoadOptions::default()
            };
            let (loaded, text) = bench(options).load(bytes);
            let expected = outcome(loaded, text);
            let len = bytes.len() as u64;
            assert!(mapped(options, bytes) == expected);
            assert!(read_in_drips(options, bytes, len) == expected);
            // Stated sizes that are wrong, as those of files that grow or shrink.
            assert!(read_in_drips(options, bytes, 0) == expected);
            assert!(read_in_drips(options, bytes, len + 10) == expected);
        }
    }
}

#[test]
fn an_error_in_the_middle_is_an_error() {
    let mut drip = Drip::new(b"abc");
    drip.error = Some(ErrorKind::Other);
    let read = Loader::new(LoadOptions::default()).read_all(
        &mut drip,
        stated(10),
        None,
        &mut |_: &str| panic!("nothing is whole"),
    );
    assert!(matches!(read, Err(Fault::Io(_))));
}

#[test]
fn fault_e2_a_large_file_that_changes_meanwhile_is_told() {
    for map_from in [1, u64::MAX] {
        for cut in [Some(WHOLE as u64 + 5), Some(10), None] {
            let mut bench = plain();
            bench.loader.map_from = map_from;
            bench.loader.window = 1 << 20;
            let path = bench.file(&b"word ".repeat(900_000));
            let mut pieces = 0;
            let failure = bench.loader.load(&path, false, &mut |_: &str| {
                pieces += 1;
                // A map is looked at again before its next window: change the file in the last
                // block of the first one, whose pages are there already.
                if pieces == (1 << 20) / BLOCK {
                    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
                    match cut {
                        Some(len) => file.set_len(len).unwrap(),
                        None => file
                            .set_modified(std::time::SystemTime::UNIX_EPOCH)
                            .unwrap(),
                    }
                }
            });
            assert_eq!(failure.unwrap_err().code, "changed", "{map_from} {cut:?}");
        }
    }
}

#[test]
fn pieces_end_between_characters_and_are_never_empty() {
    let bytes = [b"\xEF\xBB\xBF", "€".repeat(WHOLE).as_bytes()].concat();
    let path = plain();
    let file = path.file(&bytes);
    let mut count = 0;
    let mut sink = |piece: &str| {
        assert!(!piece.is_empty());
        count += piece.chars().filter(|&character| character == '€').count();
    };
    let options = LoadOptions::default();
    Loader::new(options).load(&file, false, &mut sink).unwrap();
    assert_eq!(count, WHOLE);
}

#[test]
fn buffers_stay_bounded() {
    let mut bench = plain();
    bench.load(PROSE.as_bytes());
    assert_eq!(bench.loader.raw.len(), PEEK);
    let large = utf16(&PROSE.repeat(60_000), u16::to_le_bytes, b"\xFF\xFE");
    bench.load(&large);
    bench.load(&large[..WHOLE]);
    assert!(bench.loader.raw.memory_usage() <= 2 * WHOLE);
    assert!(bench.loader.text.capacity() <= 4 * WHOLE);
}

proptest! {
    /// Read whole, dripped and mapped: the same, whatever the bytes.
    #[test]
    fn all_ways_agree(
        parts in prop::collection::vec((prop::sample::select(vec![
            &b"word "[..], "é".as_bytes(), "🦀".as_bytes(), b"\xFF", b"\xE2\x82", b"\0", b"\n",
            b"\xFF\xFE", b"\xEF\xBB\xBF", b"\xFE\xFF",
        ]), 1usize..3000), 0..6),
        binary in prop::sample::select(vec![Binary::Skip, Binary::Exact, Binary::Text]),
        name in prop::sample::select(vec![None, Some(UTF_16LE), Some(WINDOWS_1252)]),
    ) {
        let bytes: Vec<u8> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
        let options = LoadOptions { binary, encoding: name, ..LoadOptions::default() };
        let (loaded, text) = bench(options).load(&bytes);
        let expected = outcome(loaded, text);
        prop_assert_eq!(&read_in_drips(options, &bytes, bytes.len() as u64), &expected);
        prop_assert_eq!(&read_in_drips(options, &bytes, 0), &expected);
        prop_assert_eq!(&mapped(options, &bytes), &expected);
    }
}
