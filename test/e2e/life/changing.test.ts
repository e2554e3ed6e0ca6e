import { expect, test } from "vitest";
import { lifeScene } from "../../support/life-scene.ts";
import { company } from "../../support/trap-scene.ts";

const bo = "bo@acme.example";
const diaz = "bo.diaz@acme.example";
const boIsDiaz = company.replaceAll(bo, diaz).replace("lastName: Diaz", `lastName: Diaz, previously: [${bo}]`);
const redIsCrimson = company.replace("name: Red", "name: Crimson\n    previously: [Red]");
const nothing = { code: 0, did: [], told: [] };

test("an address changes, first in the service", async () => {
  const at = await lifeScene();
  at.world.changeEmail(bo, diaz);
  expect(await at.apply()).toEqual({
    code: 9,
    did: [],
    told: [`!user-missing user ${bo}`, `!extra-member member ${diaz} of team acc-1/red`],
  });
  await at.write(boIsDiaz);
  expect(await at.apply()).toEqual(nothing);
  // What is remembered has moved for good: nothing needs the former address any more.
  await at.write(company.replaceAll(bo, diaz));
  expect(await at.apply()).toEqual(nothing);
  expect(at.there().mails).toEqual([`Red ${bo}`]);
});

test("an address changes, first in the roster", async () => {
  const at = await lifeScene();
  await at.write(boIsDiaz);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!former-address user ${diaz}`] });
  at.world.changeEmail(bo, diaz);
  expect(await at.apply()).toEqual(nothing);
});

test("a team is renamed, first in the service", async () => {
  const at = await lifeScene();
  at.world.renameTeam("Red", "Crimson");
  expect(await at.apply()).toEqual({ code: 0, did: [], told: ["team-name-differs team acc-1/red"] });
  await at.write(redIsCrimson);
  expect(await at.apply()).toEqual(nothing);
});

test("a team is renamed, first in the roster", async () => {
  const at = await lifeScene();
  await at.write(redIsCrimson);
  expect(await at.apply()).toEqual({ code: 0, did: [], told: ["team-name-differs team acc-1/crimson"] });
  at.world.renameTeam("Red", "Crimson");
  expect(await at.apply()).toEqual(nothing);
});

test("a team is renamed without `previously`", async () => {
  const at = await lifeScene();
  const cy = "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\n";
  const untold = company
    .replace("teams:\n", `${cy}teams:\n`)
    .replace(" }]\n", " }, { user: cy@acme.example }]\n")
    .replace("name: Red", "name: Crimson");
  await at.write(untold);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: ["!renamed-team team acc-1/crimson"] });
  expect(at.there().people.length).toBe(2);
});

test("a role is for a time", async () => {
  const at = await lifeScene();
  const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const timed = `{ role: TEAM_ROLE, from: ${day(3)}, until: ${day(30)} }`;
  await at.write(
    company.replace("{ user: bo@acme.example }", `{ user: bo@acme.example, roles: [DEVELOPER, ${timed}] }`),
  );
  const rolesOfBo = () => at.there().keys.find((key) => key.startsWith("bo@acme.example Red"));
  expect([await at.apply(), rolesOfBo()]).toEqual([nothing, "bo@acme.example Red: DEVELOPER"]);
  at.pass(4);
  const granted = await at.apply();
  expect([granted.code, granted.told, rolesOfBo()]).toEqual([0, [], "bo@acme.example Red: DEVELOPER, TEAM_ROLE"]);
  at.pass(14);
  const soon = "date-ahead until of member bo@acme.example of team acc-1/red";
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [soon] });
  at.pass(14);
  const ended = await at.apply();
  expect([ended.code, ended.told, rolesOfBo()]).toEqual([0, ["until-reached"], "bo@acme.example Red: DEVELOPER"]);
});

test("a membership is for a time", async () => {
  const at = await lifeScene();
  const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const cy = "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\n";
  const guest = ` }, { user: cy@acme.example, from: ${day(3)}, until: ${day(30)} }]\n`;
  await at.write(company.replace("teams:\n", `${cy}teams:\n`).replace(" }]\n", guest));
  const ofCy = () => at.there().keys.filter((key) => key.startsWith("cy@acme.example Red"));
  const before = await at.apply();
  expect([before, ofCy()]).toEqual([{ code: 0, did: ["create-user:cy@acme.example"], told: [] }, []]);
  at.pass(4);
  const joined = await at.apply();
  expect([joined.code, joined.told, ofCy()]).toEqual([0, [], ["cy@acme.example Red: DEVELOPER"]]);
  at.pass(14);
  const member = "member cy@acme.example of team acc-1/red";
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`date-ahead until of ${member}`] });
  at.pass(14);
  const ended = await at.apply();
  expect([ended.code, ended.did.length, ofCy()]).toEqual([0, 1, ["cy@acme.example Red: "]]);
  expect(await at.apply()).toEqual({
    code: 0,
    did: [],
    told: [`extra-member ${member}`, "until-reached"],
  });
  expect(at.there().mails.filter((mail) => mail.includes("cy@")).length).toBe(1);
});

test("a team is removed from the roster", async () => {
  const at = await lifeScene();
  await at.write(company.slice(0, company.indexOf("teams:")));
  expect(await at.apply()).toEqual(nothing);
  const { code, told } = await at.drift();
  expect({ code, keys: told.filter((line) => line.startsWith("unmanaged key ")).length }).toEqual({
    code: 0,
    keys: 2,
  });
});

test("the roles of a team change", async () => {
  const at = await lifeScene();
  await at.write(company.replace("[DEVELOPER]", "[AUDITOR]"));
  expect((await at.apply()).did.length).toBe(2);
  expect(await at.apply()).toEqual(nothing);
});

test("a name or a title changes", async () => {
  const at = await lifeScene();
  await at.write(company.replace("lastName: Diaz", "lastName: Dias"));
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!profile-differs user ${bo}`] });
});

