import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import * as library from "../../../src/library/index.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import type { Result } from "../../../src/model/result.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";

const { apply, connect, drift, loadRoster, openState, plan } = library;

const text = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Data, admin: ada@acme.example, roles: [TEAM_ROLE], members: [ada@acme.example, bo@acme.example] }
`;

function value<Value>(result: Result<Value, library.LibraryError>): Value {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.error));
}

async function work() {
  const server = await startReferenceServer({ port: 0, seed: { accounts: [{ identifier: "acc-1" }] } });
  onTestFinished(() => server.close());
  const service = value(await connect({ endpoint: server.endpoint, key: () => server.key }));
  onTestFinished(() => service.close());
  const state = value(await openState({ url: "memory:" }));
  const roster = value(await loadRoster({ files: [{ file: "a.yaml", text }] }));
  return { server, service, state, roster };
}

describe("a plan of the library", () => {
  test.each(["acme.example", "@acme.example", "@ACME.example"])(
    "creates users of the allowed domain %s",
    async (domain) => {
      const { server: _, ...options } = await work();
      const planned = async (domains: readonly string[]) =>
        value(await plan({ ...options, guards: { allowedEmailDomains: domains } })).plan.findings.map(
          ({ code }) => code,
        );
      expect([await planned([domain]), await planned(["other.example"])]).toEqual([
        [],
        ["allowed-email-domains", "allowed-email-domains", "cannot-create-team"],
      ]);
    },
  );

  test("is applied under its ID, and then nothing is left to do and nothing drifts", async () => {
    const { server, ...options } = await work();
    const { plan: planned, refusal } = value(await plan(options));
    expect([planned.actions.length > 0, refusal, server.outbox.length]).toEqual([true, undefined, 0]);
    const run = apply({ ...options, approve: { id: planned.id } });
    const events: RunEvent[] = [];
    for await (const event of run.events) events.push(event);
    const { run: summary } = value(await run.result);
    const outcomes = [...(summary?.outcomes.values() ?? [])].filter(({ is }) => is !== "unneeded");
    expect(outcomes.map(({ is }) => is)).toEqual(outcomes.map(() => "succeeded"));
    expect(summary?.outcomes.size).toBe(planned.actions.length);
    expect(events.at(-1)).toMatchObject({ type: "run-finished", ended: "completed" });
    const again: RunEvent[] = [];
    for await (const event of run.events) again.push(event);
    expect(again).toEqual(events);
    expect(value(await plan(options)).plan.actions).toEqual([]);
    const { drift: found, record } = value(await drift(options));
    // What the apply made was seen for the first time.
    expect([found.items.filter(({ counts }) => counts !== "nothing"), record.is]).toEqual([[], "recorded"]);
    expect(value(await drift(options)).record.is).toBe("known");
    const secret = server.key.slice(server.key.indexOf(".") + 1);
    expect(JSON.stringify([events, planned, value(await options.state.read()).serial])).not.toContain(secret);
  });

  test("starts each call once it may start, and none after `mayStart` has failed", async () => {
    const { server, state, roster } = await work();
    let left = Number.POSITIVE_INFINITY;
    let started = 0;
    const mayStart = async () => {
      if (started >= left) throw new Error("the limiter is down");
      started += 1;
    };
    const service = value(await connect({ endpoint: server.endpoint, key: server.key, mayStart }));
    onTestFinished(() => service.close());
    value(await plan({ roster, service, state }));
    expect(started).toBe(server.requests.length);
    left = started;
    await expect(plan({ roster, service, state })).rejects.toThrow("the limiter is down");
    expect(started).toBe(server.requests.length);
  });

  test("is not applied where it is another one, or declined, or its signal was aborted: nothing is sent", async () => {
    const { server, ...options } = await work();
    const other = await apply({ ...options, approve: { id: "0123456789abcdef" } }).result;
    const declined = await apply({ ...options, approve: ({ plan: { actions } }) => actions.length === 0 }).result;
    const aborted = await apply({ ...options, approve: "any", signal: AbortSignal.abort() }).result;
    expect([other, declined, aborted]).toMatchObject([
      { error: { reason: "stale", code: "stale", planned: { plan: { service: server.endpoint } } } },
      { error: { reason: "refused", code: "declined" } },
      { error: { reason: "aborted", code: "aborted" } },
    ]);
    expect(server.requests.filter(({ method, path }) => method !== "GET" && !path.includes("search"))).toEqual([]);
    expect(await options.state.store.holder()).toEqual({ ok: true, value: "nobody" });
  });

  test("that guards refuse tells what lets it pass", async () => {
    const { server: _, ...options } = await work();
    const guards = { maxNewUsers: 1 };
    const { refusal } = value(await plan({ ...options, guards }));
    expect(refusal).toMatchObject({
      reason: "refused",
      allow: [expect.stringMatching(/^max-new-users#[0-9a-f]{12}$/u)],
    });
    const refused = await apply({ ...options, guards, approve: "any" }).result;
    expect(refused).toMatchObject({ error: { reason: "refused", code: "guard" } });
    const allowed = { ...options, guards, allow: refusal?.allow ?? [], reason: "INC-42" };
    expect(value(await plan(allowed)).refusal).toBeUndefined();
  });

  test("waits for no other run unless it is told to", async () => {
    const { server: _, ...options } = await work();
    const lock = await options.state.store.lock({ run: "r", operation: "apply", at: "2026-11-20T09:00:00.000Z" });
    expect(await apply({ ...options, approve: "any" }).result).toMatchObject({
      error: { reason: "locked", code: "locked", hint: expect.stringContaining("`lockTimeoutMs` waits for it") },
    });
    if (lock.ok) await lock.value.close();
    expect((await apply({ ...options, approve: "any" }).result).ok).toBe(true);
  });
});

test("an abort has a reason of its own, in reads and between the calls of an apply", async () => {
  const { server, ...options } = await work();
  const signal = AbortSignal.abort();
  const reads = [await plan({ ...options, signal }), await drift({ ...options, signal })];
  expect(reads).toMatchObject([{ error: { reason: "aborted" } }, { error: { reason: "aborted" } }]);
  const abort = new AbortController();
  const run = apply({ ...options, approve: "any", signal: abort.signal });
  for await (const { type } of run.events) if (type === "intended") abort.abort();
  const ended = await run.result;
  expect(ended).toMatchObject({
    error: { reason: "aborted", code: "aborted", run: { ended: { ended: "interrupted" } } },
  });
  expect(server.outbox).toEqual([]);
});

test("a service and a state are closed at the end of a block with await using", async () => {
  const { server, roster } = await work();
  const before = async () => {
    await using service = value(await connect({ endpoint: server.endpoint, key: server.key }));
    await using state = value(await openState({ url: "memory:" }));
    expect((await plan({ roster, service, state })).ok).toBe(true);
    return { roster, service, state };
  };
  expect(await plan(await before())).toMatchObject({ ok: false });
});

test("an error can be thrown, and JSON has all that it says", async () => {
  const read = await loadRoster({ files: [{ file: "a.yaml", text: "version: 1\nuser: []\n" }] });
  const error = read.ok ? undefined : read.error;
  const rethrown = () => {
    throw error;
  };
  expect(rethrown).toThrow(library.LibraryError);
  expect(rethrown).toThrow(error?.message);
  expect([error instanceof Error, error?.stack]).toEqual([true, expect.stringContaining("LibraryError: ")]);
  const { code, message, reason, place } = JSON.parse(JSON.stringify(error));
  expect({ code, message, reason, place }).toEqual({
    code: "unknown-key",
    message: error?.message,
    reason: "invalid",
    place: error?.place,
  });
});

test("errors are values with a code and a place", async () => {
  expect(await loadRoster({ files: [{ file: "a.yaml", text: "version: 1\nuser: []\n" }] })).toMatchObject({
    error: { reason: "invalid", code: "unknown-key", place: { file: "a.yaml", line: 2, column: 1 } },
  });
  expect(await connect({ endpoint: "http://api.example", key: "a.b" })).toMatchObject({
    error: { reason: "invalid", code: "bad-value", message: expect.stringContaining("http://api.example") },
  });
  const thrown = () => {
    throw new RangeError("sesame");
  };
  const failed = await connect({ endpoint: "https://api.example", key: thrown });
  expect(failed).toMatchObject({
    error: { code: "no-key", message: expect.stringContaining("RangeError") },
  });
  expect(JSON.stringify(failed)).not.toContain("sesame");
  expect(await connect({ endpoint: "https://api.example", key: "a.b", parallelism: 0 })).toMatchObject({
    error: { code: "bad-option", message: expect.stringContaining("`parallelism` of `connect` must be") },
  });
  expect(await openState({ url: "file:log.jsonl" })).toMatchObject({ error: { code: "bad-option" } });
  expect(await openState({ url: "ftp://x" })).toMatchObject({
    error: { code: "bad-value", message: expect.stringContaining("unknown kind") },
  });
});

describe("the page of the library", () => {
  const page = readFileSync("docs/library.md", "utf8");

  test("has every function and every type that is exported", () => {
    const index = readFileSync("src/library/index.ts", "utf8");
    const types = [...index.matchAll(/^export type \{ (.*) \}|\btype (\w+)/gmu)].flatMap(([, several, one]) =>
      several === undefined ? [one ?? ""] : several.split(", "),
    );
    expect(types.length).toBeGreaterThan(10);
    const functions = Object.keys(library)
      .filter((name) => name !== "LibraryError")
      .sort();
    expect([...page.matchAll(/^### `(\w+)`$/gmu)].map(([, name]) => name).sort()).toEqual(functions);
    expect(types.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test("shows the example program as it is", () => {
    expect(page).toContain(readFileSync("examples/library/sync.ts", "utf8"));
  });
});

test("the library reads nothing of the process and prints nothing", () => {
  const own = /\bprocess\.(?:env|argv|exitCode|exit|on|cwd|std\w+)|\bconsole\./u;
  const files = readdirSync("src/library", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => own.test(readFileSync(`src/library/${file}`, "utf8")))).toEqual([]);
});

describe("options that are wrong", () => {
  async function errorOf(made: Promise<Result<unknown, library.LibraryError>>): Promise<readonly string[]> {
    const result = await made;
    return result.ok ? ["no error"] : [result.error.reason, result.error.code, result.error.message];
  }

  test.each([
    ["false", { approve: false }],
    ["undefined", { approve: undefined }],
    ["nothing", {}],
    ["0", { approve: 0 }],
    ["a word", { approve: "no" }],
    ["true", { approve: true }],
    ["null", { approve: null }],
    ["an ID that is none", { approve: { id: undefined } }],
    ["an ID and something else", { approve: { id: "x", force: true } }],
    ["a list", { approve: ["any"] }],
  ])("approve nothing: %s", async (_, approve) => {
    const { server, ...options } = await work();
    const run = apply({ ...options, ...approve } as unknown as library.ApplyOptions);
    expect(await errorOf(run.result)).toEqual([
      "invalid",
      "bad-option",
      'The option `approve` of `apply` must be `"any"`, `{ id }` with the ID of a plan, or a function.',
    ]);
    for await (const event of run.events) expect.fail(event.type);
    expect(server.requests).toEqual([]);
  });

  test.each(["yes", 1, {}, undefined, null])("a function that answers %j approves nothing", async (answer) => {
    const { server, ...options } = await work();
    const approve = () => answer as unknown as boolean;
    expect((await errorOf(apply({ ...options, approve }).result)).slice(0, 2)).toEqual(["refused", "declined"]);
    expect(server.world.users.map(({ email }) => email)).not.toContain("ada@acme.example");
  });

  test("a function gets a copy of the plan: what it changes there is not sent", async () => {
    const { server, ...options } = await work();
    const approve = ({ plan: { actions, findings } }: library.PlanResult) => {
      for (const action of actions as unknown as Record<string, Record<string, unknown>>[]) {
        if (action["user"] !== undefined) action["user"]["firstName"] = "Mallory";
        (action["restsOn"] as unknown as unknown[]).length = 0;
      }
      (findings as unknown[]).length = 0;
      (actions as unknown[]).push(actions[0]);
      return true;
    };
    value(await apply({ ...options, approve }).result);
    const created = server.world.users.filter(({ email }) => email.startsWith("ada@") || email.startsWith("bo@"));
    expect(created.map(({ firstName }) => firstName).sort()).toEqual(["Ada", "Bo"]);
  });

  test("are told by every function, and none is passed over", async () => {
    const { server, ...options } = await work();
    const { service, state, roster } = options;
    const given = { endpoint: server.endpoint, key: server.key };
    const any = (value: unknown) => value as never;
    const errors = await Promise.all([
      errorOf(plan(any({ ...options, exlude: [] }))),
      errorOf(plan(any({ ...options, exclude: "user:ada@acme.example" }))),
      errorOf(plan(any({ ...options, guards: { maxNewUser: 1 } }))),
      errorOf(plan(any({ ...options, guards: { maxNewUsers: "1" } }))),
      errorOf(plan(any({ service, state }))),
      errorOf(plan(any({ service, state, roster: roster.roster }))),
      errorOf(plan(any(undefined))),
      errorOf(drift(any({ ...options, record: "no" }))),
      errorOf(apply(any({ ...options, approve: "any", lockTimeout: 5 })).result),
      errorOf(apply(any({ ...options, approve: "any", sequence: "12" })).result),
      errorOf(connect(any({ ...given, timeout: 1 }))),
      errorOf(connect(any({ endpoint: server.endpoint }))),
      errorOf(connect(any({ ...given, clock: {} }))),
      errorOf(openState(any({ url: "memory:", path: "x" }))),
      errorOf(openState(any({ url: 7 }))),
      errorOf(loadRoster(any({ files: [{ file: "a.yaml" }] }))),
      errorOf(loadRoster(any({ path: "a.yaml" }))),
      errorOf(loadRoster(any({ files: [], today: "tomorrow" }))),
    ]);
    expect(errors).toEqual(
      [
        ["bad-option", "`plan` has no option `exlude`."],
        ["bad-option", "The option `exclude` of `plan` must be a list of texts."],
        ["bad-option", "The option `guards` of `plan` must be an object of guards, each with one of its values."],
        ["bad-option", "The option `guards` of `plan` must be an object of guards, each with one of its values."],
        ["bad-option", "The option `roster` of `plan` must be what `loadRoster` gives."],
        ["bad-option", "The option `roster` of `plan` must be what `loadRoster` gives."],
        ["bad-option", "The options of `plan` must be an object."],
        ["bad-option", 'The option `record` of `drift` must be `"state"` or `"nothing"`.'],
        ["bad-option", "`apply` has no option `lockTimeout`."],
        ["bad-option", "The option `sequence` of `apply` must be a whole number from 0 on."],
        ["bad-option", "`connect` has no option `timeout`."],
        ["bad-option", "The option `key` of `connect` must be a text, or a function."],
        ["bad-option", "The option `clock` of `connect` must be a clock with `now` and `wait`."],
        ["bad-option", "`openState` has no option `path`."],
        ["bad-option", "The option `url` of `openState` must be a text."],
        ["bad-option", "The option `files` of `loadRoster` must be a list of `{ file, text }`."],
        ["bad-option", "`loadRoster` has no option `path`."],
        ["bad-option", "The option `today` of `loadRoster` must be a day, such as `2026-11-20`."],
      ].map((error) => ["invalid", ...error]),
    );
    expect(server.requests).toEqual([]);
  });
});
