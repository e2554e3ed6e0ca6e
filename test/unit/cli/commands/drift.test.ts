import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { fileStore } from "../../../../src/state/file/store.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { intended, rolesIntent } from "../../../support/event-builders.ts";
import { type InsideResult, inside } from "../../../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

interface Item {
  readonly fingerprint: string;
  readonly class: string;
  readonly code: string;
  readonly subject: string;
  readonly counts: string;
  readonly since: string | null;
  readonly new: boolean;
  readonly acknowledged: { readonly counts: boolean; readonly why?: string } | null;
}

interface DriftDocument {
  readonly drift?: {
    readonly items: readonly Item[];
    readonly recorded: boolean;
    readonly not_recorded_because?: string;
  };
  readonly exit_code: number;
}

/** Beside people whom nobody manages, which the reference server has one of. */
function itemsOf({ stdout }: InsideResult): readonly Item[] {
  const { drift } = JSON.parse(stdout) as DriftDocument;
  return (drift?.items ?? []).filter(({ code }) => code !== "unmanaged");
}

async function applied(): Promise<InsideScene> {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve"]);
  return at;
}

/** Gives the first key that a run has made exact another role, behind its back. */
async function tamper(at: InsideScene, ...roles: readonly string[]): Promise<string> {
  const { keys } = JSON.parse((await at.run(["state", "show", "--format", "json"])).stdout) as {
    readonly keys: readonly { readonly prefix: string }[];
  };
  const prefix = keys[0]?.prefix ?? "";
  at.server.world.setKeyRoles(prefix, roles);
  return prefix;
}

function json(at: InsideScene, ...flags: readonly string[]): Promise<InsideResult> {
  return at.run(["drift", "--format", "json", ...flags]);
}

async function acknowledged(at: InsideScene, until: string, ...more: readonly string[]): Promise<InsideResult> {
  const [item] = itemsOf(await json(at));
  const flags = ["--until", until, "--reason", "known", "--by", "ada", ...more];
  return at.run(["drift", "acknowledge", item?.fingerprint ?? "", ...flags], { clock: on("2026-11-20") });
}

/** A clock that shows one day at noon, and waits in no time. */
function on(day: string): Clock {
  let now = Date.parse(`${day}T12:00:00Z`);
  return {
    now: () => now,
    monotonic: () => now,
    wait: (milliseconds) => {
      now += milliseconds;
      return Promise.resolve();
    },
  };
}

