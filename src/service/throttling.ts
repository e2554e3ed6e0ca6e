import type { Answer } from "../network/exchange.ts";

/** Whether a refusal only asks to come back later. Some services say so with 403: then a header or their words tell. */
export function asksToComeLater({ status, headers, body }: Answer): boolean {
  if ([408, 425, 429, 503].includes(status)) return true;
  return (
    status === 403 &&
    (headers.has("retry-after") || /rate.?limit|too many requests|throttl/iu.test(body.slice(0, 2000)))
  );
}
