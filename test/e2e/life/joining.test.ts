import { expect, test } from "vitest";
import { lifeScene } from "../../support/life-scene.ts";
import { company } from "../../support/trap-scene.ts";

const cy = "cy@acme.example";
const cyLine = `  - { email: ${cy}, firstName: Cy, lastName: Tanaka }\n`;
const withCy = company.replace("teams:\n", `${cyLine}teams:\n`);
const cyInRed = withCy.replace(" }]\n", ` }, { user: ${cy} }]\n`);
const blueOf = (...names: readonly string[]) =>
  `  - { name: Blue, admin: ada@acme.example, members: [${names.map((name) => `{ user: ${name}@acme.example }`).join(", ")}] }\n`;
const nothing = { code: 0, did: [], told: [] };

test("a user joins", async () => {
  const at = await lifeScene();
  await at.write(cyInRed);
  expect(await at.apply()).toEqual({
    code: 0,
    did: [`create-user:${cy}`, "add-members:acc-1/red", `replace-roles:acc-1/red:${cy}`],
    told: [],
  });
  expect(await at.apply()).toEqual(nothing);
  expect(at.there().mails).toEqual(["Red bo@acme.example", `Red ${cy}`]);
});

test("a user joins who already exists in the service", async () => {
  const at = await lifeScene();
  at.world.addUser({ email: cy, firstName: "Cy", lastName: "Tanaka" });
  await at.write(cyInRed);
  expect(await at.apply()).toEqual({
    code: 0,
    did: ["add-members:acc-1/red", `replace-roles:acc-1/red:${cy}`],
    told: [],
  });
  expect(at.there().people).toEqual(["ada@acme.example", "bo@acme.example", cy]);
});

const inDays = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const cyLater = () => cyInRed.replace("lastName: Tanaka", `lastName: Tanaka, from: ${inDays(3)}`);

test("a user will join", async () => {
  const at = await lifeScene();
  await at.write(cyLater());
  expect(await at.apply()).toEqual({ code: 0, did: [], told: [`date-ahead user ${cy}`] });
  expect((await at.drift()).code).toBe(0);
  at.pass(4);
  expect(await at.apply()).toEqual({
    code: 0,
    did: [`create-user:${cy}`, "add-members:acc-1/red", `replace-roles:acc-1/red:${cy}`],
    told: [],
  });
  expect(at.there().mails).toEqual(["Red bo@acme.example", `Red ${cy}`]);
});

test("a user who is already in the service starts later", async () => {
  const at = await lifeScene(cyInRed);
  await at.write(cyLater());
  const early = [`!extra-member member ${cy} of team acc-1/red`, `date-ahead user ${cy}`];
  const { code, did, told } = await at.apply();
  expect({ code, did, told: [...told].sort() }).toEqual({ code: 9, did: [], told: early });
  expect(at.there().people).toContain(cy);
  at.pass(4);
  expect(await at.apply()).toEqual(nothing);
});

test("a new team whose administrator starts later", async () => {
  const at = await lifeScene();
  const dora = "dora@acme.example";
  const doraLine = `  - { email: ${dora}, firstName: Dora, lastName: Maar, from: ${inDays(3)} }\n`;
  const blue = `  - { name: Blue, admin: ${dora}, members: [{ user: ${cy} }, { user: ${dora} }] }\n`;
  await at.write(`${withCy.replace("teams:\n", `${doraLine}teams:\n`)}${blue}`);
  const waits = [`date-ahead user ${dora}`, "!cannot-create-team team acc-1/blue"];
  expect(await at.apply()).toEqual({ code: 9, did: [], told: waits });
  at.pass(4);
  expect((await at.apply()).did).toEqual([`create-user:${dora}`, `create-user:${cy}`, "add-members:acc-1/blue"]);
});

test("a user joins a team", async () => {
  const at = await lifeScene(withCy);
  await at.write(cyInRed);
  expect(await at.apply()).toEqual({
    code: 0,
    did: ["add-members:acc-1/red", `replace-roles:acc-1/red:${cy}`],
    told: [],
  });
  expect(await at.apply()).toEqual(nothing);
});

test("a new team with a new user", async () => {
  const at = await lifeScene();
  await at.write(`${withCy}${blueOf("ada", "bo", "cy")}`);
  expect(await at.apply()).toEqual({ code: 0, did: [`create-user:${cy}`, "add-members:acc-1/blue"], told: [] });
  expect(at.there().teams[0]).toBe(`Blue: ada@acme.example, bo@acme.example, ${cy}`);
});

test("a new team without a new user", async () => {
  const at = await lifeScene();
  await at.write(`${company}${blueOf("ada")}`);
  expect(await at.apply()).toEqual({ code: 9, did: [], told: ["!cannot-create-team team acc-1/blue"] });
  at.world.addTeam({ name: "Blue", admin: "ada@acme.example", members: ["ada@acme.example"] });
  expect(await at.apply()).toEqual(nothing);
});

test("a new team whose administrator does not exist", async () => {
  const at = await lifeScene();
  at.world.setUserStatus("ada@acme.example", "Deleted");
  await at.write(`${withCy}${blueOf("ada", "cy")}`);
  expect(await at.apply()).toEqual({
    code: 9,
    did: [],
    told: ["!inactive-user user ada@acme.example", "!cannot-create-team team acc-1/blue"],
  });
});
