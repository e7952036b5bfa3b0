#!/usr/bin/env bash
# The step of action.yml: finds or builds simdup, runs `simdup check`, adds one line to the summary of
# the job, and ends with the exit status of the check, whatever it is.
set -uo pipefail

if ! command -v simdup >/dev/null; then
  cargo install --quiet --locked --path "$GITHUB_ACTION_PATH" --root "$RUNNER_TEMP/simdup" || exit 2
  PATH="$RUNNER_TEMP/simdup/bin:$PATH"
fi

# One argument a line: nothing is split at blanks and nothing is expanded.
arguments=()
while IFS= read -r line; do
  [ -z "$line" ] || arguments+=("$line")
done <<<"${SIMDUP_ARGS:-}"
paths=()
while IFS= read -r line; do
  [ -z "$line" ] || paths+=("$line")
done <<<"${SIMDUP_PATHS:-.}"

messages=$(mktemp) || exit 2
trap 'rm -f "$messages"' EXIT
simdup check --format "${SIMDUP_FORMAT:-github}" ${arguments[@]+"${arguments[@]}"} -- ${paths[@]+"${paths[@]}"} 2>"$messages"
status=$?

cat "$messages" >&2
verdict=$(tail -n 1 "$messages")
printf 'simdup: %s\n' "$verdict" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
printf 'verdict=%s\n' "$verdict" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
