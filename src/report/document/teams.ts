import type { Action, ActionId } from "../../model/action.ts";
import { multimap } from "../../model/collections.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessChanges, privilegedKeysOf } from "../access/access-changes.ts";
import {
  type AccessChange,
  type AccessHolder,
  accountsToShow,
  isPrivilegedChange,
  privilegeChange,
  type RoleChange,
} from "../access/person-access.ts";
import { formatCounts, formatList } from "../phrases.ts";
import {
  formatChangedKey,
  formatHolder,
  formatHolderCount,
  formatPrivilegedKey,
  formatTeamLabel,
  rolePieces,
  type ViewContext,
} from "./access.ts";
import {
  additionalFacts,
  basisLines,
  formatCallCount,
  formatPlaces,
  ownershipLines,
  type PlanNames,
  planNames,
} from "./actions.ts";
import { headed, type Line, type Piece, plainText, prose, row } from "./blocks.ts";
import { type PersonNode, planTree, type SharedOwnership, sharedOwnership, type TeamNode } from "./plan-tree.ts";

/** A plan by team and person, with the calls and mails of each team; privileged roles first. */
export function teamsView(plan: Plan, { privileged, shown }: ViewContext): readonly (readonly Line[])[] {
  const names = planNames(plan);
  const { teams, people, peopleTitle, teamName } = changedParts(plan);
  const outside = { names, privileged, inside: "nothing", owners: sharedOwnership(people, names) } as const;
  return [
    privilegeLines(plan, { privileged, shown }),
    ...teams.map((team) => {
      const owners = sharedOwnership(team.people, names);
      return teamLines(team, teamName(team), { names, privileged, inside: "team", owners });
    }),
    outsideTeamsLines(people, peopleTitle, outside),
  ];
}

interface ChangedParts {
  readonly teams: readonly TeamNode[];
  /** People and keys outside of these teams. */
  readonly people: readonly PersonNode[];
  readonly peopleTitle: string;
  /** With the account, where there are several. */
  teamName(team: TeamNode): string;
}

/** What a plan changes, team by team and then outside of teams. */
export function changedParts(plan: Plan): ChangedParts {
  const tree = planTree(plan);
  const teams = tree.filter((node) => node.is === "team");
  const accounts = accountsToShow(plan).size === 0 ? "one" : "several";
  return {
    teams,
    people: tree.filter((node) => node.is === "person"),
    peopleTitle: teams.length === 0 ? "People and keys" : "People and keys outside these teams",
    teamName: ({ team, name, account }) => formatTeamLabel({ team, name, ...(accounts === "one" ? {} : { account }) }),
  };
}

function teamLines(team: TeamNode, name: string, context: PeopleContext): readonly Line[] {
  const parts = [
    formatHolderCount(team.people.map(({ who }) => who)),
    formatTeamCalls(team.actions, context.names),
    ...formatCounts([team.mails, "mail"]),
  ];
  return [
    row(0, [{ ink: "strong", text: `Team ${name}` }, ` (${formatTeamState(team)}): ${parts.join(", ")}`]),
    ...ownershipLines(context.owners.common),
    ...additionFactLines(team, context),
    ...groupedPeopleLines(team.people, context),
  ];
}

function formatTeamCalls(ids: readonly ActionId[], names: PlanNames): string {
  return formatCallCount([...new Set(ids)].flatMap((id) => names.action(id) ?? []));
}

function formatTeamState({ teamCreation, identifier }: TeamNode): string {
  if (teamCreation === undefined) return identifier ?? "identifier unknown";
  return `new, admin ${teamCreation.admin}`;
}

/** Facts that additions rest on and that were not read. */
function additionFactLines({ actions }: TeamNode, { names }: PersonContext): readonly Line[] {
  return basisLines(
    actions.flatMap((id) => {
      const action = names.action(id);
      return action?.kind === "add-members" ? action.restsOn : [];
    }),
  );
}

