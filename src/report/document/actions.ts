import { diffArrays } from "diff/lib/diff/array.js";
import type { Action, ActionId, AddMembers, CreateUser, PersonRef, ReplaceRoles, TeamRef } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Fact, factValue, formatPlace, type Place } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type Basis, createdByThisPlan, formatSubject, type Ownership, withoutCommon } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import { firstOf, formatCount, formatOwnership } from "../phrases.ts";
import { type Ink, type Inline, type Line, prose, row, type Span, value, values } from "./blocks.ts";

/** An action as the plan shows it: what it does, where the YAML asks for it, and what it sends. */
export function actionLines(action: Action, names: PlanNames): readonly Line[] {
  return [
    actionTitleLine(action, names),
    ...detailLines(action),
    ...ownershipLines(action.ownership),
    ...memberOwnershipLines(action),
    ...basisLines(additionalFacts(action)),
  ];
}

export function actionTitleLine(action: Action, names: PlanNames): Line {
  const { ink, mark } = actionMark(action);
  return row(2, [{ ink, text: mark }, ` ${actionTitle(action, names)}`], formatPlaces(action.because));
}

/** What an action sends, whose single memberships are, and the facts that it rests on and that were not read. */
export function actionDetailLines(action: Action): readonly Line[] {
  return [...detailLines(action), ...memberOwnershipLines(action), ...basisLines(additionalFacts(action))];
}

/** An action in a few words, such as `create user ada@acme.example`. */
export function actionName(action: Action, names: PlanNames): string {
  switch (action.kind) {
    case "create-user":
      return `create user ${action.user.email}`;
    case "add-members":
      return `add ${formatCount(action.members.length, "person", "people")} to team ${action.team.name}`;
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
  const { key, owner } = action;
  switch (key.of) {
    case "own-key":
      return `${owner?.email ?? names.email(key.address)}'s own key`;
    case "team-key":
      return `${owner?.email ?? names.email(key.address)}'s key in ${key.team.name}`;
    case "prefix": {
      const what = key.own === true ? "own key" : "key";
      const whose = owner === undefined ? what : `${owner.email}'s ${what}`;
      const where = key.team === undefined ? "" : ` in ${key.team.name}`;
      return `${whose}${where} (${factValue(key.prefix) ?? "prefix unknown"})`;
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
      return `add to team ${teamName(action.team)}: ${peopleAndMails(action)}`;
    case "replace-roles":
      return `roles of ${keyName(action, names)}`;
  }
}

function detailLines(action: Action): readonly Line[] {
  switch (action.kind) {
    case "create-user":
      return [...profileLines(action), ...teamCreationLines(action)];
    case "add-members":
      return [prose(6, formatMembers(action))];
    case "replace-roles":
      return roleLines(action);
  }
}

function fullName({ user }: CreateUser): string {
  return `${user.firstName} ${user.lastName}`;
}

function teamName(team: TeamRef): string {
  if (team.createdBy !== undefined) return `${team.name} (new)`;
  return `${team.name} (${factValue(team.identifier) ?? "identifier unknown"})`;
}

function peopleAndMails({ members }: AddMembers): string {
  return `${formatCount(members.length, "person", "people")}, ${formatCount(members.length, "mail")}`;
}

function formatMembers(action: AddMembers): string {
  return action.members.map((member) => `${member.email}${newMark(member)}`).join(", ");
}

function newMark(person: PersonRef): string {
  return person.createdBy === undefined ? "" : " (new)";
}

function profileLines({ user }: CreateUser): readonly Line[] {
  const fields = [
    ...(user.title === undefined ? [] : [`title ${user.title}`]),
    ...(user.externalIdentifier === undefined ? [] : [`external identifier ${user.externalIdentifier}`]),
    ...(user.source === undefined ? [] : [`source ${user.source}`]),
  ];
  return fields.length === 0 ? [] : [prose(6, fields.join(", "), "dim")];
}

function teamCreationLines({ createsTeam, user }: CreateUser): readonly Line[] {
  if (createsTeam === undefined) return [];
  const admin = createsTeam.admin === undefined ? " as its admin" : `, with the admin ${createsTeam.admin.email}`;
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
function memberOwnershipLines(action: Action): readonly Line[] {
  if (action.kind !== "add-members") return [];
  const { members, ownership } = action;
  const own = members.flatMap(({ email, ownership: whose }) => {
    const rest = withoutCommon(whose, ownership);
    return rest === undefined ? [] : [{ email, rest }];
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
export const noNames: PlanNames = { action: () => undefined, email: (address) => address, team: (team) => team };

function readNames(plan: Plan): PlanNames {
  const actions = new Map<ActionId, Action>(plan.actions.map((action) => [action.id, action]));
  const emails = new Map<EmailKey, string>();
  const teams = new Map<TeamKey, string>();
  for (const action of plan.actions) {
    for (const person of peopleOf(action)) emails.set(person.address, person.email);
    const team = teamOfAction(action);
    if (team !== undefined) teams.set(team.team, team.name);
  }
  return {
    action: (id) => actions.get(id),
    email: (address) => emails.get(address) ?? address,
    team: (team) => teams.get(team) ?? team,
  };
}

function peopleOf(action: Action): readonly Pick<PersonRef, "address" | "email">[] {
  switch (action.kind) {
    case "create-user":
      return [{ address: action.address, email: action.user.email }];
    case "add-members":
      return action.members;
    case "replace-roles":
      return action.owner === undefined ? [] : [action.owner];
  }
}

/** A team as an action names it. */
export interface ActionTeam extends Pick<TeamRef, "team" | "name" | "account"> {
  /** The service's own identifier, where it is known. */
  readonly identifier?: string;
}

/** The team that an action is about. */
export function teamOfAction(action: Action): ActionTeam | undefined {
  switch (action.kind) {
    case "create-user": {
      const { createsTeam, account } = action;
      return createsTeam && { team: createsTeam.team, name: createsTeam.name, account };
    }
    case "add-members":
      return knownTeam(action.team);
    case "replace-roles":
      return action.key.of === "own-key" ? undefined : action.key.team && knownTeam(action.key.team);
  }
}

function knownTeam({ team, name, account, identifier }: TeamRef): ActionTeam {
  const value = factValue(identifier);
  return { team, name, account, ...(value === undefined ? {} : { identifier: value }) };
}

/** `4 calls`; `up to 5 calls` where some are not sent if an answer shows that they are not needed. The same words everywhere. */
export function formatCallCount(actions: readonly Action[]): string {
  const isSure = actions.every((action) => action.kind !== "replace-roles" || !action.ifInexact);
  return `${isSure ? "" : "up to "}${formatCount(actions.length, "call")}`;
}
