#!/usr/bin/env bash
# What an expert would write with curl and jq: searches for everybody of a roster (JSON), and makes what is missing in four rounds of parallel
# calls: founders, other users, members, roles of keys. One jq prepares each round. It has no journal, no retries and no checks.
set -euo pipefail
roster=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
api=$ENDPOINT/api/accounting

# One call for each {path, method, body, out}, as a configuration of curl.
calls='
  "url = \"" + $api + .path + "\"",
  "request = " + .method,
  "header = \"authorization: ApiKey " + env.KEY + "\"",
  "header = \"content-type: application/json\"",
  "data = " + (.body | tojson | tojson),
  "output = \"" + $work + "/" + .out + "\"",
  "fail",
  "next"'

send() {
  [ -s "$work/calls" ] || return 0
  # The file ends with "next", which would begin a call without an address.
  sed -i '$d' "$work/calls"
  curl --silent --show-error --parallel --parallel-max 32 --parallel-immediate --config "$work/calls" 2> "$work/meter" ||
    { cat "$work/meter"; exit 1; }
}

# The program of a round, and its inputs: $there has the users that were found, by address; $teams has theirs, by name.
round() {
  local program=$1
  shift
  jq -r --arg api "$api" --arg work "$work" --slurpfile state "$work/state" '
    def by(f): map({(f): .}) | add // {};
    $state[0].there as $there | $state[0].teams as $teams | '"$program | $calls" "$@" > "$work/calls"
  send
}

mkdir "$work"/{search,founders,others,members,roles}
echo '{}' > "$work/state"
round '[.users[].email] as $all | range(0; $all | length; 500)
  | {path: "/users/search", method: "POST", out: "search/\(.).json", body: {identifiers: $all[.:. + 500]}}' "$roster"

jq -c --slurp 'def by(f): map({(f): .}) | add // {};
  add | {there: by(.email), teams: [.[].accessKeys[].team | select(.)] | by(.name)}' \
  "$work"/search/*.json > "$work/state"
round '(.users | by(.email)) as $users | .teams | to_entries[] | .value as $team | select($teams[$team.name] | not)
  | {path: "/accounts/acc-1/users", method: "POST", out: "founders/\(.key).json",
     body: ($users[$team.members[0]] + {team: {name: $team.name, accessKeyRoles: $team.roles}})}' "$roster"
round '(.users | by(.email)) as $users | .teams | to_entries[] | .key as $key | .value | (if $teams[.name] then 0 else 1 end) as $first
  | .members[$first:][] | select($there[.] | not)
  | {path: "/accounts/acc-1/users", method: "POST", out: "others/\($key)-\(.).json", body: $users[.]}' "$roster"

# Whoever was created is there now.
shopt -s nullglob
jq -c -n 'reduce inputs as $one (input; .there[$one.email] = $one | if $one.team then .teams[$one.team.name] = $one.team else . end)' \
  "$work/state" "$work"/founders/*.json "$work"/others/*.json > "$work/next"
mv "$work/next" "$work/state"
round '.teams | to_entries[] | .key as $key | .value as $team
  | [$team.members[] | $there[.] | select((.accessKeys // [.accessKey]) | any(.team.name == $team.name) | not) | {identifier}] | select(. != [])
  | {path: "/teams/\($teams[$team.name].identifier)/members", method: "POST", out: "members/\($key).json", body: .}' "$roster"
round '(.teams | by(.name)) as $wanted | [inputs[].accessKey, $there[].accessKeys[]?] | .[] | select(.team)
  | $wanted[.team.name].roles as $roles | select($roles and ([.roles[].identifier] | sort) != ($roles | sort))
  | {path: "/access-keys/\(.prefix)/roles", method: "PUT", out: "roles/\(.prefix).json", body: ($roles | map({identifier: .}))}' \
  "$roster" "$work"/members/*.json
