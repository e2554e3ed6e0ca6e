import type { FoldedAddress } from "../../model/address.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import type { RecordedMembership, State } from "../../model/state.ts";
import type { PlanContext } from "../question.ts";

/** What a leaver has beside the account itself, in words that name it: places in teams, roles that the service keeps on keys, keys that nobody sees. */
export function residualAccess(
  leaver: Leaver,
  users: readonly ObservedUser[],
  { state }: PlanContext,
): readonly string[] {
  const keys = users.flatMap((user) => user.keys ?? []).filter(({ status }) => accountStatus(status) !== "deleted");
  const isHidden = users.some((user) => user.keys === undefined);
  const recorded = isHidden ? recordedMembershipsOf(leaver.address, state) : [];
  return [
    ...keys.flatMap(describeMembership),
    ...recorded.map((held) => describeRecordedMembership(held, state)),
    ...describeKeptRoles([...keys, ...recorded], state),
    ...(isHidden ? ["keys that the service does not show"] : []),
  ];
}

function describeMembership({ team, prefix }: ObservedKey): readonly string[] {
  if (team === undefined || team === "none") return [];
  const { name, identifier } = team;
  const known = [identifier, `key ${prefix}`].filter((one) => one !== undefined).join(", ");
  return [`a place in ${name ?? "a team"} (${known})`];
}

function recordedMembershipsOf(address: FoldedAddress, { memberships }: State): readonly RecordedMembership[] {
  return [...memberships.values()].filter((held) => held.address === address);
}

function describeRecordedMembership({ team, prefix }: RecordedMembership, { teams }: State): string {
  const { name, identifier } = teams.get(team) ?? {};
  const known = [identifier, prefix === undefined ? undefined : `key ${prefix}`, "by our record"];
  return `a place in ${name ?? team} (${known.filter((one) => one !== undefined).join(", ")})`;
}

/** Roles that are still on a key after we asked for none. */
function describeKeptRoles(held: readonly ResidualKey[], { keys: records }: State): readonly string[] {
  return held.flatMap(({ prefix, roles }) => {
    const record = prefix === undefined ? undefined : records.get(prefix);
    if (record?.readAs === undefined || record.put.length > 0 || record.readAs.length === 0) return [];
    const isStill = roles === undefined || sameRoles(roles, record.readAs);
    return isStill ? [`${record.readAs.join(", ")} on the key ${prefix}, which stays there whatever is asked`] : [];
  });
}

interface ResidualKey {
  readonly prefix?: string;
  readonly roles?: RoleSet;
}
