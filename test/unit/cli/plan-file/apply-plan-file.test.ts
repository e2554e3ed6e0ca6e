import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { startReferenceServer } from "../../../../src/reference-server/server.ts";
import { creationIntent, noon, openIntent } from "../../../support/event-builders.ts";
import { inside } from "../../../support/inside.ts";
import { twoPeople } from "../../../support/inside-scene.ts";
import { clockAhead, endOf, planFileScene } from "../../../support/plan-file-scene.ts";
import { addressOf, emailOf } from "../../../support/roster-builders.ts";

const [createAda, createBo, addToRed] = [
  "create-user:ada@acme.example",
  "create-user:bo@acme.example",
  "add-members:acc-1/red",
];
const withCy = twoPeople
  .replace("teams:", "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\nteams:")
  .replace("{ user: bo@acme.example }", "{ user: bo@acme.example }, { user: cy@acme.example }");

describe("a plan file", () => {
  test("does what the plan said, without a question, and once", async () => {
    const at = await planFileScene();
    await at.save();
    expect(at.writes()).toEqual([]);
    const first = await at.applied();
    expect({ ...first, document: undefined }).toEqual({ code: 0, error: undefined, troubles: [], document: undefined });
    expect(first.document.run?.outcomes.map(({ action }) => action).sort()).toEqual(
      first.document.actions?.map(({ id }) => id).sort(),
    );
    const writes = at.writes();
    expect(writes.length).toBe(5);
    expect((await at.state()).planFiles?.map(({ file }) => file)).toEqual([first.document.plan_file?.file]);
    const again = await at.applied();
    expect([again.code, again.error]).toEqual([6, expect.stringMatching(/^this plan file was already applied/u)]);
    expect(at.writes()).toEqual(writes);
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(0);
  });

  test("reads each person again, in batches, although the plan has just read them", async () => {
    const at = await planFileScene();
    await at.save();
    const before = at.server.requests.length;
    await at.applied();
    const reads = at.server.requests.slice(before).filter(({ path }) => path.endsWith("/search"));
    expect(reads.length).toBeGreaterThanOrEqual(1);
    expect(reads.length).toBeLessThanOrEqual(3);
  });

  test("is applied from standard input, in a pipeline without a terminal", async () => {
    const at = await planFileScene();
    await at.save();
    const stdin = Readable.from([await readFile(join(at.cwd, "p.json"))]);
    const host = at.host({ env: { CI: "1", ROSTER_STATE: "file:.roster/log.jsonl" } });
    const run = await inside(
      ["apply", "-", "--format", "json"],
      { cwd: at.cwd },
      Object.assign(host, { stdin: () => stdin }),
    );
    expect(endOf(run)).toMatchObject({ code: 0, troubles: [] });
    expect(at.writes().length).toBe(5);
  });

  test("without anything to do does nothing, as often as it is applied, and tells what remains (9)", async () => {
    const at = await planFileScene();
    await at.run(["apply", "--auto-approve"]);
    await at.rewrite(twoPeople.replace("firstName: Bo", "firstName: Bob"));
    await at.save();
    const writes = at.writes();
    expect([(await at.applied()).code, (await at.applied()).code]).toEqual([9, 9]);
    expect(at.writes()).toEqual(writes);
  });

  test("takes the place that its run names among all applies", async () => {
    const at = await planFileScene();
    await at.save();
    expect((await at.applied("--sequence", "7")).code).toBe(0);
    expect((await at.state()).sequence).toBe(7);
    await at.save();
    expect((await at.applied("--sequence", "6")).code).toBe(6);
  });

  test("records whom the plan met, and whom the roster is about, as the apply of a roster does", async () => {
    const at = await planFileScene();
    at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
    await at.save();
    expect((await at.applied()).code).toBe(0);
    const { users, applied } = await at.state();
    expect(users.get(addressOf("bo"))).toMatchObject({ seenAt: expect.any(String) });
    expect([...(applied?.people.keys() ?? [])]).toEqual([addressOf("ada"), addressOf("bo")]);
  });

  test("is told in its own words before its run", async () => {
    const at = await planFileScene();
    await at.remember({
      ...emptyState("l"),
      serial: 4,
      users: new Map([
        [
          addressOf("bo"),
          {
            address: addressOf("bo"),
            email: "bo@acme.example",
            account: "acc-1",
            createdAt: "2026-11-01T00:00:00.000Z",
          },
        ],
      ]),
    });
    const { stdout: planned } = await at.run(["plan", "--format", "json"]);
    const [code = ""] = /user-missing:bo@acme\.example#[0-9a-f]{12}/u.exec(planned) ?? [];
    await at.save("--allow", code);
    const { stdout } = await at.run(["apply", "p.json"]);
    expect(stdout.replace(/\s+/gu, " ")).toMatch(
      new RegExp(
        `^Plan for \\S+ .* Plan file \\S+ \\(\\S+\\), made at \\S+ by roster \\S+, with --allow ${code}\\.`,
        "u",
      ),
    );
    expect(stdout).toContain("+ ada@acme.example");
    expect(stdout).toContain("Done: ");
  });

  test("settles first what an earlier run has left open", async () => {
    const at = await planFileScene();
    at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
    const open = [openIntent("r0", createBo, creationIntent("bo"), "2026-01-01T00:00:00.000Z")];
    await at.remember({ ...emptyState("l"), serial: 1, service: at.server.endpoint, open });
    await at.save();
    expect(await at.applied()).toMatchObject({ code: 0, troubles: [] });
    const state = await at.state();
    expect([state.open, state.users.get(addressOf("bo"))]).toEqual([
      [],
      expect.objectContaining({ createdAt: expect.any(String) }),
    ]);
  });
});

