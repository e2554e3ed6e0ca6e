import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import { misread } from "./answer-body.ts";
import type { Caller, Reply } from "./caller.ts";
import type { Decoded } from "./decode/json.ts";
import { decodeList, decodeRows } from "./decode/list.ts";
import type { Call } from "./exchange.ts";
import type { Page } from "./page-pass.ts";

const totalHeaders = ["x-total-count", "x-total", "total-count", "x-pagination-total"];

/** One answered page of a collection route, with what its headers hint at. */
export interface CollectionPage<Row> extends Page<Row> {
  /** A `Link` header names a next page. It is a hint, and never followed. */
  readonly namesNext: boolean;
}

/** Reads one page of a collection route and decodes its rows. */
export async function readCollection<Row>(
  caller: Caller,
  call: Call,
  decode: (row: unknown) => Decoded<Row>,
  signal: AbortSignal | undefined,
): Promise<Result<CollectionPage<Row>, Failure>> {
  const reply = await caller.read(call, signal);
  if (!reply.ok) return reply;
  const list = decodeList(reply.value.body);
  if (!list.ok) return problem(caller.clean(misread(reply.value.answer, call, list.error)));
  const rows = decodeRows(list.value.rows, decode);
  if (!rows.ok) return problem(caller.clean(misread(reply.value.answer, call, rows.error)));
  const total = totalIn(reply.value) ?? list.value.total;
  return success({ rows: rows.value, namesNext: namesNext(reply.value), ...(total === undefined ? {} : { total }) });
}

function totalIn({ answer }: Reply): number | undefined {
  const value = totalHeaders.map((name) => answer.headers.get(name)).find((header) => header !== undefined);
  return value !== undefined && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}

function namesNext({ answer }: Reply): boolean {
  return /\brel="?[^";,]*\bnext\b/i.test(answer.headers.get("link") ?? "");
}
