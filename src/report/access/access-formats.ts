import type { EmailKey } from "../../model/address.ts";
import { isDeleted } from "../../model/key.ts";
import type { KeyRoles, Plan } from "../../model/plan.ts";
import { type Roster, usersByAddress } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { formatHead } from "../../model/state.ts";
import { accessDocument, accessNotes } from "../document/access.ts";
import { formatCoverage } from "../document/drift.ts";
import { renderHtml } from "../html/html.ts";
import { renderMarkdownDocument } from "../markdown/markdown.ts";
import { plain, type TerminalStyle } from "../outcome.ts";
import { csvTable, jsonDocument } from "../safe.ts";
import { renderDocument } from "../text/text.ts";
import { type AccessMap, accessColumns, type EndedChange, isHeld } from "./access-map.ts";
import { accessSvg } from "./svg.ts";

export type AccessFormat = "text" | "html" | "svg" | "csv" | "json" | "markdown";

export function formatAccess(map: AccessMap, format: AccessFormat, style: TerminalStyle = { paint: plain }): string {
  switch (format) {
    case "text":
      return renderDocument(accessDocument(map), style);
    case "html":
      return renderHtml(accessDocument(map, "page"));
    case "csv":
      return csvTable(accessColumns, map.rows.filter(isHeld));
    case "json": {
      const { asOf: as_of, from, coverage, head, rows, ended = [] } = map;
      return jsonDocument({
        as_of,
        from,
        coverage: coverage && formatCoverage(coverage),
        head: head && formatHead(head),
        notes: accessNotes(map),
        access: rows.filter(isHeld),
        not_held: rows.filter((row) => !isHeld(row)),
        ended_changes: ended.map(endedRow),
      });
    }
    case "markdown":
      return renderMarkdownDocument(accessDocument(map));
    case "svg":
      return accessSvg(map);
  }
}

function endedRow({ change: { person, key, ...change }, since, endedAt, ...how }: EndedChange) {
  return { ...change, person: person?.email, prefix: key?.prefix, first_seen: since, ended_at: endedAt, ...how };
}

/** Every person and key with their roles before and after a plan, and what was not read: a guard of one's own judges it. */
export function formatPlanAccess(plan: Plan, snapshot: Snapshot, roster: Roster, keys: readonly KeyRoles[]): string {
  const people = usersByAddress(roster);
  /** A former address is the same person. */
  const nameOf = (address: EmailKey | undefined) =>
    address === undefined ? null : (people.get(address)?.address ?? address);
  const rolesIn = (roles: KeyRoles["before"]) => (roles === "no-key" ? [] : roles === "unknown" ? null : roles);
  const access = keys.map(({ address, prefix = null, team = null, status = null, before, after }) => {
    return { person: nameOf(address), status, prefix, team, before: rolesIn(before), after: rolesIn(after) };
  });
  const { everyone } = snapshot;
  const unread = [
    ...(everyone.read === "complete" ? [] : [{ what: "users", person: null, prefix: null }]),
    ...snapshot.users
      .filter((user) => user.keys === undefined && !isDeleted(user))
      .map(({ address }) => ({ what: "keys", person: nameOf(address), prefix: null })),
    ...access.flatMap(({ person, prefix, before }) => (before === null ? [{ what: "roles", person, prefix }] : [])),
  ];
  return jsonDocument({ format_version: "1.0", plan_id: plan.id, as_of: snapshot.readAt, access, unread });
}
