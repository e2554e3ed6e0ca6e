import { expect, onTestFinished, test } from "vitest";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scene } from "../support/trap-scene.ts";

interface Row {
  readonly person: string;
  readonly team?: string;
  readonly role?: string;
  readonly privileged: boolean;
  readonly source?: string;
  readonly place?: string;
  readonly granted_by?: string;
}

test("an access review says who holds which role, by which line, since when, and what nobody asked for", async () => {
  const { run: runAll } = await insideScene();
  const run = (...args: readonly string[]) => runAll(args);
  const rows = async (...args: readonly string[]) => {
    const { stdout } = await run("access", "--format", "json", ...args);
    const { access }: { readonly access: readonly Row[] } = JSON.parse(stdout);
    return access;
  };

  expect((await run("access", "--as-of", "2026-11-01")).stderr).toContain("--as-of needs a log");
  expect((await run("apply", "--auto-approve")).code).toBe(0);
  const inRed = (await rows("--only", "team:red")).map(({ person, role, source, place, granted_by: by }) =>
    [person, role, source, place, by].join(" "),
  );
  expect(inRed.length).toBeGreaterThan(1);
  for (const line of inRed) expect(line).toMatch(/^(?:ada|bo)@acme\.example [A-Z_]+ roster roster\.yaml:\d+ olga$/u);
  const [owner] = await rows("--only", "user:root@reference.example");
  expect(owner).toMatchObject({ privileged: true, source: "unmanaged" });
  expect((await rows())[0]?.person).toBe("root@reference.example");

  const replayed = (await rows("--as-of", "0")).filter(({ team }) => team === "Red");
  expect(replayed.map(({ person, role }) => [person, role].join(" ")).sort()).toEqual(
    (await rows("--only", "team:Red")).map(({ person, role }) => [person, role].join(" ")).sort(),
  );
  expect((await rows("--as-of", "2020-01-01")).length).toBe(0);
  expect((await run("access", "--as-of", "2020-01-01")).stdout).toMatch(
    /The log begins at \S+Z\. Access that was given before is not listed\./u,
  );

  const text = (await run("access")).stdout;
  expect(text).toContain("root@reference.example");
  expect(text).toMatch(/\d users, \d+ roles, 1 privileged, 1 of unmanaged users\./u);
  expect((await run("access", "--format", "csv")).stdout).toMatch(/^person,status,team,prefix,role,privileged,/u);
  expect((await run("access", "--format", "svg")).stdout).toMatch(/^<svg [\s\S]*class="alarm">! [\s\S]*<\/svg>\n$/u);
  expect((await run("access", "--format", "markdown")).stdout).toContain("| person | team | key | role |");
});

test("an access review lists changes outside roster that ended: repaired, now in the roster, or no longer seen", async () => {
  const members = ["ada", "bo", "cy"].map((name) => `{ user: ${name}@acme.example, roles: [DEVELOPER] }`);
  const rosterOf = (those: readonly string[]) => `version: 1
account: acc-1
users: [${["ada", "bo", "cy"].map((name) => `{ email: ${name}@acme.example, firstName: ${name}, lastName: Diaz }`)}]
teams: [{ name: Red, admin: ada@acme.example, members: [${those}] }]
`;
  const { run, server, cwd } = await insideScene({ roster: rosterOf(members) });
  const keyOf = (name: string) => {
    const user = server.world.users.find(({ email }) => email === `${name}@acme.example`);
    return user?.accessKeys.find(({ team }) => team?.name === "Red")?.prefix ?? "";
  };
  const outside = (name: string, ...roles: readonly string[]) => server.world.setKeyRoles(keyOf(name), roles);
  expect((await run(["apply", "--auto-approve"])).code).toBe(0);
  for (const name of ["ada", "bo", "cy"]) outside(name, "AUDITOR", "DEVELOPER");
  expect((await run(["drift"])).code).toBe(2);
  expect((await run(["access"])).stdout).not.toContain("Earlier changes");

  await writeRoster(cwd, {
    "roster.yaml": rosterOf([...members.slice(0, 2), members[2]?.replace("[", "[AUDITOR, ") ?? ""]),
  });
  outside("bo", "DEVELOPER");
  expect((await run(["apply", "--auto-approve"])).code).toBe(0);
  expect((await run(["drift"])).code).toBe(0);
  type Name = "is" | "person" | "team" | "gained" | "how" | "by";
  const ended = async (...only: readonly string[]) => {
    const review = JSON.parse((await run(["access", "--format", "json", ...only])).stdout);
    return review.ended_changes.map((one: Readonly<Record<Name, unknown>>) =>
      [one.is, one.person, one.team, one.gained, one.how, one.by].join(" "),
    );
  };
  expect((await ended()).sort()).toEqual([
    "roles-changed ada@acme.example Red AUDITOR repaired olga",
    "roles-changed bo@acme.example Red AUDITOR gone olga",
    "roles-changed cy@acme.example Red AUDITOR in-roster olga",
  ]);
  expect(await ended("--only", "user:bo@acme.example")).toHaveLength(1);
  expect(await ended("--only", "role:ADMIN")).toEqual([]);
  expect(await ended("--as-of", "2020-01-01")).toEqual([]);
  expect(await ended("--as-of", "0")).toHaveLength(3);
  const text = (await run(["access"])).stdout;
  expect(text).toContain("Earlier changes outside roster (3)");
  expect(text).toMatch(
    /ada@acme\.example gained AUDITOR on their key in Red, outside roster\. +\S+ +\S+ +repaired by olga\n/u,
  );
  expect(text).toMatch(/bo@acme\.example gained AUDITOR .* no longer seen\n/u);
  expect(text).toMatch(/cy@acme\.example gained AUDITOR .* now in the roster\n/u);
  const page = (await run(["access", "--format", "html"])).stdout;
  expect(page).toContain("Earlier changes outside roster (3)</h2>");
});

