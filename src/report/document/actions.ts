import { diffArrays } from "diff/lib/diff/array.js";
import {
  type Action,
  type ActionId,
  type AddMembers,
  type CreateUser,
  creationId,
  prefixOf,
  type ReplaceRoles,
} from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { definedFields } from "../../model/collections.ts";
import { type Fact, factValue, formatPlace, type Place } from "../../model/fact.ts";
import type { NamesInCalls, Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type Basis, createdByThisPlan, formatSubject, withoutCommon } from "../../model/subject.ts";
import { firstOf, formatCount, formatOwnership } from "../phrases.ts";
import { type Ink, type Inline, type Line, prose, row, type Span, value, values } from "./blocks.ts";

/** An action as the plan shows it: what it does, where the YAML asks for it, and what it sends. */
export function actionLines(action: Action, names: PlanNames): readonly Line[] {
  return [
    actionTitleLine(action, names),
    ...detailLines(action, names),
    ...ownershipLines(action.ownership),
    ...memberOwnershipLines(action, names),
    ...basisLines(additionalFacts(action)),
  ];
}

export function actionTitleLine(action: Action, names: PlanNames): Line {
  const { ink, mark } = actionMark(action);
  return row(2, [{ ink, text: mark }, ` ${actionTitle(action, names)}`], formatPlaces(action.because));
}

