import { expect, test } from "vitest";
import { type Lived, lifeScene } from "../../support/life-scene.ts";
import { company } from "../../support/trap-scene.ts";

const bo = "bo@acme.example";
const nothing = { code: 0, did: [], told: [] };
const others = (count: number, at = "acme.example") =>
  Array.from(
    { length: count },
    (_, index) => `  - { email: p${index}@${at}, firstName: P${index}, lastName: Test }\n`,
  ).join("");
const withOthers = (count: number, at?: string) => company.replace("teams:\n", `${others(count, at)}teams:\n`);
const inRed = (text: string, email: string) => text.replace(" }]\n", ` }, { user: ${email} }]\n`);

/** The code of a refusal, or of what makes the roster none, and that nothing was done. */
const refused = ({ code, did, told }: Lived) => ({ code, did: did.length, told: told.at(-1) });

test("an address has a typo", async () => {
  const at = await lifeScene();
  await at.write(company.replaceAll(bo, "boo@acme.example"));
  expect(await at.apply()).toEqual({
    code: 9,
    did: [],
    told: [
      "!near-duplicate user boo@acme.example",
      `!user-removed user ${bo}`,
      `!extra-member member ${bo} of team acc-1/red`,
    ],
  });
  await at.write(company);
  expect(await at.apply()).toEqual(nothing);
});

test("a new user has the same name and a similar address as a user who is not in `users`", async () => {
  const at = await lifeScene();
  at.world.addUser({ email: "jo@acme.example", firstName: "Jo", lastName: "Lee" });
  const jo = "  - { email: joe@acme.example, firstName: Jo, lastName: Lee }\n";
  await at.write(company.replace("teams:\n", `${jo}teams:\n`));
  expect(await at.apply()).toEqual({ code: 9, did: [], told: ["!near-duplicate user joe@acme.example"] });
  await at.write(company.replace("teams:\n", `${jo.replace(" }", ", distinctFrom: [jo@acme.example] }")}teams:\n`));
  expect(await at.apply()).toEqual({ code: 0, did: ["create-user:joe@acme.example"], told: [] });
});

test("an address has a domain that is not allowed", async () => {
  const at = await lifeScene();
  await at.set("guards: { allowed-email-domains: [acme.example] }");
  await at.write(inRed(withOthers(1, "evil.example").replace("teams:\n", `${others(1)}teams:\n`), "p0@evil.example"));
  expect(await at.apply()).toEqual({
    code: 9,
    did: ["create-user:p0@acme.example"],
    told: ["!allowed-email-domains user p0@evil.example"],
  });
});

test("a new user's address contains an unsafe character", async () => {
  const at = await lifeScene();
  const eve = "acme.example/\u00e9.evil.example";
  at.world.addUser({ email: "shown/there@acme.example", firstName: "Shown", lastName: "There" });
  const there = "  - { email: shown/there@acme.example, firstName: Shown, lastName: There }\n";
  await at.write(inRed(withOthers(1, eve).replace("teams:\n", `${there}${others(1)}teams:\n`), `p0@${eve}`));
  expect(await at.apply()).toEqual({
    code: 9,
    did: ["create-user:p0@acme.example"],
    told: ["!unsafe-address user p0@acme.example/\u00e9.evil.example"],
  });
});

test("a role has a typo", async () => {
  const at = await lifeScene();
  await at.write(company.replace("[DEVELOPER]", "[DEVELOPR]"));
  expect(await at.apply()).toEqual({ code: 9, did: [], told: ["!unknown-role role DEVELOPR"] });
});

test("a user gets a privileged role", async () => {
  const at = await lifeScene();
  await at.write(company.replace("[DEVELOPER]", "[ACCOUNT_ADMIN]"));
  expect(await at.apply()).toEqual({
    code: 9,
    did: [],
    told: ["!privileged-roles user ada@acme.example", `!privileged-roles user ${bo}`],
  });
  await at.set(`guards: { privileged-roles: { people: [ada@acme.example, ${bo}] } }`);
  expect((await at.apply()).did.length).toBe(2);
});

test("a file cannot be read", async () => {
  const at = await lifeScene();
  await at.write(`${withOthers(1)}\n  - { name: "`);
  expect((await at.apply()).code).toBe(3);
  await at.write(withOthers(1).replace("account:", "acount:"));
  expect(await at.apply()).toEqual({ code: 3, did: [], told: ["unknown-key", "missing-key"] });
  await at.write("");
  expect(await at.apply()).toEqual({ code: 3, did: [], told: ["not-a-roster-file"] });
});

test("a file is lost in a merge", async () => {
  const at = await lifeScene(withOthers(5));
  await at.write(company);
  const { code, did, told } = await at.apply();
  expect({ code, did, told: [told[0], told.length] }).toEqual({ code: 9, did: [], told: ["!user-removed roster", 6] });
  await at.write(withOthers(5));
  expect(await at.apply()).toEqual(nothing);
});

test("the roster has no users", async () => {
  const at = await lifeScene();
  await at.write("version: 1\n");
  expect(refused(await at.apply())).toEqual({ code: 5, did: 0, told: "empty-roster" });
});

test("more users join than the settings allow", async () => {
  const at = await lifeScene();
  await at.set("guards: { max-new-users: 4 }");
  await at.write(withOthers(5));
  expect(refused(await at.apply())).toEqual({ code: 5, did: 0, told: "max-new-users" });
});

test("a role set is emptied", async () => {
  const at = await lifeScene();
  await at.set("guards: { max-role-removals: { ratio: 0.5, floor: 1 } }");
  await at.write(company.replace("[DEVELOPER]", "[]"));
  expect(refused(await at.apply())).toEqual({ code: 5, did: 0, told: "max-role-removals" });
});

test("a required administrator leaves", async () => {
  const at = await lifeScene();
  at.world.addProjectKey(bo, ["ACCOUNT_ADMIN"]);
  await at.set(`guards: { required-admins: [${bo}] }`);
  const boLine = `  - { email: ${bo}, firstName: Bo, lastName: Diaz }\n`;
  await at.write(`${company.replace(boLine, "").replace(`, { user: ${bo} }`, "")}leavers:\n  - { email: ${bo} }\n`);
  expect(refused(await at.apply())).toEqual({ code: 5, did: 0, told: "required-admins" });
});

test("a protected user gets other roles", async () => {
  const at = await lifeScene();
  await at.set(`protect: { users: [${bo}] }`);
  await at.write(company.replace("[DEVELOPER]", "[AUDITOR]"));
  const { code, did, told } = await at.apply();
  expect({ code, did: did.length, told }).toEqual({ code: 9, did: 1, told: [`!protected user ${bo}`] });
});

test("an older merge is applied after a newer one", async () => {
  const at = await lifeScene();
  await at.write(withOthers(1));
  expect((await at.apply("--sequence", "8")).code).toBe(0);
  await at.write(company);
  expect(await at.apply("--sequence", "7")).toEqual({ code: 6, did: [], told: [] });
});

test("the log is lost", async () => {
  const at = await lifeScene();
  const state = ["--state", "file:new.json"];
  expect(await at.run("state", "rebuild", ...state)).toEqual(nothing);
  expect(await at.apply(...state)).toEqual(nothing);
  expect(at.there().people.length).toBe(2);
});