describe("drift", () => {
  test("says that a key was tampered with, since when, and tells it once with --only-new", async () => {
    const at = await applied();
    const prefix = await tamper(at, "AUDITOR", "DEVELOPER");
    const first = await json(at, "--only-new");
    const second = await json(at, "--only-new");
    const whole = await json(at);
    const [seen] = itemsOf(first);
    expect([first.code, second.code, whole.code]).toEqual([2, 0, 2]);
    expect(itemsOf(second)).toEqual([]);
    expect([seen?.class, seen?.subject, seen?.new]).toEqual(["tampered", `key ${prefix}`, true]);
    expect(itemsOf(whole).map(({ fingerprint, new: isNew }) => [fingerprint, isNew])).toEqual([
      [seen?.fingerprint, false],
    ]);
  });

  test("takes other roles on the same key for another matter", async () => {
    const at = await applied();
    const prefix = await tamper(at, "AUDITOR", "DEVELOPER");
    await json(at);
    at.server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN", "DEVELOPER"]);
    const again = await json(at, "--only-new");
    expect([again.code, itemsOf(again).map(({ new: isNew }) => isNew)]).toEqual([2, [true]]);
  });

  test("tells since when of what an apply has left", async () => {
    const at = await applied();
    at.server.world.setUserStatus("bo@acme.example", "inactive");
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(9);
    const drift = await json(at, "--only-new");
    expect([drift.code, itemsOf(drift)]).toEqual([0, []]);
    expect(itemsOf(await json(at)).map(({ code, since }) => [code, since !== null])).toEqual([["inactive-user", true]]);
  });

  test("forgets nothing that a selection left out of sight, nor calls its acknowledgement idle", async () => {
    const at = await applied();
    at.server.world.setUserStatus("bo@acme.example", "inactive");
    await acknowledged(at, "2026-12-20");
    const part = await at.run(["drift", "--include", "user:ada@acme.example"], { clock: on("2026-11-21") });
    expect([part.code, part.stdout.includes("Unused acknowledgements")]).toEqual([0, false]);
    expect((await json(at, "--only-new")).code).toBe(0);
  });

  test("writes nothing at all with --no-record, so that what is new stays new", async () => {
    const at = await insideScene();
    const [first, second] = [await json(at, "--no-record"), await json(at, "--no-record", "--only-new")];
    expect([first.code, second.code]).toEqual([2, 2]);
    await expect(readFile(join(at.cwd, ".roster/state.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("goes on where it cannot record, and says why", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR");
    const lock = await heldBy(at);
    const under = await json(at);
    await lock.close();
    const { drift } = JSON.parse(under.stdout) as DriftDocument;
    expect({ code: under.code, recorded: drift?.recorded, why: drift?.not_recorded_because }).toMatchObject({
      code: 2,
      recorded: false,
      why: expect.stringContaining("locked"),
    });
    expect((await json(at, "--only-new")).code).toBe(2);
  });

  test("writes nothing where it sees just what it has seen before", async () => {
    const at = await applied();
    await json(at);
    const before = await readFile(join(at.cwd, ".roster/state.json"), "utf8");
    await json(at);
    expect(await readFile(join(at.cwd, ".roster/state.json"), "utf8")).toBe(before);
  });

  test("tells what guards have against correcting it, and is told all the same", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.config.yaml": "guards: { max-new-users: 1 }\n" });
    const drift = await at.run(["drift"]);
    expect([
      drift.code,
      drift.stdout.includes("Not applied: "),
      drift.stderr.includes("warning[max-new-users]"),
    ]).toEqual([2, true, true]);
  });

  test.each([
    [["--repair", "blocked"], "error[bad-flag-value]: --repair blocked is not"],
    [["--repair", "tampered", "--no-record"], "error[usage]: --repair records its calls, and --no-record"],
    [["--repair", "tampered", "--only-new"], "error[usage]: --only-new limits the report"],
    [["--auto-approve"], "error[usage]: --auto-approve needs --repair."],
  ])("refuses %j", async (flags, told) => {
    const at = await insideScene();
    const { code, stderr } = await at.run(["drift", ...flags]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(told)]);
  });
});

async function heldBy(at: InsideScene) {
  const store = fileStore({ path: `${at.cwd}/.roster/state.json`, clock: systemClock, randomness: systemRandomness });
  const held = await store.lock({ run: "r0", operation: "apply", at: new Date().toISOString() });
  if (!held.ok) throw new Error(held.error.message);
  return held.value;
}

describe("while another run works, drift", () => {
  test("takes what that run has announced for pending, and counts it as nothing", async () => {
    const at = await applied();
    const prefix = await tamper(at, "AUDITOR", "DEVELOPER");
    const session = await heldBy(at);
    await session.append([intended("r0", "a", rolesIntent(prefix, "AUDITOR", "DEVELOPER"))]);
    const under = await json(at);
    await session.close();
    expect([under.code, itemsOf(under).map((item) => [item.class, item.counts])]).toEqual([
      0,
      [["pending", "nothing"]],
    ]);
  });

  test("waits for it where it is told to, and says who works where that takes too long (8)", async () => {
    const at = await applied();
    const session = await heldBy(at);
    const clock = on("2026-11-20");
    const under = await at.run(["drift", "--lock-timeout", "1m"], { clock });
    await session.close();
    const after = await at.run(["drift", "--lock-timeout", "1m"], { clock });
    expect([under.code, after.code]).toEqual([8, 0]);
    expect(under.stderr).toMatch(
      /^waiting for up to 1m: the state is locked by \S+@\S+ \(process \d+\) for apply since /u,
    );
    expect(at.server.requests.filter(({ path }) => path.endsWith("/users")).length).toBeGreaterThan(0);
  });
});

