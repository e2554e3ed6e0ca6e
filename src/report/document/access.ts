import { formatCount, truncateList } from "../../codes/message.ts";
import { foldAddress } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { formatHead } from "../../model/state.ts";
import type { AccessGap, AccessMap, AccessRow, AccessSource, MapPerson } from "../access/access-map.ts";
import { hides, isHeld } from "../access/access-map.ts";
import { formatCoverage, outsideSentence } from "./drift.ts";
import { present } from "./names.ts";
import type { Document, Inline, Section, Span, Table } from "./tree.ts";
import * as t from "./tree.ts";

/** So many roles are listed after the map of a page: of more, those that are privileged. */
const maxListed = 5_000;

/** Who has which role on which key, and what is not known about it. A page has the map before it. */
export function accessDocument(map: AccessMap, reader: "page" | "comment" | "terminal" = "terminal"): Document {
  const { rows, asOf, from } = map;
  const when = from === "service" ? `in the service, read at ${asOf}` : `as recorded in the log at ${asOf}`;
  const held = rows.filter(isHeld);
  const isBrief = reader === "page" && held.length > maxListed;
  const listed = isBrief ? { ...map, rows: rows.filter(({ privileged }) => privileged) } : map;
  const table = t.table(["person", "team", "key", "roles", "in roster", "history"], keyRows(listed, reader));
  const marked = reader !== "page" && rows.some((row) => signOf(row) !== "") ? [t.paragraph(legend)] : [];
  const more = isBrief ? [t.sentence("`--format csv` lists all roles, with their keys and dates.")] : [];
  const title = reader === "page" ? t.words(isBrief ? "Privileged roles" : "Roles") : undefined;
  const list = t.part(title, [...marked, ...table, ...more]);
  const [, ...notes] = accessFacts(map);
  const summary = [
    t.sentence(rows.length === 0 ? "No access found." : summaryText(held, map)),
    ...notes.map((note) => t.sentence(note, "dim")),
  ];
  const sections = [...(reader === "page" ? [mapSection(map, "Access map", [])] : []), list, ...endedSection(map)];
  return t.toDocument({ heading: [...t.words("Access "), when], summary, sections }, "roster access");
}

const endings = { repaired: "repaired", "in-roster": "now in the roster", gone: "no longer seen" } as const;

function endedSection({ ended = [] }: AccessMap): readonly Section[] {
  // The JSON has all of them.
  const rows = ended.slice(0, 20).map(({ change, since, endedAt, how, by }): readonly Inline[] => {
    const who = how === "repaired" && by !== undefined ? t.phrase` by ${by}` : [];
    const days = [since, endedAt].map((at) => [t.value(at.slice(0, 10))]);
    return [t.inkRoles(outsideSentence(change), change.privileged), ...days, [...t.words(endings[how]), ...who]];
  });
  const table = t.table(["earlier change", "first seen", "ended", "how"], rows);
  return [t.part(t.words(`Earlier changes by others (${ended.length})`), table)];
}

/** So many cells are drawn as a grid: of more people, each has a row of what there is. */
const maxCells = 20_000;

export function mapSection(map: AccessMap, title: string, facts = accessNotes(map)): Section {
  const { people } = map;
  if (people.length === 0) return t.part(t.words(title), []);
  const isGrid = map.columns.length * people.length <= maxCells;
  const names = map.columns.map(({ name }) => name);
  const columns = ["person", ...(isGrid ? names : ["access"])];
  const rows = people.map((person) => {
    const cells = person.cells.map(cellLines);
    const all = names.map((name, index) => {
      const inside = linesInline(cells[index] ?? []);
      return inside.length === 0 ? [] : t.phrase`${name}: ${inside}`;
    });
    return [linesInline(personLines(person)), ...(isGrid ? cells.map(linesInline) : [t.joinInline(all, "; ")])];
  });
  return t.part(t.words(title), [
    t.sentence(t.plainText(legend), "dim"),
    { kind: "table", columns, rows, map: { as: isGrid ? "grid" : "list", labels: people.map(labelsOf) } },
    ...facts.map((text) => t.sentence(text, "dim")),
  ]);
}

/** So many rows are enough for a comment: the diff beside them has all. */
const maxChanges = 20;

