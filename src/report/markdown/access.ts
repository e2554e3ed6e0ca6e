import type { Plan } from "../../model/plan.ts";
import { type RoleSet, roleSet } from "../../model/role-set.ts";
import {
  type AccessChange,
  type AccessHolder,
  accountsToShow,
  type ChangedKey,
  type MembershipChange,
  mostCommonAccount,
  type PersonAccess,
  privilegeChange,
  type RoleChange,
  type TeamLabel,
  withoutCommonAccount,
} from "../access/access-change.ts";
import { accessChanges, type PrivilegedKey, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import { formatHolderCount } from "../access/format-access.ts";
import { formatCount } from "../phrases.ts";
import { formatPlaces } from "../views/people.ts";
import { type PersonNode, planTree, type TeamNode } from "../views/plan-tree.ts";
import { code, codes, joinCell } from "./safe-markdown.ts";
import { type Section, tableHead, tableRow } from "./sections.ts";

interface AccessSectionOptions {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
  /** Of a run this is what was planned, whatever came of it. */
  readonly is: "to-do" | "planned";
  /** Where all of it is told. */
  readonly whole: string;
}

/** Who gains and loses which access by a plan: privileged roles, then team by team, then person by person. */
export function accessSections(plan: Plan, { privileged, shown, is, whole }: AccessSectionOptions): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const held = { privileged, shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, held) : [])),
  );
  const planned = is === "planned" ? ", as planned" : "";
  const usual = mostCommonAccount(accountsToShow(plan.actions));
  const teams = planTree(plan).flatMap((node) => (node.is === "team" ? [node] : []));
  const people = formatHolderCount(accesses.map(({ who }) => who));
  return [
    accessTable({
      title: `Privileged roles${planned} (${privileges.length})`,
      ...(shown === undefined ? { note: otherKeysUnknown } : {}),
      head: ["who", "gains or loses", "where", "asked for at"],
      rows: privileges,
      rank: 3,
      more: (count) => `… and ${formatCount(count, "more change")} of privileged roles: ${whole}`,
    }),
    accessTable({
      title: `By team${planned} (${teams.length})`,
      head: ["team", "administrator", "joins, each with a mail", "gets other roles", "mails", "calls at most"],
      rows: teams.map((team) => teamRow(team, privileged)),
      rank: 40,
      more: (count) => `… and ${formatCount(count, "more team")}: ${whole}`,
    }),
    accessTable({
      title: `By person${planned} (${people === "" ? 0 : people})`,
      note: personNote(accesses, usual),
      head: ["who", "gains", "loses", "keeps on the same keys", "asked for at"],
      rows: accesses.map(({ who, changes }) =>
        personRow({ who, changes: changes.map((change) => withoutCommonAccount(change, usual)) }, privileged),
      ),
      rank: 50,
      more: (count) => `… and ${formatCount(count, "more person", "more people")}: ${whole}`,
    }),
  ].filter(({ rows }) => rows.length > 0);
}

const otherKeysUnknown = "A saved plan does not say on which other keys these people have such roles.";

interface AccessTable extends Pick<Section, "rows" | "rank" | "more"> {
  readonly title: string;
  /** What holds of every row. */
  readonly note?: string;
  readonly head: readonly string[];
}

function accessTable({ title, note, head, rows, rank, more }: AccessTable): Section {
  const before = [...(note === undefined ? [] : [`${note}\n`]), ...tableHead(head)];
  return { title, is: "open", before, rows, rank, more, between: "nothing" };
}

/** What would stand in many a row. */
function personNote(accesses: readonly PersonAccess[], usual: string | undefined): string {
  const changes = accesses.flatMap((access) => access.changes);
  const joins = changes.some(isAddition) ? " Whoever joins a team is mailed." : "";
  const isBare = (change: AccessChange) =>
    change.is === "roles" && change.key.of === "own-key" && change.after === "whatever-comes";
  const own = changes.some(isBare)
    ? " A new user who founds no team gets an own key too, with the roles that the service gives it, unless the row says which."
    : "";
  const accounts = usual === undefined ? "" : ` Teams are of ${code(usual)} where no other account is said.`;
  return `Keys that stay as they are do not stand here.${joins}${own}${accounts}`;
}

function personRow(access: PersonAccess, privileged: RoleSet): string {
  const leaves = access.changes.some(({ rule }) => rule === "leaver-disarmed") ? ", a leaver" : "";
  const { changes } = access;
  return tableRow([
    `${holderCell(access.who)}${leaves}`,
    gainsCell(access, privileged),
    losesCell(access),
    keepsCell(access),
    placesCell(changes),
  ]);
}

/** What is known of privileges beside the change that is told. */
interface PrivilegeRowContext {
  readonly privileged: RoleSet;
  readonly shown: readonly PrivilegedKey[];
  /** Once the plan is done. */
  readonly left: readonly PrivilegedKey[];
}

