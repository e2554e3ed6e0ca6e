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
  withoutCommonAccount,
} from "../access/access-change.ts";
import { accessChanges, type PrivilegedKey, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import { formatHolderCount, holderName, teamLabel } from "./access.ts";
import { formatPlaces } from "./actions.ts";
import { andMore, type Inline, joinInline, phrase, phrases, type Section, strong, values, words } from "./blocks.ts";
import { type PersonNode, planTree, type TeamNode } from "./plan-tree.ts";

interface AccessTableOptions {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
  /** Of a run this is what was planned, whatever came of it; of a drift it is what apply would do. */
  readonly is: "to-do" | "planned" | "repair";
  /** Where all of it is shown. */
  readonly whole: Inline;
}

/** Who gains and loses which access by a plan: privileged roles, then team by team, then person by person. */
export function accessTables(plan: Plan, { privileged, shown, is, whole }: AccessTableOptions): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const known = { privileged, shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, known) : [])),
  );
  const planned = { "to-do": "", planned: ", as planned", repair: ", changed by apply" }[is];
  const usual = mostCommonAccount(accountsToShow(plan.actions));
  const teams = planTree(plan).flatMap((node) => (node.is === "team" ? [node] : []));
  const people = formatHolderCount(accesses.map(({ who }) => who));
  return [
    {
      title: `Privileged roles${planned} (${privileges.length})`,
      is: "open",
      body: {
        kind: "table",
        ...(shown === undefined ? { note: otherKeysUnknown } : {}),
        columns: ["who", "gains or loses", "where", "asked for at"],
        rows: privileges,
      },
      rank: 3,
      leftOut: andMore(whole, "more change of privileged roles", "more changes of privileged roles"),
    },
    {
      title: `By team${planned} (${teams.length})`,
      is: "open",
      body: {
        kind: "table",
        columns: ["team", "administrator", "joins, each with a mail", "gets other roles", "mails", "calls at most"],
        rows: teams.map((team) => teamRow(team, privileged)),
      },
      rank: 40,
      leftOut: andMore(whole, "more team"),
    },
    {
      title: `By person${planned} (${people === "" ? 0 : people})`,
      is: "open",
      body: {
        kind: "table",
        note: personNote(accesses, usual),
        columns: ["who", "gains", "loses", "keeps on the same keys", "asked for at"],
        rows: accesses.map(({ who, changes }) =>
          personRow({ who, changes: changes.map((change) => withoutCommonAccount(change, usual)) }, privileged),
        ),
      },
      rank: 50,
      leftOut: andMore(whole, "more person", "more people"),
    },
  ];
}

const otherKeysUnknown = words("A saved plan does not say on which other keys these people have such roles.");

