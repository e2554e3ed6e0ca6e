import type { Failure } from "../model/failure.ts";
import { type Result, success } from "../model/result.ts";
import type { ObservedRole } from "../model/snapshot.ts";
import { readCollection } from "./collection.ts";
import { decodeList } from "./decode/list.ts";
import { decodeRole } from "./decode/role.ts";
import type { LearnedPaging } from "./learned-paging.ts";
import { maxPages, perPage } from "./list-users.ts";
import { type Page, saysNoSuchPage } from "./page-pass.ts";
import { walkPages } from "./page-walk.ts";
import type { ServiceParts } from "./service-parts.ts";

/**
 * Every role. Roles are few: one request without a page number mostly shows them all, and the pages are walked only if it
 * may not. Of a list that may lack some, those that were shown are known: the others are not, and hold up whoever asks for them.
 */
export async function listRoles(
  { caller, routes, reshape, learned }: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedRole[], Failure>> {
  const reading = { list: reshape.roles(decodeList), row: decodeRole };
  const first = await readCollection(caller, routes.roles({ perPage }), reading, signal);
  if (!first.ok && !saysNoSuchPage(first.error)) return first;
  if (first.ok && isSurelyWhole(first.value, learned)) return success(first.value.rows);
  const walk = await walkPages<ObservedRole>({
    readPage: (request) => readCollection(caller, routes.roles(request), reading, signal),
    keyOf: ({ identifier }) => identifier,
    firstPage: learned.firstPage,
    namesNextAlways: learned.namesNextAlways,
    stableOrder: "identifier",
    perPage,
    maxPages,
  });
  if (!walk.ok) return walk;
  learned.namesNextAlways ||= walk.value.namesNextAlways;
  return success(walk.value.rows);
}

/**
 * No service pages by less than its default of 10, and a larger page size would be a round number: a page that is not
 * full by any of them, and hints at no other, is all there is.
 */
function isSurelyWhole({ rows, total, next }: Page<ObservedRole>, { namesNextAlways }: LearnedPaging): boolean {
  if ((next !== undefined && !namesNextAlways) || (total ?? 0) > rows.length) return false;
  return rows.length < 10 || rows.length % 5 !== 0;
}
