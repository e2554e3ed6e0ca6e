import { holdersCounted } from "../access/access-words.ts";
import { type Line, type Piece, prose, row } from "../text/lines.ts";
import {
  changePieces,
  markPiece,
  type PersonContext,
  personLines,
  placesOf,
  placesWords,
  standsOut,
} from "./person-lines.ts";
import type { PersonNode } from "./plan-tree.ts";

/** From so many people on to whom the same happens, they are told in one breath. */
const fewestAlike = 9;

/** How many of them are named. */
const mostNamed = 40;

/** People one by one, but for many to whom the same happens; whoever is touched by a privileged role is never among those. */
export function foldedLines(people: readonly PersonNode[], context: PersonContext): readonly Line[] {
  const alike = new Map<PersonNode, readonly PersonNode[]>();
  for (const group of groupsOf(people, context)) for (const node of group) alike.set(node, group);
  return people.flatMap((node) => {
    const group = alike.get(node);
    if (group === undefined) return personLines(node, context);
    return group[0] === node ? groupLines(group, node, context) : [];
  });
}

function groupsOf(people: readonly PersonNode[], context: PersonContext): readonly (readonly PersonNode[])[] {
  if (people.length < fewestAlike) return [];
  const groups = new Map<string, PersonNode[]>();
  for (const node of people) {
    if (standsOut(node, context)) continue;
    const sameness = textOf(changePieces(node, context));
    const group = groups.get(sameness);
    if (group === undefined) groups.set(sameness, [node]);
    else group.push(node);
  }
  return [...groups.values()].filter(({ length }) => length >= fewestAlike);
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

function groupLines(group: readonly PersonNode[], first: PersonNode, context: PersonContext): readonly Line[] {
  const place = placesWords(group.flatMap((node) => placesOf(node).slice(0, 1)));
  const named = group.slice(0, mostNamed).map(({ who }) => (who.is === "person" ? who.email : who.prefix));
  const more = group.length - named.length;
  const rest = more === 0 ? "" : `, and ${more} more, whom \`--view access\` names`;
  const head = ` ${holdersCounted(group.map(({ who }) => who))}, each: `;
  return [
    row(2, [markPiece(first), head, ...changePieces(first, context)], place),
    prose(6, `${named.join(", ")}${rest}`),
  ];
}
