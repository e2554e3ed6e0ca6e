// Whether a delivery of `roster drift` was made with the secret, and not long ago. `headers` have lower-case names,
// `body` is the text as it came, before anything parses it. What was sent twice has the same `delivery` in it: whoever must not act
// twice remembers that for as long.
import { createHmac, timingSafeEqual } from "node:crypto";

export function isFromRoster(headers, body, secret, seconds = 300) {
  const timestamp = headers["roster-timestamp"] ?? "";
  const expected = `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
  const given = Buffer.from(headers["roster-signature"] ?? "");
  const isSame = given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
  return secret.length >= 16 && isSame && Math.abs(Date.now() / 1000 - Number(timestamp)) < seconds;
}
