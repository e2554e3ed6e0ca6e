import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Seed } from "../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** Beside the administrator whose key is used, 400 users and 35 teams, two of them of one name, and 20 inactive people, some of them in teams. */
function largeSeed(): Seed {
  const people = Array.from({ length: 400 }, (_, index) => ({
    email: `person.${index}@acme.example`,
    firstName: index % 7 === 0 ? "no" : `First ${index}`,
    lastName: index % 11 === 0 ? "O'Brien: #1" : `Last ${index}`,
    status: index % 20 === 3 ? "inactive" : "active",
    ...(index % 3 === 0 ? { title: `${index % 9}12` } : {}),
    ...(index % 5 === 0 ? { source: "people-office" } : {}),
  }));
  const roles = [["TEAM_ROLE"], ["DEVELOPER", "TEAM_ROLE"], ["ACCOUNT_ADMIN", "TEAM_ROLE"]];
  const teams = Array.from({ length: 35 }, (_, index) => ({
    identifier: index === 34 ? "012" : `t-${index}`,
    name: index < 2 ? "Data Science" : `Team ${index}: "x"`,
    admin: `person.${index * 11}@acme.example`,
    members: Array.from({ length: 12 }, (__, place) => ({
      user: `person.${(index * 11 + place * 3) % 400}@acme.example`,
      roles: roles[place % 4 === 0 ? 1 : place === 5 ? 2 : 0] ?? [],
    })),
  }));
  const keys = [{ prefix: "nightly7Qk2", owner: "person.1@acme.example", roles: ["PROJECT"] }];
  return { accounts: [{ identifier: "acc-1" }], users: people, teams, keys };
}

async function serviceWith(seed: Seed) {
  const server = await startReferenceServer({ port: 0, seed });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory();
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { server, run: (...args: readonly string[]) => inside(args, { cwd, env }), cwd };
}

