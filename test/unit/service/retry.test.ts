import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../src/http/origin.ts";
import { momentOf } from "../../../src/ports/clock.ts";
import { accountServiceClient } from "../../../src/service/client.ts";
import { ApiKey } from "../../../src/service/secrets.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import type { Scripted } from "../../support/scripted-server.ts";
import { scriptedService } from "../../support/scripted-service.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

type Headers = Readonly<Record<string, string>>;

function answered(status: number, body = "", headers: Headers = {}): Exchange {
  return { is: "answer", status, headers: new Map(Object.entries(headers)), body };
}

function unanswered(
  why: "aborted" | "timed-out" | "too-late" | "unreadable" | "unreachable" | "barred",
  sent = true,
): Exchange {
  return { is: "no-answer", sent, why, cause: "so" };
}

const later = { "retry-after": "1" };

/** A service that gives every call the same, or one after the other and the last one again. */
function giving(exchanges: readonly [Exchange, ...Exchange[]], fraction = 0) {
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const waiting = [...exchanges];
  const send = async () => (waiting.length > 1 ? waiting.shift() : undefined) ?? waiting[0] ?? exchanges[0];
  const service = accountServiceClient(
    { send, close: async () => undefined },
    {
      endpoint: new URL("https://service.example"),
      key: new ApiKey("pre1.s3cr3tpart"),
      clock,
      randomness: { fraction: () => fraction, identifier: () => "" },
    },
  );
  return { service, clock };
}

/** How often a read, a replacement and a creation are sent. */
async function tries(exchange: Exchange): Promise<readonly number[]> {
  const { service } = giving([exchange]);
  await service.readAccount("acc-1");
  const { reads } = service.requests;
  await service.replaceRoles("k1", ["R"]);
  const replacements = service.requests.writes;
  await service.createUser("acc-1", ada, undefined);
  return [reads, replacements, service.requests.writes - replacements];
}

describe("how often a read, a replacement and a creation are sent", () => {
  test.each<[string, Exchange, readonly number[]]>([
    ["429, which asks to come later", answered(429), [4, 1, 1]],
    ["425, which asks to come later", answered(425), [4, 1, 1]],
    ["408, which may have been done", answered(408), [4, 4, 1]],
    ["503, which may have been done", answered(503), [4, 4, 1]],
    ["503 with a time to come back", answered(503, "", later), [4, 1, 1]],
    ["500", answered(500), [4, 4, 1]],
    ["502", answered(502), [4, 4, 1]],
    ["501", answered(501), [1, 1, 1]],
    ["522", answered(522), [4, 4, 1]],
    ["200", answered(200), [1, 1, 1]],
    ["400", answered(400), [1, 1, 1]],
    ["401", answered(401), [1, 1, 1]],
    ["401 that speaks of a rate limit", answered(401, "rate limit"), [1, 1, 1]],
    ["403", answered(403, "You may not do this"), [1, 1, 1]],
    ["403 with a time to come back", answered(403, "", later), [4, 1, 1]],
    ["403 that speaks of a rate limit", answered(403, '{"message":"Secondary Rate Limit exceeded"}'), [4, 1, 1]],
    ["404", answered(404), [1, 1, 1]],
    ["409", answered(409), [1, 1, 1]],
    ["423, which reads have to explain", answered(423), [1, 1, 1]],
    ["a redirect", answered(302), [1, 1, 1]],
    ["a connection that failed", unanswered("unreachable", false), [4, 4, 1]],
    ["a lost answer", unanswered("unreachable"), [4, 4, 1]],
    ["a time-out", unanswered("timed-out"), [4, 4, 1]],
    ["a connection that came too late", unanswered("too-late", false), [4, 1, 1]],
    ["a certificate that is not trusted", unanswered("barred", false), [1, 1, 1]],
    ["an answer too large", unanswered("unreadable"), [1, 1, 1]],
    ["a stopped run", unanswered("aborted"), [1, 1, 1]],
  ])("%s", async (_name, exchange, sent) => {
    expect(await tries(exchange)).toEqual(sent);
  });

  test("a replacement that may have been done is sent again after whatever a read is, and stays unknown", async () => {
    const { service } = giving([answered(500), answered(429), unanswered("too-late", false), answered(404)]);
    expect(await service.replaceRoles("k1", ["R"])).toMatchObject({ outcome: "unknown", failure: { status: 404 } });
    expect(service.requests.writes).toBe(4);
  });
});

describe("how long is waited before each further try", () => {
  const askedFor = (seconds: number | string) => answered(429, "", { "retry-after": String(seconds) });
  test.each<[string, Exchange, number, readonly number[]]>([
    ["half the backoff at the least, doubled each time, and three times in all", answered(500), 0, [125, 250, 500]],
    ["nearly the whole of it at the most", answered(500), 0.999, [250, 500, 1000]],
    ["what the service asks for, and the jitter on top", askedFor(7), 0, [7125, 7250, 7500]],
    ["not at all where the service asks for more than the deadline", askedFor(60), 0, []],
    ["not at all where the deadline would pass", askedFor(29.9), 0, [30_025]],
    ["not at all for an absurd wish", askedFor("9".repeat(400)), 0, []],
  ])("%s", async (_name, exchange, fraction, waits) => {
    const { service, clock } = giving([exchange], fraction);
    await service.readAccount("acc-1");
    expect(clock.waits).toEqual(waits);
  });
});

const every = Array.from({ length: 400 }, (_, at) => 200 + at);

