import { type Fact, observed } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedKey, ObservedUser } from "../model/snapshot.ts";
import { keyBelongsToTeam } from "../model/team.ts";
import type { TeamIdentity } from "./team-identity.ts";

/** A key whose prefix is known, with its roles where the service shows them. */
export interface KnownKey {
  readonly prefix: Fact<string>;
  readonly value: string;
  readonly roles?: Fact<RoleSet>;
}

export function knownKey(key: ObservedKey, holder: ObservedUser): KnownKey {
  const prefix = observed(key.prefix, holder.by);
  const known = { prefix, value: key.prefix };
  return key.roles === undefined ? known : { ...known, roles: observed(key.roles, holder.by) };
}

/** A key known by prefix alone; its roles are shown where the holder's keys are. */
export function keyWithPrefix(value: string, prefix: Fact<string>, holder: ObservedUser): KnownKey {
  const shown = holder.keys?.find((key) => key.prefix === value);
  return shown === undefined ? { prefix, value } : knownKey(shown, holder);
}

/** Whether a key that is not gone shows that its holder is in the team. A name alone does not tell twins apart. */
export function showsTeam(key: ObservedKey, identity: TeamIdentity): ReturnType<typeof keyBelongsToTeam> {
  const { names, isTwin } = identity;
  return keyBelongsToTeam(key, {
    names,
    isTwin,
    identifier: identity.is === "known" ? identity.identifier : undefined,
  });
}
