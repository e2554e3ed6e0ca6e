import { formatPlace } from "../../model/fact.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessChanges, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import {
  type AccessChange,
  type AccessHolder,
  type ChangedKey,
  privilegeChange,
  type RoleChange,
  type RolesBefore,
  type TeamLabel,
} from "../access/person-access.ts";
import { formatCounts } from "../phrases.ts";
import { formatPlaces } from "./actions.ts";
import {
  andMore,
  type Ink,
  type Inline,
  joinInline,
  type Line,
  type Piece,
  phrase,
  plainText,
  type Section,
  strong,
  values,
  words,
} from "./blocks.ts";

/** `ada@acme.example (Ada Lovelace)`; the name only of a person that the plan creates. */
function holderName(who: AccessHolder): Inline {
  if (who.is === "key") return phrase`key ${who.prefix}`;
  return who.name === undefined ? phrase`${who.email}` : phrase`${who.email} (${who.name})`;
}

export function formatHolder(who: AccessHolder): string {
  return plainText(holderName(who));
}

/** `3 people, 1 key`. */
export function formatHolderCount(holders: readonly AccessHolder[]): string {
  const keys = holders.filter(({ is }) => is === "key").length;
  return formatCounts([holders.length - keys, "person", "people"], [keys, "key"]).join(", ");
}

/** `key in Data Science (12pref1x121)`, `own key`, `key 12pref1x121`. */
export function formatChangedKey(key: ChangedKey): string {
  if (key.of === "key") return `key ${key.prefix}`;
  const prefix = key.prefix === undefined ? "" : ` (${key.prefix})`;
  return `${key.of === "own-key" ? "own key" : `key in ${formatTeamLabel(key.team)}`}${prefix}`;
}

/** `key in Data Science (12pref1x121)`, of a key as the service shows it. */
export function formatPrivilegedKey({ prefix, team }: PrivilegedKey): string {
  return team === undefined ? `key ${prefix}` : `key in ${team} (${prefix})`;
}

/** `Data Science`; `Data Science of acc-2` where a plan is about several accounts, `Data Science (t-42)` where about two of this name. */
function teamLabel({ name, account, identifier }: TeamLabel): Inline {
  const which = identifier === undefined ? phrase`${name}` : phrase`${name} (${identifier})`;
  return account === undefined ? which : phrase`${which} of ${account}`;
}

export function formatTeamLabel(team: TeamLabel): string {
  return plainText(teamLabel(team));
}

/**
 * The roles of a key one by one, privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or
 * `exactly DEVELOPER` where the roles before are not known or there were none.
 */
export function rolePieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  return [...momentPieces(change), ...afterPieces(change, privileged), ...beforePieces(change.before)];
}

function afterPieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  const { before, after, gains } = change;
  if (after === "whatever-comes") return ["roles chosen by the service"];
  if (before.known !== "new-key" && before.known !== "not-known") return differencePieces(change, privileged);
  const roles =
    gains.length === 0 ? ["no roles"] : joinPieces(privilegedFirst(signRoles(gains, "", undefined), privileged));
  return after === "exactly" ? ["exactly ", ...roles] : [...roles, " and roles that the service adds"];
}

function differencePieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  const { gains, loses } = change;
  const roles = [...signRoles(loses, "-", "remove"), ...signRoles(gains, "+", "add")];
  const changes = joinPieces(privilegedFirst(roles, privileged), " ");
  const rest = formatKeptRoles(change);
  if (rest === undefined) return changes;
  return [...changes, ...(changes.length === 0 ? [] : [", "]), { ink: "dim", text: rest }];
}

function formatKeptRoles({ gains, keeps }: RoleChange): string | undefined {
  if (keeps.length > 0) return `keeps ${keeps.join(", ")}`;
  return gains.length === 0 ? "no roles left" : undefined;
}

interface SignedRole {
  readonly role: string;
  readonly sign: string;
  readonly usual: Ink | undefined;
}

function signRoles(roles: RoleSet, sign: string, usual: Ink | undefined): readonly SignedRole[] {
  return roles.map((role) => ({ role, sign, usual }));
}

function privilegedFirst(roles: readonly SignedRole[], privileged: RoleSet): readonly Piece[] {
  const first = roles.filter(({ role }) => privileged.includes(role));
  const others = roles.filter(({ role }) => !privileged.includes(role));
  return [
    ...first.map(({ sign, role }): Piece => ({ ink: "alarm", text: `${sign}${role} (privileged)` })),
    ...others.map(({ sign, role, usual: ink }): Piece => {
      const text = `${sign}${role}`;
      return ink === undefined ? text : { ink, text };
    }),
  ];
}

