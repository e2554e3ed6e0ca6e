import type { RequestContext } from "../call.ts";
import { type Collection, listResponse, sortedItems } from "../collection.ts";
import type { User } from "../entities.ts";
import { answer, isRefusal, type Reply, refuse } from "../reply.ts";
import { pageResponse } from "./tell-page.ts";

/** What one text of a search found. */
export interface SearchHit {
  readonly asked: string;
  readonly users: readonly User[];
}

type UserListing = Pick<Collection<User>, "columns" | "show">;

/** What a search found: users once each, or what was found for each text, as this service answers it. */
export function searchResponse(
  call: RequestContext,
  hits: readonly SearchHit[],
  { columns, show }: UserListing,
): Reply {
  const items = [...new Set(hits.flatMap((hit) => hit.users))];
  const found: Collection<User> = { name: "users", items, columns, show };
  switch (call.knobs.search) {
    case "S1":
      return foundUsersResponse({ ...call, knobs: { ...call.knobs, envelope: "L1", laterEnvelope: "same" } }, found);
    case "S2":
      return foundUsersResponse(call, found);
    case "S3":
      return answer(200, Object.fromEntries(hits.map((hit) => [hit.asked, firstUser(hit, show)])));
    case "S4":
      return answer(
        200,
        hits.map((hit) => firstUser(hit, show)),
      );
    case "S5":
      return items.length === 0 ? refuse(404, "No user was found") : bareArrayResponse(call, found);
    case "S6": {
      const missed = hits.filter((hit) => hit.users.length === 0);
      return answer(200, { found: items.map(show), notFound: missed.map((hit) => hit.asked) });
    }
    case "S7":
      return items[0] !== undefined && items.length === 1
        ? answer(200, show(items[0]))
        : bareArrayResponse(call, found);
  }
}

function firstUser({ users }: SearchHit, show: (user: User) => unknown): unknown {
  return users[0] === undefined ? null : show(users[0]);
}

function foundUsersResponse(call: RequestContext, found: Collection<User>): Reply {
  const asksForPage = call.query.has("page") || call.query.has("per-page");
  switch (call.knobs.searchPages) {
    case "whole":
      return asksForPage ? listResponse(call, found) : onePageResponse(call, found);
    case "paged":
      return listResponse(call, found);
    case "first-ten":
      return onePageResponse(call, { ...found, items: found.items.slice(0, 10) });
  }
}

/** In the envelope of lists, as the only page; a bare array has no links then. */
function onePageResponse(call: RequestContext, found: Collection<User>): Reply {
  if (call.knobs.envelope === "L1") return bareArrayResponse(call, found);
  const rows = sortedItems(call, found);
  if (isRefusal(rows)) return rows;
  const page = { index: 0, perPage: Math.max(1, rows.length), last: 0, start: 0, end: rows.length, repeated: 0 };
  return pageResponse(call, { name: found.name, page, rows: rows.map(found.show), total: rows.length });
}

function bareArrayResponse(call: RequestContext, found: Collection<User>): Reply {
  const rows = sortedItems(call, found);
  return isRefusal(rows) ? rows : answer(200, rows.map(found.show));
}
