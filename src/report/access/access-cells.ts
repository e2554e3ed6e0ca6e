import type { Ink } from "../document/tree.ts";
import type { AccessRow, MapPerson } from "./access-map.ts";
import { hides } from "./access-map.ts";

export interface CellLine {
  readonly text: string;
  readonly ink: Ink | undefined;
}

/** Colour never says anything alone. */
export const legend =
  "! privileged · * not in the roster · + planned · - will be removed · unread: the source does not show it";

export function personLines({ person, status, leaves }: MapPerson): readonly CellLine[] {
  return [
    { text: person, ink: undefined },
    ...(status === undefined || status === "active" ? [] : [{ text: status, ink: "dim" } as const]),
    ...(leaves === undefined ? [] : [{ text: `leaves ${leaves}`, ink: "change" } as const]),
  ];
}

/** What stands in a cell: a line for each role. */
export function cellLines(cell: readonly AccessRow[] | "unread"): readonly CellLine[] {
  return cell === "unread" ? [{ text: "unread", ink: "change" }] : cell.map(roleLine);
}

function roleLine(row: AccessRow): CellLine {
  const { role, planned, outside, privileged, source, until } = row;
  const isExtra = role !== undefined && source !== undefined && source !== "roster";
  const sign = { adds: "+ ", removes: "- ", none: "" }[planned ?? "none"];
  const marks = `${sign}${privileged ? "! " : ""}${isExtra ? "* " : ""}`;
  const text = `${marks}${role ?? nameless(row)}${until === undefined ? "" : ` until ${until}`}${since(row)}`;
  if (privileged) return { text, ink: "alarm" };
  if (planned !== undefined) return { text, ink: planned === "adds" ? "add" : "remove" };
  if (isExtra || outside !== undefined || hides(row, "roles")) return { text, ink: "change" };
  return { text, ink: role === undefined ? "dim" : undefined };
}

/** A key without a role to show. */
function nameless(row: AccessRow): string {
  if (row.planned === "adds") return "new key";
  if (hides(row, "roles")) return "unread";
  return row.outside === undefined ? "no roles" : "key";
}

function since({ outside, first_seen: seen, accepted_until: accepted }: AccessRow): string {
  if (outside === undefined) return "";
  const first = seen === undefined ? "" : `, first seen ${seen.slice(0, 10)}`;
  return ` (${outside} outside roster${first}${accepted === undefined ? "" : `, accepted until ${accepted}`})`;
}

/** What people can be filtered by. */
export function labelsOf({ cells, leaves }: MapPerson): readonly string[] {
  const rows = cells.flatMap((cell) => (cell === "unread" ? [] : cell));
  const labels = {
    privileged: rows.some((row) => row.privileged),
    planned: rows.some((row) => row.planned !== undefined),
    "changed outside": rows.some((row) => row.outside !== undefined),
    unread: cells.includes("unread") || rows.some((row) => hides(row, "roles")),
    leaves: leaves !== undefined,
  };
  return Object.entries(labels).flatMap(([label, isSo]) => (isSo ? [label] : []));
}
