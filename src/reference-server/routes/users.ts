import type { Knobs } from "../knobs/registry.ts";
import { pageResponse } from "../responses/page.ts";
import { answer, isRefusal, type Refusal, type Reply, refuse } from "../responses/reply.ts";
import { renderUser } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import type { Key, User } from "../world.ts";
import { type Collection, listResponse, sortedItems } from "./paging.ts";
import type { SortColumns, SortValue } from "./sorting.ts";
import { foundUsers, listedUsers, shownKeys } from "./visibility.ts";

const columns: SortColumns<User> = new Map<string, (user: User) => SortValue>([
  ["identifier", (user) => user.identifier],
  ["email", (user) => user.email],
  ["firstName", (user) => user.firstName],
  ["lastName", (user) => user.lastName],
  ["title", (user) => user.title],
  ["externalIdentifier", (user) => user.externalIdentifier],
  ["source", (user) => user.source],
  ["status", (user) => user.status],
  ["accessKeys.prefix", keyColumn((key) => [key.prefix])],
  ["accessKeys.status", keyColumn((key) => [key.status])],
  ["accessKeys.kind", keyColumn((key) => [key.kind])],
  ["accessKeys.isDefault", keyColumn((key) => [key.isDefault])],
  ["accessKeys.team.identifier", keyColumn((key) => [key.team?.identifier ?? null])],
  ["accessKeys.team.name", keyColumn((key) => [key.team?.name ?? null])],
  ["accessKeys.roles.identifier", keyColumn((key) => key.roles)],
]);

function keyColumn(values: (key: Key) => readonly (string | boolean | null)[]): (user: User) => SortValue {
  return (user) => [...user.keys].flatMap(values);
}

export function listUsers(call: RequestContext): Reply {
  const { caller, world, knobs } = call;
  const users = caller.is === "platform-administrator" ? world.userList : caller.account.users;
  return listResponse(call, {
    name: "users",
    items: listedUsers(call, users, knobs.listLagMs),
    columns,
    show: (user) => renderUser(knobs, user, { keys: shownKeys(call, user, knobs.listLagMs), on: "listed" }),
  });
}

export interface SearchUsersRequest {
  readonly identifiers: readonly string[];
}

export function searchUsers(call: RequestContext, { identifiers }: SearchUsersRequest): Reply {
  const { knobs } = call;
  const asked = limitSearch(knobs.searchOverMax, identifiers, knobs.searchMaxIdentifiers);
  if (isRefusal(asked)) return asked;
  const hits = asked.map((text) => ({ asked: text, users: foundUsers(call, text) }));
  const show = (user: User): object =>
    renderUser(knobs, user, { keys: shownKeys(call, user, knobs.searchLagMs), on: "listed" });
  return searchResponse(call, hits, { columns, show });
}

/** What one text of a search found. */
interface SearchHit {
  readonly asked: string;
  readonly users: readonly User[];
}

type UserListing = Pick<Collection<User>, "columns" | "show">;

/** What a search found: users once each, or what was found for each text, as this service answers it. */
function searchResponse(call: RequestContext, hits: readonly SearchHit[], { columns, show }: UserListing): Reply {
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

/** The texts that are looked for. */
function limitSearch(how: Knobs["searchOverMax"], asked: readonly string[], most: number): readonly string[] | Refusal {
  if (most === 0 || asked.length <= most) return asked;
  return how === "drop" ? asked.slice(0, most) : refuse(400, `A search takes at most ${most} identifiers`);
}
