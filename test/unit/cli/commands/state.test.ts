import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { decodeState } from "../../../../src/codec/state.ts";
import { systemClock } from "../../../../src/library/system.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { casesOf } from "../../../support/cases.ts";
import { additionIntent, creationIntent, noon, openIntent } from "../../../support/event-builders.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";
import { addressOf } from "../../../support/roster-builders.ts";

const state: State = { ...emptyState("ours"), serial: 7, service: "https://old.example" };

describe("roster state set-endpoint", () => {
  test("lets what is remembered of a service count for its new address, as the refusal of the old one says", async () => {
    const at = await insideScene();
    await at.remember(state);
    const refused = await at.run(["apply", "--auto-approve"]);
    expect(refused.code).toBe(3);
    const said = `roster state set-endpoint ${at.server.endpoint}`;
    expect(refused.stderr.replace(/\s+/gu, " ")).toContain(`\`${said}\``);
    const run = await at.run([...said.split(" ").slice(1), "--format", "json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      state: { did: "set-endpoint", from: "https://old.example", to: at.server.endpoint },
      exit_code: 0,
    });
    const shown = await at.run(["state", "show", "--format", "json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ lineage: "ours", serial: 11, service: at.server.endpoint });
    expect((await at.run(["plan"])).code).toBe(0);
    expect((await at.run(["state", "unlock"])).code).toBe(0);
  });

  test("is the last advice where the address is not the one of the state, since it may be mistyped", async () => {
    const at = await insideScene();
    await at.remember(state);
    const { stdout } = await at.run(["plan", "--format", "json", "--endpoint", "https://odl.example"]);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      {
        code: "other-service",
        hint:
          "Check the address: --endpoint or ROSTER_ENDPOINT may have a typing error. " +
          "Another service needs a state of its own: name it with --state or ROSTER_STATE. " +
          "Only if the same service has moved to this address, run `roster state set-endpoint https://odl.example`.",
      },
    ]);
  });

  test.each(
    casesOf([
      "where no service is remembered | | https://new.example | nothing-to-change | names no service yet",
      "where it is that service's already | https://old.example | https://old.example/api/ | nothing-to-change | already belongs to https://old.example",
      "for what is no address | https://old.example | new.example | bad-value | endpoint",
      "for an address with credentials | https://old.example | https://me:secret@new.example | bad-value | endpoint",
    ]),
  )("is refused %s (3), and changes nothing", async (_, service = "", to = "", code = "", words = "") => {
    const at = await insideScene();
    await at.remember({ ...emptyState("ours"), serial: 7, ...(service === "" ? {} : { service }) });
    const before = (await at.run(["state", "show", "--format", "json"])).stdout;
    const run = await at.run(["state", "set-endpoint", to, "--format", "json"]);
    const [first] = JSON.parse(run.stdout).diagnostics;
    expect([run.code, first.code, first.message]).toEqual([3, code, expect.stringContaining(words)]);
    expect(`${run.stdout}${run.stderr}`).not.toContain("secret");
    expect((await at.run(["state", "show", "--format", "json"])).stdout).toBe(before);
  });

  test("is refused where the state was moved (1)", async () => {
    const at = await insideScene();
    await at.remember({ ...state, moved: { to: "file:b.json", at: "2026-11-20T12:00:00.000Z" } });
    const run = await at.run(["state", "set-endpoint", "https://new.example"]);
    expect([run.code, run.stderr.includes("was moved to file:b.json")]).toEqual([1, true]);
  });
});

interface Rebuilt {
  readonly state?: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string } | null;
}

async function rebuild(at: InsideScene): Promise<Rebuilt & { readonly code: number }> {
  const run = await at.run(["state", "rebuild", "--format", "json"]);
  return { ...(JSON.parse(run.stdout) as Rebuilt), code: run.code };
}

async function lost(): Promise<InsideScene> {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve"]);
  await rm(`${at.cwd}/.roster`, { recursive: true });
  return at;
}