/** Who gains or loses a privileged role, or has one for a moment, and on which other keys they have it; nothing of other changes. */
function privilegeRows(
  who: AccessHolder,
  change: RoleChange,
  { privileged, shown, left }: PrivilegeRowContext,
): readonly string[] {
  const { key, before } = change;
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const gain = before.known === "not-known" ? "is to have (before not known)" : "gains";
  const already = formatOtherKeys("has it already", privilegedKeysOf(shown, { who, roles: gains }));
  const still = formatOtherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const told = [
    ...(gains.length === 0 ? [] : [`**${gain}** ${codes(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [`**holds for a moment** ${codes(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [`**loses** ${codes(loses)}${still}`]),
  ];
  if (told.length === 0) return [];
  return [tableRow([holderCell(who), told.join(", "), keyCell(key), placesCell([change])])];
}

/** `, **still has it** in \`Ops\``: other keys of the same person. */
function formatOtherKeys(verb: string, keys: readonly PrivilegedKey[]): string {
  if (keys.length === 0) return "";
  const places = keys.map(({ team, prefix }) =>
    team === undefined ? `on the key ${code(prefix)}` : `in ${code(team)}`,
  );
  return `, **${verb}** ${places.slice(0, 3).join(" and ")}${places.length > 3 ? ` and on ${places.length - 3} more keys` : ""}`;
}

/** A team: who founds and administers it, who joins it with which roles, and whose roles there change to which. */
function teamRow(team: TeamNode, privileged: RoleSet): string {
  const { name, account, identifier, founding, people, mails, actions } = team;
  const known = founding === undefined ? (identifier === undefined ? "" : ` (${code(identifier)})`) : " **new**";
  const joining = people.filter(({ changes }) => changes.some(isAddition));
  const others = people.filter(({ changes }) => changes.every(({ is }) => is === "roles"));
  return tableRow([
    `${code(name)}${known} in ${code(account)}${founding === undefined ? "" : `, founded with ${code(founding.founder)}`}`,
    founding === undefined ? "" : code(founding.admin),
    groupedCell(joining, ({ changes }) =>
      teamKeyChanges(changes)
        .map((key) => formatNewRoles(key, privileged))
        .join(", "),
    ),
    groupedCell(others, ({ changes }) =>
      teamKeyChanges(changes)
        .map((key) => formatRoleChange(key, privileged))
        .join(", "),
    ),
    `${mails}`,
    `${actions.length}`,
  ]);
}

/** What happens to the key of somebody in this team; of a new own key the row of the person tells. */
function teamKeyChanges(changes: readonly AccessChange[]): readonly RoleChange[] {
  return changes.flatMap((change) => (change.is === "roles" && change.key.of === "team-key" ? [change] : []));
}

/** Those to whom the same happens together: how many, what, and the first of them. */
function groupedCell(people: readonly PersonNode[], wordsOf: (person: PersonNode) => string): string {
  const alike = new Map<string, AccessHolder[]>();
  for (const person of people) {
    const words = wordsOf(person);
    const holders = alike.get(words);
    if (holders === undefined) alike.set(words, [person.who]);
    else holders.push(person.who);
  }
  const most = alike.size === 1 ? 6 : 3;
  return joinCell(
    [...alike].map(([words, holders]) => {
      const names = holders.map((who) => (who.is === "person" ? who.email : who.prefix));
      return `${holders.length}${words === "" ? "" : ` ${words}`}: ${codes(names, most)}`;
    }),
  );
}

/** Whether somebody comes into a team who is mailed about it. */
function isAddition(change: AccessChange): boolean {
  return change.is === "membership" && change.how !== "founder";
}

/** Who it is, and whether the plan creates them. */
function holderCell(who: AccessHolder): string {
  if (who.is === "key") return `key ${code(who.prefix)}`;
  return who.name === undefined ? code(who.email) : `${code(who.email)} (${code(who.name)})`;
}

/** `in \`Ops\``, `on the own key`, `on the key \`p1\``. */
function keyCell(key: ChangedKey): string {
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
function gainsCell({ changes }: PersonAccess, privileged: RoleSet): string {
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
function formatNewRoles({ gains, keeps, after, forAMoment }: RoleChange, privileged: RoleSet): string {
  if (after === "whatever-comes") return "with whatever roles the service gives";
  const roles = roleSet([...gains, ...keeps]);
  const more = after === "at-least" ? " and what the service adds" : "";
  const moment = forAMoment.length === 0 ? "" : `, and **${codes(forAMoment)}** for a moment`;
  return `with ${roles.length === 0 ? "no roles" : rolesCell(roles, privileged)}${more}${moment}`;
}

/** What somebody had and has no more. */
function losesCell({ changes }: PersonAccess): string {
  return joinCell(changes.flatMap((change) => (change.is === "roles" ? roleLosses(change) : [])));
}

/** Roles that stay on keys which change. */
function keepsCell({ changes }: PersonAccess): string {
  const kept = changes.flatMap((change) => (change.is === "roles" && change.keeps.length > 0 ? [change] : []));
  return joinCell(kept.map(({ keeps, key }) => `${codes(keeps)} ${keyCell(key)}`));
}

/** The lines that ask for it: the first of each call, of many the first two. */
function placesCell(changes: readonly AccessChange[]): string {
  const places = new Set(changes.flatMap(({ because }) => formatPlaces(because.slice(0, 1)) ?? []));
  return codes([...places], 2);
}

/** What a change does to a key that is there: `gaining \`DEVELOPER\`, losing \`AUDITOR\``. */
function formatRoleChange({ gains, loses, keeps, before }: RoleChange, privileged: RoleSet): string {
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
