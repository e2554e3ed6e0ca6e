import { foldAddress } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import { foldName } from "../../model/team.ts";
import { type AccessReview, type AccessRow, hides } from "./access-review.ts";

/** People x teams: what an access review says, one cell a person and team. */
export interface AccessMap {
  /** Own keys first, then teams by name, then keys whose team is not shown. */
  readonly columns: readonly string[];
  /** By address. */
  readonly rows: readonly MapRow[];
}

export interface MapRow {
  readonly person: string;
  /** As the service shows it, where the user is not active. */
  readonly status: string | undefined;
  /** One a column. `unread`: a key that is not shown, or whose team is not, may be in this team. */
  readonly cells: readonly (MapCell | "unread" | undefined)[];
}

export interface MapCell {
  readonly roles: readonly MapRole[];
  /** The roles of a key here are not shown. */
  readonly unread: boolean;
}

export interface MapRole {
  readonly role: string;
  readonly privileged: boolean;
  /** The roster does not give it. */
  readonly extra: boolean;
  /** The first day without it, where it ends. */
  readonly until: string | undefined;
}

export function accessMap({ rows }: AccessReview): AccessMap {
  const columns = new Map<string, string>();
  for (const row of rows) if (row.not_shown !== "keys") columns.set(columnOf(row), nameOf(row));
  const ordered = [...columns].sort(([a], [b]) => byCodeUnit(a, b));
  const people = [...groupBy(rows, ({ person = "?" }) => foldAddress(person))];
  return {
    columns: ordered.map(([, name]) => name),
    rows: people
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([, held]) => {
        const { person = "?", status } = held[0] ?? {};
        const isUnread = held.some((row) => hides(row, "team"));
        const cells = ordered.map(([column]) => {
          const here = held.filter((row) => row.not_shown !== "keys" && columnOf(row) === column);
          if (here.length > 0) return cellOf(here);
          return isUnread ? "unread" : undefined;
        });
        return { person, status: status === "active" ? undefined : status, cells };
      }),
  };
}

/** Sorts as the columns stand. */
function columnOf(row: AccessRow): string {
  if (row.team !== undefined) return `1 ${foldName(row.team)}`;
  return hides(row, "team") ? "2" : "0";
}

function nameOf(row: AccessRow): string {
  return row.team ?? (hides(row, "team") ? "team not shown" : "own key");
}

function cellOf(rows: readonly AccessRow[]): MapCell {
  return {
    roles: rows.flatMap(({ role, privileged, source, until }) =>
      role === undefined ? [] : [{ role, privileged, extra: source !== undefined && source !== "roster", until }],
    ),
    unread: rows.some((row) => hides(row, "roles")),
  };
}
