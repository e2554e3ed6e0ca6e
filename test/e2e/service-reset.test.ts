import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { decodeState } from "../../src/codec/state.ts";
import { systemClock } from "../../src/library/environment.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed, SeedUser } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../support/command.ts";
import { allowanceFor, printedWords } from "../support/drawn/printed-words.ts";
import { inside } from "../support/inside.ts";
import { logOfState } from "../support/kept-log.ts";
import { writeRoster } from "../support/roster-directory.ts";

const minute = 60_000;

interface Finding {
  readonly code: string;
  readonly subject: string;
}

interface Document {
  readonly exit_code: number;
  readonly actions?: readonly { readonly id: string }[];
  readonly findings?: readonly Finding[];
  readonly drift?: unknown;
  readonly run?: {
    readonly findings: readonly Finding[];
    readonly keys: readonly { readonly prefix: string }[];
    readonly outcomes: readonly { readonly action: string; readonly outcome: string }[];
  };
  readonly error: { readonly code: string } | null;
}

interface Company {
  readonly knobs?: Partial<Knobs>;
  /** Without it, each has an own key that is managed. */
  readonly hasTeam?: boolean;
}

/** A service that forgets everything but its seed whenever it starts again, and a roster of so many people in the team Red. */
async function forgetfulService(count: number, { knobs = {}, hasTeam = true }: Company = {}) {
  let server = await startReferenceServer({ port: 0, knobs });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.endpoint).port);
  const cwd = emptyDirectory();
  const names = Array.from({ length: count }, (_, index) => `p${index + 1}`);
  const seedUsers = (some: readonly string[]): readonly SeedUser[] =>
    server.world.users
      .filter(({ email }) => some.includes(email.replace("@acme.example", "")))
      .map(({ identifier, email, firstName, lastName }) => ({ identifier, email, firstName, lastName }));
  const own = hasTeam ? "" : ", ownKeyRoles: [DEVELOPER]";
  const users = names.map(
    (name) => `  - { email: ${name}@acme.example, firstName: ${name.toUpperCase()}, lastName: Test${own} }\n`,
  );
  const members = names.map((name) => `{ user: ${name}@acme.example }`).join(", ");
  const teams = hasTeam
    ? `teams:\n  - { name: Red, admin: p1@acme.example, roles: [DEVELOPER], members: [${members}] }\n`
    : "";
  await writeRoster(cwd, { "roster.yaml": `version: 1\naccount: acc-1\nusers:\n${users.join("")}${teams}` });
  /** As the last checkpoint has it, behind its two lines. */
  const stateText = () => readFileSync(join(cwd, ".roster/log.jsonl.checkpoint"), "utf8").replace(/^.*\n.*\n/u, "");
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const run = async (...args: readonly string[]) => {
    const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...prompt };
    const { code, stdout } = await inside([...args, "--format", "json"], { cwd, env, clock });
    const document = JSON.parse(stdout) as Document;
    const { actions = [], findings = [], run: ran, error, drift } = document;
    expect(document.exit_code).toBe(code);
    return {
      code,
      stdout,
      planned: actions.map(({ id }) => id),
      findings: [...findings, ...(ran?.findings ?? [])].map((one) => `${one.code} ${one.subject}`),
      did: (ran?.outcomes ?? []).map(({ action, outcome }) => `${outcome} ${action}`),
      keys: (ran?.keys ?? []).map(({ prefix }) => prefix),
      error: error?.code,
      hasDrift: drift !== undefined,
    };
  };
  return {
    get server(): ReferenceServer {
      return server;
    },
    names,
    endpoint: server.endpoint,
    run,
    apply: (...flags: readonly string[]) => run("apply", "--auto-approve", ...flags),
    plan: (...flags: readonly string[]) => run("plan", "--detailed-exitcode", ...flags),
    drift: (...flags: readonly string[]) => run("drift", ...flags),
    pass(minutes: number) {
      ahead += minutes * minute;
    },
    /** It starts again with nothing, or with some of the people of before. */
    async restart(left: readonly string[] = []) {
      const seed: Seed = { users: seedUsers(left) };
      await server.close();
      server = await startReferenceServer({ port, knobs, seed });
    },
    /** As if the run had died right after it announced this creation. */
    async loseOutcome(name: string) {
      const state = JSON.parse(stateText()) as { users: { email: string; createdAt: string }[]; open: object[] };
      const email = `${name}@acme.example`;
      const lost = state.users.filter((user) => user.email === email);
      const open = lost.map(({ createdAt }) => {
        const intent = { kind: "create-user", address: email, email, account: "acc-1", sent: {} };
        // The service's own clock tells that it was long ago.
        const dated = { by: "service", at: new Date(Date.parse(createdAt) - 20 * minute).toISOString() };
        return { run: "r0", action: `create-user:${email}`, at: createdAt, dated, intent };
      });
      const users = state.users.filter((user) => user.email !== email);
      const died = decodeState(JSON.stringify({ ...state, users, open }), "");
      if (!died.ok) throw new Error(died.error.message);
      await writeRoster(cwd, logOfState(".roster/log.jsonl", died.value));
    },
    state: () => JSON.parse(stateText()) as Record<string, unknown>,
    /** Everybody with their identifiers and keys. */
    world: () =>
      server.world.users.map(({ identifier, email, accessKeys }) => {
        return `${identifier} ${email} ${accessKeys.map(({ prefix }) => prefix).join(" ")}`;
      }),
    mails: () => server.outbox.map(({ address }) => address),
    creations: () => server.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/users")).length,
  };
}

