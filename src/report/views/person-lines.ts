import type { Action } from "../../model/action.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange, AccessHolder, RoleChange } from "../access/access-change.ts";
import { formatChangedKey, formatHolder, rolePieces } from "../access/access-words.ts";
import { isPrivilegedChange } from "../access/privilege.ts";
import type { PlanNames } from "../plan-names.ts";
import { additionalFacts, basisLines } from "../text/basis-lines.ts";
import { type Line, type Piece, row } from "../text/lines.ts";
import type { PersonNode } from "./plan-tree.ts";

export interface PersonContext {
  readonly names: PlanNames;
  readonly privileged: RoleSet;
  /** Where a person stands: in a team, or outside of every one. */
  readonly inside: "team" | "nothing";
}

/** A person on one line: who, what happens, and where the YAML asks for it; then what else has to be known. */
export function personLines(node: PersonNode, context: PersonContext): readonly Line[] {
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
export function needsAttention(node: PersonNode, { names, privileged }: PersonContext): boolean {
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
