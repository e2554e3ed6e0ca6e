import { expect, test } from "vitest";
import { type LifeScene, lifeScene } from "../../support/life-scene.ts";
import { company } from "../../support/trap-scene.ts";

const bo = "bo@acme.example";
const boLine = `  - { email: ${bo}, firstName: Bo, lastName: Diaz }\n`;
const boInRed = `, { user: ${bo} }`;
const withoutBo = company.replace(boLine, "").replace(boInRed, "");
const boLeaves = `${withoutBo}leavers:\n  - { email: ${bo} }\n`;
const nothing = { code: 0, did: [], told: [] };
const keysOfBo = (at: LifeScene) => at.there().keys.filter((line) => line.startsWith(bo));

test("a user leaves", async () => {
  const at = await lifeScene();
  await at.write(boLeaves);
  const { code, did, told } = await at.apply();
  expect({ code, did: did.length, told }).toEqual({ code: 9, did: 2, told: [`!leaver-remains user ${bo}`] });
  expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: `]);
  at.world.setUserStatus(bo, "Inactive");
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`leaver-remains user ${bo}`] });
});

test("a user will leave", async () => {
  const at = await lifeScene();
  const on = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  await at.write(company.replace("lastName: Diaz", `lastName: Diaz, until: ${on}`));
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`date-ahead user ${bo}`] });
  at.pass(6);
  const { code, told } = await at.apply();
  expect({ code, told }).toEqual({ code: 9, told: [`!leaver-remains user ${bo}`, "until-reached", "until-reached"] });
  expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: `]);
});

test("a leaver is deleted in the service", async () => {
  const at = await lifeScene();
  await at.write(boLeaves);
  await at.apply();
  at.world.removeUser(bo);
  expect(await at.apply()).toEqual(nothing);
  await at.write(withoutBo);
  expect(await at.apply()).toEqual(nothing);
});

test("a leaver comes back", async () => {
  const at = await lifeScene();
  await at.write(boLeaves);
  await at.apply();
  await at.write(company);
  expect((await at.apply()).code).toBe(0);
  expect([keysOfBo(at)[0], at.there().mails]).toEqual([`${bo} Red: DEVELOPER`, [`Red ${bo}`]]);
  at.world.removeUser(bo);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!user-missing user ${bo}`] });
  expect((await at.apply("--allow", await at.offered(`user-missing:${bo}`))).code).toBe(0);
  expect(at.there().people).toEqual(["ada@acme.example", bo]);
});

test("a user disappears from the files", async () => {
  const at = await lifeScene();
  await at.write(withoutBo.replace("    members:", "    open: true\n    members:"));
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!user-removed user ${bo}`] });
  expect(await at.apply("--allow", await at.offered(`user-removed:${bo}`))).toEqual(nothing);
  expect(await at.apply()).toEqual(nothing);

  // Whom no approved apply was about has not disappeared.
  const early = await lifeScene();
  const cy = "  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }\n";
  await early.write(company.replace("teams:\n", `${cy}teams:\n`));
  expect((await early.run("apply")).code).toBe(5);
  early.world.addUser({ email: "cy@acme.example", firstName: "Cy", lastName: "Tanaka" });
  await early.write(company);
  expect(await early.apply()).toEqual(nothing);
});

test("a user moves to another file or account", async () => {
  const at = await lifeScene();
  at.world.addAccount({ identifier: "acc-2" });
  await at.write(withoutBo.replace("    members:", "    open: true\n    members:"), {
    "others.yaml": `version: 1\naccount: acc-2\nusers:\n${boLine}`,
  });
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!user-in-other-account user ${bo}`] });
});

test("a user leaves a team", async () => {
  const at = await lifeScene();
  const member = `member ${bo} of team acc-1/red`;
  await at.write(company.replace(boInRed, ""));
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!extra-member ${member}`] });
  await at.write(company.replace(boInRed, "").replace("    members:", "    onRemoval: revoke\n    members:"));
  const revoking = await at.apply();
  expect([revoking.code, revoking.did.length, revoking.told]).toEqual([0, 1, [`extra-member ${member}`]]);
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`extra-member ${member}`] });
  at.world.removeMember("Red", bo);
  expect(await at.apply()).toEqual(nothing);

  // Without the roles in a read, nobody knows that the key has none left.
  const hidden = await lifeScene(company, { knobs: { showKeyRoles: "none" } });
  await hidden.write(company.replace(boInRed, "").replace("    members:", "    onRemoval: revoke\n    members:"));
  const [first, second] = [await hidden.apply(), await hidden.apply()];
  expect([first.code, first.did.length, second.code, second.did]).toEqual([9, 1, 9, []]);
  expect(second.told).toContain(`!extra-member member ${bo} of team acc-1/red`);
});

test("a user comes back to a team", async () => {
  const at = await lifeScene();
  await at.write(company.replace(boInRed, ""));
  await at.apply();
  at.world.removeMember("Red", bo);
  await at.apply();
  await at.write(company);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!member-removed member ${bo} of team acc-1/red`] });
  at.world.addMember("Red", bo);
  expect((await at.apply()).code).toBe(0);
});

test("an administrator deletes a user in the service", async () => {
  const at = await lifeScene();
  at.world.removeUser(bo);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!user-missing user ${bo}`] });
  expect((await at.apply("--allow", await at.offered(`user-missing:${bo}`))).did[0]).toBe(`create-user:${bo}`);
  expect(await at.apply()).toEqual(nothing);
});

test("a deleted user blocks the address", async () => {
  const at = await lifeScene();
  at.world.setUserStatus(bo, "Deleted");
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!inactive-user user ${bo}`] });
});

test("an administrator disables a user", async () => {
  const at = await lifeScene();
  at.world.setUserStatus(bo, "Inactive");
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!inactive-user user ${bo}`] });
  at.world.setUserStatus(bo, "Active");
  expect(await at.apply()).toEqual(nothing);
});

test("an invitation is not accepted", async () => {
  const at = await lifeScene();
  at.world.setUserStatus(bo, "Invited");
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`invitation-pending user ${bo}`] });
  at.pass(20);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: [`!invitation-pending user ${bo}`] });
  at.world.setUserStatus(bo, "Active");
  expect(await at.apply()).toEqual(nothing);
  expect(at.there().mails).toEqual([`Red ${bo}`]);
});
