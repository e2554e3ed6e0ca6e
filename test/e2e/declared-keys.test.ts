import { expect, onTestFinished, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { type Scene, scene, writesOf } from "../support/trap-scene.ts";

const chief = { email: "chief@acme.example", firstName: "Chief", lastName: "Smith" };
const bo = { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" };

/** Two people: Chief administers, and Bo does not. */
const seed: Seed = {
  users: [chief, bo],
  keys: [
    { prefix: "chiefkey", owner: chief.email, kind: "user", roles: ["ACCOUNT_ADMIN"] },
    { prefix: "bokey", owner: bo.email, kind: "user", roles: ["TEAM_ROLE"] },
  ],
};

/** Gives Bo's key as Chief's own, without a word about Bo. */
function mistakenRoster(roles: string): string {
  const user = `email: ${chief.email}, firstName: Chief, lastName: Smith, key: bokey, ownKeyRoles: [${roles}]`;
  return `version: 1\naccount: acc-1\nusers:\n  - { ${user} }\n`;
}

/** Nothing shows which of a person's keys is their own. */
const bare: Partial<Knobs> = { showKeyKinds: "none", showTeams: "none" };

function rolesOfBo({ server }: Scene): readonly string[] {
  const keys = server.world.users.find(({ email }) => email === bo.email)?.accessKeys ?? [];
  return keys.flatMap(({ roles }) => roles.map(({ identifier }) => identifier));
}

test.each<[string, string, Partial<Knobs>, string]>([
  ["shown", "ACCOUNT_ADMIN", bare, "!key-owner-differs key bokey"],
  ["not shown", "ACCOUNT_ADMIN", { showKeys: "none" }, "!privileged-roles key bokey"],
])(
  "another person's key under an administrator gets no privileged role, where keys are %s",
  async (_, roles, knobs, finding) => {
    const at = await scene(onTestFinished, { roster: mistakenRoster(roles), seed, knobs });
    const { code, findings, planned, output } = await at.apply();
    expect({ code, findings: findings.filter((one) => one.startsWith("!")), planned }).toEqual({
      code: 9,
      findings: [finding],
      planned: [],
    });
    expect(output.stdout).not.toContain("the service does not show the roles of this key");
    expect([writesOf(at.server), rolesOfBo(at)]).toEqual([[], ["TEAM_ROLE"]]);
  },
);

test("a protected person is read where the roster names a key that no other read shows", async () => {
  const at = await scene(onTestFinished, {
    roster: mistakenRoster("DEVELOPER"),
    seed,
    knobs: { showKeyKinds: "none" },
  });
  await writeRoster(at.directory, { "roster.config.yaml": `protect: { users: [${bo.email}] }\n` });
  const { code, findings, planned } = await at.apply();
  expect({ code, findings, planned }).toEqual({ code: 9, findings: ["!key-owner-differs key bokey"], planned: [] });
  expect([writesOf(at.server), rolesOfBo(at)]).toEqual([[], ["TEAM_ROLE"]]);
  expect(at.server.requests.filter(({ path }) => path.startsWith("/api/accounting/users?"))).toEqual([]);
});

test("a declared key that nothing shows is code declared, and made as the roster says", async () => {
  const roster = `version: 1\naccount: acc-1\nusers:\n  - { email: ${bo.email}, firstName: Bo, lastName: Diaz, key: bokey, ownKeyRoles: [DEVELOPER] }\n`;
  const at = await scene(onTestFinished, { roster, seed, knobs: { showKeys: "none" } });
  const plan = await at.run(["plan"]);
  expect(plan.stdout).toContain("no read shows this key, only the roster names it");
  const { code, planned } = await at.apply();
  expect({ code, planned }).toEqual({ code: 0, planned: ["replace-roles:bokey"] });
  expect(rolesOfBo(at)).toEqual(["DEVELOPER"]);
});