describe("a service that forgot the users whom an apply created and read again", () => {
  test("lacks three of five: that is one finding, which refuses everything (5)", async () => {
    const at = await forgetfulService(5);
    expect((await at.apply()).code).toBe(0);
    await at.restart(["p4", "p5"]);
    const told = { code: 5, planned: [], findings: [`service-reset service ${at.endpoint}`], error: "guard", did: [] };
    expect(await at.plan()).toMatchObject(told);
    expect(await at.run("plan")).toMatchObject(told);
    expect(await at.drift()).toMatchObject({ ...told, hasDrift: false });
    expect(await at.apply()).toMatchObject(told);
    expect(at.creations()).toBe(0);
  });
});

describe("a person who says that it starts anew", () => {
  test("gets everybody in one apply, with one mail each and every key, and the next plan has nothing to do", async () => {
    const at = await forgetfulService(5);
    await at.apply();
    await at.restart();
    const refused = await at.plan();
    expect(printedWords(refused.stdout).map(({ what }) => what)).toEqual(["service-reset"]);
    const word = allowanceFor("service-reset", refused.stdout);
    const applied = await at.apply("--allow", word);
    expect(applied).toMatchObject({ code: 0, error: undefined });
    expect(applied.did.filter((line) => !line.startsWith("succeeded ") && !line.startsWith("unneeded "))).toEqual([]);
    expect(at.creations()).toBe(5);
    expect([...at.mails()].sort()).toEqual(["p2", "p3", "p4", "p5"].map((name) => `${name}@acme.example`));
    expect(new Set(applied.keys).size).toBe(9);
    expect(at.state()["epoch"]).toEqual(expect.stringMatching(/^\d{4}-\d\d-\d\dT/u));
    expect(await at.plan()).toMatchObject({ code: 0, planned: [] });
    expect(await at.drift()).toMatchObject({ code: 0 });
    // The word was for what was lost then.
    await at.restart();
    const again = await at.apply("--allow", word);
    expect(again).toMatchObject({ code: 5, did: [] });
    expect(again.findings).toEqual([`service-reset service ${at.endpoint}`]);
  });

  test("leaves a call open whose outcome was never known, and the next run decides it", async () => {
    const at = await forgetfulService(4, { hasTeam: false });
    await at.apply();
    await at.loseOutcome("p4");
    await at.restart();
    at.pass(20);
    const refused = await at.plan();
    expect(refused.findings).toEqual([`service-reset service ${at.endpoint}`]);
    await at.apply();
    expect(at.state()["open"]).toHaveLength(1);
    const applied = await at.apply("--allow", allowanceFor("service-reset", refused.stdout));
    expect(applied.findings).toEqual(["unknown-outcome user p4@acme.example"]);
    expect([at.creations(), at.state()["open"]]).toEqual([3, [expect.anything()]]);
    expect(await at.apply()).toMatchObject({ code: 0, findings: [] });
    expect([at.creations(), at.state()["open"]]).toEqual([4, []]);
  });

  test("has said nothing where nothing is in doubt", async () => {
    const at = await forgetfulService(2);
    await at.apply();
    const { code, findings } = await at.plan("--allow", `service-reset#${"0".repeat(12)}`);
    expect([code, findings]).toEqual([0, [`idle-allowance allowance service-reset#${"0".repeat(12)}`]]);
    expect(at.state()).not.toHaveProperty("epoch");
  });
});

describe.each<[string, Partial<Knobs>]>([
  ["without times of creation", {}],
  ["with times of creation", { times: "z" }],
  ["with times of creation as numbers", { times: "epoch" }],
])("a service that gives the identifiers and keys of before once more, %s", (_, knobs) => {
  test("is told to have created whom it was asked to create again, and the next plan has nothing to do", async () => {
    const at = await forgetfulService(2, { knobs, hasTeam: false });
    const first = await at.apply();
    const before = at.world();
    await at.restart();
    at.pass(20);
    const words = printedWords((await at.plan()).stdout).filter(({ what }) => what.startsWith("user-missing:"));
    expect(words).toHaveLength(2);
    const again = await at.apply(...words.flatMap(({ word }) => ["--allow", word]));
    expect(at.world()).toEqual(before);
    const { code, did, findings, keys } = first;
    expect(again).toMatchObject({ code, did, findings, keys });
    expect([code, findings, keys.length, at.creations()]).toEqual([0, [], 2, 2]);
    expect(await at.plan()).toMatchObject({ code: 0, planned: [], findings: [] });
  });
});
