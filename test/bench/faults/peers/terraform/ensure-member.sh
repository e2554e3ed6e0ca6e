#!/usr/bin/env bash
# Makes EMAIL a member of TEAM, with ROLES on the key of the team. A new team is found with its FOUNDER.
source "$(dirname "$0")/service.sh"

team=$IDENTIFIER
if [ -z "$team" ]; then
  key=$(settled look_up_key "$FOUNDER" "$TEAM")
  team=$(jq -er .team.identifier <<<"$key")
fi
user=$(settled look_up "$EMAIL")
if [ -z "$user" ]; then
  echo "there is no user $EMAIL" >&2
  exit 1
fi

key=$(key_of "$user" "$TEAM")
if [ -z "$key" ]; then
  member=$(jq -c '[{identifier}]' <<<"$user")
  if added=$(call POST "/teams/$team/members" "$member"); then
    key=$(jq -ce '.[0].accessKey' <<<"$added")
  else
    # 409: an earlier try has added the member.
    echo "$added" >&2
    key=$(settled look_up_key "$EMAIL" "$TEAM")
    if [ -z "$key" ]; then exit 1; fi
  fi
fi

prefix=$(jq -er .prefix <<<"$key")
echo "$prefix" >"prefixes/$TEAM $EMAIL"
if ! jq -e --argjson wanted "$ROLES" '(.roles | map(.identifier) | sort) == ($wanted | map(.identifier) | sort)' <<<"$key" >/dev/null; then
  call PUT "/access-keys/$prefix/roles" "$ROLES" >/dev/null
fi
