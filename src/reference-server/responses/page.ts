import type { Knobs } from "../knobs/registry.ts";
import type { RequestContext } from "../service-context.ts";
import { answer, type Headers, type ServedAnswer } from "./reply.ts";

/** A page of the list of that name in the envelope of this service, with its links and the total of the whole list. */
export function pageResponse(
  call: RequestContext,
  name: string,
  page: RenderedPage,
  rows: readonly unknown[],
  total: number,
): ServedAnswer {
  const { knobs } = call;
  const firstNumber = firstPageNumber(knobs.pageBase);
  const links = pageLinks(knobs.link, { ...call, ...page, firstNumber });
  const totals = reportedTotals(knobs.total, total);
  const kind = envelopeFor(knobs, page.index);
  const header = kind === "L1" || kind === "named" ? linkHeader(links) : undefined;
  const headers: Headers = {
    ...(header === undefined ? {} : { link: header }),
    ...(totals.header === undefined ? {} : { "x-total-count": String(totals.header) }),
  };
  const body = wrapPage(kind, {
    ...page,
    name,
    rows,
    isLast: page.index >= page.last,
    number: page.index + firstNumber,
    ...(totals.body === undefined ? {} : { total: totals.body }),
    ...(links.next === undefined ? {} : { next: links.next }),
    ...(links.prev === undefined ? {} : { prev: links.prev }),
  });
  return answer(200, body, headers);
}

function envelopeFor(knobs: Knobs, index: number): Envelope {
  return index > 0 && knobs.laterEnvelope !== "same" ? knobs.laterEnvelope : knobs.envelope;
}

/** Which part of a collection is asked for. */
export interface RequestedPage {
  /** Counts from 0, whatever the callers count from; -1 for a page before the first. */
  readonly index: number;
  readonly perPage: number;
}

/** A page of a collection of a certain size. */
export interface RenderedPage extends RequestedPage {
  /** The index of the last page. */
  readonly last: number;
  /** The rows from one to before the other. */
  readonly start: number;
  readonly end: number;
  /** How many of the first of them stood on the page before. */
  readonly repeated: number;
}

type Envelope = Knobs["envelope"];

/** A page of a list as an envelope sees it. */
interface WrappedPage {
  /** Such as `users`. */
  readonly name: string;
  readonly rows: readonly unknown[];
  /** Counted from 0. */
  readonly index: number;
  readonly perPage: number;
  readonly isLast: boolean;
  /** The number by which callers know this page. */
  readonly number: number;
  /** Absent where it is not shown. */
  readonly total?: number;
  readonly next?: string;
  readonly prev?: string;
}

/** The body of a list. A total that is not shown is left out. */
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

type LinkKind = Knobs["link"];

/** A page of a list as links see it. */
interface LinkedPage {
  readonly origin: string;
  readonly otherOrigin: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Counted from 0. */
  readonly index: number;
  readonly last: number;
  readonly perPage: number;
  readonly firstNumber: number;
}

interface Links {
  readonly first?: string;
  readonly prev?: string;
  readonly next?: string;
  readonly last?: string;
}

function pageLinks(kind: LinkKind, page: LinkedPage): Links {
  if (kind === "none") return {};
  const { index, last } = page;
  const isLast = index >= last;
  const next = isLast && kind !== "always" ? undefined : pageUrl(kind, page, nextIndex(kind, page));
  return {
    first: pageUrl(kind, page, 0),
    ...(index > 0 ? { prev: pageUrl(kind, page, Math.min(index - 1, last)) } : {}),
    ...(next === undefined ? {} : { next }),
    last: pageUrl(kind, page, last),
  };
}

/** RFC 8288; undefined where there is nothing to link to. */
function linkHeader(links: Links): string | undefined {
  const parts = Object.entries(links).map(([relation, address]) => `<${address}>; rel="${relation}"`);
  return parts.length === 0 ? undefined : parts.join(", ");
}

function nextIndex(kind: LinkKind, { index, firstNumber }: LinkedPage): number {
  if (kind === "self-next") return index;
  return kind === "zero-next" ? -firstNumber : index + 1;
}

function pageUrl(kind: LinkKind, page: LinkedPage, index: number): string {
  const query = new URLSearchParams(kind === "drops-query" ? undefined : page.query);
  query.set("page", String(index + page.firstNumber));
  if (kind !== "drops-query") query.set("per-page", String(page.perPage));
  return `${linkOrigin(kind, page)}${page.path}?${query}`;
}

function linkOrigin(kind: LinkKind, { origin, otherOrigin }: LinkedPage): string {
  switch (kind) {
    case "http-inner-host":
      return "http://inner:8080";
    case "relative":
      return "";
    case "evil-host":
      return otherOrigin;
    default:
      return origin;
  }
}

interface ReportedTotals {
  readonly header?: number;
  readonly body?: number;
}

function reportedTotals(how: Knobs["total"], rows: number): ReportedTotals {
  switch (how) {
    case "body":
      return { body: rows };
    case "header":
      return { header: rows };
    case "both":
      return { header: rows, body: rows };
    case "none":
      return {};
    case "wrong-high":
      return { header: rows + 7, body: rows + 7 };
    case "wrong-low":
      return { header: Math.floor(rows / 2), body: Math.floor(rows / 2) };
  }
}

/** The number of the first page. */
export function firstPageNumber(base: Knobs["pageBase"]): number {
  return base === "zero" ? 0 : 1;
}
