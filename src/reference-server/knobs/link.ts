import type { Knobs } from "../knobs.ts";

export type LinkKind = Knobs["link"];

/** A page of a list as links see it. */
export interface LinkedPage {
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

export interface Links {
  readonly first?: string;
  readonly prev?: string;
  readonly next?: string;
  readonly last?: string;
}

export function pageLinks(kind: LinkKind, page: LinkedPage): Links {
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
export function linkHeader(links: Links): string | undefined {
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