describe("what a creation's answer says of its effect", () => {
  /** The statuses from 200 to 599 whose answers have this outcome. */
  async function withOutcome(outcome: string, headers: Headers = {}): Promise<readonly number[]> {
    const told = every.map((status) =>
      giving([answered(status, "", headers)]).service.createUser("acc-1", ada, undefined),
    );
    const results = await Promise.all(told);
    return every.filter((_, at) => results[at]?.outcome === outcome);
  }
  const range = (from: number, to: number) => every.filter((status) => status >= from && status <= to);
  const refusals = [400, 401, 403, 404, 405, 409, 410, 413, 415, 422];
  const redirects = range(300, 399).filter((status) => status !== 302 && status !== 303);

  test("every status of success says that it is done, but for the one that takes it for later", async () => {
    const successes = range(200, 299).filter((status) => status !== 202);
    expect([await withOutcome("done"), await withOutcome("done", later)]).toEqual([successes, successes]);
  });

  test("a refusal and a redirect prove that nothing was done, and a refusal with a time to come back does not", async () => {
    expect(await withOutcome("failed")).toEqual([...redirects, ...refusals]);
    expect(await withOutcome("failed", later)).toEqual(redirects);
  });

  test("few ask to come back later, which proves nothing either", async () => {
    expect(await withOutcome("throttled")).toEqual([425, 429]);
    expect(await withOutcome("throttled", later)).toEqual([403, 425, 429, 503]);
  });

  test("all others leave it open", async () => {
    const told = await Promise.all(["done", "failed", "throttled"].map((outcome) => withOutcome(outcome)));
    expect(await withOutcome("unknown")).toEqual(every.filter((status) => !told.flat().includes(status)));
    expect(await withOutcome("unknown")).toEqual(expect.arrayContaining([302, 303, 402, 406, 408, 423, 500, 503]));
  });

  test.each([
    ["403 that speaks of a rate limit", answered(403, "You have exceeded a secondary rate limit"), "throttled"],
    ["403 that speaks of too many requests", answered(403, '{"error":"Too Many Requests"}'), "throttled"],
    ["403 that speaks of throttling", answered(403, "Request was throttled."), "throttled"],
    ["403 that speaks of something else", answered(403, "You may not do this"), "failed"],
    ["403 that speaks of a rate limit far below", answered(403, `${"x".repeat(2000)} rate limit`), "failed"],
    ["400 that speaks of a rate limit", answered(400, "rate limit"), "failed"],
    ["503 that speaks of a rate limit", answered(503, "rate limit"), "unknown"],
    ["no answer, but it was sent", unanswered("unreachable"), "unknown"],
    ["no answer, and it was not sent", unanswered("unreachable", false), "failed"],
  ])("%s", async (_name, exchange, outcome) => {
    expect(await giving([exchange]).service.createUser("acc-1", ada, undefined)).toMatchObject({ outcome });
  });

  test("a status that the body of a success names proves that nothing was done where it is one of a refusal", async () => {
    const named = every.filter((status) => status >= 400);
    const told = await Promise.all(
      named.map((status) => {
        const { service } = giving([answered(200, JSON.stringify({ statusCode: status }))]);
        return service.createUser("acc-1", ada, undefined);
      }),
    );
    expect(named.filter((_, at) => told[at]?.outcome === "failed")).toEqual(refusals);
    expect(named.filter((_, at) => told[at]?.outcome === "unknown")).toEqual(
      named.filter((status) => !refusals.includes(status)),
    );
  });
});

const page = (first: number) => ({
  json: Array.from({ length: 100 }, (_, at) => ({ email: `u${first + at}@x.example`, identifier: `u-${first + at}` })),
});

/** A service whose requests and permits are noted in their order. Each permit takes `takes` ms. */
async function against(script: readonly Scripted[], takes = 0) {
  const order: string[] = [];
  const effects = new Set<string>();
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const answer = (_: unknown, index: number) => {
    order.push("request");
    return script[Math.min(index, script.length - 1)] ?? { json: [] };
  };
  const { service } = await scriptedService(answer, {
    clock,
    parallelism: 1,
    async mayStart(effect) {
      order.push("permit");
      effects.add(effect);
      clock.move(takes);
    },
  });
  return { service, clock, order, effects };
}

test("each request waits until it may start: pages, and what is sent again", async () => {
  const { service, order, effects } = await against([
    { status: 503, json: {} },
    page(0),
    page(0),
    page(100),
    { json: [] },
  ]);
  expect(await service.listUsers()).toMatchObject({ ok: true, value: { users: { length: 200 } } });
  expect(order.length).toBeGreaterThan(8);
  expect(order).toEqual(order.map((_, at) => (at % 2 === 0 ? "permit" : "request")));
  expect([...effects]).toEqual(["read"]);
});

test("an announced write has waited before, and leaves at once; one that is sent again waits, and its wait counts", async () => {
  const { service, clock, order, effects } = await against([{ status: 500, json: {} }], 2500);
  expect(await service.createUser("acc-1", ada, undefined, undefined, momentOf(clock))).toMatchObject({
    outcome: "unknown",
  });
  expect(order).toEqual(["request"]);
  expect(await service.replaceRoles("k1", ["R"], undefined, momentOf(clock))).toMatchObject({ outcome: "unknown" });
  expect(order).toEqual(["request", "request", "permit", "permit", "permit"]);
  expect([...effects]).toEqual(["write"]);
});

test("who waits is not kept once the work is stopped, and nothing is sent", async () => {
  const controller = new AbortController();
  const mayStart = () => new Promise<void>(() => controller.abort());
  const { server, service } = await scriptedService([{ json: [] }], { mayStart });
  expect(await service.listRoles(controller.signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
  expect([server.seen, service.requests]).toEqual([[], { reads: 0, writes: 0 }]);
});
