import { formatPlace } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Ink } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import type { Piece } from "../text/lines.ts";
import type { AccessHolder, ChangedKey, RoleChange, RolesBefore, TeamLabel } from "./access-change.ts";
import type { PrivilegedKey } from "./access-changes.ts";

/** `ada@acme.example (Ada Lovelace)`; the name only of whom the plan creates. */
export function formatHolder(who: AccessHolder): string {
  if (who.is === "key") return `key ${who.prefix}`;
  return who.name === undefined ? who.email : `${who.email} (${who.name})`;
}

/** `3 people, 1 key`. */
export function formatHolderCount(holders: readonly AccessHolder[]): string {
  const keys = holders.filter(({ is }) => is === "key").length;
  const people = holders.length - keys;
  return [
    ...(people === 0 ? [] : [formatCount(people, "person", "people")]),
    ...(keys === 0 ? [] : [formatCount(keys, "key")]),
  ].join(", ");
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
export function formatTeamLabel({ name, account, identifier }: TeamLabel): string {
  const which = identifier === undefined ? name : `${name} (${identifier})`;
  return account === undefined ? which : `${which} of ${account}`;
}

/**
 * Role by role what becomes of a key, privileged roles first: `-ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER`, or
 * `exactly DEVELOPER` where nobody knows or had anything before.
 */
export function rolePieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  return [...momentPieces(change), ...afterPieces(change, privileged), ...beforePieces(change.before)];
}

function afterPieces(change: RoleChange, privileged: RoleSet): readonly Piece[] {
  const { before, after, gains } = change;
  if (after === "whatever-comes") return ["roles as the service gives them"];
  if (before.known !== "new-key" && before.known !== "not-known") return differencePieces(change, privileged);
  const roles =
    gains.length === 0 ? ["no roles"] : joinPieces(privilegedFirst(signRoles(gains, "", undefined), privileged));
  return after === "exactly" ? ["exactly ", ...roles] : [...roles, " and what the service adds"];
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
  return gains.length === 0 ? "no roles are left" : undefined;
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
      return [{ ink: "dim", text: ` (before not known: ${before.why})` }];
  }
}

function momentPieces({ forAMoment }: RoleChange): readonly Piece[] {
  if (forAMoment.length === 0) return [];
  return [{ ink: "alarm", text: `${forAMoment.join(", ")} for a moment` }, ", then "];
}
