import { formatCount } from "../../codes/message.ts";
import { formatHead } from "../../model/state.ts";
import { type CellLine, cellLines, labelsOf, legend, personLines } from "../access/access-cells.ts";
import {
  type AccessGap,
  type AccessMap,
  type AccessRow,
  type AccessSource,
  hides,
  isHeld,
} from "../access/access-map.ts";
import { formatCoverage } from "../drift.ts";
import {
  type Document,
  type Inline,
  inked,
  joinInline,
  type Paragraph,
  part,
  phrase,
  type Section,
  sentence,
  table,
  value,
  words,
} from "./tree.ts";

/** Who has which role on which key, and what is not known about it. A page has the map before it. */
export function accessDocument(map: AccessMap, reader: "page" | "lines" = "lines"): Document {
  const { rows, asOf, from } = map;
  const when = from === "service" ? `in the service, read at ${asOf}` : `by the log, at ${asOf}`;
  const held = rows.filter(isHeld);
  const list = part(reader === "page" ? words("Roles") : undefined, table(columnNames, held.map(cellsOf)));
  return {
    heading: [...words("Access "), when],
    about: [],
    summary: [sentence(rows.length === 0 ? "Nothing matches." : summaryText(held)), ...notes(map)],
    sections: [...(reader === "page" ? [mapSection(map, [])] : []), list].filter(({ blocks }) => blocks.length > 0),
    next: [],
    end: [],
    whole: "roster access",
  };
}

/** So many cells are drawn as a grid: of more people, each has a row of what there is. */
const maxCells = 20_000;

/** People x teams. */
export function mapSection(map: AccessMap, facts = [accessFacts(map).join(" ")]): Section {
  const { columns, people } = map;
  if (people.length === 0) return part(words("Access map"), []);
  const isGrid = columns.length * people.length <= maxCells;
  const names = columns.map(({ name }) => name);
  const rows = people.map((person) => {
    const cells = person.cells.map(cellLines);
    const all = names.map((name, index) => {
      const inside = linesInline(cells[index] ?? []);
      return inside.length === 0 ? [] : phrase`${name}: ${inside}`;
    });
    return [linesInline(personLines(person)), ...(isGrid ? cells.map(linesInline) : [joinInline(all, "; ")])];
  });
  const grid = isGrid ? "grid" : "list";
  return part(words("Access map"), [
    sentence(legend, "dim"),
    {
      kind: "table",
      columns: ["person", ...(isGrid ? names : ["access"])],
      rows,
      map: { as: grid, labels: people.map(labelsOf) },
    },
    ...facts.map((text) => sentence(text, "dim")),
  ]);
}

/** So many rows are enough for a comment: the diff beside them has all. */
const maxChanges = 20;

/** The cells that a plan changes or that were changed outside roster, for a comment on it. */
export function mapChanges({ columns, people }: AccessMap): Section {
  const rows = people.flatMap((person) =>
    person.cells.flatMap((cell, index) => {
      if (cell === "unread" || cell.every(({ planned, outside }) => planned === undefined && outside === undefined))
        return [];
      return [[[value(person.person)], [value(columns[index]?.name ?? "")], linesInline(cellLines(cell))]];
    }),
  );
  const more =
    rows.length <= maxChanges ? [] : [sentence(`${rows.length - maxChanges} more: \`--report html=FILE\` shows all.`)];
  return {
    title: words("Access that changes"),
    is: "folded",
    blocks: [...table(["person", "team", "roles"], rows.slice(0, maxChanges)), ...more],
  };
}

function linesInline(lines: readonly CellLine[]): Inline {
  return joinInline(
    lines.map(({ text, ink }) => (ink === undefined ? [value(text)] : [{ is: "value", text, ink } as const])),
    ", ",
  );
}

/** Its time, who read it, and how much of it is known. */
export function accessFacts(map: AccessMap): readonly string[] {
  const { asOf, from, coverage, head } = map;
  return [
    `Access, ${from === "service" ? "read from the service" : "by the log"} at ${asOf}.`,
    ...(coverage === undefined ? [] : [formatCoverage(coverage)]),
    ...(head === undefined ? [] : [`Log head: ${formatHead(head)}.`]),
    ...accessNotes(map),
  ];
}

const columnNames = ["person", "team", "key", "role", "in roster", "until", "since", "granted by"];

/** What people are shown: the rest is for programs. */
function cellsOf(row: AccessRow): readonly Inline[] {
  const { person = "?", status, team, prefix, role, privileged, source, place, until } = row;
  const isActive = status === undefined || status === "active";
  const cell = (text: string | undefined, otherwise = "-"): Inline =>
    text === undefined ? words(otherwise) : [value(text)];
  return [
    [value(isActive ? person : `${person} (${status})`)],
    cell(team, hides(row, "team") ? "not shown" : "-"),
    cell(prefix, "not shown"),
    privileged && role !== undefined
      ? [inked("alarm", `${role} (privileged)`)]
      : cell(role, hides(row, "roles") ? "not shown" : "-"),
    cell(place, sourceTexts[source ?? "roster"]),
    cell(until),
    cell(row.granted_at?.slice(0, 10)),
    cell(row.granted_by),
  ];
}

const sourceTexts: Readonly<Record<AccessSource, string>> = {
  roster: "-",
  "not-in-roster": "no",
  leaver: "no: a leaver",
  unmanaged: "no: unmanaged user",
};

function summaryText(rows: readonly AccessRow[]): string {
  const people = new Set(rows.flatMap(({ person }) => person ?? [])).size;
  const roles = rows.filter(({ role }) => role !== undefined);
  const unmanaged = roles.filter(({ source }) => source === "unmanaged").length;
  const counts = [
    formatCount(people, "user"),
    formatCount(roles.length, "role"),
    `${roles.filter((row) => row.privileged).length} privileged`,
    ...(unmanaged === 0 ? [] : [`${unmanaged} of unmanaged users`]),
  ];
  return `${counts.join(", ")}.`;
}

function gapText(gap: AccessGap): string {
  switch (gap.of) {
    case "earlier":
      return `The log begins at ${gap.than}. Access that was given before is not listed.`;
    case "unknown":
      return `${formatCount(gap.calls, "call")} had an unknown outcome at that time: more access may have existed.`;
    case "users":
      return "Not all users were read: more access may exist.";
  }
}

/** Why access may exist that no row shows, and what the rows do not say. */
export function accessNotes({ from, rows: all, gaps }: AccessMap): readonly string[] {
  const rows = all.filter(isHeld);
  const says = (isSo: boolean, text: string) => (isSo ? [text] : []);
  const source =
    from === "audit"
      ? [
          "Changes that were made outside roster are not in the log.",
          ...says(
            rows.some(({ role }) => role === undefined),
            "The roles of a key are unknown if no recorded call set them.",
          ),
        ]
      : [
          ...says(
            rows.some(({ role, granted_at: at }) => role !== undefined && at === undefined),
            "Roles without a date were not given by a recorded run.",
          ),
          ...says(
            rows.some(({ prefix }) => prefix === undefined),
            "The service does not show the keys of some users.",
          ),
          ...says(
            rows.some(({ prefix, not_shown: is }) => prefix !== undefined && is?.includes("roles") === true),
            "The service does not show the roles of some keys.",
          ),
          ...says(
            rows.some(({ not_shown: is }) => is?.includes("team") === true),
            "The service does not show the team of some keys.",
          ),
        ];
  return [...gaps.map(gapText), ...source];
}

function notes(map: AccessMap): readonly Paragraph[] {
  return accessFacts(map)
    .slice(1)
    .map((note) => sentence(note, "dim"));
}