test("an administrator adds a user in the service", async () => {
  const at = await lifeScene();
  at.world.addUser({ email: "zed@acme.example", firstName: "Zed", lastName: "Oh" });
  expect(await at.apply()).toEqual(nothing);
  expect((await at.drift()).told).toContain("unmanaged user zed@acme.example");
});

test("an administrator adds a member in the service", async () => {
  const cy = "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\n";
  const at = await lifeScene(company.replace("teams:\n", `${cy}teams:\n`));
  at.world.addMember("Red", "cy@acme.example");
  expect(await at.apply()).toEqual({
    code: 9,
    did: [],
    told: ["!extra-member member cy@acme.example of team acc-1/red"],
  });
});

test("an administrator removes a member in the service", async () => {
  const at = await lifeScene();
  at.world.removeMember("Red", bo);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!member-removed member ${bo} of team acc-1/red`] });
  at.world.addMember("Red", bo);
  expect((await at.apply()).code).toBe(0);
  expect(at.there().mails).toEqual([`Red ${bo}`]);
});

test("an administrator changes the roles of a key", async () => {
  const at = await lifeScene();
  const prefix =
    at.world.users.find(({ email }) => email === bo)?.accessKeys.find(({ kind }) => kind === "team")?.prefix ?? "";
  at.world.setKeyRoles(prefix, ["AUDITOR"]);
  const { code, tampered } = await at.drift();
  expect({ code, tampered }).toEqual({ code: 2, tampered: [`key ${prefix}`] });
  expect((await at.apply()).did).toEqual([`replace-roles:${prefix}`]);
});

test("an administrator gives a privileged role to a key", async () => {
  const at = await lifeScene();
  const prefix = at.world.addProjectKey(bo, ["ACCOUNT_ADMIN"]);
  expect(await at.apply()).toEqual(nothing);
  const { code, told } = await at.drift();
  expect({ code, told: told.at(-1) }).toEqual({
    code: 9,
    told: `!unmanaged-privilege ACCOUNT_ADMIN on key ${prefix}`,
  });
});