/** What an action sends, whose single memberships are, and the facts that it rests on and that were not read. */
export function actionDetailLines(action: Action, names: PlanNames): readonly Line[] {
  return [
    ...detailLines(action, names),
    ...memberOwnershipLines(action, names),
    ...basisLines(additionalFacts(action)),
  ];
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

/** The name of an action; its id where the plan is not at hand. */
export function actionLabel(id: ActionId, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? id : actionName(action, names);
}

/** The same as a span. */
export function actionSpan(id: ActionId, names: PlanNames): Span {
  return names.action(id) === undefined ? value(id) : actionLabel(id, names);
}

/** The first two places, and how many more there are. */
export function placesCell(places: readonly Place[]): Inline {
  return [values([...new Set(places.map(formatPlace))], 2)];
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

export function actionMark(action: Action): { readonly ink: Ink; readonly mark: "+" | "~" } {
  return action.kind === "replace-roles" ? { ink: "change", mark: "~" } : { ink: "add", mark: "+" };
}

export function actionTitle(action: Action, names: PlanNames): string {
  switch (action.kind) {
    case "create-user":
      return `create user ${action.user.email} (${fullName(action)}) in ${action.account}`;
    case "add-members":
      return `add to team ${teamName(action, names)}: ${peopleAndMails(action)}`;
    case "replace-roles":
      return `roles of ${keyName(action, names)}`;
  }
}

function detailLines(action: Action, names: PlanNames): readonly Line[] {
  switch (action.kind) {
    case "create-user":
      return [...profileLines(action), ...teamCreationLines(action, names)];
    case "add-members":
      return [prose(6, formatMembers(action, names))];
    case "replace-roles":
      return roleLines(action);
  }
}

function fullName({ user }: CreateUser): string {
  return `${user.firstName} ${user.lastName}`;
}

function teamName({ team, firstMember }: AddMembers, names: PlanNames): string {
  const what = firstMember === undefined ? (names.identifier(team) ?? "identifier unknown") : "new";
  return `${names.team(team)} (${what})`;
}

function peopleAndMails({ members }: AddMembers): string {
  return `${formatCount(members.length, "person", "people")}, ${formatCount(members.length, "mail")}`;
}

function formatMembers({ members }: AddMembers, names: PlanNames): string {
  const mark = (address: EmailKey) => (names.action(creationId(address)) === undefined ? "" : " (new)");
  return members.map(({ address }) => `${names.email(address)}${mark(address)}`).join(", ");
}

function profileLines({ user }: CreateUser): readonly Line[] {
  const fields = [
    ...(user.title === undefined ? [] : [`title ${user.title}`]),
    ...(user.externalIdentifier === undefined ? [] : [`external identifier ${user.externalIdentifier}`]),
    ...(user.source === undefined ? [] : [`source ${user.source}`]),
  ];
  return fields.length === 0 ? [] : [prose(6, fields.join(", "), "dim")];
}

function teamCreationLines({ createsTeam, user }: CreateUser, names: PlanNames): readonly Line[] {
  if (createsTeam === undefined) return [];
  const admin =
    createsTeam.admin === undefined ? " as its admin" : `, with the admin ${names.email(createsTeam.admin)}`;
  const roles = createsTeam.accessKeyRoles.join(", ");
  const lines = [prose(6, `creates team ${createsTeam.name}${admin}; team key roles ${roles}`)];
  if (createsTeam.temporaryRoles.length === 0) return lines;
  const privileges = createsTeam.temporaryRoles.join(", ");
  const warning = `! ${user.email} has ${privileges} for a short time, until the next call replaces the roles`;
  return [...lines, prose(6, warning, "alarm")];
}

/** The change of a key's roles, role by role; where the roles before are not known, the roles after it. */
function roleLines({ key, before, roles, ifInexact }: ReplaceRoles): readonly Line[] {
  if (before.known !== "unknown") {
    const unless = ifInexact ? [prose(6, "not sent if the key already has these roles", "dim")] : [];
    return [...sourceLines(before), ...changeLines(before.value, roles), ...unless];
  }
  const unless = ifInexact ? [{ ink: "dim", text: ", not sent if the key already has them" } as const] : [];
  const after = row(6, [`= ${roles.length === 0 ? "no roles" : `exactly ${roles.join(", ")}`}`, ...unless]);
  // A key that this plan brings about has no roles before.
  return key.of === "prefix" ? [after, prose(8, `roles before unknown: ${before.why}`, "dim")] : [after];
}

function changeLines(before: RoleSet, after: RoleSet): readonly Line[] {
  const changes = diffArrays([...before], [...after]);
  const lines = changes.flatMap(({ value, added, removed }) =>
    value.map((role) => {
      if (added) return row(6, [{ ink: "add", text: `+ ${role}` }]);
      if (removed) return row(6, [{ ink: "remove", text: `- ${role}` }]);
      return row(6, [{ ink: "dim", text: `  ${role}` }]);
    }),
  );
  return lines.length === 0 ? [row(6, [{ ink: "dim", text: "  no roles" }])] : lines;
}

function sourceLines(before: Exclude<Fact<RoleSet>, { known: "unknown" }>): readonly Line[] {
  switch (before.known) {
    case "observed":
      return [];
    case "recorded":
      return [prose(6, `roles before, as recorded at ${before.at}`, "dim")];
    case "declared":
      return [prose(6, `roles before, as declared at ${formatPlace(before.place)}`, "dim")];
  }
}

/** How many facts are shown one by one. */
const maxBasisLines = 3;

/** The facts that were not read in this run, each once: an action that rests on them rests on a record, on the roster or on nothing. */
export function basisLines(restsOn: readonly Basis[]): readonly Line[] {
  const words = [...new Set(restsOn.flatMap(formatBasis))];
  const shown = words.slice(0, maxBasisLines);
  if (words.length > shown.length) shown.push(formatMoreFacts(words.length - shown.length));
  return shown.map((text) => prose(6, text, "dim"));
}

/** The facts of an action, without the roles that a key had before: they are shown with what the action does. */
export function additionalFacts({ kind, restsOn }: Action): Action["restsOn"] {
  return kind === "replace-roles"
    ? restsOn.filter(({ about }) => about.kind !== "part" || about.part !== "roles")
    : restsOn;
}

function formatMoreFacts(count: number): string {
  return count === 1 ? "and 1 more fact that was not read" : `and ${count} more facts that were not read`;
}

function formatBasis({ about, fact }: Basis): readonly string[] {
  switch (fact.known) {
    case "observed":
      return [];
    case "recorded":
      return [`as recorded at ${fact.at}: ${formatSubject(about)}: ${fact.value}`];
    case "declared":
      return [`as ${formatPlace(fact.place)} says: ${formatSubject(about)}: ${fact.value}`];
    case "unknown":
      return fact.why === createdByThisPlan ? [] : [`unknown: ${formatSubject(about)}: ${fact.why}`];
  }
}

/** Whose something is, below what is said of it. */
export function ownershipLines(ownership: Ownership | undefined, before = ""): readonly Line[] {
  return ownership === undefined ? [] : [prose(6, `${before}${formatOwnership(ownership)}`, "dim")];
}

/** How many people of an addition are shown with what is theirs alone. */
const maxPeople = 5;

/** What is said of single memberships, besides what is said of the team. */
function memberOwnershipLines(action: Action, names: PlanNames): readonly Line[] {
  if (action.kind !== "add-members") return [];
  const { members, ownership } = action;
  const own = members.flatMap(({ address, ownership: whose }) => {
    const rest = withoutCommon(whose, ownership);
    return rest === undefined ? [] : [{ email: names.email(address), rest }];
  });
  const { shown, more } = firstOf(own, maxPeople);
  return [
    ...shown.flatMap(({ email, rest }) => ownershipLines(rest, `${email}: `)),
    ...(more === 0
      ? []
      : [prose(6, `and ${formatCount(more, "more person", "more people")} with an owner or note`, "dim")]),
  ];
}

/** What a plan calls its people, teams and actions, for reports that know only their keys. */
export interface PlanNames {
  action(id: ActionId): Action | undefined;
  /** The address as it is written in the roster; folded where the plan does not name this person. */
  email(address: EmailKey): string;
  team(team: TeamKey): string;
  /** The service's own identifier of a team, where it is known. */
  identifier(team: TeamKey): string | undefined;
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
export const noNames: PlanNames = {
  action: () => undefined,
  email: (address) => address,
  team: (team) => team,
  identifier: () => undefined,
};

function readNames(plan: Plan): PlanNames {
  const actions = new Map<ActionId, Action>(plan.actions.map((action) => [action.id, action]));
  return {
    action: (id) => actions.get(id),
    email: (address) => plan.users.get(address)?.email ?? address,
    team: (team) => plan.teams.get(team)?.name ?? team,
    identifier: (team) => identifierOf(team, plan),
  };
}

function identifierOf(team: TeamKey, { teams }: NamesInCalls): string | undefined {
  const named = teams.get(team);
  return named && factValue(named.identifier);
}

/** A team as a plan names it. */
export interface ActionTeam {
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  /** The service's own identifier, where it is known. */
  readonly identifier?: string;
}

/** The teams that a plan names, where it first names them. */
export function teamsOfPlan(plan: NamesInCalls): readonly ActionTeam[] {
  return [...plan.teams].map(([team, { name, account }]) => {
    return { team, name, account, ...definedFields({ identifier: identifierOf(team, plan) }) };
  });
}

/** `4 calls`; `up to 5 calls` where some are not sent if an answer shows that they are not needed. The same words everywhere. */
export function formatCallCount(actions: readonly Action[]): string {
  const isSure = actions.every((action) => action.kind !== "replace-roles" || !action.ifInexact);
  return `${isSure ? "" : "up to "}${formatCount(actions.length, "call")}`;
}
