import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { rosterVersion } from "../../../src/codec/version.ts";
import type { ConnectOptions } from "../../../src/library/connect.ts";
import * as library from "../../../src/library/index.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { casesOf } from "../../support/cases.ts";
import { intended, noon, rolesIntent, runStarted } from "../../support/event-builders.ts";
import { scriptedServer } from "../../support/scripted-server.ts";
import { errorOf } from "../../support/settled.ts";

const { access, apply, applySaved, audit, connect, drift, examine, loadRoster, openLog, plan } = library;
const { readPolicy, readSavedPlan, recordedAccess, savePlan } = library;

const text = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Data, admin: ada@acme.example, roles: [TEAM_ROLE], members: [ada@acme.example, bo@acme.example] }
`;

async function work() {
  const server = await startReferenceServer({ port: 0, seed: { accounts: [{ identifier: "acc-1" }] } });
  onTestFinished(() => server.close());
  const service = await connect({ endpoint: server.endpoint, key: () => server.key });
  onTestFinished(() => service.close());
  const log = await openLog({ url: "memory:" });
  const roster = await loadRoster({ files: [{ file: "a.yaml", text }] });
  return { server, service, log, roster };
}

describe("a plan of the library", () => {
  test.each(["acme.example", "@acme.example", "@ACME.example"])(
    "creates users of the allowed domain %s",
    async (domain) => {
      const { server: _, ...options } = await work();
      const planned = async (domains: readonly string[]) =>
        (
          await plan({ ...options, policy: readPolicy({ guards: { allowedEmailDomains: domains } }) })
        ).plan.findings.map(({ code }) => code);
      expect([await planned([domain]), await planned(["other.example"])]).toEqual([
        [],
        ["allowed-email-domains", "allowed-email-domains", "cannot-create-team"],
      ]);
    },
  );

  test("is applied under its ID, and then nothing is left to do and nothing drifts", async () => {
    const { server, ...options } = await work();
    const { plan: planned, refusal } = await plan(options);
    expect([planned.actions.length > 0, refusal, server.outbox.length]).toEqual([true, undefined, 0]);
    const run = apply({ ...options, approve: { id: planned.id } });
    const events: RunEvent[] = [];
    for await (const event of run.events) events.push(event);
    const { run: summary } = await run.result;
    const outcomes = [...(summary?.outcomes.values() ?? [])].filter(({ is }) => is !== "unneeded");
    expect(outcomes.map(({ is }) => is)).toEqual(outcomes.map(() => "succeeded"));
    expect(summary?.outcomes.size).toBe(planned.actions.length);
    expect(events.at(-1)).toMatchObject({ type: "run-finished", ended: "completed" });
    const again: RunEvent[] = [];
    for await (const event of run.events) again.push(event);
    expect(again).toEqual(events);
    expect((await plan(options)).plan.actions).toEqual([]);
    const { drift: found, record } = await drift(options);
    expect([found.items.filter(({ counts }) => counts !== "nothing"), record.is]).toEqual([[], "recorded"]);
    expect((await drift(options)).record.is).toBe("known");
    const secret = server.key.slice(server.key.indexOf(".") + 1);
    expect(JSON.stringify([events, planned, (await options.log.read()).serial])).not.toContain(secret);
  });

  test("starts each call once it may start, and none after `mayStart` has failed", async () => {
    const { server, log, roster } = await work();
    let left = Number.POSITIVE_INFINITY;
    let started = 0;
    const mayStart = async () => {
      if (started >= left) throw new Error("the limiter is down");
      started += 1;
    };
    const service = await connect({ endpoint: server.endpoint, key: server.key, mayStart });
    onTestFinished(() => service.close());
    await plan({ roster, service, log });
    expect(started).toBe(server.requests.length);
    left = started;
    await expect(plan({ roster, service, log })).rejects.toThrow("the limiter is down");
    expect(started).toBe(server.requests.length);
  });

  test("is not applied where it is another one, or declined, or its signal was aborted: nothing is sent", async () => {
    const { server, ...options } = await work();
    const approve = ({ plan: { actions } }: library.PlanResult) => actions.length === 0;
    const errors = [
      await errorOf(() => apply({ ...options, approve: { id: "0123456789abcdef" } }).result),
      await errorOf(() => apply({ ...options, approve }).result),
      await errorOf(() => apply({ ...options, approve: "any", signal: AbortSignal.abort() }).result),
    ];
    expect(errors).toMatchObject([
      { reason: "stale", code: "stale", applied: { plan: { service: server.endpoint } } },
      { reason: "refused", code: "declined" },
      { reason: "aborted", code: "aborted" },
    ]);
    expect(server.requests.filter(({ method, path }) => method !== "GET" && !path.includes("search"))).toEqual([]);
    expect(await options.log.store.holder()).toEqual({ ok: true, value: "nobody" });
  });

  test("that guards refuse tells what lets it pass", async () => {
    const { server: _, ...options } = await work();
    const guards = { maxNewUsers: 1 };
    const policy = readPolicy({ guards });
    const { refusal } = await plan({ ...options, policy });
    expect(refusal).toMatchObject({
      reason: "refused",
      allow: [expect.stringMatching(/^max-new-users#[0-9a-f]{12}$/u)],
    });
    const refused = apply({ ...options, policy, approve: "any" }).result;
    await expect(refused).rejects.toMatchObject({ reason: "refused", code: "guard" });
    const allowing = readPolicy({ guards, allow: refusal?.allow, reason: "INC-42" });
    expect((await plan({ ...options, policy: allowing })).refusal).toBeUndefined();
  });

  test("waits for no other run unless it is told to", async () => {
    const { server: _, ...options } = await work();
    const lock = await options.log.store.lock({ run: "r", operation: "apply", at: "2026-11-20T09:00:00.000Z" });
    await expect(apply({ ...options, approve: "any" }).result).rejects.toMatchObject({
      reason: "locked",
      code: "locked",
      hint: expect.stringContaining("`lockTimeoutMs` waits for it"),
    });
    if (lock.ok) await lock.value.close();
    expect(await apply({ ...options, approve: "any" }).result).toMatchObject({
      run: { ended: { ended: "completed" } },
    });
  });
});

test("what is known of the writes of a service is a part of the policy", () => {
  const policy = readPolicy({ consistencyMs: 60_000, throttling: "no-effect" });
  expect([policy.consistency, policy.throttling]).toEqual([60_000, "no-effect"]);
});

describe("who has access", () => {
  const actor = { name: "olga", source: "flag" } as const;
  const only = { person: "Ada@ACME.example", team: "data", role: "TEAM_ROLE" };
  const key = { ...only, person: "ada@acme.example", team: "Data", team_key: "acc-1/data", privileged: false };
  const aTime = expect.stringMatching(/Z$/u);

  test("is mapped with what the plan changes, then as the service shows it, and by the log alone", async () => {
    const { server: _, ...options } = await work();
    const { log } = options;
    const planned = await access({ ...options, only });
    expect([planned.from, planned.rows, planned.head]).toEqual(["service", [{ ...key, planned: "adds" }], undefined]);
    const { head } = await apply({ ...options, approve: "any", startedBy: { actor } }).result;
    const { access: kept, runs } = await log.read();
    const { prefix } = [...kept.values()].find(({ address }) => address === key.person) ?? {};
    const given = { ...key, prefix, granted_at: aTime, granted_by: "olga", run: [...runs.keys()][0] };
    const shown = await access({ ...options, only });
    const seen = { status: "active", last_seen: shown.asOf, source: "roster", place: "a.yaml:7" };
    expect([shown.rows, shown.head, shown.ended, shown.gaps]).toEqual([[{ ...given, ...seen }], head, [], []]);
    const recorded = await recordedAccess({ log, asOf: "2999-01-01T01:00:00+01:00", only });
    const known = { rows: [{ ...given, last_seen: aTime }], gaps: [{ of: "later", than: aTime }] };
    const about = { asOf: "2999-01-01T00:00:00.000Z", from: "audit", head, ended: [], ...known };
    expect(recorded).toEqual({ ...about, columns: shown.columns, people: [expect.anything()] });
    const { rows, gaps } = await recordedAccess({ log, asOf: "2001-01-01T00:00:00Z" });
    expect([rows, gaps]).toEqual([[], [{ of: "earlier", than: aTime }]]);
    log.secrets.keep(key.person);
    const maps = [await access(options), await recordedAccess({ log, asOf: recorded.asOf })];
    expect(JSON.stringify(maps)).not.toContain(key.person);
  });

  test("was given by runs: an audit has each record with the position of its event", async () => {
    const { server: _, log, ...others } = await work();
    const message = "`asOf` needs a log, but the log has no events.";
    expect(await errorOf(() => recordedAccess({ log, asOf: "2026-11-20T09:00:00Z" }))).toMatchObject({ message });
    await apply({ ...others, log, approve: "any", startedBy: { actor } }).result;
    const recordsOf = async (until?: string) => {
      const records: library.PlacedRecord[] = [];
      for await (const record of audit({ log, until })) records.push(record);
      return records;
    };
    const records = await recordsOf();
    expect(records.map(({ record }) => record.kind).join()).toBe("run-started,plan,call,call,call,run-ended");
    const start = { kind: "run-started", at: aTime, run: expect.any(String), command: "apply", actor };
    expect(records[0]).toEqual({ position: 2, record: start });
    expect([await recordsOf("2999-01-01T00:00:00Z"), await recordsOf("2001-01-01T00:00:00Z")]).toEqual([records, []]);
    log.secrets.keep(key.person);
    expect(JSON.stringify(await recordsOf())).not.toContain(key.person);
  });
});

describe("a saved plan", () => {
  test("is read back as it was saved, and applied once, as the plan and with the guards that were approved", async () => {
    const { server, ...options } = await work();
    const { roster, ...others } = options;
    const planned = await plan(options);
    const saved = savePlan({ planned, roster });
    const expiresAt = new Date(Date.parse(planned.reading.readAt) + 86_400_000).toISOString();
    expect([saved.plan, saved.expiresAt]).toEqual([planned.plan, expiresAt]);
    expect(await readSavedPlan({ file: "p.json", text: saved.text })).toEqual(saved);
    const policy = readPolicy({ guards: { maxNewUsers: 2 } });
    const run = { ...others, saved };
    const refused = [
      await errorOf(() => applySaved({ ...run, approve: { id: "0" } }).result),
      await errorOf(() => applySaved({ ...run, policy }).result),
    ];
    expect([server.world.users.length, (await others.log.read()).serial]).toEqual([1, 0]);
    const { run: summary } = await applySaved({ ...run, approve: { id: planned.plan.id } }).result;
    expect([summary?.ended?.ended, server.world.users.length]).toEqual(["completed", 3]);
    refused.push(await errorOf(() => applySaved(run).result));
    expect(refused.map(({ reason, message }) => [reason, message])).toEqual([
      ["stale", expect.stringContaining("the approved plan has the ID 0")],
      ["refused", "the plan was made with other guards than the settings of this run have"],
      ["stale", expect.stringContaining("this plan file was already applied")],
    ]);
  });

  test("is not made of a copy, another roster, a refused plan or a secret, nor read where it was edited", async () => {
    const { server, ...options } = await work();
    const { roster } = options;
    const planned = await plan(options);
    const refused = await plan({ ...options, policy: readPolicy({ guards: { maxNewUsers: 0 } }) });
    const named = text.replace("Lovelace", server.key.slice(server.key.indexOf(".") + 1));
    const secret = { ...options, roster: await loadRoster({ files: [{ file: "a.yaml", text: named }] }) };
    const edited = savePlan({ planned, roster }).text.replaceAll("Lovelace", "Byron");
    const errors = [
      await errorOf(() => savePlan({ planned: structuredClone(planned), roster })),
      await errorOf(() => savePlan({ planned, roster: secret.roster })),
      await errorOf(() => savePlan({ planned: refused, roster })),
      await errorOf(async () => savePlan({ planned: await plan(secret), roster: secret.roster })),
      await errorOf(() => readSavedPlan({ file: "p.json", text: edited })),
    ];
    expect(errors.map(({ reason, message }) => [reason, message])).toEqual([
      ["invalid", "This plan is a copy, or was not made here."],
      ["invalid", "The option `roster` of `savePlan` must be the roster of the plan."],
      ["refused", refused.refusal?.message],
      ["failed", "the plan cannot be saved: it has the key in use, or another secret"],
      ["invalid", "p.json is not a usable plan file: its checksum does not match: it was damaged or edited."],
    ]);
    expect(JSON.parse(readFileSync("package.json", "utf8"))).toMatchObject({ version: rosterVersion });
  });
});

test("what a run before has announced and not sent is given up only once it cannot be sent any more", async () => {
  const waits: number[] = [];
  let now = Date.parse("2026-11-20T13:00:00.000Z");
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds);
    now += milliseconds;
  };
  const clock = { now: () => now, monotonic: () => now, wait };
  const { server, roster } = await work();
  await using log = await openLog({ url: "memory:", clock });
  const started = { ...runStarted("r1"), service: server.endpoint };
  const stopped = await log.store.lock({ run: "r1", operation: "apply", at: noon });
  if (!stopped.ok) throw new Error(stopped.error.message);
  await stopped.value.append([started, intended("r1", "replace-roles:k1", rolesIntent("k1", "TEAM_ROLE"))]);
  await stopped.value.close();
  await using service = await connect({ endpoint: server.endpoint, key: server.key, clock });
  const { events, result } = apply({ roster, service, log, approve: "any" });
  await result;
  const given: RunEvent[] = [];
  for await (const event of events) if (event.type === "resolved") given.push(event);
  expect([waits.slice(0, 2), given]).toEqual([
    [1, 2000],
    [expect.objectContaining({ as: { done: false, unproven: true } })],
  ]);
});

test("an abort has a reason of its own, in reads and between the calls of an apply", async () => {
  const { server, ...options } = await work();
  const signal = AbortSignal.abort();
  const { service } = options;
  const readers = [() => plan({ ...options, signal }), () => drift({ ...options, signal })];
  for (const read of [...readers, () => examine({ service, signal })])
    expect((await errorOf(read)).reason).toBe("aborted");
  const abort = new AbortController();
  const run = apply({ ...options, approve: "any", signal: abort.signal });
  for await (const { type } of run.events) if (type === "intended") abort.abort();
  await expect(run.result).rejects.toMatchObject({
    reason: "aborted",
    code: "aborted",
    applied: { run: { ended: { ended: "interrupted" } } },
  });
  expect(server.outbox).toEqual([]);
});

test("a service and a state are closed at the end of a block with await using", async () => {
  const { server, roster } = await work();
  const before = async () => {
    await using service = await connect({ endpoint: server.endpoint, key: server.key });
    await using log = await openLog({ url: "memory:" });
    await plan({ roster, service, log });
    return { roster, service, log };
  };
  const closed = await before();
  expect((await errorOf(() => plan(closed))).reason).toBe("failed");
});

describe("an examination", () => {
  test("has what a service shows to a key, and the reads that fail as their failures", async () => {
    const { server, service } = await work();
    const { answers, roles, unread, ...shown } = await examine({ service, accounts: ["acc-1", "acc-9"] });
    const root = "root@reference.example";
    const account = { identifier: "acc-1", name: "acc-1", status: "Active" };
    expect(shown).toEqual({
      address: server.endpoint,
      key: { prefix: service.keyPrefix, owner: { email: root, roles: ["SYSTEM_OWNER"] } },
      otherAddresses: [],
      accounts: { ok: true, value: [{ ...account, by: "accounts" }] },
      details: [
        { account: "acc-1", reading: { ok: true, value: { ...account, members: [root], by: "account acc-1" } } },
        {
          account: "acc-9",
          reading: { ok: false, error: expect.objectContaining({ code: "not-found", status: 404 }) },
        },
      ],
      list: { ok: true, value: { users: 1, requests: 3, everyone: { read: "complete", by: "list" } } },
      search: { email: root, reading: { ok: true, value: "found" } },
      capabilities: {
        ...{ keysOnUsers: "shown", rolesOnKeys: "shown", teamsOnKeys: "shown", titles: "shown", totals: "hidden" },
        paging: { firstPage: "0-and-1-alike" },
      },
    });
    expect([roles.ok, unread, answers.length]).toEqual([true, [], server.requests.length]);
  });

  test("finds by JSON Pointers what it does not find by itself", async () => {
    const user = { email: "ada@acme.example", creds: [{ pfx: "k1" }] };
    const server = await scriptedServer(({ url }) => ({ json: url.includes("/users") ? [user] : [] }));
    onTestFinished(() => server.close());
    const shapes = { users: { keys: "/creds" }, key: { prefix: "/pfx" } };
    const keysSeen = async (shaped: Pick<ConnectOptions, "shapes">) => {
      await using service = await connect({ endpoint: server.endpoint.href, key: "a.b", ...shaped });
      return (await examine({ service })).capabilities?.keysOnUsers;
    };
    expect([await keysSeen({}), await keysSeen({ shapes })]).toEqual(["hidden", "shown"]);
  });

  test("of a wrong address has those that were tried, and nothing that holds the key", async () => {
    const { server } = await work();
    await using service = await connect({ endpoint: `${server.endpoint}/v2`, key: server.key });
    const { otherAddresses, details, ...shown } = await examine({ service });
    expect(otherAddresses.map(({ endpoint, reading }) => [endpoint.replace(server.endpoint, ""), reading.ok])).toEqual([
      ["", true],
      ["/v2/api/api", false],
      ["/api/api", false],
    ]);
    expect([details, shown.list, shown.roles.ok]).toEqual([[], undefined, false]);
    expect(JSON.stringify([otherAddresses, shown])).not.toContain(server.key.slice(server.key.indexOf(".") + 1));
  });
});

test("an error is thrown with a code and a place, and JSON has all that it says", async () => {
  const error = await errorOf(() => loadRoster({ files: [{ file: "a.yaml", text: "version: 1\nuser: []\n" }] }));
  expect([error instanceof Error, error.stack]).toEqual([true, expect.stringContaining("RosterError: ")]);
  expect(error).toMatchObject({
    reason: "invalid",
    code: "unknown-key",
    place: { file: "a.yaml", line: 2, column: 1 },
  });
  const { code, message, reason, place, diagnostics } = JSON.parse(JSON.stringify(error));
  expect({ code, message, reason, place, diagnostics }).toEqual({
    code: "unknown-key",
    message: error.message,
    reason: "invalid",
    place: error.place,
    diagnostics: error.diagnostics,
  });
});

test("an address, a key and a log that cannot be used are errors, which hold no secret", async () => {
  const thrown = () => {
    throw new RangeError("sesame");
  };
  const endpoint = "https://api.example";
  const failed = await errorOf(() => connect({ endpoint, key: thrown }));
  expect(JSON.stringify(failed)).not.toContain("sesame");
  const errors = [
    await errorOf(() => connect({ endpoint: "http://api.example", key: "a.b" })),
    failed,
    await errorOf(() => connect({ endpoint, key: "a.b", parallelism: 0 })),
    await errorOf(() => openLog({ url: "file:log.jsonl" })),
    await errorOf(() => openLog({ url: "ftp://x" })),
  ];
  expect(errors).toMatchObject([
    { reason: "invalid", code: "bad-value", message: expect.stringContaining("http://api.example") },
    { code: "no-key", message: expect.stringContaining("RangeError") },
    { code: "bad-option", message: expect.stringContaining("`parallelism` of `connect` must be") },
    { code: "bad-option" },
    { code: "bad-value", message: expect.stringContaining("unknown kind") },
  ]);
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
      .filter((name) => name !== "RosterError")
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
  async function saidOf(work: () => unknown): Promise<readonly string[]> {
    const { reason, code, message } = await errorOf(work);
    return [reason, code, message];
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
    expect(await saidOf(() => run.result)).toEqual([
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
    const declined = await saidOf(() => apply({ ...options, approve }).result);
    expect(declined.slice(0, 2)).toEqual(["refused", "declined"]);
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
    await apply({ ...options, approve }).result;
    const created = server.world.users.filter(({ email }) => email.startsWith("ada@") || email.startsWith("bo@"));
    expect(created.map(({ firstName }) => firstName).sort()).toEqual(["Ada", "Bo"]);
  });

  const notRoster = "The option `roster` of `plan` must be what `loadRoster` gives.";

  test("a relative directory would be one of the process", async () => {
    const message = "The option `cwd` of `loadRoster` must be an absolute path.";
    expect(await saidOf(() => loadRoster({ paths: ["."], cwd: "." }))).toEqual(["invalid", "bad-option", message]);
  });

  test.each(
    casesOf([
      'plan | {"polisy": {}} | `plan` has no option `polisy`.',
      `plan | {"roster": null} | ${notRoster}`,
      `plan | {"roster": {}} | ${notRoster}`,
      'plan | {"policy": {"allow": []}} | The option `policy` of `plan` must be what `readPolicy` gives.',
      "plan | null | The options of `plan` must be an object.",
      'readPolicy | {"exlude": []} | `readPolicy` has no option `exlude`.',
      'readPolicy | {"exclude": "user:ada@acme.example"} | The option `exclude` of `readPolicy` must be a list of texts.',
      'readPolicy | {"guards": 7} | The option `guards` of `readPolicy` must be an object of guards.',
      'readPolicy | {"guards": {"maxNewUser": 1}} | `readPolicy.guards` has no option `maxNewUser`.',
      'readPolicy | {"guards": {"maxNewUsers": "1"}} | The option `maxNewUsers` of `readPolicy.guards` must be a whole number from 0 on, or `"off"`.',
      'readPolicy | {"throttling": "never"} | The option `throttling` of `readPolicy` must be `"no-effect"`.',
      'access | {"only": {"user": "bo"}} | The option `only` of `access` must be an object with person, team, role.',
      'recordedAccess | {"asOf": "2026-11-20"} | The option `asOf` of `recordedAccess` must be a time with an offset, such as `2026-11-20T09:00:00Z`.',
      'audit | {"since": "2026-11-20T09:00:00Z"} | `audit` has no option `since`.',
      'drift | {"record": "no"} | The option `record` of `drift` must be `"log"` or `"nothing"`.',
      'apply | {"lockTimeout": 5} | `apply` has no option `lockTimeout`.',
      'apply | {"sequence": "12"} | The option `sequence` of `apply` must be a whole number from 0 on.',
      'apply | {"repair": ["dropped"]} | The option `repair` of `apply` must be a list of `"tampered"` and `"unapplied"`.',
      'examine | {"account": ["acc-1"]} | `examine` has no option `account`.',
      'examine | {"service": {}} | The option `service` of `examine` must be what `connect` gives.',
      'connect | {"timeout": 1} | `connect` has no option `timeout`.',
      'connect | {"shapes": {"users": {"keys": "creds"}}} | The option `shapes` of `connect` must be JSON Pointers, as in `{ users: { list: "/rows" } }`.',
      'connect | {"key": null} | The option `key` of `connect` must be a text, or a function.',
      'connect | {"clock": {}} | The option `clock` of `connect` must be a clock with `now` and `wait`.',
      'openLog | {"path": "x"} | `openLog` has no option `path`.',
      'openLog | {"url": 7} | The option `url` of `openLog` must be a text.',
      'loadRoster | {"files": [{"file": "a.yaml"}]} | The option `files` of `loadRoster` must be a list of `{ file, text }`.',
      'savePlan | {"out": "p.json"} | `savePlan` has no option `out`.',
      'readSavedPlan | {"text": 7} | The option `text` of `readSavedPlan` must be a text.',
      'applySaved | {"saved": {}} | The option `saved` of `applySaved` must be what `readSavedPlan` gives.',
      'loadRoster | {"path": "a.yaml"} | `loadRoster` has no option `path`.',
      'loadRoster | {"today": "tomorrow"} | The option `today` of `loadRoster` must be a day, such as `2026-11-20`.',
    ]),
  )("are told by `%s`, and none is passed over: %s", async (name = "", changed = "", message = "") => {
    const { server, ...options } = await work();
    const right: Readonly<Record<string, readonly [(options: never) => unknown, object]>> = {
      plan: [plan, options],
      readPolicy: [readPolicy, {}],
      access: [access, options],
      recordedAccess: [recordedAccess, { log: options.log, asOf: "2026-11-20T09:00:00Z" }],
      audit: [audit, { log: options.log }],
      drift: [drift, options],
      apply: [(given) => apply(given).result, { ...options, approve: "any" }],
      examine: [examine, { service: options.service }],
      connect: [connect, { endpoint: server.endpoint, key: server.key }],
      openLog: [openLog, { url: "memory:" }],
      savePlan: [savePlan, {}],
      readSavedPlan: [readSavedPlan, { file: "p.json" }],
      applySaved: [(given) => applySaved(given).result, {}],
      loadRoster: [loadRoster, { files: [] }],
    };
    const [call, given] = right[name] ?? expect.unreachable(name);
    const changes: Readonly<Record<string, unknown>> | null = JSON.parse(changed);
    const named = Object.entries(changes ?? {}).map(([option, value]) => [option, value ?? undefined] as const);
    const wrong = changes === null ? undefined : { ...given, ...Object.fromEntries(named) };
    expect(await saidOf(() => call(wrong as never))).toEqual(["invalid", "bad-option", message]);
    expect(server.requests).toEqual([]);
  });
});
