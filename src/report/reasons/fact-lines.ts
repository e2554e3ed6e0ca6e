import { type Basis, createdByThisPlan, formatPlace, type ReadName } from "../../model/fact.ts";
import type { ReadRecord } from "../../model/snapshot.ts";
import { type Line, prose, row } from "../text/lines.ts";

/** How many facts, and how many reads, are told one by one. */
const maxFacts = 6;

export type Readings = ReadonlyMap<ReadName, ReadRecord>;

/** The facts that something rests on, each with how it is known, and then the reads among these. */
export function factLines(restsOn: readonly Basis[], readings: Readings = new Map(), indent = 8): readonly Line[] {
  const known = restsOn.filter(({ fact }) => fact.known !== "unknown" || fact.why !== createdByThisPlan);
  const made = restsOn.length - known.length;
  const told = known.length <= maxFacts + 1 ? known : known.slice(0, maxFacts);
  const more = known.length - told.length;
  return [
    ...told.map((basis) => factLine(basis, indent)),
    ...(more === 0 ? [] : [prose(indent, `and ${more} more facts of the kind`, "dim")]),
    ...(made === 0 ? [] : [prose(indent, formatMadeFacts(made))]),
    ...readLines(restsOn, readings, indent),
  ];
}

function formatMadeFacts(made: number): string {
  return made === 1 ? "what an action before it makes so" : `what actions before it make so, ${made} times`;
}

function factLine({ about, fact }: Basis, indent: number): Line {
  switch (fact.known) {
    case "observed":
      return prose(
        indent,
        `${about}: ${fact.value} (${fact.by === "clock" ? "by the clock" : `as read by ${fact.by}`})`,
      );
    case "recorded":
      return prose(indent, `${about}: ${fact.value} (by our record of ${fact.at})`);
    case "declared":
      return row(
        indent,
        [`${about}: ${fact.value} (as the ${about.startsWith("setting ") ? "settings say" : "roster says"})`],
        formatPlace(fact.place),
      );
    case "unknown":
      return prose(indent, `${about}: not known: ${fact.why}`);
  }
}

function readLines(restsOn: readonly Basis[], readings: Readings, indent: number): readonly Line[] {
  const names = restsOn.flatMap(({ fact }) => (fact.known === "observed" ? [fact.by] : []));
  const known = [...new Set(names)].flatMap((name) => {
    const reading = readings.get(name);
    return reading === undefined ? [] : [formatRead(name, reading)];
  });
  const told = known.slice(0, maxFacts);
  const more = known.length - told.length;
  return [...told, ...(more === 0 ? [] : [`and ${more} more reads`])].map((text) => prose(indent, text, "dim"));
}

/** Such as `search 1 at 2026-11-20T06:00:02.120Z: POST /api/accounting/users/search for 4 addresses`. */
export function formatRead(name: ReadName, { at, request }: ReadRecord): string {
  return `${name} at ${at}: ${request}`;
}
