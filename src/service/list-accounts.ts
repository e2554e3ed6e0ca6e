import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedAccount } from "../model/snapshot.ts";
import { requestName } from "./call.ts";
import { readCollection } from "./collection.ts";
import { decodeList } from "./decode/list.ts";
import { decodeListedAccount } from "./decode/listed-account.ts";
import { maxPages, perPage } from "./list-users.ts";
import { walkPages } from "./page-walk.ts";
import type { ServiceParts } from "./service-parts.ts";

/** Every account that the key may see. */
export async function listAccounts(
  { caller, routes, reshape, learned }: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedAccount[], Failure>> {
  const reading = { list: reshape.accounts(decodeList), row: decodeListedAccount };
  const walk = await walkPages<ObservedAccount>({
    readPage: (request) => readCollection(caller, routes.accounts(request), reading, signal),
    keyOf: ({ identifier }) => identifier,
    firstPage: learned.firstPage,
    namesNextAlways: learned.namesNextAlways,
    stableOrder: "identifier",
    perPage,
    maxPages,
  });
  if (!walk.ok) return walk;
  const { complete, rows } = walk.value;
  if (complete.yes) return success(rows);
  const message = `The list of accounts is incomplete: ${complete.why}`;
  return problem({ code: "misunderstood", message, request: requestName(routes.accounts({})) });
}
