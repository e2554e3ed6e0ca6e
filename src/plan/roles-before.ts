import { type Fact, recorded, unknown } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { State } from "../model/state.ts";
import type { KnownKey } from "./shown-keys.ts";

/** What a key carries, as far as it is known: as it is shown, else as we asked for it the last time. */
export function currentRoles(key: KnownKey, { keys }: State): Fact<RoleSet> {
  if (key.roles !== undefined) return key.roles;
  const record = keys.get(key.value);
  return record === undefined ? unknown(whyRolesUnknown(key)) : recorded(record.put, record.at);
}

function whyRolesUnknown({ prefix }: KnownKey): string {
  switch (prefix.known) {
    case "observed":
      return "the service does not show the roles of this key";
    case "declared":
      return "only the roster names this key: no read shows it";
    case "recorded":
    case "unknown":
      return "no read shows this key";
  }
}