/** What would be repeated in many rows. */
function personNote(accesses: readonly PersonAccess[], usual: string | undefined): Inline {
  const changes = accesses.flatMap((access) => access.changes);
  const joins = changes.some(isAddition) ? words(" Whoever joins a team is mailed.") : [];
  const isBare = (change: AccessChange) =>
    change.is === "roles" && change.key.of === "own-key" && change.after === "whatever-comes";
  const own = changes.some(isBare)
    ? words(
        " A new user who founds no team gets an own key too, with the roles that the service gives it, unless the row says which.",
      )
    : [];
  const accounts = usual === undefined ? [] : phrase` Teams are of ${usual} where no other account is said.`;
  return phrase`Keys that stay as they are do not stand here.${joins}${own}${accounts}`;
}

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
  const gain = change.before.known === "not-known" ? "is to have (before not known)" : "gains";
  const already = otherKeys("has it already", privilegedKeysOf(shown, { who, roles: gains }));
  const still = otherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`${strong(words(gain))} ${values(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`${strong(words("holds for a moment"))} ${values(forAMoment)}`]),
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

/** A team: who founds and administers it, who joins it with which roles, and whose roles there change to which. */
function teamRow(team: TeamNode, privileged: RoleSet): readonly Inline[] {
  const { name, account, identifier, founding, people, mails, actions } = team;
  const title =
    founding === undefined
      ? phrase`${name}${identifier === undefined ? [] : phrase` (${identifier})`} in ${account}`
      : phrase`${name} ${strong(words("new"))} in ${account}, founded with ${founding.founder}`;
  const joining = people.filter(({ changes }) => changes.some(isAddition));
  const others = people.filter(({ changes }) => changes.every(({ is }) => is === "roles"));
  const onTeamKeys = (format: typeof newRoles) => (person: PersonNode) =>
    joinInline(
      teamKeyChanges(person.changes).map((change) => format(change, privileged)),
      ", ",
    );
  return [
    title,
    founding === undefined ? [] : phrase`${founding.admin}`,
    groupedPeople(joining, onTeamKeys(newRoles)),
    groupedPeople(others, onTeamKeys(roleDifference)),
    phrase`${mails}`,
    phrase`${actions.length}`,
  ];
}

/** Changes of team keys. A new own key is in the row of the person. */
function teamKeyChanges(changes: readonly AccessChange[]): readonly RoleChange[] {
  return changes.flatMap((change) => (change.is === "roles" && change.key.of === "team-key" ? [change] : []));
}

/** People with the same change together: how many, what, and the first of them. */
function groupedPeople(people: readonly PersonNode[], changeOf: (person: PersonNode) => Inline): Inline {
  const groups = new Map<string, { readonly change: Inline; readonly names: string[] }>();
  for (const person of people) {
    const change = changeOf(person);
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, names: [] };
    group.names.push(person.who.is === "person" ? person.who.email : person.who.prefix);
    groups.set(key, group);
  }
  const max = groups.size === 1 ? 6 : 3;
  return phrases(
    [...groups.values()].map(({ change, names }) => {
      const what = change.length === 0 ? [] : phrase` ${change}`;
      return phrase`${names.length}${what}: ${values(names, max)}`;
    }),
  );
}

/** Whether a person joins a team and gets a mail. */
function isAddition(change: AccessChange): boolean {
  return change.is === "membership" && change.how !== "founder";
}

function personRow(access: PersonAccess, privileged: RoleSet): readonly Inline[] {
  const { who, changes } = access;
  const leaver = changes.some(({ rule }) => rule === "leaver-roles-removed") ? words(", a leaver") : [];
  const kept = changes.flatMap((change) => (change.is === "roles" && change.keeps.length > 0 ? [change] : []));
  return [
    phrase`${holderName(who)}${leaver}`,
    gains(access, privileged),
    phrases(changes.flatMap((change) => (change.is === "roles" ? roleLosses(change) : []))),
    phrases(kept.map(({ keeps, key }) => phrase`${values(keeps)} ${changedKey(key)}`)),
    firstPlaces(changes),
  ];
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

/** What a person gains; a membership together with the roles of its new key. */
function gains({ changes }: PersonAccess, privileged: RoleSet): Inline {
  const keys = new Map(
    changes.flatMap((change) => (change.is === "membership" ? [[change, newKeyOf(change, changes)]] : [])),
  );
  const withPlaces = new Set<AccessChange | undefined>(keys.values());
  return phrases(
    changes.flatMap((change): readonly Inline[] => {
      if (change.is === "account") return [phrase`${strong(words("new"))} user in ${change.account}`];
      if (change.is === "membership") return [membership(change, keys.get(change), privileged)];
      return withPlaces.has(change) ? [] : roleGains(change, privileged);
    }),
  );
}

/** The key that comes with a membership. */
function newKeyOf({ team, how }: MembershipChange, changes: readonly AccessChange[]): RoleChange | undefined {
  if (how === "invitation-resent") return undefined;
  return teamKeyChanges(changes).find(
    ({ key, before }) => key.of === "team-key" && key.team.team === team.team && before.known === "new-key",
  );
}

function membership({ how, team }: MembershipChange, key: RoleChange | undefined, privileged: RoleSet): Inline {
  const roles = key === undefined ? [] : phrase` ${newRoles(key, privileged)}`;
  switch (how) {
    case "founder":
      return phrase`founds ${teamLabel(team)}${roles}`;
    case "added":
      return phrase`joins ${teamLabel(team)}${roles}`;
    case "invitation-resent":
      return phrase`one more mail about ${teamLabel(team)}`;
  }
}

/** What a key has afterwards: `with DEVELOPER`. */
function newRoles({ gains, keeps, after, forAMoment }: RoleChange, privileged: RoleSet): Inline {
  if (after === "whatever-comes") return words("with whatever roles the service gives");
  const more = after === "at-least" ? words(" and what the service adds") : [];
  const moment = forAMoment.length === 0 ? [] : phrase`, and ${strong([values(forAMoment)])} for a moment`;
  return phrase`with ${roleList(roleSet([...gains, ...keeps]), privileged)}${more}${moment}`;
}

/** The first line that asks for each call. */
function firstPlaces(changes: readonly AccessChange[]): Inline {
  const places = new Set(changes.flatMap(({ because }) => formatPlaces(because.slice(0, 1)) ?? []));
  return [values([...places], 2)];
}

/** What a change does to a key that is there: `gaining DEVELOPER, losing AUDITOR`. */
function roleDifference({ gains, loses, keeps, before }: RoleChange, privileged: RoleSet): Inline {
  if (before.known === "not-known") {
    return phrase`with exactly ${roleList(roleSet([...gains, ...keeps]), privileged)} (before not known)`;
  }
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`gaining ${roleList(gains, privileged)}`]),
    ...(loses.length === 0 ? [] : [phrase`losing ${roleList(loses, privileged)}`]),
  ];
  return joinInline(parts, ", ");
}

/** Privileged roles first, in bold. */
function roleList(roles: RoleSet, privileged: RoleSet): Inline {
  if (roles.length === 0) return words("no roles");
  const first = roles.filter((role) => privileged.includes(role));
  const others = roles.filter((role) => !privileged.includes(role));
  const parts = [
    ...(first.length === 0 ? [] : [phrase`${strong([values(first)])} (privileged)`]),
    ...(others.length === 0 ? [] : [[values(others)]]),
  ];
  return joinInline(parts, ", ");
}

function roleGains(change: RoleChange, privileged: RoleSet): readonly Inline[] {
  const { gains, key, after, forAMoment, before } = change;
  if (after === "whatever-comes") {
    return key.of === "own-key" ? [] : [phrase`whatever roles the service gives ${changedKey(key)}`];
  }
  const more = after === "at-least" ? words(" and what the service adds") : [];
  const unknown = before.known === "not-known" ? words(", before not known") : [];
  return [
    ...(gains.length === 0 ? [] : [phrase`${roleList(gains, privileged)}${more} ${changedKey(key)}${unknown}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`${strong([values(forAMoment)])} for a moment ${changedKey(key)}`]),
  ];
}

function roleLosses({ loses, key, before, gains, keeps }: RoleChange): readonly Inline[] {
  const isLast = gains.length + keeps.length === 0;
  if (before.known === "not-known") {
    if (isLast) return [phrase`all roles ${changedKey(key)}, before not known`];
    return [phrase`whatever else there was ${changedKey(key)}`];
  }
  if (loses.length === 0) return [];
  const left = isLast ? words(", which has none left") : [];
  const source = before.known === "recorded" ? phrase`, as recorded at ${before.at}` : [];
  return [phrase`${values(loses)} ${changedKey(key)}${left}${source}`];
}
