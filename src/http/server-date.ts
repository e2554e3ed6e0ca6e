import type { HttpResponse } from "../ports/http-client.ts";

/** When an answer of success was made, in milliseconds since the epoch, by the server's clock: by its `Date`, unless it comes from a cache. */
export function uncachedDate({ status, headers }: Pick<HttpResponse, "status" | "headers">): number | undefined {
  if (status < 200 || status > 299 || headers.has("age")) return undefined;
  if ([...headers].some(([name, value]) => /cache/u.test(name) && /\bhit\b/iu.test(value))) return undefined;
  const written = headers.get("date") ?? "";
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(written)) return undefined;
  const time = Date.parse(written);
  return Number.isNaN(time) ? undefined : time;
}
