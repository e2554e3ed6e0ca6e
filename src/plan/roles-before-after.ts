import { groupBy } from "../model/collections.ts";
import { factValue } from "../model/fact.ts";
import { accountStatus, isDeleted, shownTeam } from "../model/key.ts";
import { giverOf, type KeyRoles, type Plan, type ReplaceRoles, teamOf } from "../model/plan.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import type { PlanFacts } from "./snapshot-index.ts";

type Known = Pick<PlanFacts, "snapshot" | "state">;

/** Every key that was read or that the plan gives or changes, by its prefix or by the call that gives it. */
export function rolesByKey(known: Known, { actions, teams }: Pick<Plan, "actions" | "teams">): readonly KeyRoles[] {
  const nameOf = (team: TeamKey | undefined) => team && (teams.get(team)?.name ?? team);
  const keys = new Map<string, readonly KeyRoles[]>(groupBy(keysRead(known), ({ prefix }) => prefix));
  for (const action of actions) {
    switch (action.kind) {
      // What the service puts on a new key is not known until a replacement makes it exact.
      case "create-user": {
        const { id, address, createsTeam } = action;
        const after = createsTeam?.accessKeyRoles ?? "unknown";
        keys.set(`${id} ${address}`, [
          { address, team: createsTeam?.name, teamKey: createsTeam?.team, before: "no-key", after },
        ]);
        break;
      }
      case "add-members":
        for (const { address } of action.members)
          keys.set(`${action.id} ${address}`, [
            { address, team: nameOf(action.team), teamKey: action.team, before: "no-key", after: "unknown" },
          ]);
        break;
      case "replace-roles": {
        const { key } = action;
        const at = key.of === "prefix" ? key.prefix.value : `${giverOf(action)} ${key.address}`;
        const changed = keys.get(at)?.map((one) => ({ ...one, after: action.roles }));
        keys.set(at, changed ?? [unreadKey(action, nameOf(teamOf(action)))]);
        break;
      }
    }
  }
  return [...keys.values()].flat();
}

function keysRead({ snapshot, state }: Known): readonly KeyRoles[] {
  return snapshot.users
    .filter((user) => !isDeleted(user))
    .flatMap(({ address, status, keys = [] }) =>
      keys
        .filter((key) => !isDeleted(key))
        .map((key): KeyRoles => {
          const { prefix, roles } = key;
          const before = roles ?? state.keys.get(prefix)?.setRoles ?? "unknown";
          const team = shownTeam(key);
          return {
            address,
            prefix,
            team: team?.name ?? team?.identifier,
            status: accountStatus(status),
            before,
            after: before,
          };
        }),
    );
}

function unreadKey(action: ReplaceRoles, team: string | undefined): KeyRoles {
  const { key, before, roles } = action;
  if (key.of !== "prefix") return { address: key.address, before: "no-key", after: roles };
  return {
    address: key.address,
    team,
    teamKey: teamOf(action),
    declared: key.prefix.known === "declared" ? true : undefined,
    prefix: key.prefix.value,
    before: factValue(before) ?? "unknown",
    after: roles,
  };
}

/** The keys of everybody who is active, or whose keys the plan changes, with their roles before the plan and after it. */
export function rolesByUser(known: Known, planned: Pick<Plan, "actions" | "teams">) {
  const counted = rolesByKey(known, planned).filter(({ status = "active", before, after }) =>
    before === "no-key" ? after !== "unknown" : status === "active" || after !== before,
  );
  return new Map(
    [...groupBy(counted, ({ address }) => address)].map(([address, keys]) => {
      const before = keys.flatMap((key) => (key.before === "no-key" ? [] : [key.before]));
      return [address, { before, after: keys.map(provenAfter) }] as const;
    }),
  );
}

/** What a key gains is not counted for a person that the roster alone names as its holder. */
function provenAfter({ declared, before, after }: KeyRoles): RoleSet | "unknown" {
  if (declared === undefined || after === "unknown") return after;
  return typeof before === "string" ? [] : after.filter((role) => before.includes(role));
}

/** Whether one of the keys carries one of the roles; `unknown` where only a key of unknown roles may. */
export function holdsAny(keys: readonly (RoleSet | "unknown")[], roles: RoleSet): "yes" | "no" | "unknown" {
  const carries = (key: RoleSet | "unknown") => key !== "unknown" && key.some((role) => roles.includes(role));
  if (keys.some(carries)) return "yes";
  return keys.includes("unknown") ? "unknown" : "no";
}
