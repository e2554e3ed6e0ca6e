import { describe, expect, test } from "vitest";
import { type Effect, effectOf, isRefusal } from "../../../src/service/retry.ts";

const every = Array.from({ length: 400 }, (_, at) => 200 + at);

/** The statuses from 200 to 599 whose answers have this effect. */
function withEffect(effect: Effect, headers: Readonly<Record<string, string>> = {}): readonly number[] {
  const answers = new Map(Object.entries(headers));
  return every.filter((status) => effectOf({ is: "answer", status, headers: answers, body: "" }) === effect);
}

function range(from: number, to: number): readonly number[] {
  return every.filter((status) => status >= from && status <= to);
}

describe("what an answer says of the effect of its request", () => {
  const refusals = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422];
  const redirects = range(300, 399).filter((status) => status !== 302 && status !== 303);

  test("every status of success says that it is done", () => {
    expect(withEffect("done")).toEqual(range(200, 299));
    expect(withEffect("done", { "retry-after": "1" })).toEqual(range(200, 299));
  });

  test("a refusal and a redirect prove that nothing was done", () => {
    expect(withEffect("none")).toEqual([...redirects, ...refusals]);
  });

  test("a status that a body names proves it where it is one of a refusal", () => {
    expect(every.filter(isRefusal)).toEqual(refusals);
  });

  test("a refusal that names a time to come back proves nothing", () => {
    expect(withEffect("none", { "retry-after": "1" })).toEqual(redirects);
  });

  test("few ask to come back later, which proves nothing either", () => {
    expect(withEffect("throttled")).toEqual([425, 429]);
    expect(withEffect("throttled", { "retry-after": "1" })).toEqual([403, 425, 429, 503]);
  });

  test("all others leave it open", () => {
    const told = (["done", "none", "throttled"] as const).flatMap((effect) => withEffect(effect));
    expect(withEffect("unsure")).toEqual(every.filter((status) => !told.includes(status)));
    expect(withEffect("unsure")).toEqual(expect.arrayContaining([302, 303, 402, 406, 408, 423, 500, 503]));
  });

  test.each([
    ["403 that speaks of a rate limit", 403, "You have exceeded a secondary rate limit", "throttled"],
    ["403 that speaks of too many requests", 403, '{"error":"Too Many Requests"}', "throttled"],
    ["403 that speaks of throttling", 403, "Request was throttled.", "throttled"],
    ["403 that speaks of something else", 403, "You may not do this", "none"],
    ["403 that speaks of a rate limit far below", 403, `${"x".repeat(2000)} rate limit`, "none"],
    ["400 that speaks of a rate limit", 400, "rate limit", "none"],
    ["503 that speaks of a rate limit", 503, "rate limit", "unsure"],
  ] satisfies [string, number, string, Effect][])("%s", (_name, status, body, effect) => {
    expect(effectOf({ is: "answer", status, headers: new Map(), body })).toBe(effect);
  });

  test.each([
    ["was sent, and leaves it open", true, "unsure"],
    ["was not sent, and did nothing", false, "none"],
  ] satisfies [string, boolean, Effect][])("a request without an answer %s", (_name, sent, effect) => {
    expect(effectOf({ is: "no-answer", sent, why: "unreachable", cause: "so" })).toBe(effect);
  });
});
