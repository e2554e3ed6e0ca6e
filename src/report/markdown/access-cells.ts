import { type RoleSet, roleSet } from "../../model/role-set.ts";
import type {
  AccessChange,
  AccessHolder,
  ChangedKey,
  MembershipChange,
  PersonAccess,
  RoleChange,
  TeamLabel,
} from "../access/access-change.ts";
import { formatPlaces } from "../views/person-lines.ts";
import { code, codes, joinCell } from "./safe-markdown.ts";

/** Who it is, and whether the plan creates them. */
export function holderCell(who: AccessHolder): string {
  if (who.is === "key") return `key ${code(who.prefix)}`;
  return who.name === undefined ? code(who.email) : `${code(who.email)} (${code(who.name)})`;
}

/** `in \`Ops\``, `on the own key`, `on the key \`p1\``. */
export function keyCell(key: ChangedKey): string {
  switch (key.of) {
    case "team-key":
      return `in ${teamCell(key.team)}`;
    case "own-key":
      return "on the own key";
    case "key":
      return `on the key ${code(key.prefix)}`;
  }
}

/** `\`Ops\``; `\`Ops\` of \`acc-2\`` where a plan is about several accounts, `\`Ops\` (\`t-42\`)` where about two of this name. */
function teamCell({ name, account, identifier }: TeamLabel): string {
  const which = identifier === undefined ? code(name) : `${code(name)} (${code(identifier)})`;
  return account === undefined ? which : `${which} of ${code(account)}`;
}

/** What somebody has afterwards and had not before; a place in a team together with the roles of its new key. */
export function gainsCell({ changes }: PersonAccess, privileged: RoleSet): string {
  const told = changes.map((change) => ({
    change,
    key: change.is === "membership" ? newKeyOf(change, changes) : undefined,
  }));
  const withPlaces = new Set(told.map(({ key }) => key));
  return joinCell(
    told.flatMap(({ change, key }) => {
      if (change.is === "account") return [`**new** user in ${code(change.account)}`];
      if (change.is === "membership") return [formatMembership(change, key, privileged)];
      return withPlaces.has(change) ? [] : roleGains(change, privileged);
    }),
  );
}

/** The key that comes with a place in a team. */
function newKeyOf({ team, how }: MembershipChange, changes: readonly AccessChange[]): RoleChange | undefined {
  if (how === "invited-again") return undefined;
  return changes.find(
    (change): change is RoleChange =>
      change.is === "roles" &&
      change.key.of === "team-key" &&
      change.key.team.team === team.team &&
      change.before.known === "new-key",
  );
}

function formatMembership({ how, team }: MembershipChange, key: RoleChange | undefined, privileged: RoleSet): string {
  const roles = key === undefined ? "" : ` ${formatNewRoles(key, privileged)}`;
  switch (how) {
    case "founder":
      return `founds ${teamCell(team)}${roles}`;
    case "added":
      return `joins ${teamCell(team)}${roles}`;
    case "invited-again":
      return `one more mail about ${teamCell(team)}`;
  }
}

/** What a key has afterwards: `with \`DEVELOPER\``. */
export function formatNewRoles({ gains, keeps, after, forAMoment }: RoleChange, privileged: RoleSet): string {
  if (after === "whatever-comes") return "with whatever roles the service gives";
  const roles = roleSet([...gains, ...keeps]);
  const more = after === "at-least" ? " and what the service adds" : "";
  const moment = forAMoment.length === 0 ? "" : `, and **${codes(forAMoment)}** for a moment`;
  return `with ${roles.length === 0 ? "no roles" : rolesCell(roles, privileged)}${more}${moment}`;
}

/** What somebody had and has no more. */
export function losesCell({ changes }: PersonAccess): string {
  return joinCell(changes.flatMap((change) => (change.is === "roles" ? roleLosses(change) : [])));
}

/** Roles that stay on keys which change. */
export function keepsCell({ changes }: PersonAccess): string {
  const kept = changes.flatMap((change) => (change.is === "roles" && change.keeps.length > 0 ? [change] : []));
  return joinCell(kept.map(({ keeps, key }) => `${codes(keeps)} ${keyCell(key)}`));
}

/** The lines that ask for it: the first of each call, of many the first two. */
export function placesCell(changes: readonly AccessChange[]): string {
  const places = new Set(changes.flatMap(({ because }) => formatPlaces(because.slice(0, 1)) ?? []));
  return codes([...places], 2);
}

/** What a change does to a key that is there: `gaining \`DEVELOPER\`, losing \`AUDITOR\``. */
export function formatRoleChange({ gains, loses, keeps, before }: RoleChange, privileged: RoleSet): string {
  if (before.known === "not-known") {
    const roles = roleSet([...gains, ...keeps]);
    return `with exactly ${roles.length === 0 ? "no roles" : rolesCell(roles, privileged)} (before not known)`;
  }
  const told = [
    ...(gains.length === 0 ? [] : [`gaining ${rolesCell(gains, privileged)}`]),
    ...(loses.length === 0 ? [] : [`losing ${rolesCell(loses, privileged)}`]),
  ];
  return told.join(", ");
}

/** Privileged roles are set off from all others. */
function rolesCell(roles: RoleSet, privileged: RoleSet): string {
  const grave = roles.filter((role) => privileged.includes(role));
  const others = roles.filter((role) => !privileged.includes(role));
  return [
    ...(grave.length === 0 ? [] : [`**${codes(grave)}** (privileged)`]),
    ...(others.length === 0 ? [] : [codes(others)]),
  ].join(", ");
}

function roleGains(change: RoleChange, privileged: RoleSet): readonly string[] {
  const { gains, key, after, forAMoment } = change;
  if (after === "whatever-comes") {
    return key.of === "own-key" ? [] : [`whatever roles the service gives ${keyCell(key)}`];
  }
  const more = after === "at-least" ? " and what the service adds" : "";
  const unknown = change.before.known === "not-known" ? ", before not known" : "";
  const lasting = gains.length === 0 ? [] : [`${rolesCell(gains, privileged)}${more} ${keyCell(key)}${unknown}`];
  const moment = forAMoment.length === 0 ? [] : [`**${codes(forAMoment)}** for a moment ${keyCell(key)}`];
  return [...lasting, ...moment];
}

function roleLosses(change: RoleChange): readonly string[] {
  const { loses, key, before, gains, keeps } = change;
  const left = gains.length + keeps.length === 0 ? ", which has none left" : "";
  if (before.known === "not-known") {
    return [left === "" ? `whatever else there was ${keyCell(key)}` : `all roles ${keyCell(key)}, before not known`];
  }
  if (loses.length === 0) return [];
  const source = before.known === "recorded" ? `, as recorded at ${code(before.at)}` : "";
  return [`${codes(loses)} ${keyCell(key)}${left}${source}`];
}
