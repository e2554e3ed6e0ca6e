import type { Call } from "./call.ts";
import { tellPage } from "./dialect/tell-page.ts";
import { afterSorting, beforeSorting } from "./knobs/order.ts";
import { locatePage, readPage } from "./paging.ts";
import { isRefusal, type Refusal, type Reply } from "./reply.ts";
import { type Arrangement, type Columns, readArrangement } from "./sorting.ts";

/** A list that a route answers. */
export interface Collection<T> {
  /** What it is called, such as `users`. */
  readonly name: string;
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: Columns<T>;
  readonly show: (item: T) => unknown;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function answerPage<T>(call: Call, collection: Collection<T>): Reply {
  const { name, items, columns, show } = collection;
  const arrange = arrangementOf(call, columns);
  if (isRefusal(arrange)) return arrange;
  const wish = readPage(call.query, call.knobs);
  if (isRefusal(wish)) return wish;
  const page = locatePage(wish, items.length, call.knobs);
  if (isRefusal(page)) return page;
  const rows = arrange(items).slice(page.start, page.end).map(show);
  return tellPage(call, { name, page, rows, total: items.length });
}

/** All items in the order that the query asks for. */
export function arranged<T>(call: Call, { items, columns }: Collection<T>): readonly T[] | Refusal {
  const arrange = arrangementOf(call, columns);
  return isRefusal(arrange) ? arrange : arrange(items);
}

function arrangementOf<T>({ query, knobs, draw }: Call, columns: Columns<T>): Arrangement<T> | Refusal {
  const arrange = readArrangement(query, columns, knobs);
  if (isRefusal(arrange)) return arrange;
  return (items) => afterSorting(knobs.order, arrange(beforeSorting(knobs.order, items, draw)), draw);
}
