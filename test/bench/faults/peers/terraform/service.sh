# Shared by the other scripts: calls of the account service with curl.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p prefixes

# call METHOD PATH [JSON]: prints the answer. curl tries 408, 429, 5xx and time-outs again, and waits as Retry-After says.
call() {
  local data=()
  if [ $# -gt 2 ]; then data=(--data "$3"); fi
  curl --silent --show-error --fail-with-body --retry 4 --max-time 10 --request "$1" \
    --header "Authorization: ApiKey $SERVICE_KEY" --header 'Content-Type: application/json' \
    "${data[@]}" "$SERVICE/api/accounting$2"
}

# look_up EMAIL: prints the user as JSON, or nothing where nobody has the address.
look_up() {
  local answer
  answer=$(call POST /users/search "{\"identifiers\": [\"$1\"]}")
  jq -c --arg email "$1" 'first(.[] | select(.email == $email)) // empty' <<<"$answer"
}

# settled COMMAND...: what it prints; if that is nothing, what it prints once reads show every change.
settled() {
  local printed
  printed=$("$@")
  if [ -z "$printed" ]; then
    sleep 6
    printed=$("$@")
  fi
  echo "$printed"
}

# key_of USER_JSON TEAM: prints the user's key of the team as JSON, or nothing.
key_of() {
  if [ -n "$1" ]; then jq -c --arg team "$2" 'first(.accessKeys[] | select(.team.name == $team)) // empty' <<<"$1"; fi
}

# look_up_key EMAIL TEAM
look_up_key() {
  local user
  user=$(look_up "$1")
  key_of "$user" "$2"
}