test("the access around a saved plan has each key before and after it, new keys, and what was not shown", async () => {
  const at = await scene(onTestFinished, {
    roster: `version: 1
account: acc-1
users:
  - { email: ada@acme.example, previously: [ada@old.example], firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }
teams:
  - { name: Red, admin: bo@acme.example, roles: [AUDITOR], members: [{ user: bo@acme.example }] }
keys:
  - { prefix: adaKey01, roles: [AUDITOR, DEVELOPER] }
`,
    seed: {
      users: [{ email: "ada@old.example", firstName: "Ada", lastName: "Lovelace" }],
      keys: [
        { prefix: "adaKey01", owner: "ada@old.example", kind: "user", roles: ["DEVELOPER"] },
        { prefix: "adaKey02", owner: "ada@old.example", kind: "user", roles: ["TEAM_ROLE"] },
      ],
    },
  });
  await at.run(["plan", "--out", "plan.bin"]);
  const around = async () => JSON.parse((await at.run(["access", "--plan", "plan.bin", "--format", "json"])).stdout);
  const { plan_id: id, access, unread } = await around();
  const ofRoot = { person: "root@reference.example", status: "active" };
  expect({ id, unread, access: access.filter(({ person }: Row) => person !== ofRoot.person) }).toEqual({
    id: JSON.parse((await at.run(["plan", "--format", "json"])).stdout).plan_id,
    unread: [],
    access: [
      key("ada@acme.example", "active", "adaKey01", ["DEVELOPER"], ["AUDITOR", "DEVELOPER"]),
      key("ada@acme.example", "active", "adaKey02", ["TEAM_ROLE"], ["TEAM_ROLE"]),
      { ...key("bo@acme.example", null, null, [], ["AUDITOR"]), team: "Red" },
      key("cy@acme.example", null, null, [], null),
    ],
  });
  expect((await at.run(["access", "--plan", "plan.bin"])).stderr).toContain("--plan FILE --format json");
  expect((await at.run(["access", "--plan", "roster.yaml", "--format", "json"])).code).toBe(3);
});

test.each([
  ["showKeys", { what: "keys", person: "ada@acme.example", prefix: null }],
  ["showKeyRoles", { what: "roles", person: "ada@acme.example", prefix: "adaKey01" }],
] as const)("the access around a plan tells what a service without %s hides", async (knob, gap) => {
  const at = await scene(onTestFinished, {
    roster: "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }]\n",
    seed: {
      users: [{ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" }],
      keys: [{ prefix: "adaKey01", owner: "ada@acme.example", kind: "user", roles: ["DEVELOPER"] }],
    },
    knobs: { [knob]: "none" },
  });
  await at.run(["plan", "--out", "plan.bin"]);
  const { unread } = JSON.parse((await at.run(["access", "--plan", "plan.bin", "--format", "json"])).stdout);
  expect(unread).toContainEqual(gap);
});

function key(
  person: string,
  status: string | null,
  prefix: string | null,
  before: readonly string[],
  after: readonly string[] | null,
) {
  return { person, status, prefix, team: null, before, after };
}
