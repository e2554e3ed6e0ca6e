import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

const first = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: kim@old.example, firstName: Kim, lastName: Ito }
teams:
  - { name: Old, admin: kim@old.example, roles: [DEVELOPER], members: [{ user: kim@old.example }, { user: ada@acme.example }] }
`;
const renamed = first
  .replaceAll("kim@old.example", "kim@acme.example")
  .replace("lastName: Ito", "lastName: Ito, previously: [kim@old.example]")
  .replace("name: Old", "name: Fresh, previously: [Old]");

/** A roster that was applied, and then says other names for the same person and team. */
async function scene(roster: string): Promise<InsideScene> {
  const at = await insideScene();
  await writeRoster(at.cwd, { "roster.yaml": first });
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, { "roster.yaml": roster });
  return at;
}

async function told(at: InsideScene, what: string): Promise<readonly string[]> {
  const { code, stdout } = await at.run(["explain", what, "--format", "ndjson"]);
  expect(code).toBe(0);
  return stdout.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME").split("\n");
}

interface Parts {
  readonly roster: readonly string[];
  readonly service: readonly string[];
  readonly state: readonly string[];
  readonly unasked: readonly string[];
}

interface Told {
  readonly [part: string]: readonly { readonly says: string }[];
}

async function parts(at: InsideScene, what: string): Promise<Parts> {
  const { stdout } = await at.run(["explain", what, "--format", "json"]);
  const [thing] = (JSON.parse(stdout) as { explanation: { things: readonly Told[] } }).explanation.things;
  const says = (part: string) =>
    (thing?.[part] ?? []).map((one) => one.says.replace(/\b[A-Za-z0-9]{20}\b/gu, "PREFIX"));
  return { roster: says("roster"), service: says("service"), state: says("state"), unasked: says("unasked") };
}

test("a former address leads to its person, with what is recorded of them under it", async () => {
  const at = await scene(renamed);
  expect(await parts(at, "user:kim@acme.example")).toMatchObject({
    service: [
      "the user u-2 at kim@old.example in acc-1, Active",
      "kim@old.example: key PREFIX in Old (t-1) (team, Active): DEVELOPER",
      "no user at kim@acme.example (proven)",
    ],
    state: [
      "kim@old.example: created by roster as u-2, with the key PREFIX, with the new team acc-1/fresh",
      "kim@old.example in Fresh: created, with the key PREFIX",
      "kim@old.example is in the last applied roster",
      "roster set the roles of the key PREFIX to DEVELOPER",
    ],
    unasked: [],
  });
  expect(await told(at, "user:kim@old.example")).toEqual(await told(at, "user:kim@acme.example"));
});

test("a former name and an identifier lead to their team, be it recorded or not", async () => {
  const at = await scene(renamed);
  const recorded = await told(at, "team:Fresh");
  expect(await told(at, "team:old")).toEqual(recorded);
  expect(await told(at, "team:t-1")).toEqual(recorded);

  await rm(join(at.cwd, ".roster"), { recursive: true });
  expect(await told(at, "team:Old")).toEqual(await told(at, "team:Fresh"));
  const forgotten = await parts(at, "team:Fresh");
  expect(await parts(at, "team:t-1")).toEqual(forgotten);
  expect(forgotten).toMatchObject({
    service: [
      "ada@acme.example: key PREFIX in Old (t-1) (team, Active): DEVELOPER",
      "kim@old.example: key PREFIX in Old (t-1) (team, Active): DEVELOPER",
    ],
    state: [],
    unasked: [],
  });
});

test("of a leaver it is told which keys were emptied and when, and in a team that they are one", async () => {
  const gone = `version: 1
account: acc-1
users:
  - { email: kim@old.example, firstName: Kim, lastName: Ito }
leavers:
  - { email: ada@acme.example }
teams:
  - { name: Old, admin: kim@old.example, roles: [DEVELOPER], members: [{ user: kim@old.example }] }
