import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory } from "../../../support/command.ts";
import { inside } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

/** Runs a command at a time of the test's own. */
function runAt(time: string, cwd: string, ...args: readonly string[]) {
  const clock = { now: () => Date.parse(time), monotonic: () => 0, wait: async () => undefined };
  return inside(args, { cwd, env: {}, clock, randomness: { fraction: () => 0.5, identifier: () => "id" } });
}

const roster = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, until: 2027-01-31 }
leavers:
  - { email: cy@acme.example, since: 2026-10-31 }
teams:
  - name: Platform
    members: [ada@acme.example, bo@acme.example]
`;

test("the day of the clock decides who is a leaver, and warnings leave a roster valid", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": roster });
  expect(await runAt("2027-01-30T23:59:59.999Z", cwd, "validate")).toEqual({
    code: 0,
    stdout: "1 file, 2 users, 1 leaver, 1 team: valid.\n",
    stderr: "",
  });
  expect(await runAt("2027-01-31T00:00:00.000Z", cwd, "validate")).toEqual({
    code: 0,
    stdout: "1 file, 1 user, 2 leavers, 1 team: valid, with 2 warnings.\n",
    stderr: `roster.yaml:5:69: warning[until-reached]: \`until\` of \`bo@acme.example\` has passed: this user is a leaver since 2027-01-31.
  5 |   - { email: bo@acme.example, firstName: Bo, lastName: Diaz, until: 2027-01-31 }
    |                                                                     ^^^^^^^^^^
  hint: Move them to \`leavers\`: \`- { email: bo@acme.example, since: 2027-01-31 }\`.
roster.yaml:10:33: warning[until-reached]: The member \`bo@acme.example\` is a leaver since 2027-01-31 (roster.yaml:5:69); this entry is ignored.
  10 |     members: [ada@acme.example, bo@acme.example]
     |                                 ^^^^^^^^^^^^^^^
  hint: Remove this entry.
`,
  });
});

test("somebody who is a user and a leaver is told with both places", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, {
    "people.yaml": roster,
    "left.yaml": "version: 1\nleavers: [{ email: ADA@acme.example }]\n",
  });
  expect(await runAt("2026-11-20T09:00:00.000Z", cwd, "validate")).toEqual({
    code: 3,
    stdout: "",
    stderr: `left.yaml:2:20: error[contradiction]: \`ADA@acme.example\` is a leaver here and a user at people.yaml:4:14.
  2 | leavers: [{ email: ADA@acme.example }]
    |                    ^^^^^^^^^^^^^^^^
  hint: Remove the \`leavers\` entry if this person came back; otherwise remove the \`users\` entry.
1 error. For details, run \`roster explain contradiction\`.
`,
  });
});

test("what init writes is a roster, and so it is with what it writes as a comment", async () => {
  const cwd = emptyDirectory();
  expect((await runAt("2026-11-20T09:00:00.000Z", cwd, "init")).code).toBe(0);
  expect(await runAt("2026-11-20T09:00:00.000Z", cwd, "validate")).toMatchObject({
    code: 0,
    stdout: "1 file, 2 users, 1 team: valid.\n",
  });
  const path = join(cwd, "roster.yaml");
  const written = await readFile(path, "utf8");
  await writeFile(path, written.replace("# leavers:\n#   - {", "leavers:\n  - {"));
  expect(await runAt("2026-11-20T09:00:00.000Z", cwd, "validate")).toMatchObject({
    code: 0,
    stdout: "1 file, 2 users, 1 leaver, 1 team: valid.\n",
  });
});

test("a file that cannot be read hides of the others only what it may answer for", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, {
    "people.yaml": "version: 1\nusers: [\n",
    "teams.yaml": `version: 1
account: acc-1
teams:
  - { name: Red, admin: ada@acme.example, members: [ada@acme.example, { group: on-call, roles: [{ set: dev }] }] }
  - { name: red, open: true, onRemoval: report, colour: 1 }
`,
    "keys.yaml":
      "version: 1\nkeys: [{ prefix: p-1, roles: [] }, { prefix: p-1, roles: [A] }, { prefix: p-1, roles: [] }]\n",
  });
  const codesOf = async () => {
    const { code, stderr } = await runAt("2026-11-20T00:00:00.000Z", cwd, "validate");
    return {
      code,
      told: [...stderr.matchAll(/^(\S+?):\d+:\d+: error\[([a-z-]+)\]/gmu)].map(([, ...told]) => told.join(" ")),
    };
  };
  const standing = [
    "keys.yaml duplicate",
    "teams.yaml duplicate",
    "teams.yaml contradiction",
    "teams.yaml unknown-key",
  ];
  expect(await codesOf()).toEqual({ code: 3, told: ["people.yaml yaml-syntax", ...standing] });
  await writeFile(join(cwd, "people.yaml"), "version: 1\n");
  expect((await codesOf()).told).toContain("teams.yaml unknown-name");
});

test("an address with which nobody is created is told where it stands, and a plan judges it by what the service shows", async () => {
  const cwd = emptyDirectory();
  const eve = "  - { email: eve@acme.example/é.evil.example, firstName: Eve, lastName: Lee }\n";
  await writeRoster(cwd, { "roster.yaml": roster.replace("leavers:\n", `${eve}leavers:\n`) });
  expect(await runAt("2026-11-20T09:00:00.000Z", cwd, "validate")).toEqual({
    code: 3,
    stdout: "",
    stderr: `roster.yaml:6:14: error[unsafe-address]: roster does not create \`eve@acme.example/é.evil.example\`: the address contains \`/\`.
  6 |   - { email: eve@acme.example/é.evil.example, firstName: Eve, lastName: Lee }
    |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: Correct it. If the service already has this user, declare one of their keys: \`key: PREFIX\`.
1 error. For details, run \`roster explain unsafe-address\`.
`,
  });
});

test("a domain without a dot is refused", async () => {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": roster.replaceAll("ada@acme.example", "ada@intranet") });
  const refused = await runAt("2026-11-20T09:00:00.000Z", cwd, "validate");
  expect([refused.code, refused.stderr.split("\n")[0]]).toEqual([
    3,
    "roster.yaml:4:14: error[unsafe-address]: roster does not create `ada@intranet`: its domain has no dot.",
  ]);
});
