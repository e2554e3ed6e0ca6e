import type { RecordedKey } from "../../src/model/key.ts";
import type { State } from "../../src/model/state.ts";
import { membershipKeyOf, type RecordedMembership, type RecordedTeam, teamKeyOf } from "../../src/model/team.ts";
import type { RecordedUser } from "../../src/model/user.ts";
import type { RoleSet } from "../../src/model/values.ts";
import { aState } from "./plan-inputs.ts";
import { addressOf, emailOf } from "./roster-builders.ts";

/** When all was recorded that does not say when. */
export const recordedAt = "2026-11-01T00:00:00.000Z";

interface Remembered extends Omit<Partial<State>, "users" | "teams" | "memberships" | "keys"> {
  readonly users?: Readonly<Record<string, Partial<RecordedUser>>> | undefined;
  readonly teams?: Readonly<Record<string, Partial<RecordedTeam>>> | undefined;
  /** Each as `Data/ada`. */
  readonly members?: Readonly<Record<string, Partial<RecordedMembership>>> | undefined;
  /** By their prefixes: the roles that a run set, or more. */
  readonly keys?:
    | Readonly<Record<string, RoleSet | (Partial<RecordedKey> & Pick<RecordedKey, "setRoles">)>>
    | undefined;
}

/** A state that remembers people, teams of acc-1, members who were added, and keys whose roles were set. */
export function remembering({ users = {}, teams = {}, members = {}, keys = {}, ...rest }: Remembered, at = recordedAt) {
  return aState({
    users: entries(users, (name, parts) => {
      const address = addressOf(name);
      return [address, { address, email: emailOf(name), account: "acc-1", ...parts }];
    }),
    teams: entries(teams, (name, parts) => {
      const team = teamKeyOf("acc-1", name);
      return [team, { team, name, account: "acc-1", at, ...parts }];
    }),
    memberships: entries(members, (place, parts) => {
      const [name = "", who = ""] = place.split("/");
      const [team, address] = [teamKeyOf("acc-1", name), addressOf(who)];
      return [membershipKeyOf(team, address), { team, address, how: "added", at, ...parts }];
    }),
    keys: entries(keys, (prefix, known) => {
      const parts = "setRoles" in known ? known : { setRoles: known };
      return [prefix, { prefix, at, ...parts }];
    }),
    ...rest,
  });
}

function entries<T, K, V>(named: Readonly<Record<string, T>>, entry: (name: string, parts: T) => readonly [K, V]) {
  return new Map(Object.entries(named).map(([name, parts]) => entry(name, parts)));
}
