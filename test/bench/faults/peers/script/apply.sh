#!/usr/bin/env bash
# Makes the account service match wanted.json, with curl and jq. Every write is looked up first, so it can run again.
# SERVICE is the address of the service, SERVICE_KEY the API key. The key prefixes end up in prefixes.json.
set -euo pipefail
cd "$(dirname "$0")"

api="$SERVICE/api/accounting"
settle=6 # seconds until reads show a change
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  echo "error: $*" >&2
  exit 1
}

# request METHOD PATH [JSON]: one call. The status is in $status (000: no answer), the body in $work/body.
request() {
  local data=()
  if [ $# -gt 2 ]; then data=(--data "$3"); fi
  : >"$work/body"
  : >"$work/headers"
  status=$(curl --silent --show-error --max-time 10 --request "$1" --output "$work/body" --dump-header "$work/headers" \
    --write-out '%{http_code}' --header "Authorization: ApiKey $SERVICE_KEY" --header 'Content-Type: application/json' \
    "${data[@]}" "$api$2") || status=000
}

# The service says how long to wait; otherwise two seconds.
pause() {
  local seconds
  seconds=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/headers")
  sleep "${seconds:-2}"
}

# What can be done twice without harm (a read, a replacement of roles) is simply tried again. FILTER says if the body is an answer.
repeat() {
  local filter=$1 try
  shift
  for try in 1 2 3 4 5; do
    request "$@"
    case $status in
      2??) if jq --exit-status "$filter" "$work/body" >/dev/null 2>&1; then return; fi ;;
      000 | 429 | 5??) ;;
      *) die "$1 $2: $status $(cat "$work/body")" ;;
    esac
    pause
  done
  die "$1 $2: still $status after $try tries"
}

# look_up JSON_LIST: the users with these addresses, into $work/found.
look_up() {
  repeat 'type == "array"' POST /users/search "{\"identifiers\": $1}"
  cp "$work/body" "$work/found"
}

everybody=$(jq -c '[.users[].email]' wanted.json)
account=$(jq -r .account wanted.json)

# create_user JSON: a creation is not sent again before a search has shown that the first one did nothing.
create_user() {
  local user=$1 email try
  email=$(jq -r .email <<<"$user")
  for try in 1 2 3 4 5; do
    request POST "/accounts/$account/users" "$user"
    case $status in
      2??) if jq --exit-status 'has("identifier")' "$work/body" >/dev/null 2>&1; then return; fi ;;
      409) return ;; # somebody was quicker
      000 | 429 | 5??) ;;
      *) die "create $email: $status $(cat "$work/body")" ;;
    esac
    pause
    sleep "$settle"
    look_up "[\"$email\"]"
    if [ "$(jq length "$work/found")" -gt 0 ]; then return; fi
  done
  die "create $email: still $status after $try tries"
}

# missing_members TEAM: the addresses that have no key of the team yet, of what was looked up last.
missing_members() {
  jq -c --arg team "$1" --slurpfile found "$work/found" '
    [ $found[0][] | select(any(.accessKeys[]; .team.name == $team)) | .email ] as $there
    | .teams[] | select(.name == $team) | .members - $there' wanted.json
}

# add_members TEAM IDENTIFIER: as with a creation, look before sending again.
add_members() {
  local team=$1 identifier=$2 missing try
  for try in 1 2 3 4 5; do
    look_up "$everybody"
    missing=$(missing_members "$team")
    if [ "$missing" = '[]' ]; then return; fi
    if ! jq --exit-status --argjson missing "$missing" '$missing - map(.email) == []' "$work/found" >/dev/null; then
      die "the search does not find everybody of $missing"
    fi
    request POST "/teams/$identifier/members" \
      "$(jq -c --argjson missing "$missing" 'map(select(.email | IN($missing[])) | {identifier})' "$work/found")"
    case $status in
      2?? | 409) ;;
      000 | 429 | 5??) pause ;;
      *) die "add $missing to $team: $status $(cat "$work/body")" ;;
    esac
    sleep "$settle"
  done
  die "add $missing to $team: not done after $try tries"
}

# 1. Users. The founder of a new team is created together with it.
look_up "$everybody"
jq -c --slurpfile found "$work/found" '
  .teams as $teams | .users[] | select(.email | IN($found[0][].email) | not) | . as $user
  | ($teams[] | select(.founder == $user.email)) as $team
  | . + {team: {name: $team.name, accessKeyRoles: $team.roles}}' wanted.json >"$work/founders"
jq -c --slurpfile found "$work/found" '
  [.teams[].founder] as $founders
  | .users[] | select((.email | IN($found[0][].email) | not) and (.email | IN($founders[]) | not))' wanted.json >"$work/others"
cat "$work/founders" "$work/others" >"$work/new"
while read -r user; do create_user "$user"; done <"$work/new"
if [ -s "$work/new" ]; then sleep "$settle"; fi

# 2. Members.
look_up "$everybody"
cp "$work/found" "$work/users"
while IFS=$'\t' read -r name identifier; do
  if [ -z "$identifier" ]; then
    identifier=$(jq -r --arg name "$name" 'first(.[].accessKeys[] | select(.team.name == $name) | .team.identifier)' "$work/users")
  fi
  if [ -z "$identifier" ]; then die "the team $name is not there"; fi
  add_members "$name" "$identifier"
done < <(jq -r '.teams[] | [.name, .identifier // ""] | @tsv' wanted.json)

# 3. Roles, where they differ.
look_up "$everybody"
jq -r --slurpfile found "$work/found" '
  .teams[] | . as $team | $found[0][] | select(.email | IN($team.members[]))
  | .accessKeys[] | select(.team.name == $team.name and (.roles | map(.identifier) | sort) != ($team.roles | sort))
  | [.prefix, ($team.roles | map({identifier: .}) | tojson)] | @tsv' wanted.json >"$work/roles"
while IFS=$'\t' read -r prefix roles; do
  repeat 'true' PUT "/access-keys/$prefix/roles" "$roles"
done <"$work/roles"
if [ -s "$work/roles" ]; then sleep "$settle"; fi

# 4. Look again: everybody is there once, with the right roles; and keep the prefixes.
look_up "$everybody"
jq --slurpfile found "$work/found" '
  [ .teams[] | . as $team | .members[] as $email
    | $found[0][] | select(.email == $email) | .accessKeys[] | select(.team.name == $team.name)
    | {team: $team.name, email: $email, prefix, roles: (.roles | map(.identifier) | sort), wanted: ($team.roles | sort)} ]' \
  wanted.json >"$work/keys"
jq 'map(del(.roles, .wanted))' "$work/keys" >prefixes.json
wrong=$(jq -c 'map(select(.roles != .wanted) | .email)' "$work/keys")
if [ "$wrong" != '[]' ]; then die "wrong roles: $wrong"; fi
if [ "$(jq length "$work/keys")" != "$(jq '[.teams[].members[]] | length' wanted.json)" ]; then die 'somebody is missing or there twice'; fi
if [ "$(jq length "$work/found")" != "$(jq '.users | length' wanted.json)" ]; then die 'somebody is missing or there twice'; fi
echo 'done'
