import type { Call } from "./call.ts";
import { answerPage } from "./collection.ts";
import { tellUser } from "./dialect/show-user.ts";
import { tellFound } from "./dialect/tell-found.ts";
import type { Key, User } from "./entities.ts";
import { boundedSearch } from "./knobs/search-over-max.ts";
import { isRefusal, type Reply } from "./reply.ts";
import { foundUsers, listedUsers, shownKeys } from "./rules/people.ts";
import type { Columns, Sortable } from "./sorting.ts";

const columns: Columns<User> = new Map<string, (user: User) => Sortable>([
  ["identifier", (user) => user.identifier],
  ["email", (user) => user.email],
  ["firstName", (user) => user.firstName],
  ["lastName", (user) => user.lastName],
  ["title", (user) => user.title],
  ["externalIdentifier", (user) => user.externalIdentifier],
  ["source", (user) => user.source],
  ["status", (user) => user.status],
  ["accessKeys.prefix", ofKeys((key) => [key.prefix])],
  ["accessKeys.status", ofKeys((key) => [key.status])],
  ["accessKeys.kind", ofKeys((key) => [key.kind])],
  ["accessKeys.isDefault", ofKeys((key) => [key.isDefault])],
  ["accessKeys.team.identifier", ofKeys((key) => [key.team?.identifier ?? null])],
  ["accessKeys.team.name", ofKeys((key) => [key.team?.name ?? null])],
  ["accessKeys.roles.identifier", ofKeys((key) => key.roles)],
]);

function ofKeys(values: (key: Key) => readonly (string | boolean | null)[]): (user: User) => Sortable {
  return (user) => [...user.keys].flatMap(values);
}

export function listUsers(call: Call): Reply {
  const { caller, world, knobs } = call;
  const users = caller.is === "platform-administrator" ? world.userList : caller.account.users;
  return answerPage(call, {
    name: "users",
    items: listedUsers(call, users, knobs.listLagMs),
    columns,
    show: (user) => tellUser(knobs, user, { keys: shownKeys(call, user, knobs.listLagMs), on: "listed" }),
  });
}

export interface UserSearch {
  readonly identifiers: readonly string[];
}

export function searchUsers(call: Call, { identifiers }: UserSearch): Reply {
  const { knobs } = call;
  const asked = boundedSearch(knobs.searchOverMax, identifiers, knobs.searchMaxIdentifiers);
  if (isRefusal(asked)) return asked;
  const hits = asked.map((text) => ({ asked: text, users: foundUsers(call, text) }));
  const show = (user: User): object =>
    tellUser(knobs, user, { keys: shownKeys(call, user, knobs.searchLagMs), on: "listed" });
  return tellFound(call, hits, { columns, show });
}