describe("what has moved between plan and apply", () => {
  test("is stale alone, where somebody has added a person: the rest is done (7)", async () => {
    const at = await planFileScene();
    await at.save();
    at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
    const { code, troubles } = await at.applied();
    expect([code, troubles[0]]).toEqual([7, `stale ${createBo}: bo@acme.example exists now`]);
    expect(troubles.slice(1).every((one) => one.startsWith("skipped "))).toBe(true);
    expect(at.server.world.teams.map(({ members }) => members)).toEqual([["ada@acme.example"]]);
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
    expect(at.server.outbox.length).toBe(1);
  });

  test("leaves nothing to do, where somebody has done it all: what depends on it is stale with it (6)", async () => {
    const at = await planFileScene();
    await at.save();
    expect((await at.run(["apply", "--auto-approve", "--state", "file:other.json"])).code).toBe(0);
    const writes = at.writes();
    const { code, troubles } = await at.applied();
    expect([code, troubles[0]]).toEqual([6, `stale ${createAda}: ada@acme.example exists now`]);
    expect(at.writes()).toEqual(writes);
  });

  test("is a key's roles", async () => {
    const at = await planFileScene();
    await at.run(["apply", "--auto-approve"]);
    const keys = at.server.world.users.flatMap(({ accessKeys }) => accessKeys).filter(({ team }) => team !== null);
    const [first = "", second = ""] = keys.map(({ prefix }) => prefix);
    for (const prefix of [first, second]) at.server.world.setKeyRoles(prefix, ["AUDITOR"]);
    await at.save();
    at.server.world.setKeyRoles(first, ["TEAM_ROLE"]);
    const { code, troubles } = await at.applied();
    expect([code, troubles]).toEqual([
      7,
      [`stale replace-roles:${first}: the key ${first} has other roles now: TEAM_ROLE`],
    ]);
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(2);
  });

  test("is the key in use: what would take its own administration from it is not done", async () => {
    const at = await planFileScene();
    await at.run(["apply", "--auto-approve"]);
    const prefix = at.server.world.addProjectKey("ada@acme.example", ["ACCOUNT_ADMIN"]);
    await at.rewrite(`${twoPeople}keys: [{ prefix: ${prefix}, roles: [DEVELOPER] }]\n`);
    await at.save();
    const run = await at.run(["apply", "p.json", "--format", "json"], {
      env: { ROSTER_API_KEY: at.server.world.fullKey(prefix) },
    });
    const { code, troubles } = endOf(run);
    expect([code, troubles]).toEqual([
      6,
      [`stale replace-roles:${prefix}: the key is the one in use by now, and no call would be allowed after it`],
    ]);
  });

  test("is not what a run has noted of itself in the state", async () => {
    const at = await planFileScene();
    const before: State = { ...emptyState("l"), serial: 4, sequence: 1 };
    await at.remember(before);
    await at.save();
    await at.remember({ ...before, serial: 5, sequence: 2, planFiles: [{ file: "f", at: noon }] });
    const { code, error } = await at.applied();
    expect([code, error, (await at.state()).capabilities?.learned.keysOnUsers]).toEqual([0, undefined, "shown"]);
  });

  test("is what the state says, where the service shows nothing of it: nobody is mailed twice", async () => {
    const at = await planFileScene();
    await at.rewrite(withCy.replace(", { user: cy@acme.example }", ""));
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
    at.server.setKnobs({ showKeys: "none" });
    await at.rewrite(withCy);
    await at.save();
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(0);
    expect(at.server.outbox.length).toBe(2);
    const { code, error, troubles } = await at.applied();
    expect([code, troubles[0]]).toEqual([6, expect.stringContaining(`stale ${addToRed}: the state of the addition`)]);
    expect(error).toMatch(/^The state has changed since the plan was made \(the log ends at position \d+ now\)\./u);
    expect(at.server.outbox.length).toBe(2);
  });
});

