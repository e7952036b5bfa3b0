#!/usr/bin/env bash
# Times simdup against other readers of the same folder, turn and turn about, and prints the
# median of the ratios: on a noisy machine the ratio of two neighbours says more than a time.
#
# usage: benches/against.sh [FOLDER] [ROUNDS]
# FOLDER defaults to the Cargo registry's sources, which every Rust developer has.
# Needs rg; xxhsum and fclones take part where they are installed. The page cache is warmed first.
set -euo pipefail
folder=${1:-${CARGO_HOME:-$HOME/.cargo}/registry/src}
rounds=${2:-7}
simdup=${SIMDUP:-target/release/simdup}
[ -d "$folder" ] || { echo "against.sh: $folder: no such folder" >&2; exit 2; }
[ -x "$simdup" ] || { echo "against.sh: $simdup: build it first: cargo build --release" >&2; exit 2; }
command -v rg >/dev/null || { echo "against.sh: rg (ripgrep) is needed" >&2; exit 2; }

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find "$folder" -type f -print0 >"$list"
printf 'folder: %s files, %s bytes; %s; %s cores\n' "$(tr -cd '\0' <"$list" | wc -c)" \
  "$(du -sb --apparent-size "$folder" | cut -f1)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"

run() { # prints the seconds that the command took; its output and exit status do not matter
  local start end
  start=$(date +%s%N)
  "$@" >/dev/null 2>&1 || true
  end=$(date +%s%N)
  echo $((end - start))
}
median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

compare() { # label, then the command; measured against ripgrep's pass with $threads threads
  local label=$1 ratios="" times="" ours theirs i
  shift
  "$@" >/dev/null 2>&1 || true
  for ((i = 0; i < rounds; i++)); do
    ours=$(run "$@")
    theirs=$(run rg -j"$threads" -uuu zqxjkv9981 "$folder")
    ratios+="$(awk -v a="$ours" -v b="$theirs" 'BEGIN {print a / b}')"$'\n'
    times+="$(awk -v a="$ours" 'BEGIN {print a / 1e9}')"$'\n'
  done
  printf '%-44s %6.2f s  %6.2f × rg -j%s\n' "$label" "$(printf %s "$times" | median)" "$(printf %s "$ratios" | median)" "$threads"
}

for threads in 1 2; do
  compare "simdup -k 3 --no-verify -j$threads" "$simdup" scan -j"$threads" -H --no-ignore --no-verify -k 3 -o /dev/null "$folder"
  compare "simdup -k 3 -j$threads" "$simdup" scan -j"$threads" -H --no-ignore -k 3 -o /dev/null "$folder"
  compare "simdup (the default, -s 0.7) -j$threads" "$simdup" scan -j"$threads" -H --no-ignore -o /dev/null "$folder"
done
threads=1
if command -v xxhsum >/dev/null; then compare "xxhsum -H3" xargs -0 xxhsum -H3 -q <"$list"; fi
if command -v fclones >/dev/null; then compare "fclones group (byte-equal only)" fclones group -t 1 "$folder"; fi
