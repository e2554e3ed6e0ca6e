import type { Answer } from "../network/exchange.ts";

/** Whether a refusal only asks to come back later. Some say so with 503 or 403: then a header, or their words, tell. */
export function isThrottled({ status, headers, body }: Answer): boolean {
  if ([408, 425, 429].includes(status)) return true;
  if (status === 503) return headers.has("retry-after");
  return (
    status === 403 &&
    (headers.has("retry-after") || /rate.?limit|too many requests|throttl/iu.test(body.slice(0, 2000)))
  );
}
