import type { RequestContext } from "./call.ts";
import { listResponse } from "./collection.ts";
import { renderUser } from "./dialect/show-user.ts";
import { searchResponse } from "./dialect/tell-found.ts";
import type { Key, User } from "./entities.ts";
import { limitSearch } from "./knobs/search-over-max.ts";
import { isRefusal, type Reply } from "./reply.ts";
import { foundUsers, listedUsers, shownKeys } from "./rules/people.ts";
import type { SortColumns, SortValue } from "./sorting.ts";

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
