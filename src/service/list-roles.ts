import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedRole } from "../model/snapshot.ts";
import type { Caller } from "./caller.ts";
import { type CollectionPage, readCollection } from "./collection.ts";
import { decodeRole } from "./decode/role.ts";
import { requestName } from "./exchange.ts";
import { mostPages, type PageNumbering, perPage } from "./list-users.ts";
import { walkPages } from "./page-walk.ts";
import type { Routes } from "./routes.ts";

/** Every role. Roles are few: one request without a page number mostly shows them all, and the pages are walked only if it may not. */
export async function listRoles(
  service: { readonly caller: Caller; readonly routes: Routes; readonly numbering: PageNumbering },
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedRole[], Failure>> {
  const { caller, routes, numbering } = service;
  const first = await readCollection(caller, routes.roles({ perPage }), decodeRole, signal);
  if (!first.ok) return first;
  if (isSurelyWhole(first.value)) return success(first.value.rows);
  const walk = await walkPages<ObservedRole>({
    readPage: (request) => readCollection(caller, routes.roles(request), decodeRole, signal),
    keyOf: ({ identifier }) => identifier,
    firstPage: numbering.firstPage,
    stableOrder: "identifier",
    perPage,
    mostPages,
  });
  if (!walk.ok) return walk;
  const { complete, rows } = walk.value;
  if (complete.yes) return success(rows);
  const call = routes.roles({});
  const message = `The list of roles is incomplete: ${complete.why}`;
  return problem({ code: "misunderstood", message, request: requestName(call) });
}

/**
 * No service pages by less than its default of 10, and a larger page size would be a round number: a page that is not
 * full by any of them, and hints at no other, is all there is.
 */
function isSurelyWhole({ rows, total, namesNext }: CollectionPage<ObservedRole>): boolean {
  if (namesNext || (total ?? 0) > rows.length) return false;
  return rows.length < 10 || rows.length % 5 !== 0;
}