export function mapChanges({ columns, people }: AccessMap, title: string): Section {
  const rows = people.flatMap((person) =>
    person.cells.flatMap((cell, index) => {
      if (cell === "unread" || cell.every(({ planned, outside }) => planned === undefined && outside === undefined))
        return [];
      const { of, name = "" } = columns[index] ?? {};
      const which = of === "team" ? t.phrase`team ${name}` : t.words(name);
      return [[[t.value(person.person)], which, linesInline(cellLines(cell))]];
    }),
  );
  const more = `${rows.length - maxChanges} more rows: \`--report html=FILE\` shows all.`;
  const shown = t.table(["person", "key", "roles"], rows.slice(0, maxChanges));
  const rest = rows.length <= maxChanges ? [] : [t.sentence(more)];
  const blocks = rows.length === 0 ? [] : [t.paragraph(legend), ...shown, ...rest];
  return { title: t.words(title), is: "folded", blocks };
}

function linesInline(lines: readonly CellLine[]): Inline {
  const spans = lines.map((one): Inline => [{ is: "value", ...one }]);
  return t.joinInline(spans, ", ");
}

export function accessFacts(map: AccessMap): readonly string[] {
  const { asOf, from, coverage, head, rows, users = [] } = map;
  const keyless = rows.length > 0 ? [] : users.map(({ person, status }) => `${person} (${status})`);
  return present(
    `Access, ${from === "service" ? "read from the service" : "as recorded in the log"} at ${asOf}.`,
    coverage && formatCoverage(coverage),
    head &&
      `Last event of the log: ${formatHead(head)}. To check later that the log still has it, pass it to \`roster audit verify --expect-head\`.`,
    keyless.length > 0 && `Users without a key: ${truncateList(keyless)}.`,
    ...accessNotes(map),
  );
}

/** Roles of one key of which the same is known share a row. A terminal does not repeat what stands in the row above. */
function keyRows({ rows, people, from }: AccessMap, reader: "page" | "comment" | "terminal"): Table["rows"] {
  const nameOf = (one: MapPerson) => linesInline(personLines({ ...one, isKeyOwner: false }));
  const names = new Map(people.map((one) => [foldAddress(one.person), nameOf(one)]));
  const all = rows.map((row) => {
    const { person = "?", team, prefix, source, place, planned } = row;
    const isUnjudged = from === "service" && source === undefined && isHeld(row) && row.not_shown !== undefined;
    const cell = (text: string | undefined, otherwise: string): Inline =>
      text === undefined ? t.words(otherwise) : [t.value(text)];
    const cells = [
      names.get(foldAddress(person)) ?? [],
      cell(team, hides(row, "team") ? "unread" : "-"),
      cell(prefix, planned === "adds" ? "new" : row.not_shown === "keys" ? "unread" : "-"),
    ];
    const facts = [cell(place, isUnjudged ? "unread" : source === undefined ? "-" : sourceTexts[source]), sinceOf(row)];
    return { row, cells, facts, key: JSON.stringify([...cells, ...facts].map(t.plainText)) };
  });
  let above: readonly Inline[] = [];
  return [...groupBy(all, ({ key }) => key).values()].map((group) => {
    const [{ cells, facts }] = group;
    const isSaid = (_: Inline, at: number) => t.plainText(cells[at] ?? []) === t.plainText(above[at] ?? []);
    const shown = cells.map((cell, index) => (cells.slice(0, index + 1).every(isSaid) ? [] : cell));
    above = reader === "terminal" ? cells : [];
    return [...shown, linesInline(group.map(({ row }) => roleLine(row, []))), ...facts];
  });
}

function sinceOf(row: AccessRow): Inline {
  const { planned, outside, source, granted_at: at, granted_by: by } = row;
  if (outside !== undefined) return [t.value(outsideWords(row).join(", "))];
  if (at === undefined) return t.words(planned === "adds" ? "-" : "unknown");
  const isGiven = by !== undefined && source !== "not-managed";
  return [t.value(at.slice(0, 10)), ...(isGiven ? [...t.words(", given by "), t.value(by)] : [])];
}

const sourceTexts: Readonly<Record<AccessSource, string>> = {
  roster: "yes",
  "not-managed": "key not managed",
  "not-in-roster": "no",
  leaver: "leaver",
  unmanaged: "user not listed",
};

function summaryText(rows: readonly AccessRow[], { people: all, gaps }: AccessMap): string {
  const owner = all.find(({ isKeyOwner }) => isKeyOwner)?.person;
  const people = new Set(rows.flatMap(({ person = owner }) => (person === owner ? [] : person))).size;
  const roles = rows.filter(({ role }) => role !== undefined);
  const isPart = gaps.some(({ of }) => of === "users") || rows.some((row) => hides(row, "roles"));
  const atLeast = (count: number) => (!isPart ? `${count}` : count === 0 ? "unknown" : `at least ${count}`);
  const privileged = atLeast(roles.filter((row) => row.privileged).length);
  const unmanaged = roles.filter(({ source, person }) => source === "unmanaged" && person !== owner).length;
  const others = unmanaged === 0 ? "" : ` Roles that users outside the roster have: ${unmanaged}.`;
  return `Users: ${people}${owner === undefined ? "" : " and the owner of the API key"}. Roles on their keys: ${atLeast(roles.length)}. Privileged roles: ${privileged}.${others}`;
}