`;
  const at = await scene(gone);
  await at.run(["apply", "--auto-approve"]);
  const { state } = await parts(at, "user:ada@acme.example");
  expect(state.filter((says) => says.startsWith("roster set"))).toEqual([
    "roster set the roles of the key PREFIX to no roles",
    "roster set the roles of the key PREFIX to no roles",
  ]);
  expect((await parts(at, "team:Old")).unasked).toEqual([
    "a leaver is in it: ada@acme.example: key PREFIX in Old (t-1) (team, Active): no roles",
  ]);
});

test("somebody whom several entries make a member is told with all of them", async () => {
  const at = await scene(
    first.replace("{ user: ada@acme.example }", "{ user: ada@acme.example }, { group: one }, { group: two }") +
      "groups: { one: [ada@acme.example, kim@old.example], two: [ada@acme.example] }\n",
  );
  const { roster: team } = await parts(at, "team:Old");
  expect(team.slice(2)).toEqual([
    "kim@old.example is a member of Old, also through the group one: DEVELOPER",
    "ada@acme.example is a member of Old, also through the groups one, two: DEVELOPER",
  ]);
  const lines = (await at.run(["explain", "user:ada@acme.example"])).stdout.split("\n");
  const start = lines.findIndex((line) => line.startsWith("  ada@acme.example is a member of Old"));
  expect(lines.slice(start + 1, start + 8).map((line) => line.replace(/ {2,}\S+$/u, ""))).toEqual([
    "    ada@acme.example is listed as a member",
    "    the `roles` of the team",
    "    the team Old",
    "    member through the group one",
    "      the group lists ada@acme.example",
    "    member through the group two",
    "      the group lists ada@acme.example",
  ]);
});

test("a role is not told of a finding that only lists it among those that are offered", async () => {
  const at = await scene(first.replace("[DEVELOPER]", "[DEVELOPR]"));
  const found = async (role: string) => (await at.run(["explain", `role:${role}`])).stdout.includes("unknown-role");
  expect([await found("DEVELOPR"), await found("AUDITOR")]).toEqual([true, false]);
});

test("a finding is told of everybody on whom it rests, whatever the roster calls them", async () => {
  const at = await scene(first.replaceAll("kim@old.example", "kim@odd.example"));
  const { stdout } = await at.run(["explain", "user:kim@old.example"]);
  expect(stdout).toContain("! user kim@odd.example: near-duplicate");
});

test("of a key whose prefix the roster does not write it is told what the roster says of it all the same", async () => {
  const own = `${first.replace("lastName: Ito }", "lastName: Ito }\n  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka, ownKeyRoles: [AUDITOR] }")}`;
  const at = await scene(own);
  await at.run(["apply", "--auto-approve"]);
  const prefixOf = async (what: string, words: RegExp) => {
    const { stdout } = await at.run(["explain", what]);
    const line = stdout.split("\n").find((one) => words.test(one)) ?? "";
    return /key ([A-Za-z0-9]{20})/u.exec(line)?.[1] ?? "";
  };
  const [ada, kim, cy] = [
    await prefixOf("user:ada@acme.example", /key \w{20} in Old/u),
    await prefixOf("user:kim@old.example", /key \w{20} in Old/u),
    await prefixOf("user:cy@acme.example", /key \w{20}.*AUDITOR/u),
  ];
  const says = async (prefix: string | undefined) => (await parts(at, `key:${prefix}`)).roster;
  expect([await says(ada), await says(kim), await says(cy)]).toEqual([
    ["ada@acme.example is a member of Old: DEVELOPER"],
    ["kim@old.example is a member of Old: DEVELOPER"],
    ["the own key of cy@acme.example: AUDITOR"],
  ]);

  const left = own
    .replace("  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }\n", "")
    .replace(", { user: ada@acme.example }", "")
    .replace("members: [{ user: kim@old.example }", `members: [{ user: kim@old.example, key: ${kim} }`);
  await writeRoster(at.cwd, { "roster.yaml": `${left}leavers: [{ email: ada@acme.example }]\n` });
  expect([await says(ada), await says(kim)]).toEqual([
    ["ada@acme.example is a leaver without roles"],
    ["kim@old.example is a member of Old: DEVELOPER"],
  ]);
});
