import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { UserList } from "../ports/account-service.ts";
import type { Caller } from "./caller.ts";
import { readCollection } from "./collection.ts";
import { decodeUser } from "./decode/user.ts";
import type { FirstPage } from "./page-pass.ts";
import { walkPages } from "./page-walk.ts";
import type { Routes } from "./routes.ts";

export const perPage = 100;
export const mostPages = 20_000;

/** What this process has learned about how the service counts its pages. */
export interface PageNumbering {
  firstPage: FirstPage | undefined;
}

/** Walks the whole list of users; users are told apart by identifier, else by address. */
export async function listUsers(
  service: { readonly caller: Caller; readonly routes: Routes; readonly numbering: PageNumbering },
  signal: AbortSignal | undefined,
): Promise<Result<UserList, Failure>> {
  const { caller, routes, numbering } = service;
  const decode = (row: unknown) => decodeUser(row, "list");
  const walk = await walkPages<ObservedUser>({
    readPage: (request) => readCollection(caller, routes.users(request), decode, signal),
    keyOf: ({ identifier, address }) => (identifier === undefined ? `address ${address}` : `identifier ${identifier}`),
    firstPage: numbering.firstPage,
    stableOrder: "email",
    perPage,
    mostPages,
  });
  if (!walk.ok) return walk;
  numbering.firstPage = walk.value.firstPage;
  return success({ users: walk.value.rows, complete: walk.value.complete });
}
