import type { Call } from "./call.ts";
import { firstPage, type PageWish, readPage } from "./paging.ts";
import { answer, isRefusal, type Reply } from "./reply.ts";
import { type Columns, readArrangement } from "./sorting.ts";

/** A list that a route answers. */
export interface Collection<T> {
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: Columns<T>;
  readonly show: (item: T) => object;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function answerPage<T>(call: Call, collection: Collection<T>): Reply {
  const arrange = readArrangement(call.query, collection.columns);
  if (isRefusal(arrange)) return arrange;
  const page = readPage(call.query, call.knobs);
  if (isRefusal(page)) return page;
  const start = page.index * page.perPage;
  const items = arrange(collection.items).slice(start, start + page.perPage);
  const link = linkHeader(call, page, collection.items.length);
  return answer(200, items.map(collection.show), { link });
}

/** As `answerPage`, but complete where the query names no page. */
export function answerWhole<T>(call: Call, collection: Collection<T>): Reply {
  if (call.query.has("page") || call.query.has("per-page")) return answerPage(call, collection);
  const arrange = readArrangement(call.query, collection.columns);
  return isRefusal(arrange) ? arrange : answer(200, arrange(collection.items).map(collection.show));
}

function linkHeader(call: Call, page: PageWish, total: number): string {
  const last = Math.max(0, Math.ceil(total / page.perPage) - 1);
  const links: readonly [string, number | undefined][] = [
    ["first", 0],
    ["prev", page.index > 0 ? Math.min(page.index - 1, last) : undefined],
    ["next", page.index < last ? page.index + 1 : undefined],
    ["last", last],
  ];
  return links
    .flatMap(([relation, index]) =>
      index === undefined ? [] : `<${pageAddress(call, page, index)}>; rel="${relation}"`,
    )
    .join(", ");
}

function pageAddress(call: Call, page: PageWish, index: number): string {
  const query = new URLSearchParams(call.query);
  query.set("page", String(index + firstPage(call.knobs)));
  query.set("per-page", String(page.perPage));
  return `${call.origin}${call.path}?${query}`;
}