function gapText(gap: AccessGap): string {
  switch (gap.of) {
    case "users":
      return "Not all users were read: more access may exist.";
    case "earlier":
      return `The log begins at ${gap.than}. It does not show access that was given before.`;
    case "later":
      return `The last event in the log is from ${gap.than}. It does not show what was changed later.`;
    case "unknown":
      return `${formatCount(gap.calls, "call")} had an unknown outcome at that time: more access may have existed.`;
  }
}

export function accessNotes({ from, rows, gaps }: AccessMap): readonly string[] {
  const isAny = (is: (row: AccessRow) => boolean) => rows.some((row) => isHeld(row) && is(row));
  const notes =
    from === "audit"
      ? present(
          "A change by others counts from the time at which a run first saw it. What was undone before is not in the log.",
          isAny((row) => hides(row, "roles")) && "The log does not have the keys or roles that are not shown.",
        )
      : present(isAny((row) => row.not_shown !== undefined) && "Parts are unread: the service does not show them.");
  return [...gaps.map(gapText), ...notes];
}

export type CellLine = Omit<Extract<Span, { readonly is: "value" }>, "is">;

export const legend = t.phrase`${"*"} not in the roster · ${"+"} apply adds · ${"-"} apply removes · ${"x"} removed by others, apply does not add it`;

export function personLines({ person, status, leaves, isKeyOwner }: MapPerson): readonly CellLine[] {
  return present<CellLine>(
    { text: person },
    isKeyOwner && { text: "owner of your API key", ink: "dim" },
    status !== undefined && status !== "active" && { text: status, ink: "dim" },
    leaves !== undefined && { text: leaves === "now" ? "leaver" : `leaves ${leaves}`, ink: "change" },
  );
}

export function cellLines(cell: readonly AccessRow[] | "unread"): readonly CellLine[] {
  return cell === "unread" ? [{ text: "unread", ink: "change" }] : cell.map((row) => roleLine(row, outsideWords(row)));
}

function roleLine(row: AccessRow, changes: readonly string[]): CellLine {
  const { role, planned, outside, privileged, until } = row;
  const keyName = hides(row, "roles") ? "unread" : outside === undefined ? "no roles" : "key";
  const nameless = planned === "adds" ? "new key (the service chooses its roles)" : keyName;
  const aside = present(privileged && "privileged", ...changes).join(", ");
  const end = until === undefined ? "" : ` until ${until}`;
  const text = `${signOf(row)}${role ?? nameless}${end}${aside === "" ? "" : ` (${aside})`}`;
  if (privileged) return { text, ink: "alarm" };
  if (planned !== undefined) return { text, ink: planned === "adds" ? "add" : "remove" };
  if (signOf(row) !== "" || outside !== undefined || hides(row, "roles")) return { text, ink: "change" };
  return role === undefined ? { text, ink: "dim" } : { text };
}

/** What the plan removes is not in the roster either. */
function signOf({ role, planned, outside, source, privileged }: AccessRow): string {
  const isGiven =
    source === undefined || source === "roster" || (source === "not-managed" && !privileged && outside !== "added");
  const isExtra = role !== undefined && !isGiven;
  return { adds: "+ ", removes: "- ", none: outside === "removed" ? "x " : isExtra ? "* " : "" }[planned ?? "none"];
}

function outsideWords({ outside, first_seen: seen, accepted_until: accepted }: AccessRow): readonly string[] {
  if (outside === undefined) return [];
  return present(
    `${outside} by others`,
    seen && `noticed ${seen.slice(0, 10)}`,
    accepted && `accepted until ${accepted}`,
  );
}

function labelsOf({ cells, leaves }: MapPerson): readonly string[] {
  const rows = cells.flatMap((cell) => (cell === "unread" ? [] : cell));
  const isUnread = cells.includes("unread") || rows.some((row) => isHeld(row) && hides(row, "roles"));
  return present(
    rows.some((row) => row.privileged) && "privileged",
    rows.some((row) => row.planned !== undefined) && "planned",
    rows.some((row) => row.outside !== undefined) && "changed by others",
    isUnread && "unread",
    (leaves !== undefined || rows.some((row) => row.until !== undefined)) && "access ends",
  );
}
