#!/usr/bin/env python3
"""A second implementation of docs/FINGERPRINT.md, written from that page alone.

    fingerprint.py [--features SCHEME] FILE...   prints fingerprints as `simdup fingerprint` does
    fingerprint.py --check FINGERPRINT.md        recomputes every vector of the page
    fingerprint.py --bless FINGERPRINT.md        writes what it computes into the page

It is slow and plain, needs nothing but Python, and takes Unicode from Python's own tables: where
these are older than those of the page, characters that are newer come out differently.
"""

import json
import re
import sys
import unicodedata
from functools import lru_cache

MASK = (1 << 64) - 1

# --- Normalisation ---

IGNORABLE = [
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
]
MAX_SEGMENT = 1024


def among(char, ranges):
    code = ord(char)
    return any(first <= code <= last for first, last in ranges)


@lru_cache(maxsize=None)
def nfkc_casefold(char):
    text = char
    while True:
        kept = "".join(c for c in text if not among(c, IGNORABLE))
        folded = unicodedata.normalize("NFKC", kept).casefold()
        following = unicodedata.normalize("NFKC", folded)
        if following == text:
            return text
        text = following


@lru_cache(maxsize=None)
def seconds():
    """Characters that canonical composition can join to what is before them."""
    found = {chr(code) for code in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            first, second = (chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                found.add(second)
    return found


@lru_cache(maxsize=None)
def starts_segment(mapped):
    first = unicodedata.normalize("NFD", mapped)[0]
    return unicodedata.combining(first) == 0 and first not in seconds()


def fold(text):
    text = re.sub("\u00AD\r?\n", "", text)
    out, segment, count = [], "", 0
    for char in text:
        mapped = nfkc_casefold(char)
        if not mapped:
            continue
        if starts_segment(mapped) or count == MAX_SEGMENT:
            out.append(unicodedata.normalize("NFC", segment))
            segment, count = "", 0
        segment += mapped
        count += 1
    out.append(unicodedata.normalize("NFC", segment))
    return "".join(out)


# --- Tokens ---

WHITE = [
    (0x9, 0xD), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
]
# Alphabetic, though neither letters, letter numbers nor marks.
ALPHABETIC_SYMBOLS = [
    (0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189),
]


def ranges(text):
    pairs = (item.split("..") for item in text.split())
    return [(int(pair[0], 16), int(pair[-1], 16)) for pair in pairs]


SPECIAL = {
    "Han": ranges(
        "3005..3007 3021..3029 3038..303A 3400..4DBF 4E00..9FFF F900..FA6D FA70..FAD9 16FF2..16FF6 "
        "17000..18CDA 18CFF..18D20 18D80..18DF2 18E00..19191 191A0..191D2 1B170..1B2FB "
        "20000..2A6DF 2A700..2B81E 2B820..2CEAD 2CEB0..2EBE0 2EBF0..2EE5D 2F800..2FA1D "
        "30000..3134A 31350..33479 3D000..3FC3F"
    ),
    "Kana": ranges(
        "3031..3035 3041..3096 309D..309F 30A1..30FA 30FC..30FF 31F0..31FF FF66..FF6F FF71..FF9D "
        "1AFF0..1AFF3 1AFF5..1AFFB 1AFFD..1AFFE 1B000..1B128 1B132 1B150..1B152 1B155 "
        "1B164..1B168"
    ),
    "Thai": ranges("0E01..0E30 0E32..0E33 0E40..0E46"),
    "Lao": ranges(
        "0E81..0E82 0E84 0E86..0E8A 0E8C..0EA3 0EA5 0EA7..0EB0 0EB2..0EB3 0EBD 0EC0..0EC4 0EC6 "
        "0EDC..0EDF"
    ),
    "Khmer": ranges("1780..17B3 17D7 17DC"),
    "Myanmar": ranges(
        "1000..102A 103F 1050..1055 105A..105D 1061 1065..1066 106E..1070 1075..1081 108E "
        "A9E0..A9E4 A9E6..A9EF A9FA..A9FE AA60..AA76 AA7A AA7E..AA7F"
    ),
}
GRAM = {"Kana": 3, "Thai": 4, "Lao": 4, "Khmer": 4, "Myanmar": 4}
MAX_TOKEN = 4096
MAX_CLUSTER = 1024


@lru_cache(maxsize=None)
def char_class(char):
    if among(char, WHITE):
        return "White"
    category = unicodedata.category(char)
    if category[0] == "M":
        return "Mark"
    if char == "_" or category == "Nd":
        return "Word"
    for name, special in SPECIAL.items():
        if among(char, special):
            return name
    if category[0] == "L" or category == "Nl" or among(char, ALPHABETIC_SYMBOLS):
        return "Word"
    return "Separator"


def utf8(text):
    return text.encode("utf-8", "surrogatepass")


def tokens(text):
    runs = []  # of [class, clusters]; a word is one cluster
    open_class = None
    for char in text:
        kind = char_class(char)
        if kind in ("White", "Separator"):
            open_class = None
            continue
        if kind == "Mark":
            if open_class is None:
                continue
            extends = True
        elif kind == open_class:
            extends = kind == "Word"
        else:
            open_class = kind
            runs.append([kind, [char]])
            continue
        clusters = runs[-1][1]
        limit = MAX_CLUSTER if open_class in GRAM else MAX_TOKEN
        if extends and len(utf8(clusters[-1])) + len(utf8(char)) <= limit:
            clusters[-1] += char
        else:
            clusters.append(char)
    found = []
    for kind, clusters in runs:
        n = min(GRAM.get(kind, 1), len(clusters))
        found += ["".join(clusters[i : i + n]) for i in range(len(clusters) - n + 1)]
    return found


# --- Hashes ---

K = [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89]


def mix(low, high, tag):
    first = (low ^ K[0]) * (high ^ K[1])
    second = ((first & MASK) ^ K[2] ^ tag) * ((first >> 64) ^ K[3])
    return (second & MASK) ^ (second >> 64)


def hash_bytes(data):
    if len(data) > 16:
        return xxh3(data, K[0])
    padded = int.from_bytes(data, "little")
    return mix(padded & MASK, padded >> 64, len(data))


def shingle(hashes):
    so_far = hashes[0]
    for n, following in enumerate(hashes[1:], 2):
        product = (so_far ^ K[0]) * (following ^ K[1] ^ n)
        so_far = (product & MASK) ^ (product >> 64)
    return so_far


# --- XXH3, 64 bits, more than 16 bytes, with a seed (Collet, xxHash 0.8) ---

P32 = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D]
P64 = [
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
]
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def read64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def fold128(a, b):
    product = a * b
    return (product & MASK) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & MASK
    return h ^ h >> 32


def xxh3(data, seed):
    size = len(data)

    def mix16(at, secret_at):
        return fold128(
            read64(data, at) ^ (read64(SECRET, secret_at) + seed) & MASK,
            read64(data, at + 8) ^ (read64(SECRET, secret_at + 8) - seed) & MASK,
        )

    acc = size * P64[0] & MASK
    if size <= 128:
        for i in reversed(range((size - 1) // 32 + 1)):
            acc += mix16(16 * i, 32 * i) + mix16(size - 16 * (i + 1), 32 * i + 16)
        return avalanche(acc & MASK)
    if size <= 240:
        for i in range(8):
            acc += mix16(16 * i, 16 * i)
        acc = avalanche(acc & MASK)
        for i in range(8, size // 16):
            acc += mix16(16 * i, 16 * (i - 8) + 3)
        acc += mix16(size - 16, 136 - 17)
        return avalanche(acc & MASK)

    secret = b"".join(
        ((read64(SECRET, at) + (-seed if at & 8 else seed)) & MASK).to_bytes(8, "little")
        for at in range(0, 192, 8)
    )
    accs = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def accumulate(at, secret_at):
        for i in range(8):
            value = read64(data, at + 8 * i)
            key = value ^ read64(secret, secret_at + 8 * i)
            accs[i ^ 1] = (accs[i ^ 1] + value) & MASK
            accs[i] = (accs[i] + (key & 0xFFFFFFFF) * (key >> 32)) & MASK

    blocks = (size - 1) // 1024
    for block in range(blocks):
        for stripe in range(16):
            accumulate(1024 * block + 64 * stripe, 8 * stripe)
        for i in range(8):
            acc = accs[i] ^ accs[i] >> 47 ^ read64(secret, 128 + 8 * i)
            accs[i] = acc * P32[0] & MASK
    for stripe in range((size - 1 - 1024 * blocks) // 64):
        accumulate(1024 * blocks + 64 * stripe, 8 * stripe)
    accumulate(size - 64, 192 - 64 - 7)
    result = size * P64[0] & MASK
    for i in range(4):
        result += fold128(
            accs[2 * i] ^ read64(secret, 11 + 16 * i), accs[2 * i + 1] ^ read64(secret, 19 + 16 * i)
        )
    return avalanche(result & MASK)


# --- Schemes ---


def fnv1a(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def classic(text):
    lower = "".join(
        {"\u212A": "k", "\u0130": "i "}.get(c, c.lower() if c < "\x80" else " ") for c in text
    )
    words = [word for word in re.split("[^a-z0-9_]+", lower) if len(word) >= 2]
    found = []
    for i, word in enumerate(words):
        found.append(fnv1a(word))
        if i > 0:
            found += [fnv1a(words[i - 1] + " " + word)] * 2
    return len(words), found


def features(scheme, text):
    """The number of tokens and the features in order."""
    if scheme == "classic":
        return classic(text)
    folded = fold(text)
    if scheme.startswith("char:"):
        collapsed = re.sub("[%s]+" % "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in WHITE), " ", folded)
        collapsed = collapsed.strip(" ")
        if not collapsed:
            return 0, []
        n = min(int(scheme[5:]), len(collapsed))
        grams = (collapsed[i : i + n] for i in range(len(collapsed) - n + 1))
        return len(collapsed), [hash_bytes(utf8(gram)) for gram in grams]
    hashes = [hash_bytes(utf8(token)) for token in tokens(folded)]
    if scheme.startswith("word:"):
        n = min(int(scheme[5:]), len(hashes))
        return len(hashes), [
            shingle(hashes[i : i + n]) for i in range(len(hashes) - n + 1) if n > 0
        ]
    found = []
    for i, token in enumerate(hashes):
        found.append(token)
        if i > 0:
            found.append(shingle([hashes[i - 1], token]))
    return len(hashes), found


# --- Counting and votes ---


def voting(found):
    slots = [(None, 0)] * 8192
    for h in found:
        key = h % 2**32
        known, count = slots[h % 8192]
        count = min(count + 1, 255) if known == key else 1
        slots[h % 8192] = (key, count)
        if count in (1, 2, 4, 8, 16, 32, 64, 128):
            yield h


def fingerprint(scheme, text):
    """The numbers of tokens and features, and the fingerprint as text, `-` if there is none."""
    count, found = features(scheme, text)
    votes = found if scheme == "classic" else list(voting(found))
    bits = 0
    for i in range(64):
        ones = sum(h >> i & 1 for h in votes)
        if 2 * ones > len(votes):
            bits |= 1 << i
    return count, len(found), f"{bits:016x}" if found else "-"


# --- The page ---

ROW = re.compile(r"^\| `(words|word:\d+|char:\d+|classic)` \| `(.+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$")


def expand(expression):
    """The text that a vector's expression stands for."""
    text = ""
    for part in expression.split(" + "):
        if match := re.fullmatch(r"words\((\d+)\)", part):
            text += " ".join(f"w{i * i % 8191}" for i in range(int(match[1])))
        else:
            literal, _, times = part.partition(" * ")
            text += json.loads(literal) * int(times or 1)
    return text


def check(path, bless):
    lines = open(path, encoding="utf-8").read().split("\n")
    rows = wrong = 0
    for i, line in enumerate(lines):
        match = ROW.match(line)
        if not match:
            continue
        rows += 1
        scheme, expression, *stated = match.groups()
        found = [str(part) for part in fingerprint(scheme, expand(expression))]
        found[2] = found[2] if found[2] == "-" else f"`{found[2]}`"
        if found != [part.strip() for part in stated]:
            wrong += 1
            print(f"line {i + 1}: {scheme} {expression}: {' '.join(found)}", file=sys.stderr)
        lines[i] = f"| `{scheme}` | `{expression}` | {' | '.join(found)} |"
    if bless:
        open(path, "w", encoding="utf-8").write("\n".join(lines))
    print(f"{rows} vectors, {wrong} {'changed' if bless else 'wrong'}")
    return 0 if rows and (bless or not wrong) else 1


def main(arguments):
    if len(arguments) == 2 and arguments[0] in ("--check", "--bless"):
        return check(arguments[1], arguments[0] == "--bless")
    scheme = "words"
    if arguments[:1] == ["--features"]:
        scheme, arguments = arguments[1], arguments[2:]
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path in arguments:
        text = open(path, encoding="utf-8", newline="").read()
        _, _, printed = fingerprint(scheme, text)
        if printed != "-":
            print(f"{printed}  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
