import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { insideScene } from "../support/inside-scene.ts";

const people = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }
teams:
  - { name: Red, admin: ada@acme.example, roles: [DEVELOPER], members: [{ user: ada@acme.example }, { user: bo@acme.example }] }
`;

/** Three users were created and read, and Cy was deleted in the service: a drift has told so. */
async function scene() {
  const { server, cwd, run: runAll } = await insideScene({ roster: people });
  const run = (...args: readonly string[]) => runAll(args);
  const json = async (...args: readonly string[]) => JSON.parse((await run(...args, "--format", "json")).stdout);
  expect((await run("apply", "--auto-approve")).code).toBe(0);
  await run("drift");
  server.world.removeUser("cy@acme.example");
  await run("drift");
  return { server, cwd, run, json, read: (name: string) => readFileSync(join(cwd, name), "utf8") };
}

test("a log is pruned: access, findings and the head stay, who is gone is never created again, and the export is a log", async () => {
  const { server, cwd, run, json, read } = await scene();
  const access = async (...args: readonly string[]) => (await json("access", "--as-of", "0d", ...args)).access;
  const held = (await access()).filter(({ person }: { person: string }) => !person.startsWith("cy@"));
  const whole = read(".roster/log.jsonl");
  const known = (await json("audit", "verify")).audit.head;
  const middle = new Date().toISOString();
  await setTimeout(1200);

  const pruned = await json("state", "prune", "--before", "1s", "--export", "old.jsonl");
  expect([pruned.exit_code, pruned.state]).toEqual([
    0,
    expect.objectContaining({ did: "prune", export: join(cwd, "old.jsonl"), first: 1, head: known, forgotten: 1 }),
  ]);
  const log = read(".roster/log.jsonl") + read(".roster/log.jsonl.checkpoint");
  expect(["cy@acme.example", "Tanaka"].filter((name) => log.includes(name))).toEqual([]);
  expect(read("old.jsonl").startsWith(whole)).toBe(true);

  expect(await access()).toEqual(held);
  expect(held[0]).toMatchObject({ granted_by: expect.stringMatching(/./), granted_at: expect.stringMatching(/./) });
  const verified = await json("audit", "verify");
  expect([verified.exit_code, verified.audit.pruned, verified.audit.head]).toEqual([
    0,
    { ...known, before: pruned.state.before },
    pruned.log_head,
  ]);
  const head = `${known.position}:${known.hash}`;
  const exported = await run("audit", "verify", "--state", "file:old.jsonl", "--expect-head", head);
  expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining(`It goes on from the head ${head}.`)]);
  expect((await run("audit", "verify", "--expect-head", head)).code).toBe(0);
  expect((await run("state", "show")).stdout).toContain(`The events from before ${pruned.state.before} are in an`);

  for (const args of [
    ["access", "--as-of", middle],
    ["audit", "--as-of", middle],
  ]) {
    const past = await run(...args);
    expect([past.code, past.stdout, past.stderr]).toEqual([
      3,
      "",
      expect.stringContaining("and the log was pruned up to then"),
    ]);
    expect((await run(...args, "--state", "file:old.jsonl")).stdout).toContain("ada@acme.example");
  }
  const shown = await run("audit");
  expect(shown.stdout).toContain(`pruned the events before ${pruned.state.before}`);
  const applied = await run("apply", "--auto-approve", "--state", "file:old.jsonl");
  expect([applied.code, applied.stderr]).toEqual([1, expect.stringContaining("was moved to file:")]);

  const planned = await json("plan");
  expect([planned.actions, planned.findings.map(({ code }: { code: string }) => code)]).toEqual([[], ["user-missing"]]);
  await run("apply", "--auto-approve");
  expect(server.world.users.map(({ email }) => email).sort()).toEqual([
    "ada@acme.example",
    "bo@acme.example",
    "root@reference.example",
  ]);
  server.world.addUser({ email: "cy@acme.example", firstName: "Cy", lastName: "Tanaka" });
  expect((await json("plan")).findings).toEqual([]);
});

test("a prune overwrites no file and needs a time that has passed", async () => {
  const { cwd, run, read } = await scene();
  const whole = read(".roster/log.jsonl");
  await setTimeout(1200);
  writeFileSync(join(cwd, "old.jsonl"), "mine");
  const refused = await run("state", "prune", "--before", "1s", "--export", "old.jsonl");
  expect([refused.code, refused.stderr, read("old.jsonl")]).toEqual([1, expect.stringContaining("EEXIST"), "mine"]);
  for (const [before, why] of [
    ["2020-01-01", "has no command that ended before 2020-01-01T00:00:00.000Z"],
    ["2999-01-01", "is in the future"],
  ] as const) {
    const nothing = await run("state", "prune", "--before", before, "--export", "new.jsonl");
    expect([nothing.code, nothing.stderr.replaceAll(/\s+/gu, " ")]).toEqual([3, expect.stringContaining(why)]);
  }
  expect([existsSync(join(cwd, "new.jsonl")), read(".roster/log.jsonl")]).toEqual([false, whole]);
  expect((await run("state", "prune", "--before", "1s")).code).toBe(3);
});

test("what is left of a pruned log that was changed is an error with its position", async () => {
  const { cwd, run, read } = await scene();
  await setTimeout(1200);
  await run("state", "prune", "--before", "1s", "--export", "old.jsonl");
  const log = read(".roster/log.jsonl");
  writeFileSync(join(cwd, ".roster/log.jsonl"), log.replace("bo@acme.example", "mal@acme.example"));
  const changed = await run("audit", "verify");
  expect([changed.code, changed.stderr]).toEqual([
    1,
    expect.stringMatching(/position \d+ of the log is a checkpoint that no event of the log names/u),
  ]);
});

test("of two logs of one service that ran beside each other, one is kept and the other ended", async () => {
  const { cwd, run, json } = await scene();
  const other = ["--state", "file:other.jsonl"];
  await run("apply", "--auto-approve", ...other);
  const lineage = (await json("state", "show", ...other)).lineage;
  const refused = await run("state", "copy", "file:other.jsonl");
  const command = `roster state copy file:${cwd}/other.jsonl --keep ${lineage}`;
  expect([refused.code, refused.stderr.replaceAll(/\s+/gu, " ")]).toEqual([5, expect.stringContaining(command)]);
  expect((await run("state", "copy", "file:other.jsonl", "--keep", "another")).code).toBe(5);
  const kept = await json("state", "copy", "file:other.jsonl", "--keep", lineage);
  expect([kept.exit_code, kept.state]).toEqual([
    0,
    {
      did: "copy",
      from: `file:${cwd}/.roster/log.jsonl`,
      to: `file:${cwd}/other.jsonl`,
      lineage,
      open: 0,
      kept: true,
    },
  ]);
  expect((await run("plan")).stderr).toContain("was moved to file:");
  expect((await run("audit", "--state", "file:.roster/log.jsonl")).stdout).toContain("created ada@acme.example");
  expect((await run("plan", ...other)).code).toBe(0);
});

test("no run uses a copy that was broken off, and the copy is finished by the same command", async () => {
  const { cwd, run, json, read } = await scene();
  const whole = read(".roster/log.jsonl");
  const lines = whole.split("\n");
  // As it stands where the copy dies between two lines.
  writeFileSync(join(cwd, "copy.jsonl"), `${lines.slice(0, 3).join("\n")}\n`);
  const mark = JSON.stringify({ position: 0, copying: `file:${cwd}/.roster/log.jsonl` });
  writeFileSync(join(cwd, "copy.jsonl.checkpoint"), `{"bytes":0}\n${mark}`);
  const copy = ["--state", "file:copy.jsonl"];
  for (const command of ["plan", "apply", "drift"]) {
    const refused = await run(command, ...copy);
    expect([refused.code, refused.stderr.replaceAll(/\s+/gu, " ")]).toEqual([
      1,
      expect.stringContaining(`roster state copy file:${cwd}/copy.jsonl --state file:${cwd}/.roster/log.jsonl`),
    ]);
  }
  const copied = await run("state", "copy", "file:copy.jsonl");
  expect([copied.code, copied.stderr]).toEqual([0, ""]);
  expect(read("copy.jsonl")).toBe(whole);
  expect((await json("plan", ...copy)).error).toBeNull();
  // It dies once more, before it is finished: the old log has ended by then.
  writeFileSync(join(cwd, "copy.jsonl.checkpoint"), `{"bytes":0}\n${mark}`);
  expect((await run("plan", ...copy)).code).toBe(1);
  expect((await run("plan")).code).toBe(1);
  expect((await run("state", "copy", "file:copy.jsonl")).code).toBe(0);
  expect((await run("plan", ...copy)).code).toBe(0);
  expect((await run("state", "copy", "file:copy.jsonl")).code).toBe(3);
});

test("each command that adds to the log prints its head", async () => {
  const { server, run, json } = await scene();
  const headOf = async () => (await json("audit", "verify")).audit.head;
  const key = server.world.users.find(({ email }) => email === "bo@acme.example")?.accessKeys[0];
  server.world.setKeyRoles(key?.prefix ?? "", ["AUDITOR"]);
  expect((await json("drift")).log_head).toEqual(await headOf());
  expect((await json("drift")).log_head).toBeUndefined();
  const applied = await run("apply", "--auto-approve", "--sequence", "7");
  const { position, hash } = await headOf();
  expect(applied.stdout).toContain(`Log head: ${position}:${hash}`);
  const moved = await run("state", "set-endpoint", "https://accounts.example");
  expect(moved.stdout).toMatch(/^Log head: \d+:[0-9a-f]{64}$/mu);
  expect((await run("state", "show")).stdout).not.toContain("Log head");
});
