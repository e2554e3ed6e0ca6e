import { chmod, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";

const people = `version: 1
account: acc-1
# Everybody, in no particular order.
users:
  - email: ada@acme.example
    firstName: Ada   # the first
    lastName: Lovelace
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }
groups:
  guests: [cy@acme.example]
`;
const teams = `version: 1
account: acc-1
teams:

  - name: Platform     # ours
    # What everybody in it may do:
    roles: [DEVELOPER]
    admin: ada@acme.example
    members:
      - ada@acme.example
      - { user: bo@acme.example, roles: [TEAM_ROLE] }
      - { group: guests }
`;

interface Place {
  readonly server: ReferenceServer;
  readonly cwd: string;
  readonly run: (...args: readonly string[]) => ReturnType<typeof inside>;
  read(file: string): Promise<string>;
}

async function applied(knobs: NonNullable<ReferenceServerOptions["knobs"]>): Promise<Place> {
  const server = await startReferenceServer({ port: 0, knobs });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "r/people.yaml": people, "r/teams/platform.yaml": teams });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const run = (...args: readonly string[]) => inside(args, { cwd, env });
  const words = printedWords((await run("plan", "r", "--format", "json")).stdout).flatMap(({ word }) => [
    "--allow",
    word,
  ]);
  expect((await run("apply", "r", "--auto-approve", ...words)).code).toBe(0);
  return { server, cwd, run, read: (file) => readFile(join(cwd, "r", file), "utf8") };
}

/** What changed from one text to the other, line by line. */
function changes(before: string, after: string): readonly string[] {
  const old = before.split("\n");
  return after.split("\n").filter((line) => !old.includes(line));
}

describe("roster record-ids", () => {
  test("writes a founded team's identifier, and no key that the service shows", async () => {
    const { run, read } = await applied({});
    const check = await run("record-ids", "r", "--check");
    expect(check).toMatchObject({ code: 2, stderr: "" });
    expect(check.stdout).toMatch(
      /^1 entry would be recorded; `roster record-ids` writes them:\n {2}r\/teams\/platform.yaml:5 {2}identifier: \S+ {2}\(team Platform\)\n$/u,
    );
    expect(await read("teams/platform.yaml")).toBe(teams);
    expect((await run("record-ids", "r")).code).toBe(0);
    const recorded = await read("teams/platform.yaml");
    expect(recorded.replace(/ {4}identifier: \S+\n/u, "")).toBe(teams);
    expect(recorded.split("\n").slice(4, 7)).toEqual([
      "  - name: Platform     # ours",
      expect.stringMatching(/^ {4}identifier: \S+$/u),
      "    # What everybody in it may do:",
    ]);
    expect(await read("people.yaml")).toBe(people);
    expect(await run("record-ids", "r", "--check")).toMatchObject({
      code: 0,
      stdout: "Nothing to record: the roster has every learned identifier.\n",
    });
    expect((await run("plan", "r", "--detailed-exitcode")).code).toBe(0);
  });

  test("keeps leavers, and writes nothing into places that no longer count", async () => {
    const { run, read, cwd } = await applied({ showKeys: "none" });
    const since = people
      .replace("lastName: Diaz }", "lastName: Diaz, until: 2020-01-31 }")
      .replace("  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\n", "")
      .replace("[cy@acme.example]", "[]")
      .concat("leavers:\n  - { email: cy@acme.example, since: 2026-10-31 } # HR knows why\n");
    await writeRoster(cwd, { "r/people.yaml": since });
    expect(await run("record-ids", "r")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Recorded 2 entries:"),
    });
    expect(await read("people.yaml")).toBe(since);
    expect(changes(teams, await read("teams/platform.yaml"))).toEqual([
      expect.stringMatching(/^ {4}identifier: \S+$/u),
      expect.stringMatching(/^ {6}- \{ user: ada@acme.example, key: \S+ \}$/u),
    ]);
  });

  test("writes the prefixes that a service hides, so that the roster is enough without the state", async () => {
    const { run, read, cwd } = await applied({ showKeys: "none" });
    const file = join(cwd, "r/teams/platform.yaml");
    await chmod(file, 0o640);
    const recorded = await run("record-ids", "r");
    expect(recorded).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the key of cy@acme.example in team Platform is"),
    });
    expect(changes(people, await read("people.yaml"))).toEqual([
      expect.stringMatching(/^ {2}- \{ email: bo@acme.example, key: \S+, firstName: Bo, lastName: Diaz \}$/u),
      expect.stringMatching(/^ {2}- \{ email: cy@acme.example, key: \S+, firstName: Cy, lastName: Tanaka \}$/u),
    ]);
    expect(changes(teams, await read("teams/platform.yaml"))).toEqual([
      expect.stringMatching(/^ {4}identifier: \S+$/u),
      expect.stringMatching(/^ {6}- \{ user: ada@acme.example, key: \S+ \}$/u),
      expect.stringMatching(/^ {6}- \{ user: bo@acme.example, key: \S+, roles: \[TEAM_ROLE\] \}$/u),
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await readdir(join(cwd, "r/teams"))).sort()).toEqual(["platform.yaml"]);
    await rm(join(cwd, ".roster"), { recursive: true });
    const plan = await run("plan", "r", "--format", "json");
    const { findings } = JSON.parse(plan.stdout) as { findings: readonly { code: string; subject: string }[] };
    expect(findings.map(({ code, subject }) => [code, subject])).toEqual([
      ["unknown-membership", "member cy@acme.example of team acc-1/platform"],
      ["facts-from-state", expect.stringMatching(/^service /u)],
    ]);
  });

  test("refuses standard input, and a roster that is none, without a request", async () => {
    const server = await startReferenceServer({ port: 0 });
    onTestFinished(() => server.close());
    const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
    const cwd = emptyDirectory();
    await writeRoster(cwd, { "r.yaml": "version: 2\n" });
    expect(await inside(["record-ids", "-"], { cwd, env, input: people })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("roster cannot record identifiers in standard input"),
    });
    expect((await inside(["record-ids", "r.yaml"], { cwd, env })).code).toBe(3);
    expect(server.requests).toEqual([]);
  });
});
