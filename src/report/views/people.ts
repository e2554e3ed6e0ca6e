import type { Action } from "../../model/action.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type AccessChange, type AccessHolder, isPrivilegedChange, type RoleChange } from "../access/access-change.ts";
import type { PrivilegedKey } from "../access/access-changes.ts";
import { formatChangedKey, formatHolder, formatHolderCount, rolePieces } from "../access/format-access.ts";
import type { PlanNames } from "../plan-summary.ts";
import { additionalFacts, basisLines } from "../text/actions.ts";
import { type Line, type Piece, prose, row } from "../text/lines.ts";
import type { PersonNode } from "./plan-tree.ts";

export interface PersonContext {
  readonly names: PlanNames;
  readonly privileged: RoleSet;
  /** Where a person stands: in a team, or outside of every one. */
  readonly inside: "team" | "nothing";
}

/** A person on one line: who, what happens, and where the YAML asks for it; then what else has to be known. */
function personLines(node: PersonNode, context: PersonContext): readonly Line[] {
  const keys = node.changes.filter((change) => change.is === "roles" && isShownChange(change));
  const facts = factLines(node, context.names);
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
  const told = changes.filter(isShownChange).map((change) => changePiece(change, { ...context, who }));
  return told.flatMap((pieces, index) => (index === 0 ? pieces : [", ", ...pieces]));
}

/** Whether somebody is created or comes into a team, or has only other roles. */
export function markPiece({ changes }: Pick<PersonNode, "changes">): Piece {
  const comes = changes.some(({ is }) => is !== "roles");
  return comes ? { ink: "add", text: "+" } : { ink: "change", text: "~" };
}

/** Facts that a person's own calls rest on and that were not read. */
function factLines({ changes }: PersonNode, names: PlanNames): readonly Line[] {
  const own = [...new Set(changes.map(({ action }) => action))].flatMap((id) => ownAction(names.action(id)));
  return basisLines(own.flatMap(additionalFacts));
}

/** `people.yaml:3:5 (+1)`; nothing where no line asks for it. */
export function formatPlaces(places: readonly Place[]): string | undefined {
  const [first, ...others] = places;
  if (first === undefined) return undefined;
  return others.length === 0 ? formatPlace(first) : `${formatPlace(first)} (+${others.length})`;
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

/** Whether a person has to be looked at, however many are like them. */
function needsAttention(node: PersonNode, { names, privileged }: PersonContext): boolean {
  return node.changes.some((change) => isPrivilegedChange(change, privileged)) || factLines(node, names).length > 0;
}

function headPieces(node: PersonNode): readonly Piece[] {
  const leaves = node.changes.some(({ rule }) => rule === "leaver-disarmed") ? " (leaver)" : "";
  return [markPiece(node), ` ${formatHolder(node.who)}${leaves}`];
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
  founder: "founds the team",
  added: "added with a mail",
  "invited-again": "mailed once more",
} as const;

/** Which key it is, where that does not go without saying. */
function keyPieces({ key }: RoleChange, { inside, who }: ChangeContext): readonly Piece[] {
  const isClear = who.is === "key" || (inside === "team" && key.of === "team-key");
  return isClear ? [] : [`${formatChangedKey(key)} `];
}

/** An addition of several people is told with their team. */
function ownAction(action: Action | undefined): readonly Action[] {
  return action === undefined || action.kind === "add-members" ? [] : [action];
}

/** From so many people on to whom the same happens, they are told in one breath. */
const minGroupSize = 9;

/** How many of them are named. */
const maxNamed = 40;

/** People one by one, but for many to whom the same happens; whoever is touched by a privileged role is never among those. */
export function groupedPeopleLines(people: readonly PersonNode[], context: PersonContext): readonly Line[] {
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
  const groups = new Map<string, PersonNode[]>();
  for (const node of people) {
    if (needsAttention(node, context)) continue;
    const sameness = plainText(changePieces(node, context));
    const group = groups.get(sameness);
    if (group === undefined) groups.set(sameness, [node]);
    else group.push(node);
  }
  return [...groups.values()].filter(({ length }) => length >= minGroupSize);
}

function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

function groupLines(group: readonly PersonNode[], first: PersonNode, context: PersonContext): readonly Line[] {
  const place = formatPlaces(group.flatMap((node) => placesOf(node).slice(0, 1)));
  const named = group.slice(0, maxNamed).map(({ who }) => (who.is === "person" ? who.email : who.prefix));
  const more = group.length - named.length;
  const rest = more === 0 ? "" : `, and ${more} more, whom \`--view access\` names`;
  const head = ` ${formatHolderCount(group.map(({ who }) => who))}, each: `;
  return [
    row(2, [markPiece(first), head, ...changePieces(first, context)], place),
    prose(6, `${named.join(", ")}${rest}`),
  ];
}

/** One way to read what a plan does, as sections. */
export type View = (plan: Plan, context: ViewContext) => readonly (readonly Line[])[];

export interface ViewContext {
  /** Roles that let their holder administer others. */
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where nothing was read. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
}
