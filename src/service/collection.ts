import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Call } from "./call.ts";
import type { Caller, Reply } from "./caller.ts";
import type { Decoded } from "./decode/json.ts";
import { decodeList, decodeRows, type ListBody } from "./decode/list.ts";
import { nextPageInHeader } from "./decode/next-page.ts";
import type { Page } from "./page-pass.ts";

const totalHeaders = ["x-total-count", "x-total", "total-count", "x-pagination-total"];

/** How the answers of a collection route are read. */
export interface CollectionReading<Row> {
  /** Finds the rows in a body. */
  readonly list?: (body: unknown) => Decoded<ListBody>;
  readonly row: (row: unknown) => Decoded<Row>;
}

/** Reads one page of a collection route and decodes its rows. */
export async function readCollection<Row>(
  caller: Caller,
  call: Call,
  { list: listIn = decodeList, row: decode }: CollectionReading<Row>,
  signal: AbortSignal | undefined,
): Promise<Result<Page<Row>, Failure>> {
  const reply = await caller.read(call, signal);
  if (!reply.ok) return reply;
  const list = listIn(reply.value.body);
  if (!list.ok) return problem(caller.misread(reply.value.answer, call, list.error));
  const rows = decodeRows(list.value.rows, decode);
  if (!rows.ok) return problem(caller.misread(reply.value.answer, call, rows.error));
  const total = totalIn(reply.value) ?? list.value.total;
  const next = nextPageInHeader(reply.value.answer.headers.get("link")) ?? list.value.next;
  return success({
    rows: rows.value,
    ...(total === undefined ? {} : { total }),
    ...(next === undefined ? {} : { next }),
  });
}

function totalIn({ answer }: Reply): number | undefined {
  const value = totalHeaders.map((name) => answer.headers.get(name)).find((header) => header !== undefined);
  return value !== undefined && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}
