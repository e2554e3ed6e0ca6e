#!/usr/bin/env bash
# Creates the user EMAIL as USER_JSON says, unless the user is there.
source "$(dirname "$0")/service.sh"

user=$(look_up "$EMAIL")
if [ -n "$user" ]; then exit; fi

if ! created=$(call POST /accounts/acc-1/users "$USER_JSON"); then
  # 409: an earlier try has created the user.
  echo "$created" >&2
  user=$(settled look_up "$EMAIL")
  if [ -z "$user" ]; then exit 1; fi
  exit
fi
jq -e .identifier <<<"$created" >/dev/null
