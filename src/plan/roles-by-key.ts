import type { Action, AddMembers, CreateUser, ReplaceRoles } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { KeyRoles } from "../model/plan.ts";
import { groupBy, type RoleSet } from "../model/role-set.ts";
import { accountStatus, isDeleted } from "../model/snapshot.ts";
import type { PlanFacts } from "./context.ts";

type Known = Pick<PlanFacts, "snapshot" | "state">;

/** Every key that was read or that the plan gives or changes, by its prefix or by the call that gives it. */
export function rolesByKey(known: Known, actions: readonly Action[]): readonly KeyRoles[] {
  const keys = new Map<string, readonly KeyRoles[]>(groupBy(keysRead(known), ({ prefix }) => prefix));
  for (const action of actions) {
    for (const [id, key] of keysGiven(action)) keys.set(id, [key]);
    if (action.kind === "replace-roles") replaceRoles(keys, action);
  }
  return [...keys.values()].flat();
}

function keysRead({ snapshot, state }: Known): readonly KeyRoles[] {
  return snapshot.users
    .filter((user) => !isDeleted(user))
    .flatMap(({ address, status, keys = [] }) =>
      keys
        .filter((key) => !isDeleted(key))
        .map(({ prefix, team, roles }): KeyRoles => {
          const before = roles ?? state.keys.get(prefix)?.put ?? "unknown";
          const name = team === undefined || team === "none" ? undefined : (team.name ?? team.identifier);
          const label = name === undefined ? {} : { team: name };
          return { address, prefix, ...label, status: accountStatus(status), before, after: before };
        }),
    );
}

type GivenKey = readonly [id: string, key: KeyRoles];

/** Keys that come with a call. What the service puts on them is not known until a replacement makes it exact. */
function keysGiven(action: Action): readonly GivenKey[] {
  switch (action.kind) {
    case "create-user":
      return [keyOfCreation(action)];
    case "add-members":
      return keysOfAdditions(action);
    case "replace-roles":
      return [];
  }
}

function keyOfCreation({ id, address, createsTeam }: CreateUser): GivenKey {
  const given =
    createsTeam === undefined
      ? ({ after: "unknown" } as const)
      : { team: createsTeam.name, after: createsTeam.accessKeyRoles };
  return [givenId(id, address), { address, before: "no-key", ...given }];
}

function keysOfAdditions({ id, team, members }: AddMembers): readonly GivenKey[] {
  return members.map(({ address }) => [
    givenId(id, address),
    { address, team: team.name, before: "no-key", after: "unknown" },
  ]);
}

function givenId(action: string, address: EmailKey): string {
  return `${action} ${address}`;
}

function replaceRoles(keys: Map<string, readonly KeyRoles[]>, { id, key, owner, before, roles }: ReplaceRoles): void {
  const at = key.of === "prefix" ? (factValue(key.prefix) ?? id) : givenId(key.givenBy, key.address);
  const known = keys.get(at);
  if (known !== undefined) {
    const changed = known.map((one) => ({ ...one, after: roles }));
    keys.set(at, changed);
    return;
  }
  if (key.of !== "prefix") {
    keys.set(at, [{ address: key.address, before: "no-key", after: roles }]);
    return;
  }
  const holder = owner === undefined ? {} : { address: owner.address };
  const team = key.team === undefined ? {} : { team: key.team.name };
  const declared = key.prefix.known === "declared" ? ({ declared: true } as const) : {};
  const had = factValue(before) ?? "unknown";
  keys.set(at, [{ ...holder, ...team, ...declared, prefix: at, before: had, after: roles }]);
}

/** The keys of one person, with their roles before the plan and after it where they are known. */
interface RolesBeforeAndAfter {
  readonly before: readonly (RoleSet | "unknown")[];
  readonly after: readonly (RoleSet | "unknown")[];
}

/** What everybody who is active, or whose keys the plan changes, holds before the plan and after it. */
export function rolesByUser(known: Known, actions: readonly Action[]): ReadonlyMap<EmailKey, RolesBeforeAndAfter> {
  const counted = rolesByKey(known, actions).filter(({ status = "active", before, after }) =>
    before === "no-key" ? after !== "unknown" : status === "active" || after !== before,
  );
  return new Map(
    [...groupBy(counted, ({ address }) => address)].map(([address, keys]) => [
      address,
      {
        before: keys.flatMap(({ before }) => (before === "no-key" ? [] : [before])),
        after: keys.map(provenAfter),
      },
    ]),
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
