import type { Call } from "../call.ts";
import { type Envelope, wrap } from "../knobs/envelope.ts";
import { linkHeader, linksOf } from "../knobs/link.ts";
import { firstPage } from "../knobs/page-base.ts";
import { toldTotals } from "../knobs/total.ts";
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
export function tellPage(call: Call, { name, page, rows, total }: PageOfRows): Answer {
  const { knobs } = call;
  const firstNumber = firstPage(knobs.pageBase);
  const links = linksOf(knobs.link, { ...call, ...page, firstNumber });
  const totals = toldTotals(knobs.total, total);
  const kind = envelopeOf(call, page);
  const body = wrap(kind, {
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

function envelopeOf({ knobs }: Call, { index }: Page): Envelope {
  return index > 0 && knobs.laterEnvelope !== "same" ? knobs.laterEnvelope : knobs.envelope;
}
