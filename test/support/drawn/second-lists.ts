import { type Answer, errorAnswer, json } from "./second-answers.ts";
import type { Json, JsonObject } from "./second-rows.ts";
import type { World } from "./second-world.ts";

/** One page of a list, as the query asks for it. */
export function pagedList(world: World, query: URLSearchParams, rows: readonly JsonObject[]): Answer {
  const { ways } = world;
  const asked = wholeNumber(query.get("page"), 1);
  const size = pageSize(ways, query);
  if (size === undefined || asked === undefined) return errorAnswer(400, "This page cannot be shown");
  // Page 0 is the first one too.
  const page = Math.max(asked, 1);
  const sorted = sortRows(world, query, inPlaceAt(world, page, rows));
  return json(200, sorted.slice((page - 1) * size, page * size));
}

/** A row may have moved to the front after the first page was read, so that no later page shows it. */
function inPlaceAt({ ways }: World, page: number, rows: readonly JsonObject[]): readonly JsonObject[] {
  return ways.movingRows === "none" || page === 1 ? rows : [...rows.slice(-1), ...rows.slice(0, -1)];
}

/** Fields that no row has are not sorted by. */
function sortRows(world: World, query: URLSearchParams, rows: readonly JsonObject[]): readonly JsonObject[] {
  const fields = (query.get("sort-by") ?? "")
    .split(",")
    .filter((field) => rows.some((row) => row[field] !== undefined));
  const sign = (query.get("direction") ?? "ASC").toUpperCase() === "DESC" ? -1 : 1;
  return inOrder(world, rows).toSorted((one, other) => {
    const field = fields.find((name) => textOf(one[name]) !== textOf(other[name]));
    return field === undefined ? 0 : sign * compare(textOf(one[field]), textOf(other[field]));
  });
}

function inOrder({ ways, random }: World, rows: readonly JsonObject[]): readonly JsonObject[] {
  const address = (row: JsonObject) => textOf(row[ways.addressField]);
  switch (ways.order) {
    case "oldest-first":
      return rows;
    case "newest-first":
      return rows.toReversed();
    case "by-address":
      return rows.toSorted((one, other) => compare(address(one), address(other)));
    case "shuffled":
      return rows
        .map((row) => ({ row, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ row }) => row);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const defaultSize = 10;

function pageSize(ways: World["ways"], query: URLSearchParams): number | undefined {
  const size = wholeNumber(query.get("per-page"), defaultSize);
  if (size === undefined || size === 0) return undefined;
  if (ways.movingRows === "between-pages-of-3") return Math.min(size, 3);
  switch (ways.pageCap) {
    case "none":
      return size;
    case "clamped-to-3":
      return Math.min(size, 3);
    case "over-10-refused":
      return size > 10 ? undefined : size;
  }
}

function wholeNumber(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}