describe("drift --repair", () => {
  test("restores what was tampered with, leaves everything else, and says what is left", async () => {
    const at = await applied();
    await tamper(at, "ACCOUNT_ADMIN", "DEVELOPER");
    await writeRoster(at.cwd, {
      "more.yaml": "version: 1\naccount: acc-1\nusers: [{ email: cy@acme.example, firstName: Cy, lastName: Tanaka }]\n",
    });
    const before = at.writes().length;
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve"]);
    expect(at.writes().slice(before)).toEqual([expect.stringMatching(/^PUT .*\/roles$/u)]);
    expect([repaired.code, repaired.stdout.includes("Not repaired: 1 change")]).toEqual([2, true]);
    expect(itemsOf(await json(at)).map((item) => `${item.class} ${item.subject}`)).toEqual([
      "unapplied user cy@acme.example",
    ]);
    expect((await at.run(["drift", "--repair", "unapplied", "--auto-approve"])).code).toBe(0);
  });

  test("asks, and does nothing where nobody can be asked (5)", async () => {
    const at = await applied();
    await tamper(at, "ACCOUNT_ADMIN");
    const before = at.writes().length;
    expect((await at.run(["drift", "--repair", "tampered"])).code).toBe(5);
    expect(at.writes().length).toBe(before);
  });

  test("leaves what is acknowledged, and says that nothing can be repaired", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR");
    await acknowledged(at, "2026-12-20");
    const before = at.writes().length;
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve"], { clock: on("2026-11-21") });
    expect([repaired.code, at.writes().length - before]).toEqual([0, 0]);
    expect(repaired.stdout).toContain("There is nothing to repair of the class tampered.");
  });

  test("is held by guards as an apply is", async () => {
    const at = await applied();
    const prefix = await tamper(at, "AUDITOR");
    await writeRoster(at.cwd, { "roster.config.yaml": `protect: { keys: [${prefix}] }\n` });
    const before = at.writes().length;
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve"]);
    expect([repaired.code, at.writes().length - before]).toEqual([9, 0]);
  });
});

describe("a stop guard that the whole plan passes", () => {
  const people = (ada: string, bo: string) =>
    twoPeople.replace(
      "members: [{ user: ada@acme.example }, { user: bo@acme.example }]",
      `members: [{ user: ada@acme.example, roles: [${ada}] }, { user: bo@acme.example, roles: [${bo}] }]`,
    );
  const allowanceIn = (output: string) => /--allow (\S+@[0-9a-f]{16})/u.exec(output)?.[1] ?? "";

  /** Ada's key was tampered with, and the roster has changed for Bo. Both together are within the guard. */
  const guards = "min-admins: { role: AUDITOR, count: 1 }";
  const says =
    "The plan removes AUDITOR from ada@acme.example. Of the users that were read, no user would have it then.";

  async function changed() {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.yaml": people("DEVELOPER", "DEVELOPER") });
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
    const ada = at.server.world.users.find(({ email }) => email === "ada@acme.example");
    const prefix = ada?.accessKeys.find(({ team }) => team?.name === "Red")?.prefix ?? "";
    at.server.world.setKeyRoles(prefix, ["AUDITOR", "DEVELOPER"]);
    const after = people("DEVELOPER", "AUDITOR, DEVELOPER");
    await writeRoster(at.cwd, { "roster.yaml": after, "roster.config.yaml": `guards: { ${guards} }\n` });
    return { at, sent: at.writes().length };
  }

  test("refuses the part that breaks it alone (5), and prints what allows this part", async () => {
    const { at, sent } = await changed();
    const refused = await at.run(["drift", "--repair", "tampered", "--auto-approve"]);
    expect([refused.code, refused.stderr.includes(says), at.writes().length - sent]).toEqual([5, true, 0]);
    const allow = ["--allow", allowanceIn(refused.stderr), "--reason", "INC-42"];
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve", ...allow]);
    expect([repaired.code, at.writes().length - sent]).toEqual([2, 1]);
  });

  test("lets both parts pass together", async () => {
    const { at, sent } = await changed();
    const repaired = await at.run(["drift", "--repair", "tampered,unapplied", "--auto-approve"]);
    expect([repaired.code, at.writes().length - sent]).toEqual([0, 2]);
  });

  test("is not allowed for the part by an allowance of the whole plan", async () => {
    const { at, sent } = await changed();
    await writeRoster(at.cwd, {
      "roster.config.yaml": `guards: { ${guards}, max-role-removals: { floor: 0, ratio: 0 } }\n`,
    });
    const whole = allowanceIn((await at.run(["plan"])).stderr).split("@")[1];
    const flags = ["--repair", "tampered", "--auto-approve", "--allow", `min-admins@${whole}`, "--reason", "INC-42"];
    const refused = await at.run(["drift", ...flags]);
    expect([refused.code, refused.stderr.includes(`is for plan ${whole}.`), at.writes().length - sent]).toEqual([
      5,
      true,
      0,
    ]);
  });

  test("has no say about the rest of the plan", async () => {
    const { at, sent } = await changed();
    await writeRoster(at.cwd, {
      "more.yaml": "version: 1\naccount: acc-1\nusers: [{ email: cy@acme.example, firstName: Cy, lastName: Tanaka }]\n",
      "roster.config.yaml": "guards: { max-new-users: 0 }\n",
    });
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve"]);
    expect([repaired.code, at.writes().length - sent]).toEqual([2, 1]);
  });
});