function outsideTeamsLines(people: readonly PersonNode[], title: string, context: PeopleContext): readonly Line[] {
  if (people.length === 0) return [];
  const calls = formatTeamCalls(
    people.flatMap(({ actions }) => actions),
    context.names,
  );
  const count = `${formatHolderCount(people.map(({ who }) => who))}, ${calls}`;
  return [
    row(0, [{ ink: "strong", text: title }, `: ${count}`]),
    ...ownershipLines(context.owners.common),
    ...groupedPeopleLines(people, context),
  ];
}

/** Who gains a privileged role, or has one for a moment: one line for each key, none of them ever folded. */
function privilegeLines(plan: Plan, context: ViewContext): readonly Line[] {
  const lines = accessChanges(plan, context.privileged).flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? gainLines(who, change, context) : [])),
  );
  return headed("Privileged roles", lines, "alarm");
}

function gainLines(who: AccessHolder, change: RoleChange, { privileged, shown = [] }: ViewContext): readonly Line[] {
  const { gains, forAMoment } = privilegeChange(change, privileged);
  const parts = [
    ...(gains.length === 0 ? [] : [`${gainVerb(change)} ${gains.join(", ")}`]),
    ...(forAMoment.length === 0 ? [] : [`has ${forAMoment.join(", ")} for a short time`]),
  ];
  if (parts.length === 0) return [];
  const where = who.is === "key" ? "" : ` on the ${formatChangedKey(change.key)}`;
  const already = privilegedKeysOf(shown, { who, roles: gains });
  const elsewhere =
    already.length === 0 ? "" : `, and already has it on the ${formatList(already.map(formatPrivilegedKey))}`;
  const text = ` ${formatHolder(who)} ${parts.join(" and ")}${where}${elsewhere}`;
  return [row(2, [{ ink: "alarm", text: "!" }, text], formatPlaces(change.because.slice(0, 1)))];
}

/** A key whose roles were not shown may have had it before. */
function gainVerb({ before }: RoleChange): string {
  return before.known === "not-known" ? "gets" : "gains";
}

export interface PersonContext {
  readonly names: PlanNames;
  readonly privileged: RoleSet;
  /** Where a person stands: in a team, or outside of every one. */
  readonly inside: "team" | "nothing";
}

interface PeopleContext extends PersonContext {
  readonly owners: SharedOwnership;
}

/** A person on one line: who, what happens, and where the YAML asks for it; then what else has to be known. */
function personLines(node: PersonNode, context: PeopleContext): readonly Line[] {
  const keys = node.changes.filter((change) => change.is === "roles" && isShownChange(change));
  const facts = [...ownershipLines(context.owners.restOf(node)), ...factLines(node, context.names)];
  const place = formatPlaces(placesOf(node));
  if (context.inside === "team" || keys.length <= 1) {
    return [row(2, [...headPieces(node), ": ", ...changePieces(node, context)], place), ...facts];
  }
  const others = { ...node, changes: node.changes.filter((change) => change.is !== "roles") };
  const rest = others.changes.length === 0 ? [] : [": ", ...changePieces(others, context)];
  return [
    row(2, [...headPieces(node), ...rest], place),
    ...keys.map((change) => row(6, changePiece(change, { ...context, who: node.who }))),
    ...facts,
  ];
}

/** What happens to a person, one after the other. */
export function changePieces({ who, changes }: PersonNode, context: PersonContext): readonly Piece[] {
  const shown = changes.filter(isShownChange).map((change) => changePiece(change, { ...context, who }));
  return shown.flatMap((pieces, index) => (index === 0 ? pieces : [", ", ...pieces]));
}

/** `+` where a person is created or joins a team, `~` where only roles change. */
export function markPiece({ changes }: Pick<PersonNode, "changes">): Piece {
  const comes = changes.some(({ is }) => is !== "roles");
  return comes ? { ink: "add", text: "+" } : { ink: "change", text: "~" };
}

/** Facts that a person's own calls rest on and that were not read. */
function factLines({ changes }: PersonNode, names: PlanNames): readonly Line[] {
  const own = [...new Set(changes.map(({ action }) => action))].flatMap((id) => ownAction(names.action(id)));
  return basisLines(own.flatMap(additionalFacts));
}

