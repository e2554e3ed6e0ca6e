import { diffArrays } from "diff/lib/diff/array.js";
import { formatCount } from "../../codes/message.ts";
import { type Action, type ActionId, creationId, prefixOf, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { type Fact, factValue, formatPlace, type Place } from "../../model/fact.ts";
import type { NamesInCalls, Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type Basis, createdByThisPlan, formatSubject, withoutCommon } from "../../model/subject.ts";
import { teamKeyOf } from "../../model/team.ts";
import { firstOf, formatOwnership } from "../phrases.ts";
import {
  type Block,
  type Entry,
  entry,
  type Line,
  line,
  lines,
  markInks,
  type Paragraph,
  type Span,
  sentence,
  value,
} from "./tree.ts";

/** An action: what it does, where the YAML asks for it, what it changes, whose it is, and the facts that were not read. */
export function actionEntry(action: Action, names: PlanNames): Entry {
  return {
    ...actionTitle(action, names),
    notes: [
      ...changeBlocks(action, names),
      ...ownershipNotes(action.ownership),
      ...memberOwnershipNotes(action, names),
      ...unreadFacts(additionalFacts(action)),
    ],
  };
}

export function actionTitle(action: Action, names: PlanNames): Entry {
  const mark = action.kind === "replace-roles" ? "~" : "+";
  const place = formatPlaces(action.because);
  return entry([titleText(action, names)], { mark, ink: markInks[mark], place, actions: [action.id] });
}

function titleText(action: Action, names: PlanNames): string {
  switch (action.kind) {
    case "create-user":
      return `create user ${action.user.email} (${action.user.firstName} ${action.user.lastName}) in ${action.account}`;
    case "add-members": {
      const { team, members, firstMember } = action;
      const which = firstMember === undefined ? (names.identifier(team) ?? "identifier unknown") : "new";
      const count = `${formatCount(members.length, "person", "people")}, ${formatCount(members.length, "mail")}`;
      return `add to team ${names.team(team)} (${which}): ${count}`;
    }
    case "replace-roles":
      return `roles of ${keyName(action, names)}`;
  }
}

/** An action in a few words, such as `create user ada@acme.example`. */
export function actionName(action: Action, names: PlanNames): string {
  switch (action.kind) {
    case "create-user":
      return `create user ${action.user.email}`;
    case "add-members":
      return `add ${formatCount(action.members.length, "person", "people")} to team ${names.team(action.team)}`;
    case "replace-roles":
      return `replace the roles of ${keyName(action, names)}`;
  }
}

export function actionLabel(id: ActionId, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? id : actionName(action, names);
}

export function actionSpan(id: ActionId, names: PlanNames): Span {
  return names.action(id) === undefined ? value(id) : actionLabel(id, names);
}

/** `people.yaml:3:5 (+1)`; nothing where no line asks for it. */
export function formatPlaces(places: readonly Place[]): string | undefined {
  const [first, ...others] = places;
  if (first === undefined) return undefined;
  return others.length === 0 ? formatPlace(first) : `${formatPlace(first)} (+${others.length})`;
}

/** Whose key it is, such as `ada@acme.example's key in Data Science (12pref1x121)`. */
export function keyName(action: ReplaceRoles, names: PlanNames): string {
  const { key } = action;
  switch (key.of) {
    case "own-key":
      return `${names.email(key.address)}'s own key`;
    case "team-key":
      return `${names.email(key.address)}'s key in ${names.team(key.team)}`;
    case "prefix": {
      const what = key.own === true ? "own key" : "key";
      const whose = key.address === undefined ? what : `${names.email(key.address)}'s ${what}`;
      const where = key.team === undefined ? "" : ` in ${names.team(key.team)}`;
      return `${whose}${where} (${prefixOf(action) ?? "prefix unknown"})`;
    }
  }
}

function changeBlocks(action: Action, names: PlanNames): readonly Block[] {
  switch (action.kind) {
    case "create-user": {
      const { user, createsTeam } = action;
      if (createsTeam === undefined) return [];
      const { name, admin, accessKeyRoles, temporaryRoles } = createsTeam;
      const by = admin === undefined ? " and becomes its admin" : `, with the admin ${names.email(admin)}`;
      const brief = `! ${user.email} has ${temporaryRoles.join(", ")} for a short time, until the next call replaces the roles`;
      return [
        sentence(`creates team ${name}${by}; roles of the team key: ${accessKeyRoles.join(", ")}`),
        ...(temporaryRoles.length === 0 ? [] : [sentence(brief, "alarm")]),
      ];
    }
    case "add-members": {
      const isNew = (address: EmailKey) => names.action(creationId(address)) !== undefined;
      const members = action.members.map(({ address }) => `${names.email(address)}${isNew(address) ? " (new)" : ""}`);
      return [sentence(members.join(", "))];
    }
    case "replace-roles":
      return roleBlocks(action);
  }
}

function roleBlocks({ key, before, roles, ifInexact }: ReplaceRoles): readonly Block[] {
  const unless = ifInexact ? [sentence("not sent if the key already has these roles", "dim")] : [];
  const source = before.known === "observed" ? [] : [sentence(`roles ${formatBefore(before)}`, "dim")];
  if (before.known !== "unknown") return [...source, ...lines(roleDifference(before.value, roles)), ...unless];
  const exactly = sentence(`= ${roles.length === 0 ? "no roles" : `exactly ${roles.join(", ")}`}`);
  // A key that this plan brings about has no roles before.
  return [exactly, ...(key.of === "prefix" ? source : []), ...unless];
}

function roleDifference(before: RoleSet, after: RoleSet): readonly Line[] {
  const all = diffArrays([...before], [...after]).flatMap(({ value: roles, added, removed }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return roles.map((role) => line(0, [{ ink: sign === " " ? "dim" : markInks[sign], text: `${sign} ${role}` }]));
  });
  return all.length === 0 ? [line(0, [{ ink: "dim", text: "  no roles" }])] : all;
}

export function formatBefore(before: Fact<unknown>): string {
  return before.known === "unknown" ? `before unknown: ${before.why}` : `before: ${formatSource(before)}`;
}

export function formatSource(fact: Fact<unknown>): string {
  switch (fact.known) {
    case "observed":
      return fact.by === "clock" ? "from the clock" : `read by ${fact.by}`;
    case "recorded":
      return `recorded at ${fact.at}`;
    case "declared":
      return `from ${formatPlace(fact.place)}`;
    case "unknown":
      return fact.why;
  }
}

/** `roles of key p1: DEVELOPER (read by search 1)`. */
export function formatBasis({ about, fact }: Basis): string {
  const is = fact.known === "unknown" ? `unknown: ${fact.why}` : `${fact.value} (${formatSource(fact)})`;
  return `${formatSubject(about)}: ${is}`;
}

const maxFacts = 3;

/** The facts that were not read in this run, each once: an action that rests on them rests on a record, on the roster or on nothing. */
export function unreadFacts(restsOn: readonly Basis[]): readonly Paragraph[] {
  const unread = restsOn.filter(({ about, fact }) => {
    // What an entry says of its own user stands at the right, as its place.
    if (fact.known === "declared") return about.kind !== "user";
    return fact.known === "recorded" || (fact.known === "unknown" && fact.why !== createdByThisPlan);
  });
  const texts = [...new Set(unread.map(formatBasis))];
  const more = texts.length - maxFacts;
  const rest = more > 0 ? [`and ${formatCount(more, "more fact that was", "more facts that were")} not read`] : [];
  return [...texts.slice(0, maxFacts), ...rest].map((text) => sentence(text, "dim"));
}

/** The facts of an action, without the roles that a key had before: they are shown with what the action does. */
export function additionalFacts({ kind, restsOn }: Action): Action["restsOn"] {
  const isRoles = ({ about }: Basis) => about.kind === "part" && about.part === "roles";
  return kind === "replace-roles" ? restsOn.filter((one) => !isRoles(one)) : restsOn;
}

export function ownershipNotes(ownership: Ownership | undefined, before = ""): readonly Paragraph[] {
  return ownership === undefined ? [] : [sentence(`${before}${formatOwnership(ownership)}`, "dim")];
}

/** What is said of single memberships, besides what is said of the team. */
function memberOwnershipNotes(action: Action, names: PlanNames): readonly Paragraph[] {
  if (action.kind !== "add-members") return [];
  const own = action.members.flatMap(({ address, ownership }) =>
    ownershipNotes(withoutCommon(ownership, action.ownership), `${names.email(address)}: `),
  );
  const { shown, more } = firstOf(own, 5);
  const rest = `and ${formatCount(more, "more person", "more people")} with an owner or note`;
  return [...shown, ...(more === 0 ? [] : [sentence(rest, "dim")])];
}

/** What a plan calls its people, teams and actions, for reports that know only their keys. */
export interface PlanNames {
  action(id: ActionId): Action | undefined;
  /** The address as it is written in the roster; folded where the plan does not name this person. */
  email(address: EmailKey): string;
  team(team: TeamKey): string;
  /** The same, with its account where the plan is about several, and with its identifier where two teams share a name. */
  teamInFull(team: TeamKey): string;
  identifier(team: TeamKey): string | undefined;
  /** It is about several accounts: then the name of a team does not say which is meant. */
  readonly severalAccounts: boolean;
}

/** What `read` makes of a thing, read once of each, however often it is asked for. */
export function onceOfEach<Key extends object, Value extends object>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

export const planNames = onceOfEach(readNames);

/** The names of a run whose plan is not at hand. */
export const noNames = readNames({ actions: [], users: new Map(), teams: new Map() });

function readNames(plan: Pick<Plan, "actions" | "users" | "teams">): PlanNames {
  const actions = new Map<ActionId, Action>(plan.actions.map((action) => [action.id, action]));
  const teams = teamsOfPlan(plan);
  const teamsByKey = new Map(teams.map((one) => [one.team, one]));
  const created = plan.actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  const severalAccounts = new Set([...teams.map(({ account }) => account), ...created]).size > 1;
  const sameName = groupBy(teams, ({ account, name }) => teamKeyOf(account, name));
  const full = new Map(
    teams.map(({ team, name, account, identifier }) => {
      const isTwin = (sameName.get(teamKeyOf(account, name)) ?? []).length > 1;
      const twin = isTwin && identifier !== undefined ? ` (${identifier})` : "";
      return [team, `${name}${twin}${severalAccounts ? ` of ${account}` : ""}`];
    }),
  );
  return {
    action: (id) => actions.get(id),
    email: (address) => plan.users.get(address)?.email ?? address,
    team: (team) => plan.teams.get(team)?.name ?? team,
    teamInFull: (team) => full.get(team) ?? team,
    identifier: (team) => teamsByKey.get(team)?.identifier,
    severalAccounts,
  };
}

export interface ActionTeam {
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  readonly identifier: string | undefined;
}

/** The teams that a plan names, where it first names them. */
export function teamsOfPlan({ teams }: NamesInCalls): readonly ActionTeam[] {
  return [...teams].map(([team, { name, account, identifier }]) => {
    return { team, name, account, identifier: factValue(identifier) };
  });
}

/** `4 calls`; `4–5 calls` where some are not sent if an answer shows that they are not needed. The same words everywhere. */
export function formatCallCount(actions: readonly Action[]): string {
  const sure = actions.filter((action) => action.kind !== "replace-roles" || !action.ifInexact).length;
  return `${sure === actions.length ? "" : `${sure}–`}${formatCount(actions.length, "call")}`;
}
