import { recorded } from "../model/fact.ts";
import { roleSet } from "../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { RecordedMembership } from "../model/state.ts";
import { type ExtraMember, membershipTest } from "./extra-members.ts";
import type { KnownKeyUpdate } from "./key-wishes.ts";
import type { PlanContext } from "./question.ts";
import { shownRef } from "./references.ts";
import { type KnownKey, knownKey } from "./shown-keys.ts";
import type { KnownTeam, TeamIdentities, UnidentifiedTeam } from "./team-identity.ts";

/** No roles on the key of a member too many, where the team says so; by record where the service does not show keys. */
export function desiredRemovalRoles(
  extra: readonly ExtraMember[],
  teams: TeamIdentities,
  context: PlanContext,
): readonly KnownKeyUpdate[] {
  const shown = extra
    .filter(({ identity }) => identity.team.onRemoval === "disarm")
    .map(({ identity, holder, key }) => removalUpdate(identity, holder, knownKey(key, holder)));
  return [...shown, ...recordedRemovals(teams, context)];
}

function recordedRemovals(teams: TeamIdentities, context: PlanContext): readonly KnownKeyUpdate[] {
  const isMember = membershipTest(context);
  return [...teams.values()].flatMap((identity) => {
    if (identity.is !== "known" && identity.is !== "unidentified") return [];
    if (identity.team.onRemoval !== "disarm") return [];
    const held = [...context.state.memberships.values()].filter(({ team }) => identity.recordKeys.includes(team));
    return held.flatMap((record) => {
      const { address, prefix, at } = record;
      const holder = holderWithoutKeys(record, context);
      if (prefix === undefined || holder === undefined || isMember(identity, address)) return [];
      return [removalUpdate(identity, holder, { prefix: recorded(prefix, at), value: prefix })];
    });
  });
}

/** The recorded member, where the service shows them without their keys, and lets them in. */
function holderWithoutKeys({ address, prefix }: RecordedMembership, context: PlanContext): ObservedUser | undefined {
  const { facts, state, roster } = context;
  const [user, another] = facts.people.get(address) ?? [];
  if (user === undefined || another !== undefined || user.keys !== undefined || roster.leavers.has(address))
    return undefined;
  const known = state.users.get(address)?.identifier;
  const isAnother = known !== undefined && user.identifier !== undefined && known !== user.identifier;
  const isAnothers = prefix !== undefined && facts.keyPrefixed(prefix) !== undefined;
  const word = accountStatus(user.status);
  return isAnother || isAnothers || word === "barred" || word === "deleted" ? undefined : user;
}

function removalUpdate(
  { team, ...identity }: KnownTeam | UnidentifiedTeam,
  holder: ObservedUser,
  key: KnownKey,
): KnownKeyUpdate {
  return {
    is: "known",
    asks: "removal",
    roles: roleSet([]),
    key,
    holder: shownRef(holder),
    because: [...(team.onRemovalAt === undefined ? [] : [team.onRemovalAt]), ...team.because.slice(0, 1)],
    concern: { address: holder.address, team: team.key },
    ...(identity.is === "known" ? { team: identity.ref } : {}),
  };
}
