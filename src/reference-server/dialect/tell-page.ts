import type { RequestContext } from "../call.ts";
import { type Envelope, wrapPage } from "../knobs/envelope.ts";
import { linkHeader, pageLinks } from "../knobs/link.ts";
import { firstPageNumber } from "../knobs/page-base.ts";
import { reportedTotals } from "../knobs/total.ts";
import { type Answer, answer } from "../reply.ts";
import type { Page } from "../requested-page.ts";

/** A page of a list, as it was asked for. */
export interface PageOfRows {
  /** What the list is called, such as `users`. */
  readonly name: string;
  readonly page: Page;
  /** As they are shown. */
  readonly rows: readonly unknown[];
  /** Rows of the whole list. */
  readonly total: number;
}

/** A page in the envelope of this service, with its links and its total. */
export function pageResponse(call: RequestContext, { name, page, rows, total }: PageOfRows): Answer {
  const { knobs } = call;
  const firstNumber = firstPageNumber(knobs.pageBase);
  const links = pageLinks(knobs.link, { ...call, ...page, firstNumber });
  const totals = reportedTotals(knobs.total, total);
  const kind = envelopeFor(call, page);
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
  const header = kind === "L1" || kind === "named" ? linkHeader(links) : undefined;
  return answer(200, body, {
    ...(header === undefined ? {} : { link: header }),
    ...(totals.header === undefined ? {} : { "x-total-count": String(totals.header) }),
  });
}

function envelopeFor({ knobs }: RequestContext, { index }: Page): Envelope {
  return index > 0 && knobs.laterEnvelope !== "same" ? knobs.laterEnvelope : knobs.envelope;
}