describe("a plan file is stale (6), and nothing is sent, because", () => {
  test("it has expired, a day after its reading", async () => {
    const at = await planFileScene();
    await at.save();
    const late = at.run(["apply", "p.json", "--format", "json"], { clock: clockAhead(24) });
    expect(endOf(await late)).toMatchObject({ code: 6, error: expect.stringMatching(/^this plan file expired at /u) });
    expect(at.writes()).toEqual([]);
    expect(endOf(await at.run(["apply", "p.json", "--format", "json"], { clock: clockAhead(23) })).code).toBe(0);
  });

  test("the day has come on which somebody of the roster leaves", async () => {
    const at = await planFileScene();
    const day = (hours: number) => new Date(clockAhead(hours).now()).toISOString().slice(0, 10);
    await at.rewrite(twoPeople.replace("lastName: Diaz", `lastName: Diaz, until: ${day(24)}`));
    await at.save();
    const document = JSON.parse((await at.run(["show", "p.json", "--format", "json"])).stdout) as {
      plan_file: { expires_at: string };
    };
    expect(document.plan_file.expires_at).toBe(`${day(24)}T00:00:00.000Z`);
  });

  test.each([
    ["there is another state", { lineage: "other", serial: 9 }, /this is another log: position 9 of the log other$/u],
    ["there is none any more", undefined, /but there is no log here$/u],
    [
      "there is an older version of it",
      { lineage: "l", serial: 3 },
      /the log ends at position 3: it has lost what came after$/u,
    ],
  ])("%s", async (_, now, error) => {
    const at = await planFileScene();
    await at.remember({ ...emptyState("l"), serial: 4 });
    await at.save();
    if (now === undefined) await rm(join(at.cwd, ".roster"), { recursive: true });
    else await at.remember({ ...emptyState(now.lineage), serial: now.serial });
    expect(await at.applied()).toMatchObject({ code: 6, error: expect.stringMatching(error) });
    expect(at.writes()).toEqual([]);
  });

  test("there was no state when it was made, and there is one now", async () => {
    const at = await planFileScene();
    await at.save();
    const ada = { address: addressOf("ada"), email: emailOf("ada"), account: "acc-1" };
    await at.remember({ ...emptyState("l"), serial: 1, users: new Map([[ada.address, ada]]) });
    const error = expect.stringMatching(/^the plan was made without a log, but there is one now/u);
    expect(await at.applied()).toMatchObject({ code: 6, error });
  });

  test("but not because a drift made a state meanwhile, which only notes what it saw", async () => {
    const at = await planFileScene();
    await at.save();
    expect((await at.run(["drift"])).code).toBe(2);
    expect((await at.state()).openFindings?.size).toBeGreaterThan(0);
    const applied = await at.applied();
    expect([applied.code, applied.error, applied.troubles]).toEqual([0, undefined, []]);
    expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(0);
  });

  test("another roster was applied since: whoever left it would be brought back", async () => {
    const at = await planFileScene();
    await at.run(["apply", "--auto-approve"]);
    await at.rewrite(withCy);
    await at.save();
    await at.rewrite(twoPeople.replace("firstName: Bo", "firstName: Bob"));
    expect((await at.run(["apply", "--auto-approve"])).code).toBe(9);
    const error = expect.stringMatching(/^another roster was applied at \S+, after this plan was made$/u);
    expect(await at.applied()).toMatchObject({ code: 6, error });
    expect(at.server.world.users.map(({ email }) => email)).not.toContain("cy@acme.example");
  });

  test("but not because the same roster was: then what is left of it is done", async () => {
    const at = await planFileScene();
    await at.run(["apply", "--auto-approve", "--exclude", "user:bo@acme.example"]);
    await at.save();
    await at.run(["apply", "--auto-approve", "--include", "user:bo@acme.example"]);
    expect((await at.applied()).error).not.toMatch(/another roster/u);
  });
});

