#!/usr/bin/env bash
# What an expert would write with curl and jq: reads every user by pages of 1,000, all of them at once, and prints what is wanted and not there,
# one line for each membership. There may be a few more users than the roster has.
set -euo pipefail
roster=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
pages=$(jq '.users | length / 1000 | floor + 1' "$roster")
curl --silent --fail --parallel --parallel-max 32 --header "authorization: ApiKey $KEY" \
  --output "$work/#1.json" "$ENDPOINT/api/accounting/users?per-page=1000&page=[1-$pages]" 2> "$work/meter"
jq -r '.[] | .email as $user | .accessKeys[] | select(.team) | [$user, .team.name, (.roles | map(.identifier) | sort | join(","))] | @tsv' \
  "$work"/*.json | sort > "$work/there" &
jq -r '.teams[] | .name as $team | (.roles | sort | join(",")) as $roles | .members[] | [., $team, $roles] | @tsv' "$roster" | sort > "$work/wanted"
wait
comm -13 "$work/there" "$work/wanted"
