import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { UserList } from "../ports/account-service.ts";
import { readCollection } from "./collection.ts";
import { decodeList } from "./decode/list.ts";
import { decodeUser } from "./decode/user.ts";
import { learnPaging } from "./learned-paging.ts";
import { type Walk, walkPages } from "./page-walk.ts";
import type { ServiceParts } from "./service-parts.ts";

export const perPage = 100;
export const maxPages = 20_000;

/** Walks the whole list of users; users are told apart by identifier, else by address. */
export async function listUsers(
  { caller, routes, reshape, learned, unread }: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<UserList, Failure>> {
  const decodeRow = (row: unknown) => {
    unread.noteUser(row);
    return decodeUser(row, "list");
  };
  const reading = { list: reshape.users(decodeList), row: decodeRow };
  const walk = await walkPages<ObservedUser>({
    readPage: (request) => readCollection(caller, routes.users(request), reading, signal),
    keyOf: userKey,
    firstPage: learned.firstPage,
    namesNextAlways: learned.namesNextAlways,
    stableOrder: "email",
    perPage,
    maxPages,
  });
  if (!walk.ok) return walk;
  learnPaging(learned, walk.value);
  return success({
    users: walk.value.rows,
    complete: isEmptyUncounted(walk.value) ? showsNobody : walk.value.complete,
  });
}

/** A list of nobody is believed where the service counts nobody either: whoever holds the key in use is somebody. */
function isEmptyUncounted({ rows, complete, showsTotal }: Walk<ObservedUser>): boolean {
  return complete.yes && rows.length === 0 && !showsTotal;
}

const showsNobody: UserList["complete"] = {
  yes: false,
  why: "it shows nobody and gives no total, and the key in use belongs to somebody",
};

/** Tells users apart. */
export function userKey({ identifier, address }: ObservedUser): string {
  return identifier === undefined ? `address ${address}` : `identifier ${identifier}`;
}
