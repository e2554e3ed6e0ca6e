import { formatHolderCount } from "../access/access-words.ts";
import { type Line, type Piece, prose, row } from "../text/lines.ts";
import {
  changePieces,
  formatPlaces,
  markPiece,
  needsAttention,
  type PersonContext,
  personLines,
  placesOf,
} from "./person-lines.ts";
import type { PersonNode } from "./plan-tree.ts";

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
