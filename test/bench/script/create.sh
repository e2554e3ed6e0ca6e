#!/usr/bin/env bash
# What an expert would write with curl and jq: creates everybody of a roster (JSON, nothing is there yet) in four rounds of parallel calls,
# with one jq for each. It has no journal, no retries and no checks.
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
  # The file ends with "next", which would begin a call without an address.
  sed -i '$d' "$work/$1"
  curl --silent --show-error --parallel --parallel-max 32 --parallel-immediate --config "$work/$1"
}

mkdir "$work"/{founders,others,members,roles}
jq -r --arg api "$api" --arg work "$work" '
  (.users | INDEX(.email)) as $users | .teams | to_entries[] | .value as $team
  | {path: "/accounts/acc-1/users", method: "POST", out: "founders/\(.key).json",
     body: ($users[$team.members[0]] + {team: {name: $team.name, accessKeyRoles: $team.roles}})} | '"$calls" "$roster" > "$work/1"
send 1
jq -r --arg api "$api" --arg work "$work" '
  (.users | INDEX(.email)) as $users | .teams | to_entries[] | .key as $team | .value.members | to_entries[] | select(.key > 0)
  | {path: "/accounts/acc-1/users", method: "POST", out: "others/\($team)-\(.key).json", body: $users[.value]} | '"$calls" "$roster" > "$work/2"
send 2
jq -r -n --arg api "$api" --arg work "$work" '
  reduce inputs as $one ({}; (input_filename | split("/")) as $way | ($way[-1] | split("-")[0] | rtrimstr(".json")) as $team
    | if $way[-2] == "founders" then .[$team].identifier = $one.team.identifier else .[$team].members += [{identifier: $one.identifier}] end)
  | to_entries[] | {path: "/teams/\(.value.identifier)/members", method: "POST", out: "members/\(.key).json", body: .value.members}
  | '"$calls" "$work"/founders/*.json "$work"/others/*.json > "$work/3"
send 3
jq -r -n --arg api "$api" --arg work "$work" --slurpfile roster "$roster" '
  $roster[0].teams as $teams | inputs as $added | (input_filename | split("/")[-1] | rtrimstr(".json") | tonumber) as $team
  | $added[] | .accessKey.prefix
  | {path: "/access-keys/\(.)/roles", method: "PUT", out: "roles/\(.).json", body: ($teams[$team].roles | map({identifier: .}))}
  | '"$calls" "$work"/members/*.json > "$work/4"
send 4