describe("roster state rebuild", () => {
  test("knows people, teams, memberships and prefixes again, after which nothing is to do", async () => {
    const at = await lost();
    const { code, state } = await rebuild(at);
    const { unlearned: _, ...known } = state ?? {};
    const address = `file:${at.cwd}/.roster/log.jsonl`;
    const counts = { people: 2, teams: 1, memberships: 2, prefixes: 3, missing: [] };
    expect([code, known]).toEqual([0, { did: "rebuild", address, ...counts }]);
    const before = at.writes();
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(0);
    expect(at.writes()).toEqual(before);
  });

  test("tells whom the service does not show, and what nobody can learn again", async () => {
    const at = await lost();
    at.server.world.removeUser("bo@acme.example");
    at.server.setKnobs({ showTeams: "none" });
    const run = await at.run(["state", "rebuild"]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("The service does not show 1 user of the roster.");
    expect(run.stdout).toContain("- bo@acme.example");
    expect(run.stdout).toContain("Memberships: the service does not show who is in which team.");
    expect(run.stdout).toContain("Calls in progress when the state was lost");
  });

  test("overwrites no state (5), and reads nothing then", async () => {
    const at = await insideScene();
    await at.run(["apply", "--auto-approve"]);
    const before = at.server.requests.length;
    const refused = await rebuild(at);
    expect([refused.code, refused.error?.code, at.server.requests.length]).toEqual([5, "unwritable", before]);
  });

  test("fails where the service cannot be read, and leaves the place empty", async () => {
    const at = await lost();
    const run = await at.run(["state", "rebuild"], { env: { ROSTER_API_KEY: "nobody.secretsecret" } });
    expect(run.code).toBe(4);
    expect((await rebuild(at)).code).toBe(0);
  });
});

interface Told {
  readonly state?: {
    readonly calls?: readonly { readonly id: string; readonly call: string; readonly why: string }[];
    readonly outcome?: string;
    readonly still_open_for?: readonly string[];
    readonly left?: number;
  };
  readonly findings?: readonly { readonly code: string; readonly message: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

const json = ["--format", "json"];

/** Long ago, so that nothing waits for what a call may still do. */
const longAgo = "2026-01-01T00:00:00.000Z";

/** Ada and Bo are there; whether Bo was added to the team Red is not known, and the service does not show it. */
async function inDoubt(): Promise<InsideScene> {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve", "--exclude", "user:bo@acme.example"]);
  at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz", account: "acc-1" });
  at.server.setKnobs({ showTeams: "none" });
  const saved = decodeState((await at.run(["state", "show", ...json])).stdout, "log.jsonl");
  if (!saved.ok) throw new Error(saved.error.message);
  const [red] = saved.value.teams.values();
  if (red?.identifier === undefined) throw new Error("the team was not created");
  const { team, name, account, identifier } = red;
  const asked = { team, name, account, identifier, addresses: [addressOf("bo")] };
  const open = openIntent("r0", "add-members:red", { kind: "add-members", ...asked }, longAgo);
  await at.remember({ ...saved.value, open: [open] });
  return at;
}

/** Waits for nothing that was done a moment ago to show. */
const impatient: Clock = { ...systemClock, wait: async () => undefined };

async function told(at: InsideScene, args: readonly string[]): Promise<Told & { readonly code: number }> {
  const run = await at.run([...args, ...json], { clock: impatient });
  return { ...(JSON.parse(run.stdout) as Told), code: run.code };
}

const three: State = {
  ...emptyState("l"),
  serial: 4,
  open: [
    openIntent("r1", "create-user:cy", creationIntent("cy")),
    openIntent("r1", "add-members:science", additionIntent("ada", "bo")),
    { ...openIntent("r2", "create-user:di", creationIntent("di", "Red")), accepted: true },
  ],
};

describe("roster state resolve", () => {
  test("refuses a wrong flag, also where it only lists (3)", async () => {
    const { code, stderr } = await (await insideScene()).run(["state", "resolve", "--lock-timeout", "5"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("--lock-timeout 5 is not understood")]);
  });

  test("lists the calls of unknown outcome, what they asked for and why reading could not tell", async () => {
    const at = await insideScene();
    await at.remember(three);
    const { code, state } = await told(at, ["state", "resolve"]);
    const common = { id: expect.stringMatching(/^[0-9a-f]{8}$/u), at: noon, accepted: false };
    const [cy, di] = [
      { ...common, run: "r1", action: "create-user:cy", kind: "create-user", people: ["cy@acme.example"] },
      { ...common, run: "r2", action: "create-user:di", kind: "create-user", people: ["di@acme.example"] },
    ];
    const people = ["ada@acme.example", "bo@acme.example"];
    const addition = { ...common, run: "r1", action: "add-members:science", kind: "add-members", people };
    const windowOpen = "no read shows the user yet, and the consistency window is not over";
    const later = "the service accepted the call for later, and no read shows the change yet";
    const unshown = "the service does not show who is in which team";
    expect([code, state?.calls]).toEqual([
      0,
      [
        { ...cy, call: "create cy@acme.example in acc-1", why: windowOpen },
        { ...addition, call: `add ${people.join(", ")} to the team Science of acc-1`, why: unshown },
        { ...di, accepted: true, call: "create di@acme.example in acc-1 and the team Red", why: later },
      ],
    ]);
    expect(new Set(state?.calls?.map(({ id }) => id)).size).toBe(3);
    const text = await at.run(["state", "resolve"]);
    for (const { id } of state?.calls ?? []) expect(text.stdout).toContain(id);
  });

  test("says of a service that takes calls for later that it may have taken these", async () => {
    const at = await insideScene();
    await at.remember({ ...three, queues: { at: noon } });
    const mayBe = "no read shows the change yet, and this service accepts some calls for later";
    expect((await told(at, ["state", "resolve"])).state?.calls?.map(({ why }) => why)).toEqual([
      mayBe,
      mayBe,
      "the service accepted the call for later, and no read shows the change yet",
    ]);
  });

  test("settles one person of an addition, then the rest", async () => {
    const at = await insideScene();
    await at.remember(three);
    const id = (await told(at, ["state", "resolve"])).state?.calls?.[1]?.id ?? "";
    const one = await told(at, ["state", "resolve", id, "done", "Ada@acme.example"]);
    expect([one.code, one.state?.left, one.state?.still_open_for]).toEqual([0, 3, ["bo@acme.example"]]);
    const rest = await told(at, ["state", "resolve", id, "not-done"]);
    expect([rest.code, rest.state?.left, rest.state?.still_open_for]).toEqual([0, 2, []]);
    expect((await told(at, ["state", "resolve", id, "not-done"])).diagnostics.map(({ code }) => code)).toEqual([
      "unknown-name",
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ["an id without a word", ["4711"], "The outcome of the call 4711 is missing."],
    ["an id that there is not", ["4711", "done"], "No call 4711 has an unknown outcome."],
  ])("refuses %s (3), and records nothing", async (_, args, message) => {
    const at = await insideScene();
    await at.remember(three);
    const refused = await told(at, ["state", "resolve", ...args]);
    expect([refused.code, refused.diagnostics.map((one) => one.message)]).toEqual([3, [message]]);
    expect((await told(at, ["state", "resolve"])).state?.calls?.length).toBe(3);
  });

  test.each([
    ["to list calls", []],
    ["to settle one", ["4711", "done"]],
  ])("refuses %s where the state was moved (1), and says where it is", async (_, args) => {
    const at = await insideScene();
    await at.remember({ ...emptyState("l"), serial: 5, moved: { to: "file:b.json", at: noon } });
    const run = await at.run(["state", "resolve", ...args]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain("was moved to file:b.json");
  });

  test("a contradiction is refused (3), and the call stays open", async () => {
    const at = await insideScene();
    await at.remember(three);
    const id = (await told(at, ["state", "resolve"])).state?.calls?.[0]?.id ?? "";
    const refused = await told(at, ["state", "resolve", id, "done", "ada@acme.example"]);
    expect([refused.code, refused.diagnostics.map((one) => one.message)]).toEqual([
      3,
      [expect.stringContaining("This outcome is not possible for the call")],
    ]);
    expect((await told(at, ["state", "resolve"])).state?.calls?.length).toBe(3);
  });

  test("is named by the plan with the id to pass, and lets the plan go on", async () => {
    const at = await inDoubt();
    const before = await told(at, ["plan"]);
    const doubt = before.findings?.find(({ code }) => code === "unknown-outcome");
    const id = /`roster state resolve ([0-9a-f]{8})`/u.exec(doubt?.message ?? "")?.[1] ?? "";
    expect((await told(at, ["state", "resolve", id, "done"])).code).toBe(0);
    const after = await told(at, ["plan"]);
    expect(after.findings?.filter(({ code }) => code === "unknown-outcome")).toEqual([]);
  });
});
