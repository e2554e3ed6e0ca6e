import { type Call, visibleUser } from "./call.ts";
import { answerPage, answerWhole } from "./collection.ts";
import type { Key, User } from "./entities.ts";
import type { Reply } from "./reply.ts";
import type { Columns, Sortable } from "./sorting.ts";
import { showUser } from "./views.ts";

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
  const { caller, world } = call;
  const items = caller.is === "platform-administrator" ? world.userList : caller.account.users;
  return answerPage(call, { items, columns, show: showUser });
}

export interface UserSearch {
  readonly identifiers: readonly string[];
}

export function searchUsers(call: Call, search: UserSearch): Reply {
  const found = new Set(search.identifiers.map((identifier) => visibleUser(call, identifier)));
  const items = [...found].filter((user) => user !== undefined);
  return answerWhole(call, { items, columns, show: showUser });
}