describe("an acknowledgement", () => {
  test("folds what differs until its day, and lets it speak again after it", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    const written = await acknowledged(at, "2026-12-20");
    expect(written).toMatchObject({ code: 0, stderr: "" });
    const said = async (day: string) => {
      const drift = await at.run(["drift", "--no-record", "--format", "json"], { clock: on(day) });
      return [drift.code, itemsOf(drift)[0]?.acknowledged?.why];
    };
    expect([await said("2026-12-20"), await said("2026-12-21")]).toEqual([
      [0, undefined],
      [2, "expired"],
    ]);
    expect((await at.run(["drift"], { clock: on("2026-12-20") })).stdout).toContain(
      "acknowledged until 2026-12-20 by ada: known",
    );
  });

  test("is renewed in its place, and keeps what people wrote around it", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await acknowledged(at, "2026-12-20");
    const file = join(at.cwd, "roster.acknowledgements.yaml");
    await writeFile(file, `${await readFile(file, "utf8")}    # agreed with Bo\n`);
    const before = await readFile(file, "utf8");
    await acknowledged(at, "2026-12-24");
    expect(await readFile(file, "utf8")).toBe(before.replace("2026-12-20", "2026-12-24"));
  });

  test("of what is not there any more is told, and nothing else", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await acknowledged(at, "2026-12-20");
    await at.run(["apply", "--auto-approve"]);
    const after = await at.run(["drift"]);
    expect([after.code, after.stdout.includes("Unused acknowledgements: 1")]).toEqual([0, true]);
  });

  test("is no roster file, wherever it lies", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await acknowledged(at, "2026-12-20", "--file", "known.yaml");
    expect((await at.run(["validate"])).code).toBe(0);
    await writeRoster(at.cwd, { "roster.config.yaml": "acknowledgements: known.yaml\n" });
    expect((await at.run(["validate"])).code).toBe(0);
    expect((await at.run(["drift"], { clock: on("2026-11-21") })).code).toBe(0);
  });

  test("is refused where it says too little, too much, or what nobody has seen", async () => {
    const at = await applied();
    await tamper(at, "ACCOUNT_ADMIN");
    const [item] = itemsOf(await json(at));
    const wrong: Readonly<Record<string, readonly string[]>> = {
      "unknown-fingerprint": ["0123456789abcdef", "--until", "2026-12-20", "--reason", "x"],
      "until-in-past": ["KEY", "--until", "2026-11-19", "--reason", "x"],
      "bad-flag-value": ["KEY", "--until", "2026-02-30", "--reason", "x"],
      "acknowledgement-too-long": ["KEY", "--until", "2026-12-21", "--reason", "x"],
      "missing-author": ["KEY", "--until", "2026-12-20", "--reason", "x"],
    };
    const unsaid = [" ", ".", "--", "\u200b", "\u3164", "\u2800"].map((reason) => {
      return ["missing-reason", ["KEY", "--until", "2026-12-20", `--reason=${reason}`]] as const;
    });
    for (const [code, words] of [...unsaid, ...Object.entries(wrong)]) {
      const args = words.map((word) => (word === "KEY" ? (item?.fingerprint ?? "") : word));
      const { code: exit, stderr } = await at.run(["drift", "acknowledge", ...args], { clock: on("2026-11-20") });
      expect([exit, /error\[([a-z-]+)\]/u.exec(stderr)?.[1]]).toEqual([3, code]);
    }
    await expect(readFile(join(at.cwd, "roster.acknowledgements.yaml"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("that cannot be read stops the drift, with its line", async () => {
    const at = await applied();
    await writeRoster(at.cwd, {
      "roster.acknowledgements.yaml": "version: 1\nacknowledgements:\n  - { until: soon }\n",
    });
    const { code, stderr } = await at.run(["drift"]);
    expect([code, stderr.includes("roster.acknowledgements.yaml:3:5: error[missing-key]")]).toEqual([3, true]);
  });
});

describe("in a pipeline, an acknowledgement that a pull request can edit", () => {
  const pipeline = { CI: "1", ROSTER_STATE: "file:state/state.json" };

  async function inCheckout(roles: readonly string[]): Promise<InsideScene> {
    const at = await insideScene();
    await mkdir(join(at.cwd, ".git"));
    await at.run(["apply", "--auto-approve", "--state", "file:state/state.json"]);
    const state = JSON.parse(await readFile(join(at.cwd, "state/state.json"), "utf8")) as {
      readonly keys: readonly { readonly prefix: string }[];
    };
    at.server.world.setKeyRoles(state.keys[0]?.prefix ?? "", roles);
    const seen = itemsOf(await json(at, "--state", "file:state/state.json"));
    const flags = ["--state", "file:state/state.json", "--until", "2026-12-01", "--reason", "x", "--by", "mal"];
    await at.run(["drift", "acknowledge", seen[0]?.fingerprint ?? "", ...flags], { clock: on("2026-11-20") });
    return at;
  }

  test.each([
    ["silences no privilege", ["ACCOUNT_ADMIN"], {}, { code: 2, why: "not-trusted" }],
    ["silences one where the checkout is trusted", ["ACCOUNT_ADMIN"], { ROSTER_TRUST_SETTINGS: "1" }, { code: 0 }],
    ["silences what is no privilege", ["AUDITOR"], {}, { code: 0 }],
  ])("%s", async (_, roles, trust, expected) => {
    const at = await inCheckout(roles);
    const env = { ...pipeline, ...trust };
    const drift = await at.run(["drift", "--format", "json"], { env, clock: on("2026-11-21") });
    const [item] = itemsOf(drift);
    const why = item?.acknowledged?.why;
    expect({ code: drift.code, ...(why === undefined ? {} : { why }) }).toEqual(expected);
  });

  test("leads to no file out of the checkout", async () => {
    const cwd = emptyDirectory();
    await writeRoster(cwd, {
      "co/.git/HEAD": "x",
      "co/roster.config.yaml": "acknowledgements: ../secret.yaml\n",
      "co/roster.yaml": twoPeople,
      "secret.yaml": "hush",
    });
    const env = { ...pipeline, ROSTER_ENDPOINT: "http://127.0.0.1:9", ROSTER_API_KEY: "a.b" };
    const { code, stderr } = await inside(["drift"], { cwd: join(cwd, "co"), env });
    expect([code, stderr.includes("error[untrusted]"), stderr.includes("hush")]).toEqual([3, true, false]);
  });
});
