import { formatCount } from "../../codes/message.ts";
import {
  type AccessGap,
  type AccessReview,
  type AccessRow,
  type AccessSource,
  hides,
} from "../access/access-review.ts";
import { type Document, type Inline, inked, type Paragraph, part, sentence, table, value, words } from "./tree.ts";

/** Who has which role on which key, and what is not known about it. */
export function accessDocument(review: AccessReview): Document {
  const { rows, asOf, from } = review;
  const when = from === "service" ? `in the service, read at ${asOf}` : `by the log, at ${asOf}`;
  return {
    heading: [...words("Access "), when],
    about: [],
    summary: [sentence(rows.length === 0 ? "Nothing matches." : summaryText(review)), ...notes(review)],
    sections: rows.length === 0 ? [] : [part(undefined, table(columnNames, rows.map(cellsOf)))],
    next: [],
    end: [],
    whole: "roster access",
  };
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

function summaryText({ rows }: AccessReview): string {
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
export function accessNotes({ from, rows, gaps }: AccessReview): readonly string[] {
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

function notes(review: AccessReview): readonly Paragraph[] {
  return accessNotes(review).map((note) => sentence(note, "dim"));
}
