import type { Knobs } from "../knobs.ts";

export type Envelope = Knobs["envelope"];

/** A page of a list as an envelope sees it. */
export interface WrappedPage {
  /** Such as `users`. */
  readonly name: string;
  readonly rows: readonly unknown[];
  /** Counted from 0. */
  readonly index: number;
  readonly perPage: number;
  readonly isLast: boolean;
  /** The number by which callers know this page. */
  readonly number: number;
  /** Absent where it is not told. */
  readonly total?: number;
  readonly next?: string;
  readonly prev?: string;
}

/** The body of a list. A total that is not told is left out. */
export function wrapPage(kind: Envelope, page: WrappedPage): unknown {
  return envelopes[kind](page);
}

const envelopes: Readonly<Record<Envelope, (page: WrappedPage) => unknown>> = {
  L1: ({ rows }) => rows,
  L2: (page) => ({
    content: page.rows,
    number: page.index,
    size: page.perPage,
    numberOfElements: page.rows.length,
    ...totalField(page, "totalElements"),
    ...totalPagesField(page),
    first: page.index === 0,
    last: page.isLast,
  }),
  L3: (page) => ({ content: page.rows, page: springPage(page) }),
  L4: (page) => ({
    data: page.rows,
    meta: { page: page.number, per_page: page.perPage, ...totalField(page, "total") },
    links: { next: page.next ?? null },
  }),
  L5: (page) => ({ items: page.rows, ...totalField(page, "total") }),
  L6: (page) => ({
    ...totalField(page, "count"),
    next: page.next ?? null,
    previous: page.prev ?? null,
    results: page.rows,
  }),
  L7: (page) => ({
    start: page.index * page.perPage,
    limit: page.perPage,
    length: page.rows.length,
    ...totalField(page, "total"),
    [page.name]: page.rows,
  }),
  L8: (page) => ({
    ...totalField(page, "totalResults"),
    startIndex: page.index * page.perPage + 1,
    itemsPerPage: page.perPage,
    Resources: page.rows,
  }),
  L9: (page) => ({
    _embedded: { [page.name]: page.rows },
    _links: page.next === undefined ? {} : { next: { href: page.next } },
    page: springPage(page),
  }),
  L10: ({ rows }) => ({ success: true, data: { items: rows }, error: null }),
  named: ({ name, rows }) => ({ [name]: rows }),
  unknown: ({ rows }) => ({ payload: { rows } }),
};

function springPage(page: WrappedPage): object {
  return { size: page.perPage, number: page.index, ...totalField(page, "totalElements"), ...totalPagesField(page) };
}

function totalField({ total }: WrappedPage, name: string): object {
  return total === undefined ? {} : { [name]: total };
}

function totalPagesField({ total, perPage }: WrappedPage): object {
  return total === undefined ? {} : { totalPages: Math.ceil(total / perPage) };
}
