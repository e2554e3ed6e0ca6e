import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { intended, rolesIntent } from "../../../support/event-builders.ts";
import type { InsideResult } from "../../../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

interface Item {
  readonly fingerprint: string;
  readonly class: string;
  readonly code: string;
  readonly subject: string;
  readonly counts: string;
  readonly since?: string;
  readonly accepted?: { readonly until: string; readonly is: string };
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

/** Accepts the first difference, with the line that the drift prints and a reason. */
async function accept(at: InsideScene, reason = "known"): Promise<string> {
  const { stdout } = await at.run(["drift"], { clock: on("2026-11-20") });
  const entry = (/- \{ code: .* \}/u.exec(stdout)?.[0] ?? "").replace('"..."', reason);
  await writeAccept(at, entry);
  return entry;
}

function writeAccept(at: InsideScene, entry: string): Promise<void> {
  return writeRoster(at.cwd, { "accept.yaml": `version: 1\naccept:\n  ${entry}\n` });
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
    expect([seen?.class, seen?.subject, seen?.since]).toEqual(["tampered", `key ${prefix}`, undefined]);
    expect(itemsOf(whole).map(({ fingerprint, since }) => [fingerprint, since])).toEqual([
      [seen?.fingerprint, expect.stringMatching(/^\d{4}-.*Z$/u)],
    ]);
  });

  test("takes other roles on the same key for another matter", async () => {
    const at = await applied();
    const prefix = await tamper(at, "AUDITOR", "DEVELOPER");
    await json(at);
    at.server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN", "DEVELOPER"]);
    const again = await json(at, "--only-new");
    expect([again.code, itemsOf(again).map(({ since }) => since)]).toEqual([2, [undefined]]);
  });

  test("tells since when of what an apply has left", async () => {
    const at = await applied();
    at.server.world.setUserStatus("bo@acme.example", "inactive");
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(9);
    const drift = await json(at, "--only-new");
    expect([drift.code, itemsOf(drift)]).toEqual([0, []]);
    expect(itemsOf(await json(at)).map(({ code, since }) => [code, since !== null])).toEqual([["inactive-user", true]]);
  });

  test("forgets nothing that a selection left out of sight, nor calls what accepts it unused", async () => {
    const at = await applied();
    at.server.world.setUserStatus("bo@acme.example", "inactive");
    await accept(at);
    const part = await at.run(["drift", "--include", "user:ada@acme.example"], { clock: on("2026-11-21") });
    expect([part.code, part.stdout.includes("Unused entries")]).toEqual([0, false]);
    expect((await json(at, "--only-new")).code).toBe(0);
  });

  test("writes nothing at all with --no-record, so that what is new stays new", async () => {
    const at = await insideScene();
    const [first, second] = [await json(at, "--no-record"), await json(at, "--no-record", "--only-new")];
    expect([first.code, second.code]).toEqual([2, 2]);
    await expect(readFile(join(at.cwd, ".roster/log.jsonl"))).rejects.toMatchObject({ code: "ENOENT" });
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
    const before = await readFile(join(at.cwd, ".roster/log.jsonl"), "utf8");
    await json(at);
    expect(await readFile(join(at.cwd, ".roster/log.jsonl"), "utf8")).toBe(before);
  });

  test("tells what guards have against correcting it, and is told all the same", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.config.yaml": "guards: { max-new-users: 1 }\n" });
    const drift = await at.run(["drift"]);
    expect([
      drift.code,
      drift.stdout.includes("Not applied ("),
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
  const store = fileStore({ path: `${at.cwd}/.roster/log.jsonl`, clock: systemClock, randomness: systemRandomness });
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
      /^waiting for up to 1m: the log is locked by \S+@\S+ \(process \d+\) for apply since /u,
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

  test("leaves what is accepted, and says that nothing can be repaired", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR");
    await accept(at);
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
  const allowanceIn = (output: string) => /--allow (\S+#[0-9a-f]{12})/u.exec(output)?.[1] ?? "";

  /** Ada's key was tampered with, and the roster has changed for Bo. Both together are within the guard. */
  const guards = "min-admins: { role: AUDITOR, count: 1 }";
  const says =
    "The plan removes AUDITOR from ada@acme.example. After that, no user of those that were read would have it.";

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
    const command = `roster drift --repair tampered --allow ${allow[1]} --reason TEXT`;
    expect(refused.stderr.replaceAll(/\s+/gu, " ")).toContain(`run \`${command}\``);
    const repaired = await at.run(["drift", "--repair", "tampered", "--auto-approve", ...allow]);
    expect([repaired.code, at.writes().length - sent]).toEqual([2, 1]);
  });

  test("lets both parts pass together", async () => {
    const { at, sent } = await changed();
    const repaired = await at.run(["drift", "--repair", "tampered,unapplied", "--auto-approve"]);
    expect([repaired.code, at.writes().length - sent]).toEqual([0, 2]);
  });

  test("is not allowed for the part by the code of another guard of the whole plan", async () => {
    const { at, sent } = await changed();
    await writeRoster(at.cwd, {
      "roster.config.yaml": `guards: { ${guards}, max-role-removals: { floor: 0, ratio: 0 } }\n`,
    });
    const whole = allowanceIn((await at.run(["plan"])).stderr);
    const flags = [
      "--repair",
      "tampered",
      "--auto-approve",
      "--allow",
      `min-admins#${whole.slice(-12)}`,
      "--reason",
      "INC-42",
    ];
    const refused = await at.run(["drift", ...flags]);
    expect([refused.code, refused.stderr.includes("does not fit this plan"), at.writes().length - sent]).toEqual([
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

describe("what a roster file accepts", () => {
  test("is folded until its day, and speaks again after it", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await accept(at);
    const said = async (day: string) => {
      const drift = await at.run(["drift", "--no-record", "--format", "json"], { clock: on(day) });
      return [drift.code, itemsOf(drift)[0]?.accepted?.is];
    };
    expect([await said("2026-12-20"), await said("2026-12-21")]).toEqual([
      [0, "in-force"],
      [2, "over"],
    ]);
    const { stdout } = await at.run(["drift"], { clock: on("2026-12-20") });
    expect(stdout).toContain("accepted until 2026-12-20 (accept.yaml:3:5): known");
    expect(stdout).toContain("No drift except accepted drift.");
  });

  test("of what is not there any more is told, and nothing else", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await accept(at);
    await at.run(["apply", "--auto-approve"], { clock: on("2026-11-21") });
    const after = await at.run(["drift"], { clock: on("2026-11-21") });
    expect([after.code, after.stdout.includes("Unused entries under `accept` (1)")]).toEqual([0, true]);
  });

  test("stands in plan, apply and explain, and counts in no exit code there", async () => {
    const at = await applied();
    at.server.world.setUserStatus("bo@acme.example", "inactive");
    const run = (day: string, ...args: readonly string[]) => at.run(args, { clock: on(day) });
    const codes = async (day: string) => {
      const plan = await run(day, "plan", "--detailed-exitcode");
      return [plan.code, (await run(day, "apply", "--auto-approve")).code];
    };
    expect(await codes("2026-11-20")).toEqual([9, 9]);
    await accept(at);
    expect([await codes("2026-12-20"), await codes("2026-12-21")]).toEqual([
      [0, 0],
      [9, 9],
    ]);
    const { stdout } = await run("2026-12-20", "plan");
    expect(stdout).toContain("user bo@acme.example: inactive-user (accepted)");
    expect(stdout).toContain("accepted until 2026-12-20 (accept.yaml:3:5): known");
    expect(stdout).toContain("No changes, except for what is accepted.");
    const explained = await run("2026-12-21", "explain", "user:bo@acme.example");
    expect(explained.stdout).toContain('- { code: "inactive-user:bo@acme.example#');
  });

  test("of a privileged role comes first and whole, in a pipeline too, for 30 days at most", async () => {
    const at = await applied();
    await tamper(at, "ACCOUNT_ADMIN");
    const entry = await accept(at);
    expect(entry).toMatch(/^- \{ code: "replace-roles:.* until: 2026-12-20 \}$/u);
    const env = { CI: "1", ROSTER_STATE: "file:.roster/log.jsonl" };
    for (const flags of [[], ["--only-new"]]) {
      const { code, stdout } = await at.run(["drift", ...flags], { env, clock: on("2026-11-21") });
      const [title, first] = stdout.split("\n").slice(2);
      expect({ code, title, first }).toEqual({
        code: 0,
        title: "Accepted, with privileged roles or guards (1)",
        first: expect.stringContaining("bo@acme.example gained ACCOUNT_ADMIN"),
      });
      expect(stdout).toContain("accepted until 2026-12-20 (accept.yaml:3:5): known");
    }
    await writeAccept(at, entry.replace("2026-12-20", "2026-12-21"));
    const { code, stdout } = await at.run(["drift"], { clock: on("2026-11-20") });
    expect([code, stdout]).toEqual([2, expect.stringContaining("(accept.yaml:3:5): 2026-12-21 is more than 30 days")]);
  });

  test("has a reason that somebody wrote: the line as it is printed does not pass", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await accept(at, '"..."');
    const { code, stderr } = await at.run(["drift"], { clock: on("2026-11-20") });
    expect([code, stderr.includes("`reason` has no letter or digit.")]).toEqual([3, true]);
  });

  test("stands only in files that `sections` lets have it", async () => {
    const at = await applied();
    await tamper(at, "AUDITOR", "DEVELOPER");
    await accept(at);
    const sections = (only: string) =>
      `sections:\n  - { paths: [roster.yaml], only: [users, teams] }\n  - { paths: [accept.yaml], only: [${only}] }\n`;
    await writeRoster(at.cwd, { "roster.config.yaml": sections("users") });
    const refused = await at.run(["drift"], { clock: on("2026-11-21") });
    expect([refused.code, refused.stderr.includes("accept.yaml:2:1: error[section-not-allowed]")]).toEqual([3, true]);
    await writeRoster(at.cwd, { "roster.config.yaml": sections("accept") });
    expect((await at.run(["drift"], { clock: on("2026-11-21") })).code).toBe(0);
  });
});