const small: Seed = {
  accounts: [{ identifier: "acc-1" }, { identifier: "acc-2" }],
  users: [
    { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" },
    { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz", status: "inactive" },
    { email: "cy@lab.example", firstName: "Cy", lastName: "Tanaka", account: "acc-2" },
  ],
  teams: [
    {
      identifier: "t-1",
      name: "CON",
      admin: "ada@acme.example",
      members: ["ada@acme.example", "bo@acme.example"].map((user) => ({ user, roles: ["DEVELOPER"] })),
    },
  ],
};

describe("an account of 400 users and 35 teams", () => {
  test("is adopted in three commands with no edit", async () => {
    const { server, run, cwd } = await serviceWith(largeSeed());
    const imported = await run("import", "adopted");
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toContain("Imported 380 users, 35 teams, 1 key into");
    expect((await run("validate", "adopted")).code).toBe(0);
    const plan = await run("plan", "adopted", "--detailed-exitcode");
    expect({ code: plan.code, says: plan.stdout.includes("No changes.") }).toEqual({ code: 0, says: true });
    expect(server.requests.every(({ method, path }) => method === "GET" || path.includes("/search"))).toBe(true);
    const files = await readdir(join(cwd, "adopted"), { recursive: true });
    expect(files.filter((file) => file.endsWith(".yaml"))).toEqual(["roster.yaml"]);
  });
});

describe("roster import", () => {
  test("writes everything with its head, and says what is not adopted", async () => {
    const { server, run, cwd } = await serviceWith(small);
    const { stdout } = await run("import", "adopted", "--account", "acc-1");
    const text = await readFile(join(cwd, "adopted/roster.yaml"), "utf8");
    expect(
      text.replace(/\d{4}-.*Z/u, "TIME").replace(server.endpoint, "URL"),
    ).toBe(`# yaml-language-server: $schema=roster.schema.json
#
# Imported from URL at TIME.
# Users in other accounts were left out: 1.
version: 1
account: acc-1

users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, ownKeyRoles: [TEAM_ROLE] }
  # Not adopted:
  #   bo@acme.example is inactive.
  #   root@reference.example owns the API key in use. To manage this user too, add them here.

teams:
  - name: CON
    identifier: t-1
    roles: [DEVELOPER]
    members:
      - { user: ada@acme.example }
`);
    expect(stdout).toContain("Not imported: 3 things; comments in the files say what and why.");
  });

  test("adopts every account that the key may see, one file each", async () => {
    const { run, cwd } = await serviceWith(small);
    expect((await run("import", "all")).code).toBe(0);
    expect((await readdir(join(cwd, "all"))).sort()).toEqual(["acc-1.yaml", "acc-2.yaml", "roster.schema.json"]);
    expect((await run("plan", "all", "--detailed-exitcode")).code).toBe(0);
  });

  test("leaves no owner of the key out who is a member of a team, which would have to be open", async () => {
    const secret = "0123456789abcdef0123456789abcdef";
    const admins = ["SYSTEM_OWNER"];
    const members = [{ user: "ada@acme.example", prefix: "adaTeamKey", secret, roles: admins }, "bo@acme.example"].map(
      (member) => (typeof member === "string" ? { user: member } : member),
    );
    const seed: Seed = {
      accounts: [{ identifier: "acc-1" }],
      users: ["Ada", "Bo"].map((firstName) => ({
        email: `${firstName.toLowerCase()}@acme.example`,
        firstName,
        lastName: "L",
      })),
      teams: [{ identifier: "t-1", name: "Ops", admin: "ada@acme.example", members }],
    };
    const { run, cwd, server } = await serviceWith(seed);
    expect(server.key).toMatch(/^adaTeamKey\./u);
    expect((await run("import", "adopted")).code).toBe(0);
    const text = await readFile(join(cwd, "adopted/roster.yaml"), "utf8");
    expect([text.includes("email: ada@acme.example"), text.includes("open: true")]).toEqual([true, false]);
    expect((await run("plan", "adopted", "--detailed-exitcode")).code).toBe(0);
  });

  test("writes a copy of the schema that every file names by a path, and leaves one that is there alone", async () => {
    const { run, cwd } = await serviceWith(small);
    await writeRoster(cwd, { "there/roster.schema.json": "{}" });
    for (const directory of ["adopted", "there"]) {
      expect((await run("import", directory, "--account", "acc-1")).code).toBe(0);
      const text = await readFile(join(cwd, directory, "roster.yaml"), "utf8");
      expect(text).toMatch(/^# yaml-language-server: \$schema=roster\.schema\.json\n/u);
    }
    const schema = await readFile("schemas/roster.schema.json", "utf8");
    const copies = ["adopted", "there"].map((directory) =>
      readFile(join(cwd, directory, "roster.schema.json"), "utf8"),
    );
    expect(await Promise.all(copies)).toEqual([schema, "{}"]);
  });

  test("overwrites nothing, and writes nothing unless it can write everything", async () => {
    const { run, cwd } = await serviceWith(small);
    await writeRoster(cwd, { "adopted/acc-2.yaml": "mine\n" });
    expect(await run("import", "adopted")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining(
        "adopted/acc-2.yaml is there already, and roster does not overwrite files. Nothing was written.",
      ),
    });
    expect(await readdir(join(cwd, "adopted"))).toEqual(["acc-2.yaml"]);
    await writeFile(join(cwd, "file"), "");
    expect((await run("import", "file", "--account", "acc-1")).code).not.toBe(0);
  });

  test.each([
    ["an account that is not there", ["--account", "acc-9"], 3, "The service knows no account acc-9."],
    ["an endpoint that is not there", ["--endpoint", "http://127.0.0.1:1"], 1, "cannot be reached"],
  ])("ends with what is wrong about %s", async (_name, flags, code, says) => {
    const { run, cwd } = await serviceWith(small);
    expect(await run("import", "adopted", ...flags)).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(await readdir(cwd)).toEqual([]);
  });
});
