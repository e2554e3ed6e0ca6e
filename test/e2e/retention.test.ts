import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeState } from "../../src/codec/state.ts";
import type { State } from "../../src/model/state.ts";
import { creationIntent, openIntent } from "../support/event-builders.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { clockAhead } from "../support/plan-file-scene.ts";
import { addressOf } from "../support/roster-builders.ts";
import { writeRoster } from "../support/roster-directory.ts";

const cy = "  - { email: Cy@Acme.example, firstName: Cy, lastName: Tanaka, ownKeyRoles: [DEVELOPER] }\nteams:";
const threePeople = twoPeople.replace("teams:", cy).replace("[{ user: ada", "[{ user: cy@acme.example }, { user: ada");
const [email, address] = ["cy@acme.example", addressOf("cy")];
const settings = { "roster.config.yaml": "roster: [roster.yaml]\nretention: { people: 90d }\n" };

interface Company extends InsideScene {
  /** Applies so many days after the start, with further arguments. */
  applyOn(day: number, ...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }>;
}

async function company(): Promise<Company> {
  const at = await insideScene();
  await writeRoster(at.cwd, { ...settings, "roster.yaml": threePeople });
  const applyOn = (day: number, ...args: readonly string[]) =>
    at.run(["apply", "--auto-approve", ...args], { clock: clockAhead(24 * day) });
  const company = { ...at, applyOn };
  expect((await company.applyOn(0)).code).toBe(0);
  await writeRoster(at.cwd, { "roster.yaml": twoPeople });
  return company;
}

/** A company that cy has left, which an apply has seen a day later. */
async function withoutCy(): Promise<Company> {
  const at = await company();
  at.server.world.removeUser(email);
  expect(await at.applyOn(1)).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Removed") });
  expect([...(stateOf(at).gone?.keys() ?? [])]).toEqual([address]);
  return at;
}

function stateText({ cwd }: InsideScene): string {
  return readFileSync(join(cwd, ".roster/state.json"), "utf8");
}

function stateOf(at: InsideScene): State {
  const state = decodeState(stateText(at), "state.json");
  if (!state.ok) throw new Error(state.error.message);
  return state.value;
}

/** Whether an apply long after keeps the records of cy, and its exit code. */
async function keeps(at: Company, ...args: readonly string[]) {
  const { code, stdout } = await at.applyOn(92, ...args);
  return { code, says: /Removed the records/u.test(stdout), user: stateOf(at).users.has(address) };
}

