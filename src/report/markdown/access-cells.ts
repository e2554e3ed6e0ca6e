import type { RoleSet } from "../../model/role-set.ts";
import type {
  AccessChange,
  ChangedKey,
  Holder,
  MembershipChange,
  PersonAccess,
  RoleChange,
} from "../access/access-change.ts";
import { placesWords } from "../views/person-lines.ts";
import { code, codes, parted } from "./safe-markdown.ts";

/** Who it is, and whether the plan creates them. */
export function holderCell(who: Holder): string {
  if (who.is === "key") return `key ${code(who.prefix)}`;
  return who.name === undefined ? code(who.email) : `${code(who.email)} (${code(who.name)})`;
}

/** `in \`Ops\``, `on the own key`, `on the key \`p1\``. */
export function keyCell(key: ChangedKey): string {
  switch (key.of) {
    case "team-key":
      return `in ${code(key.team.name)}`;
    case "own-key":
      return "on the own key";
    case "key":
      return `on the key ${code(key.prefix)}`;
  }
}

/** What somebody has afterwards and had not before. */
export function gainsCell({ changes }: PersonAccess, privileged: RoleSet): string {
  return parted(changes.flatMap((change) => gainOf(change, privileged)));
}

/** What somebody had and has no more. */
export function losesCell({ changes }: PersonAccess): string {
  return parted(changes.flatMap((change) => (change.is === "roles" ? lossOf(change) : [])));
}

/** Roles that stay on keys which change. */
export function keepsCell({ changes }: PersonAccess): string {
  const kept = changes.flatMap((change) => (change.is === "roles" && change.keeps.length > 0 ? [change] : []));
  return parted(kept.map(({ keeps, key }) => `${codes(keeps)} ${keyCell(key)}`));
}

/** The lines that ask for it: the first of each call, of many the first two. */
export function placesCell(changes: readonly AccessChange[]): string {
  const places = new Set(changes.flatMap(({ because }) => placesWords(because.slice(0, 1)) ?? []));
  return codes([...places], 2);
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

function gainOf(change: AccessChange, privileged: RoleSet): readonly string[] {
  switch (change.is) {
    case "account":
      return [`an account in ${code(change.account)}`];
    case "membership":
      return [membershipWords(change)];
    case "roles":
      return roleGains(change, privileged);
  }
}

function membershipWords({ how, team }: MembershipChange): string {
  const place = `a place in ${code(team.name)}`;
  switch (how) {
    case "founder":
      return `${place}, as founder`;
    case "added":
      return `${place}, with a mail`;
    case "invited-again":
      return `one more mail about ${place}`;
  }
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

function lossOf(change: RoleChange): readonly string[] {
  const { loses, key, before, gains, keeps } = change;
  const left = gains.length + keeps.length === 0 ? ", which has none left" : "";
  if (before.known === "not-known") {
    return [left === "" ? `whatever else there was ${keyCell(key)}` : `all roles ${keyCell(key)}, before not known`];
  }
  if (loses.length === 0) return [];
  const source = before.known === "recorded" ? `, as recorded at ${code(before.at)}` : "";
  return [`${codes(loses)} ${keyCell(key)}${left}${source}`];
}
