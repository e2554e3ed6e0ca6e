import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { callIdOf, emptyState } from "../../src/model/state.ts";
import { creationIntent, openIntent } from "../support/event-builders.ts";
import { sha256 } from "../support/fixed-ports.ts";
import { inside } from "../support/inside.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

const cy = "  - { email: Cy@Acme.example, firstName: Cy, lastName: Tanaka, ownKeyRoles: [DEVELOPER] }\nteams:";
const threePeople = twoPeople.replace("teams:", cy).replace("[{ user: ada", "[{ user: cy@acme.example }, { user: ada");
const email = "cy@acme.example";
const json = ["--format", "json"];

/** A company that cy has left: the roster and the service know nothing of them any more. */
async function withoutCy(): Promise<InsideScene> {
  const at = await insideScene();
  await writeRoster(at.cwd, { "roster.yaml": threePeople });
  expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
  await writeRoster(at.cwd, { "roster.yaml": twoPeople });
  expect((await at.run(["drift"])).code).not.toBe(0);
  at.server.world.removeUser(email);
  return at;
}

/** Everything that the state keeps on disk, apart from the audit trail and the count of lock holders. */
function stateOf({ cwd }: InsideScene): string {
  const directory = join(cwd, ".roster");
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const kept = files.filter(({ name }) => !/\.(?:audit\.jsonl|fence)$/u.test(name));
  return kept.map(({ name }) => readFileSync(join(directory, name), "utf8")).join("");
}

async function stop(at: InsideScene, args: readonly string[] = [email, "--auto-approve"]) {
  const { code, stdout } = await at.run(["state", "forget", ...args, ...json]);
  const { error, diagnostics } = JSON.parse(stdout);
  return [code, error?.code ?? diagnostics[0]?.code];
}

describe("roster state forget", () => {
  test("removes all that the state has of a person who is gone, and says what is lost", async () => {
    const at = await withoutCy();
    expect(stateOf(at).toLowerCase()).toContain(email);
    const { code, stdout } = await at.run(["state", "forget", email, "--auto-approve"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 user, 1\s+membership, 2 seen differences and the address in the last applied\s+roster/u);
    expect(stdout).toMatch(/Key prefixes among them: \w+ and \w+\./u);
    expect(stdout).toContain("The service shows a key prefix only once");
    expect(stateOf(at).toLowerCase()).not.toContain(email);
    expect(stateOf(at)).toContain("bo@acme.example");
    for (const command of [
      ["audit", "verify"],
      ["state", "verify"],
      ["plan", "--detailed-exitcode"],
    ]) {
      expect([...command, (await at.run(command)).code]).toEqual([...command, 0]);
    }
    expect((await at.run(["audit", "show"])).stdout).toContain("state forget");
    const again = await at.run(["state", "forget", email, "--auto-approve"]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`has no records of ${email}.`)]);
  });

  test("tells programs what was removed", async () => {
    const at = await withoutCy();
    const { stdout } = await at.run(["state", "forget", email, "--auto-approve", ...json]);
    expect(JSON.parse(stdout).state).toMatchObject({
      did: "forget",
      person: email,
      users: 1,
      memberships: 1,
      prefixes: [expect.any(String), expect.any(String)],
      in_last_roster: true,
    });
  });

  test("asks at a terminal, and changes nothing without a yes", async () => {
    const at = await withoutCy();
    const before = stateOf(at);
    expect(await stop(at, [email])).toEqual([5, "not-approved"]);
    for (const [answer, code] of [
      ["no\n", 5],
      ["yes\n", 0],
    ] as const) {
      expect(stateOf(at)).toBe(before);
      const typed = new PassThrough();
      const host = at.host({ typed });
      const timer = setInterval(() => {
        if (host.told.stderr.includes("Remove these records?")) typed.write(answer);
      }, 10);
      const run = await inside(["state", "forget", email, "--no-tui"], { cwd: at.cwd }, host);
      clearInterval(timer);
      expect([run.code, run.stdout]).toEqual([code, expect.stringContaining("To remove from file:")]);
    }
    expect(stateOf(at).toLowerCase()).not.toContain(email);
  });

  test("is refused while the roster names the person, as a leaver or under a former address too", async () => {
    const at = await withoutCy();
    const before = stateOf(at);
    const leaver = `${twoPeople}leavers:\n  - { email: ${email} }\n`;
    const former = twoPeople.replace("lastName: Diaz", `lastName: Diaz, previously: [${email}]`);
    for (const roster of [threePeople, leaver, former]) {
      await writeRoster(at.cwd, { "roster.yaml": roster });
      expect(await stop(at)).toEqual([5, "still-in-roster"]);
    }
    expect(stateOf(at)).toBe(before);
  });

  test("is refused while the service shows the person, under another address too, or a read fails", async () => {
    const at = await insideScene();
    await writeRoster(at.cwd, { "roster.yaml": threePeople });
    await at.run(["apply", "--auto-approve"]);
    await writeRoster(at.cwd, { "roster.yaml": twoPeople });
    expect(await stop(at)).toEqual([5, "still-in-service"]);
    at.server.world.changeEmail(email, "cyrus@acme.example");
    expect(await stop(at)).toEqual([5, "still-in-service"]);
    at.server.world.removeUser("cyrus@acme.example");
    at.server.setKnobs({ flaky: ["search@all"], flakyStatus: "400" });
    expect((await stop(at))[0]).toBe(1);
    at.server.setKnobs({ flaky: [] });
    expect((await stop(at))[0]).toBe(0);
  });

  test("is refused while a call about the person is open", async () => {
    const at = await insideScene();
    const open = openIntent("r1", "create-user:cy", creationIntent("cy"));
    const { email: opened } = open.intent.kind === "create-user" ? open.intent : { email: "" };
    await at.remember({ ...emptyState("ours"), serial: 3, service: at.server.endpoint, open: [open] });
    const { code, stderr } = await at.run(["state", "forget", opened, "--auto-approve"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining(callIdOf(open, sha256))]);
    expect(stderr).toContain("error[call-still-open]");
  });

  test("takes an address", async () => {
    const at = await insideScene();
    expect(await stop(at, ["cy"])).toEqual([3, "bad-flag-value"]);
  });
});