/** The first place of each call, each once. */
export function placesOf({ changes }: Pick<PersonNode, "changes">): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { because } of changes) {
    const [first] = because;
    if (first !== undefined && !places.has(formatPlace(first))) places.set(formatPlace(first), first);
  }
  return [...places.values()];
}

/** Whether a person is always shown on their own line. */
function needsAttention(node: PersonNode, { names, privileged }: PersonContext): boolean {
  return node.changes.some((change) => isPrivilegedChange(change, privileged)) || factLines(node, names).length > 0;
}

function headPieces(node: PersonNode): readonly Piece[] {
  return [markPiece(node), ` ${formatChangedHolder(node)}`];
}

/** Whose changes these are, and whether the person is a leaver. */
export function formatChangedHolder({ who, changes }: PersonNode): string {
  const leaves = changes.some(({ rule }) => rule === "leaver-roles-removed") ? " (leaver)" : "";
  return `${formatHolder(who)}${leaves}`;
}

/** What the service gives a new person's own key is the same for everybody, and no line of the plan is about it. */
function isShownChange(change: AccessChange): boolean {
  return !(change.is === "roles" && change.key.of === "own-key" && change.after === "whatever-comes");
}

interface ChangeContext extends PersonContext {
  readonly who: AccessHolder;
}

function changePiece(change: AccessChange, context: ChangeContext): readonly Piece[] {
  switch (change.is) {
    case "account":
      return [context.inside === "team" ? "new" : `new in ${change.account}`];
    case "membership":
      return [membershipPhrases[change.how]];
    case "roles":
      return [...keyPieces(change, context), ...rolePieces(change, context.privileged)];
  }
}

const membershipPhrases = {
  "first-member": "creates the team",
  added: "invited by mail",
} as const;

/** The key, where the line does not already show which it is. */
function keyPieces({ key }: RoleChange, { inside, who }: ChangeContext): readonly Piece[] {
  const isClear = who.is === "key" || (inside === "team" && key.of === "team-key");
  return isClear ? [] : [`${formatChangedKey(key)} `];
}

/** An addition of several people is shown with their team. */
function ownAction(action: Action | undefined): readonly Action[] {
  return action === undefined || action.kind === "add-members" ? [] : [action];
}

/** So many people with the same change share one line. */
const minGroupSize = 9;

/** How many of them are named. */
const maxNamed = 40;

/** People one by one. Many people with the same change share one line, unless a privileged role is involved. */
function groupedPeopleLines(people: readonly PersonNode[], context: PeopleContext): readonly Line[] {
  const alike = new Map<PersonNode, readonly PersonNode[]>();
  for (const group of groupAlikePeople(people, context)) for (const node of group) alike.set(node, group);
  return people.flatMap((node) => {
    const group = alike.get(node);
    if (group === undefined) return personLines(node, context);
    return group[0] === node ? groupLines(group, node, context) : [];
  });
}

function groupAlikePeople(people: readonly PersonNode[], context: PersonContext): readonly (readonly PersonNode[])[] {
  if (people.length < minGroupSize) return [];
  const ordinary = people.filter((node) => !needsAttention(node, context));
  const groups = multimap(ordinary.map((node) => [plainText(changePieces(node, context)), node]));
  return [...groups.values()].filter(({ length }) => length >= minGroupSize);
}

function groupLines(group: readonly PersonNode[], first: PersonNode, context: PersonContext): readonly Line[] {
  const place = formatPlaces(group.flatMap((node) => placesOf(node).slice(0, 1)));
  const named = group.slice(0, maxNamed).map(({ who }) => (who.is === "person" ? who.email : who.prefix));
  const more = group.length - named.length;
  const rest = more === 0 ? "" : `, and ${more} more: see \`--view calls\``;
  const head = ` ${formatHolderCount(group.map(({ who }) => who))}, each: `;
  return [
    row(2, [markPiece(first), head, ...changePieces(first, context)], place),
    prose(6, `${named.join(", ")}${rest}`),
  ];
}