describe("a plan file is refused (3), and nothing is read or sent, because", () => {
  const edited = /^p\.json is not a usable plan file: its checksum does not match/u;
  const broken = /^p\.json is not a usable plan file: it is not complete JSON/u;
  test.each<readonly [string, (text: string) => string, RegExp]>([
    ["somebody has edited it", (text) => text.replace("Lovelace", "Loveless"), edited],
    ["it was cut short", (text) => text.slice(0, 300), broken],
    ["a line was added", (text) => `${text}\n`, /changed after roster/u],
    ["it is newer", (text) => text.replace('"2.0"', '"3.0"'), /its format_version is "3\.0"/u],
    ["it is a plan that was printed", () => '{ "format_version": "1.0", "plan_id": "p" }', /cannot be applied/u],
  ])("%s", async (_, change, error) => {
    const at = await planFileScene();
    await at.save();
    const before = at.server.requests.length;
    await at.edit(change);
    expect(await at.applied()).toMatchObject({ code: 3, error: expect.stringMatching(error) });
    expect(at.server.requests.length).toBe(before);
  });

  test("it is for another service, which learns nothing of it", async () => {
    const at = await planFileScene();
    await at.save();
    const other = await startReferenceServer({ port: 0 });
    onTestFinished(() => other.close());
    const env = { ROSTER_ENDPOINT: other.endpoint, ROSTER_API_KEY: other.key };
    const run = await at.run(["apply", "p.json", "--format", "json"], { env });
    expect(endOf(run)).toMatchObject({ code: 3, error: expect.stringMatching(/^The plan is for the service http/u) });
    expect(other.requests).toEqual([]);
  });

  test.each([
    ["--include", ["--include", "user:ada@acme.example"]],
    ["--allow", ["--allow", "unproven-absence:*#0123456789ab"]],
    ["--unmanaged", ["--unmanaged"]],
    ["--account", ["--account", "acc-1"]],
  ])("%s was to be said when it was made", async (flag, flags) => {
    const at = await planFileScene();
    await at.save();
    expect(await at.applied(...flags)).toMatchObject({ code: 3, error: expect.stringContaining(flag) });
  });

  test("it is one of several paths", async () => {
    const at = await planFileScene();
    await at.save();
    expect((await at.run(["apply", "roster.yaml", "p.json"])).code).toBe(3);
    expect(at.writes()).toEqual([]);
  });

  test("it is where a roster should be, whatever its name and whole or not", async () => {
    const at = await planFileScene();
    await at.save();
    const text = await readFile(join(at.cwd, "p.json"), "utf8");
    for (const content of [text, text.slice(0, 200)]) {
      await at.rewrite(content);
      for (const command of [["validate"], ["plan"], ["apply", "roster.yaml", "--auto-approve"]]) {
        const run = await at.run([...command, "--format", "json"]);
        const { document } = endOf(run);
        expect([run.code, document.diagnostics.map(({ code }) => code)]).toEqual([3, ["not-a-roster-file"]]);
      }
    }
  });
});
