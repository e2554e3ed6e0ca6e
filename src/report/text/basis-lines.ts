import type { Action } from "../../model/action.ts";
import { type Basis, createdByThisPlan, formatPlace } from "../../model/fact.ts";
import { type Line, prose } from "./lines.ts";

/** How many facts are told one by one. */
const maxBasisLines = 3;

/** The facts that were not read in this run, each once: an action that rests on them rests on a record, on the roster or on nothing. */
export function basisLines(restsOn: readonly Basis[]): readonly Line[] {
  const words = [...new Set(restsOn.flatMap(formatBasis))];
  const told = words.slice(0, maxBasisLines);
  if (words.length > told.length) told.push(formatMoreFacts(words.length - told.length));
  return told.map((text) => prose(6, text, "dim"));
}

/** The facts of an action that are not told with what it does: the roles that a key had before are. */
export function additionalFacts({ kind, restsOn }: Action): Action["restsOn"] {
  return kind === "replace-roles" ? restsOn.filter(({ about }) => !about.startsWith("roles of ")) : restsOn;
}

function formatMoreFacts(count: number): string {
  return count === 1 ? "and 1 more fact that was not read" : `and ${count} more facts that were not read`;
}

function formatBasis({ about, fact }: Basis): readonly string[] {
  switch (fact.known) {
    case "observed":
      return [];
    case "recorded":
      return [`as recorded at ${fact.at}: ${about}: ${fact.value}`];
    case "declared":
      return [`as ${formatPlace(fact.place)} says: ${about}: ${fact.value}`];
    case "unknown":
      return fact.why === createdByThisPlan ? [] : [`not known: ${about}: ${fact.why}`];
  }
}
