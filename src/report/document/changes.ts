import { type Action, giverOf, type ReplaceRoles, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { type Fact, factValue, type Reason } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { createdByThisPlan } from "../../model/subject.ts";
import { formatSource, type NamedKey, namedKey, onceOfEach, type PlanNames, planNames } from "./names.ts";
import { type Ink, inked, type Piece } from "./tree.ts";

interface Origin {
  readonly action: Action;
  /** Absent where the plan does not name the owner of the key. */
  readonly address?: EmailKey | undefined;
  /** Of a member, or of a team key. */
  readonly team?: TeamKey | undefined;
  /** The lines that ask for it, the first for the most. */
  readonly because: readonly Reason[];
}

/** What a call does to one person or key. `first-member`: they are created together with the team, and no mail is sent. */
export type Change = (Origin & { readonly is: "account" | "first-member" | "added" }) | RoleChange;

export interface RoleChange extends Origin, NamedKey {
  readonly is: "roles";
  /** `new-key`: it comes with this plan. */
  readonly before: Fact<RoleSet> | { readonly known: "new-key" };
  /** What it has afterwards and had not, or may not have had, before. */
  readonly gains: RoleSet;
  /** What it is known to have had, and has no more. */
  readonly loses: RoleSet;
  readonly keeps: RoleSet;
  /** Privileged roles that it carries until it is made exact. */
  readonly temporary: RoleSet;
  /** `at-least`: the service may add to it. `whatever-comes`: the roster asks for none, and the service decides. */
  readonly after: "exactly" | "at-least" | "whatever-comes";
}

export const planChanges = onceOfEach((plan: Plan): readonly Change[] => {
  const exact = new Set(
    plan.actions.flatMap((one) => (one.kind === "replace-roles" ? [newKeyId(one.key.address, teamOf(one))] : [])),
  );
  return plan.actions.flatMap((action) => changesBy(action, planNames(plan), exact));
});

/** Of a key that comes with a call: in a team, or a person's own. */
function newKeyId(address: EmailKey | undefined, team: TeamKey | undefined): string {
  return `${team ?? ""} ${address}`;
}

const newKey = { is: "roles", before: { known: "new-key" }, gains: [], loses: [], keeps: [], temporary: [] } as const;

/** `exact`: new keys that another call makes exact. */
function changesBy(action: Action, names: PlanNames, exact: ReadonlySet<string>): readonly Change[] {
  const { because } = action;
  switch (action.kind) {
    case "create-user": {
      const { address, createsTeam } = action;
      const origin = { action, address, because };
      const team = createsTeam?.team;
      const created = { ...origin, is: "account" } as const;
      const joins = { ...origin, is: "first-member", team } as const;
      const changes = team === undefined ? [created] : [created, joins];
      if (exact.has(newKeyId(address, team))) return changes;
      if (createsTeam === undefined)
        return [...changes, { ...newKey, action, address, because, of: "own-key", after: "whatever-comes" }];
      // The service may give it more than was asked for.
      const { accessKeyRoles: gains, temporaryRoles } = createsTeam;
      const temporary = rolesWithout(temporaryRoles, gains);
      const key = { ...newKey, action, address, because, team, of: "team-key", gains, temporary } as const;
      return [...changes, { ...key, after: "at-least" }];
    }
    case "add-members": {
      const { team, members } = action;
      const reasons = groupBy(because, (reason) => reason.person);
      return members.flatMap(({ address }): readonly Change[] => {
        const own = reasons.get(address) ?? because;
        const joins = { is: "added", action, address, team, because: own } as const;
        if (exact.has(newKeyId(address, team))) return [joins];
        const key = { ...newKey, action, address, team, because: own, of: "team-key" } as const;
        return [joins, { ...key, after: "whatever-comes" }];
      });
    }
    case "replace-roles":
      return [changeByReplacement(action, names)];
  }
}

export function changeByReplacement(action: ReplaceRoles, names: PlanNames): RoleChange {
  const { key, before, roles, because } = action;
  const had = factValue(before) ?? [];
  const isNew = key.of !== "prefix" || (before.known === "unknown" && before.why === createdByThisPlan);
  const giver = key.of === "team-key" ? names.action(giverOf(action) ?? "") : undefined;
  const carried = giver?.kind === "create-user" ? giver.createsTeam?.temporaryRoles : undefined;
  return {
    is: "roles",
    action,
    address: key.address,
    because,
    ...namedKey(action),
    before: isNew ? { known: "new-key" } : before,
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    temporary: rolesWithout(carried ?? [], roles),
    after: "exactly",
  };
}

export function privilegedPart(
  change: Change,
  privileged: RoleSet,
): Pick<RoleChange, "gains" | "loses" | "temporary" | "before"> {
  if (change.is !== "roles") return { gains: [], loses: [], temporary: [], before: { known: "new-key" } };
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // The plan has decided already that what a key has for a short time is privileged.
  const { gains, loses, temporary, before } = change;
  return { gains: of(gains), loses: of(loses), temporary, before };
}

export function isPrivilegedChange(change: Change, privileged: RoleSet): boolean {
  const { gains, loses, temporary } = privilegedPart(change, privileged);
  return gains.length + loses.length + temporary.length > 0;
}

/** Privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or `gets DEVELOPER` where the roles before are not known or none. */
export function rolePieces(change: RoleChange, privileged: RoleSet = []): readonly Piece[] {
  const { before, after, gains, loses, keeps, temporary } = change;
  const brief: readonly Piece[] =
    temporary.length === 0 ? [] : [inked("alarm", `${temporary.join(", ")} for a short time`), ", then "];
  if (after === "whatever-comes") return [...brief, "roles chosen by the service"];
  const signed = (roles: RoleSet, sign: string, usual?: Ink) =>
    roles.map((role) => {
      const isPrivileged = privileged.includes(role);
      const text = `${sign}${role}${isPrivileged ? " (privileged)" : ""}`;
      return { isPrivileged, piece: inked(isPrivileged ? "alarm" : usual, text) };
    });
  const joined = (roles: ReturnType<typeof signed>, between: string): readonly Piece[] =>
    roles
      .toSorted((one, other) => Number(other.isPrivileged) - Number(one.isPrivileged))
      .flatMap(({ piece }, index) => (index === 0 ? [piece] : [between, piece]));
  if (before.known === "new-key" || before.known === "unknown") {
    const roles = joined(signed(gains, ""), ", ");
    const source = before.known === "unknown" ? [inked("dim", ` (before unknown: ${before.why})`)] : [];
    const exactly = before.known === "unknown" ? ["exactly "] : [];
    const list =
      after === "at-least"
        ? ["gets ", ...roles, " and roles that the service adds"]
        : gains.length === 0
          ? ["no roles"]
          : ["gets ", ...exactly, ...roles];
    return [...brief, ...list, ...source];
  }
  const changes = joined([...signed(loses, "-", "remove"), ...signed(gains, "+", "add")], " ");
  const rest = keeps.length > 0 ? `keeps ${keeps.join(", ")}` : gains.length === 0 ? "no roles left" : "";
  const between = changes.length === 0 || rest === "" ? "" : ", ";
  const source = before.known === "observed" ? "" : ` (before: ${formatSource(before)})`;
  return [...brief, ...changes, between, inked("dim", `${rest}${source}`)];
}