describe("records of people who are gone", () => {
  test("are removed by the first apply after their retention, which says so", async () => {
    const at = await withoutCy();
    expect((await at.applyOn(89)).stdout).not.toContain("Removed");
    expect(stateOf(at).users.get(address)?.key).toEqual(expect.any(String));
    const plan = await at.run(["plan"], { clock: clockAhead(24 * 92) });
    expect([plan.code, stateOf(at).users.has(address)]).toEqual([0, true]);
    const { code, stdout } = await at.applyOn(92);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("\n\nRemoved the records of 1 person who has been gone for more than 90 days.\n"),
    ]);
    expect(stateText(at).toLowerCase()).not.toContain(email);
    expect([...stateOf(at).users.keys()]).toEqual([addressOf("ada"), addressOf("bo")]);
    for (const command of [
      ["audit", "verify"],
      ["state", "verify"],
      ["plan", "--detailed-exitcode"],
    ]) {
      expect([...command, (await at.run(command)).code]).toEqual([...command, 0]);
    }
    const trail = readFileSync(join(at.cwd, ".roster/state.json.audit.jsonl"), "utf8").trim().split("\n");
    expect(trail.slice(-3).map((line) => JSON.parse(line).record?.kind ?? JSON.parse(line).kind)).toEqual([
      "run-started",
      "state-changed",
      "run-ended",
    ]);
    expect((await at.applyOn(182)).stdout).not.toContain("Removed");
  });

  test("are named to programs", async () => {
    const at = await withoutCy();
    const reports = ["--report", "markdown=report.md", "--report", "ndjson=report.ndjson"];
    const { stdout } = await at.applyOn(92, "--format", "json", ...reports);
    expect(JSON.parse(stdout).retention).toEqual({ days: 90, people: ["Cy@Acme.example"] });
    const report = (name: string) => readFileSync(join(at.cwd, name), "utf8");
    expect(report("report.md")).toContain("Removed the records of 1 person who has been gone for more than 90 days.");
    expect(report("report.ndjson")).toContain('{"type":"retention","days":90,"people":["Cy@Acme.example"]}');
  });

  test("stay without the setting, which also forgets since when", async () => {
    const at = await withoutCy();
    await writeRoster(at.cwd, { "roster.config.yaml": "roster: [roster.yaml]\n" });
    expect(await keeps(at)).toEqual({ code: 0, says: false, user: true });
    expect(stateOf(at).gone).toBeUndefined();
  });

  test("stay in a run about a part of the roster", async () => {
    const at = await withoutCy();
    expect(await keeps(at, "--include", "user:ada@acme.example")).toEqual({ code: 0, says: false, user: true });
    expect(await keeps(at)).toEqual({ code: 0, says: true, user: false });
  });

  test("stay while the service shows the person, under another address too", async () => {
    const at = await company();
    await at.applyOn(1);
    expect([stateOf(at).gone, (await keeps(at)).user]).toEqual([undefined, true]);
    at.server.world.changeEmail(email, "cyrus@acme.example");
    await at.applyOn(1);
    expect([stateOf(at).gone, (await keeps(at)).user]).toEqual([undefined, true]);
  });

  test("stay where a read fails or the list of users is incomplete, and the apply succeeds", async () => {
    const at = await withoutCy();
    at.server.setKnobs({ flaky: ["list@all"], flakyStatus: "400" });
    const failed = await at.run(["apply", "--auto-approve"], { clock: clockAhead(24 * 92) });
    expect([failed.code, failed.stderr, stateOf(at).users.has(address)]).toEqual([
      0,
      expect.stringContaining("warning: retention: no records were removed: "),
      true,
    ]);
    at.server.setKnobs({ flaky: [], pageBase: "ignored", maxPerPage: 2 });
    expect(await keeps(at)).toMatchObject({ says: false, user: true });
    at.server.setKnobs({ pageBase: "one-alias", maxPerPage: 1000 });
    expect(await keeps(at)).toEqual({ code: 0, says: true, user: false });
  });

  test("stay while what became of a call is not known", async () => {
    const at = await withoutCy();
    const sent = new Date(Date.now() + 92 * 86_400_000).toISOString();
    const open = { ...openIntent("r1", "create-user:dara", creationIntent("dara"), sent), accepted: true } as const;
    await at.remember({ ...stateOf(at), open: [open] });
    expect(await keeps(at)).toMatchObject({ says: false, user: true });
    expect(stateOf(at).open).toHaveLength(1);
    await at.remember({ ...stateOf(at), open: [] });
    expect(await keeps(at)).toEqual({ code: 0, says: true, user: false });
  });

  test("count anew where the person comes back and leaves again", async () => {
    const at = await withoutCy();
    await writeRoster(at.cwd, { "roster.yaml": `${twoPeople}leavers:\n  - { email: ${email} }\n` });
    await at.applyOn(50);
    expect(stateOf(at).gone).toBeUndefined();
    await writeRoster(at.cwd, { "roster.yaml": twoPeople });
    await at.applyOn(60);
    expect(await keeps(at)).toEqual({ code: 0, says: false, user: true });
    expect((await at.applyOn(152)).stdout).toContain("Removed the records of 1 person");
  });

  test("are never removed by the settings of an untrusted checkout", async () => {
    const at = await withoutCy();
    const state = `file:${join(at.cwd, ".roster/state.json")}`;
    const run = await at.run(["apply", "--auto-approve", "--state", state], { env: { CI: "true" } });
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining("error[untrusted-settings]")]);
  });
});
