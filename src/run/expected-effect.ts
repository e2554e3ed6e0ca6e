import type { EmailKey } from "../model/address.ts";
import type { CreationIntent, Intent } from "../model/call.ts";
import { definedFields } from "../model/collections.ts";
import type { AddedMember, LearnedOutcome } from "../model/event.ts";
import { accountStatus, type ObservedKey, shownTeamKey } from "../model/key.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import { formatRoles, type RoleSet, sameRoles } from "../model/values.ts";
import type { Shown } from "./lookups.ts";

/** What a call brings about for one person, or what it rests on: the user, a membership with its team key, a key with its roles. */
export type Effect = { readonly address: EmailKey } & (
  | {
      readonly of: "user";
      /** What they must be, as far as it is known. */
      readonly identifier?: string | undefined;
      readonly account?: string | undefined;
      readonly team?: TeamIdentity | undefined;
    }
  | { readonly of: "membership"; readonly team: TeamIdentity }
  | { readonly of: "roles"; readonly prefix: string; readonly roles: RoleSet }
);

export type Standing =
  | { readonly is: "present"; readonly key?: ObservedKey }
  | { readonly is: "absent"; readonly why: string }
  /** There is another thing in its place. */
  | { readonly is: "mismatch"; readonly why: string; readonly key?: ObservedKey }
  | { readonly is: "unknown"; readonly why: string };

/** What should be there after a call. `learned`: what is known of how it was done. */
export function effectsOf(intent: Intent, learned?: LearnedOutcome): readonly Effect[] {
  switch (intent.kind) {
    case "create-user": {
      const user = creationEffect(intent, learned?.kind === "create-user" ? learned.teamIdentifier : undefined);
      const { address, team } = user;
      return team === undefined ? [user] : [user, { of: "membership", address, team }];
    }
    case "add-members": {
      const { team, name, identifier, addresses } = intent;
      const added = learned?.kind === "add-members" ? [...addressesAdded(learned.members)] : addresses;
      return added.map((address) => ({ of: "membership", address, team: { team, name, identifier } }));
    }
    case "replace-roles": {
      const { owner, prefix, roles } = intent;
      return owner === undefined ? [] : [{ of: "roles", address: owner, prefix, roles }];
    }
  }
}

export function creationEffect(
  { address, account, createsTeam }: CreationIntent,
  teamIdentifier?: string,
): Extract<Effect, { readonly of: "user" }> {
  const team = createsTeam && { team: createsTeam.team, name: createsTeam.name, identifier: teamIdentifier };
  return { of: "user", address, account, team };
}

export function standingOf(effect: Effect, user: ObservedUser): Standing {
  switch (effect.of) {
    case "user":
      return userStanding(effect, user);
    case "membership": {
      const shown = shownTeamKey(user, effect.team);
      if (shown.is === "present") return shown;
      return shown.is === "absent"
        ? { is: "absent", why: `${user.email} is not a member of ${effect.team.name}` }
        : { is: "unknown", why: "the service does not show which team a key belongs to" };
    }
    case "roles": {
      const { prefix, roles } = effect;
      const key = user.keys?.find((one) => one.prefix === prefix);
      if (user.keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
      if (key === undefined) return { is: "absent", why: `the service does not show the key ${prefix}` };
      if (key.roles === undefined) return { is: "unknown", why: "the service does not show the roles of keys" };
      if (sameRoles(key.roles, roles)) return { is: "present", key };
      return { is: "mismatch", why: `the key ${prefix} has ${formatRoles(key.roles)}`, key };
    }
  }
}

function userStanding(effect: Extract<Effect, { readonly of: "user" }>, user: ObservedUser): Standing {
  const { email, identifier, account, status, keys = [] } = user;
  const differs = (wanted: string | undefined, shown: string | undefined) =>
    wanted !== undefined && shown !== undefined && wanted !== shown;
  if (accountStatus(status) === "deleted") return { is: "absent", why: `${email} was deleted` };
  if (differs(effect.identifier, identifier))
    return { is: "mismatch", why: `another user has the address ${email} now` };
  if (differs(effect.account, account)) return { is: "mismatch", why: `${email} is in the account ${account}` };
  // The team would have come with the user: whoever has keys, and none of it, is another user.
  if (effect.team !== undefined && keys.length > 0 && shownTeamKey(user, effect.team).is === "absent")
    return { is: "mismatch", why: `${email} exists without the team ${effect.team.name}` };
  return { is: "present" };
}

export function isShown(effect: Effect, shown: Shown): boolean {
  const found = shown(effect.address);
  return found.is === "present" && (effect.of === "user" || standingOf(effect, found.user).is === "present");
}

/** How somebody who is shown stands to a team: a member, with the key of the membership, surely none, or not known. */
export function membershipOf(user: ObservedUser, team: TeamIdentity): AddedMember | "absent" | "unknown" {
  const { address } = user;
  const standing = standingOf({ of: "membership", address, team }, user);
  if (standing.is !== "present") return standing.is === "absent" ? "absent" : "unknown";
  return {
    address,
    outcome: { added: true },
    ...definedFields({ prefix: standing.key?.prefix, roles: standing.key?.roles }),
  };
}

export function addressesAdded(outcomes: readonly AddedMember[]): ReadonlySet<EmailKey> {
  return new Set(outcomes.flatMap(({ address, outcome }) => (outcome.added ? [address] : [])));
}
