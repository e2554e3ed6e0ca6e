import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { teamKeyOf } from "../../src/model/team.ts";
import { recordedIds } from "../../src/roster/import/recorded-ids.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { insideScene } from "../support/inside-scene.ts";
import { aState } from "../support/plan-inputs.ts";
import { emailOf } from "../support/roster-builders.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { remembering } from "../support/state-builders.ts";

const roster = {
  version: 1,
  account: "acc-1",
  users: [
    { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" },
    { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz", ownKeyRoles: ["DEVELOPER"] },
  ],
  teams: [
    {
      name: "Platform: core",
      admin: "ada@acme.example",
      roles: ["DEVELOPER"],
      members: [{ user: "ada@acme.example" }, { user: "bo@acme.example" }],
    },
  ],
};

test("what state show prints as YAML makes the roster enough without the state, where the service hides keys", async () => {
  const at = await insideScene({ knobs: { showKeys: "none" }, roster: JSON.stringify(roster) });
  const { server, cwd } = at;
  const run = (...args: readonly string[]) => at.run(args);
  const words = printedWords((await run("plan", "--format", "json")).stdout).flatMap(({ word }) => ["--allow", word]);
  expect((await run("apply", "--auto-approve", ...words)).code).toBe(0);

  const { code, stdout } = await run("state", "show", "--format", "yaml");
  expect(code).toBe(0);
  const ids = parse(stdout) as {
    readonly users?: readonly { readonly email: string; readonly key: string }[];
    readonly teams: readonly {
      readonly name: string;
      readonly identifier: string;
      readonly members: readonly { readonly user: string; readonly key: string }[];
    }[];
  };
  const keys = ids.teams.flatMap(({ members }) => members);
  const shown = server.world.users.flatMap(({ email, accessKeys }) => accessKeys.map(({ prefix }) => [email, prefix]));
  const printed = [
    ...keys.map(({ user, key }) => [user, key]),
    ...(ids.users ?? []).map(({ email, key }) => [email, key]),
  ];
  expect(printed.sort()).toEqual(shown.filter(([email]) => email?.endsWith("@acme.example")).sort());

  const pasted = {
    ...roster,
    users: roster.users.map((user) => ({ ...user, ...ids.users?.find(({ email }) => email === user.email) })),
    teams: roster.teams.map((team) => ({ ...team, ...ids.teams[0] })),
  };
  await writeRoster(cwd, { "roster.yaml": JSON.stringify(pasted) });
  await rm(join(cwd, ".roster"), { recursive: true });
  const plan = await run("plan", "--format", "json");
  const { findings } = JSON.parse(plan.stdout) as { findings: readonly { code: string }[] };
  expect(findings.map((one) => one.code)).toEqual(["not-observed"]);
});

test("each account is a document, an own key is the user's and a first member's key is the team's, and nothing else is printed", () => {
  const data = teamKeyOf("acc-1", "Data");
  const state = remembering({
    users: { ada: { key: "k1", createdTeam: data }, bo: { key: "yes" }, cy: {}, dee: { account: "acc-2", key: "k4" } },
    teams: { Data: { identifier: "t-1" }, Ops: {} },
    members: { "Data/bo": { prefix: "k3" }, "Data/cy": {} },
  });
  expect(parseAllDocuments(recordedIds(state, "file:s.json")).map((document) => document.toJS() as unknown)).toEqual([
    {
      account: "acc-1",
      users: [{ email: emailOf("bo"), key: "yes" }],
      teams: [
        {
          name: "Data",
          identifier: "t-1",
          members: [
            { user: emailOf("ada"), key: "k1" },
            { user: emailOf("bo"), key: "k3" },
          ],
        },
      ],
    },
    { account: "acc-2", users: [{ email: emailOf("dee"), key: "k4" }] },
  ]);
  expect(recordedIds(aState({}), "file:s.json")).toBe(
    "# The log at file:s.json records no identifiers and no key prefixes.\n",
  );
});
