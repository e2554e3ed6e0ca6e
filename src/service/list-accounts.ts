import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedAccount } from "../model/snapshot.ts";
import type { Caller } from "./caller.ts";
import { readCollection } from "./collection.ts";
import { decodeListedAccount } from "./decode/listed-account.ts";
import { requestName } from "./exchange.ts";
import { mostPages, type PageNumbering, perPage } from "./list-users.ts";
import { walkPages } from "./page-walk.ts";
import type { Routes } from "./routes.ts";

/** Every account that the key may see. */
export async function listAccounts(
  service: { readonly caller: Caller; readonly routes: Routes; readonly numbering: PageNumbering },
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedAccount[], Failure>> {
  const { caller, routes, numbering } = service;
  const walk = await walkPages<ObservedAccount>({
    readPage: (request) => readCollection(caller, routes.accounts(request), decodeListedAccount, signal),
    keyOf: ({ identifier }) => identifier,
    firstPage: numbering.firstPage,
    stableOrder: "identifier",
    perPage,
    mostPages,
  });
  if (!walk.ok) return walk;
  const { complete, rows } = walk.value;
  if (complete.yes) return success(rows);
  const message = `The list of accounts is incomplete: ${complete.why}`;
  return problem({ code: "misunderstood", message, request: requestName(routes.accounts({})) });
}