function joinPieces(pieces: readonly Piece[], between = ", "): readonly Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
}

function beforePieces(before: RolesBefore): readonly Piece[] {
  switch (before.known) {
    case "shown":
    case "new-key":
      return [];
    case "recorded":
      return [{ ink: "dim", text: ` (before as recorded at ${before.at})` }];
    case "declared":
      return [{ ink: "dim", text: ` (before as ${formatPlace(before.place)} says)` }];
    case "not-known":
      return [{ ink: "dim", text: ` (before unknown: ${before.why})` }];
  }
}

function momentPieces({ forAMoment }: RoleChange): readonly Piece[] {
  if (forAMoment.length === 0) return [];
  return [{ ink: "alarm", text: `${forAMoment.join(", ")} for a short time` }, ", then "];
}

/** One way to read what a plan does, as sections. */
export type View = (plan: Plan, context: ViewContext) => readonly (readonly Line[])[];

export interface ViewContext {
  /** Roles that let their holder administer others. */
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where nothing was read. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
}

interface AccessTableOptions {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
  /** Of a run this is what was planned, whatever came of it; of a drift it is what apply would do. */
  readonly is: "to-do" | "planned" | "repair";
  /** Where all of it is shown. */
  readonly whole: Inline;
}

/** Who gains and loses privileged roles by a plan. */
export function privilegeTable(plan: Plan, { privileged, shown, is, whole }: AccessTableOptions): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const known = { privileged, shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, known) : [])),
  );
  const planned = { "to-do": "", planned: ", as planned", repair: ", changed by apply" }[is];
  return [
    {
      title: `Privileged roles${planned} (${privileges.length})`,
      is: "open",
      body: {
        kind: "table",
        ...(shown === undefined ? { note: otherKeysUnknown } : {}),
        columns: ["who", "gains or loses", "where", "in the roster at"],
        rows: privileges,
        asides: privileges.map(() => ({ labels: ["privileged"], details: () => [] })),
      },
      rank: 3,
      leftOut: andMore(whole, "more change of privileged roles", "more changes of privileged roles"),
    },
  ];
}

const otherKeysUnknown = words("A saved plan does not show other keys of the same users.");

/** Privileged roles that a person has on other keys. */
interface KnownPrivileges {
  readonly privileged: RoleSet;
  readonly shown: readonly PrivilegedKey[];
  /** Once the plan is done. */
  readonly left: readonly PrivilegedKey[];
}

/** A row for a privileged role that a person gains, loses or has for a moment, with other keys that carry it. No row for other changes. */
function privilegeRows(
  who: AccessHolder,
  change: RoleChange,
  { privileged, shown, left }: KnownPrivileges,
): readonly (readonly Inline[])[] {
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const gain = change.before.known === "not-known" ? "gets (before unknown)" : "gains";
  const already = otherKeys("has it already", privilegedKeysOf(shown, { who, roles: gains }));
  const still = otherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`${strong(words(gain))} ${values(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`${strong(words("for a short time"))} ${values(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [phrase`${strong(words("loses"))} ${values(loses)}${still}`]),
  ];
  if (parts.length === 0) return [];
  return [[holderName(who), joinInline(parts, ", "), changedKey(change.key), firstPlaces([change])]];
}

/** `, still has it in Ops`: other keys of the same person. */
function otherKeys(verb: string, keys: readonly PrivilegedKey[]): Inline {
  if (keys.length === 0) return [];
  const places = keys
    .slice(0, 3)
    .map(({ team, prefix }) => (team === undefined ? phrase`on the key ${prefix}` : phrase`in ${team}`));
  const more = keys.length > 3 ? words(` and on ${keys.length - 3} more keys`) : [];
  return phrase`, ${strong(words(verb))} ${joinInline(places, " and ")}${more}`;
}

/** `in Ops`, `on the own key`, `on the key p1`. */
function changedKey(key: ChangedKey): Inline {
  switch (key.of) {
    case "team-key":
      return phrase`in ${teamLabel(key.team)}`;
    case "own-key":
      return words("on the own key");
    case "key":
      return phrase`on the key ${key.prefix}`;
  }
}

/** The first line that asks for each call. */
function firstPlaces(changes: readonly AccessChange[]): Inline {
  const places = new Set(changes.flatMap(({ because }) => formatPlaces(because.slice(0, 1)) ?? []));
  return [values([...places], 2)];
}
