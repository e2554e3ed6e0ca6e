import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../src/http/sending.ts";
import { isTransient, waitBefore } from "../../../src/service/retry.ts";

function answered(status: number, body = "", headers: Readonly<Record<string, string>> = {}): Exchange {
  return { is: "answer", status, headers: new Map(Object.entries(headers)), body };
}

function unanswered(
  why: "aborted" | "timed-out" | "too-late" | "unreadable" | "unreachable" | "barred",
  sent = true,
): Exchange {
  return { is: "no-answer", sent, why, cause: "so" };
}

describe("what is sent again", () => {
  test.each([
    ["429", answered(429), true, false],
    ["408", answered(408), true, false],
    ["425", answered(425), true, false],
    ["503", answered(503), true, false],
    ["503 with a time to come back", answered(503, "", { "retry-after": "1" }), true, false],
    ["500", answered(500), true, false],
    ["502", answered(502), true, false],
    ["501", answered(501), false, false],
    ["522", answered(522), true, false],
    ["200", answered(200), false, false],
    ["400", answered(400), false, false],
    ["401", answered(401), false, false],
    ["403", answered(403, "You may not do this"), false, false],
    ["403 with a time to come back", answered(403, "", { "retry-after": "1" }), true, false],
    ["403 that speaks of a rate limit", answered(403, '{"message":"Secondary Rate Limit exceeded"}'), true, false],
    ["401 that speaks of a rate limit", answered(401, "rate limit"), false, false],
    ["404", answered(404), false, false],
    ["409", answered(409), false, false],
    ["a redirect", answered(302), false, false],
    ["a connection that failed", unanswered("unreachable", false), true, false],
    ["a lost answer", unanswered("unreachable"), true, false],
    ["a time-out", unanswered("timed-out"), true, false],
    ["a connection that came too late", unanswered("too-late", false), true, false],
    ["a certificate that is not trusted", unanswered("barred", false), false, false],
    ["an answer too large", unanswered("unreadable"), false, false],
    ["a stopped run", unanswered("aborted"), false, false],
  ])("%s", (_name, exchange, repeatable, once) => {
    expect(isTransient(exchange, "whenever-it-may-pass")).toBe(repeatable);
    expect(isTransient(exchange, "never")).toBe(once);
  });
});

test.each([
  ["429, which asks to come later", answered(429), false],
  ["425, which asks to come later", answered(425), false],
  ["403 that asks to come later", answered(403, "", { "retry-after": "1" }), false],
  ["503 that asks to come later", answered(503, "", { "retry-after": "1" }), false],
  ["503, which may have been done", answered(503), true],
  ["408, which may have been done", answered(408), true],
  ["a lost answer", unanswered("unreachable"), true],
  ["a connection that failed", unanswered("unreachable", false), true],
  ["a connection that came too late", unanswered("too-late", false), false],
  ["404", answered(404), false],
  ["423, which reads have to explain", answered(423), false],
])("a replacement is sent again without more ado after %s", (_name, exchange, expected) => {
  expect(isTransient(exchange, "unless-surely-not-done")).toBe(expected);
});

describe("how long is waited", () => {
  const first = { tries: 1, elapsed: 0, asked: undefined, fraction: 0 };

  test.each([
    ["half the first backoff at the least", first, 125],
    ["nearly the whole of it at the most", { ...first, fraction: 0.999 }, 250],
    ["twice that after the second try", { ...first, tries: 2 }, 250],
    ["four times that after the third", { ...first, tries: 3 }, 500],
    ["not at all after the fourth", { ...first, tries: 4 }, undefined],
    ["what the service asks for, and the jitter on top", { ...first, asked: 7000 }, 7125],
    ["not at all where the service asks for more than the deadline", { ...first, asked: 60_000 }, undefined],
    ["not at all where the deadline would pass", { ...first, elapsed: 59_900 }, undefined],
    ["not at all for an absurd wish", { ...first, asked: Number.POSITIVE_INFINITY }, undefined],
  ])("%s", (_name, next, wait) => {
    expect(waitBefore(next)).toBe(wait);
  });
});
