import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { allowanceFor } from "../support/drawn/printed-words.ts";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

const reason = ["--reason", "INC-42"];

function withAdmin(yes: string): string {
  return twoPeople.replace("{ user: bo@acme.example }", `{ user: bo@acme.example, roles: [${yes}] }`);
}

test("a code that stays in ROSTER_ALLOW is idle until it is needed again: then it stops the run, with then and now", async () => {
  const at = await insideScene();
  await at.run(["apply", "--auto-approve"]);
  await writeRoster(at.cwd, { "roster.yaml": withAdmin("DEVELOPER, ACCOUNT_ADMIN") });
  const code = allowanceFor("privileged-roles:bo@acme.example", (await at.run(["plan"])).stdout);
  const env = { ROSTER_ALLOW: code, ROSTER_REASON: "INC-42" };
  expect((await at.run(["apply", "--auto-approve"], { env })).code).toBe(0);
  await writeRoster(at.cwd, { "roster.yaml": withAdmin("DEVELOPER") });
  const revoked = await at.run(["apply", "--auto-approve"], { env });
  expect([revoked.code, revoked.stdout.includes("idle-allowance")]).toEqual([0, true]);
  await writeRoster(at.cwd, { "roster.yaml": withAdmin("DEVELOPER, ACCOUNT_ADMIN") });
  const sent = at.writes().length;
  const again = await at.run(["apply", "--auto-approve"], { env });
  expect([again.code, at.writes().length - sent]).toEqual([5, 0]);
  const said = again.stderr.replace(/\s+/gu, " ");
  expect(said).toContain(`\`--allow ${code}\` does not fit this plan: it is spent, or its facts have changed.`);
  const fresh = allowanceFor("privileged-roles:bo@acme.example", again.stdout);
  expect((await at.run(["apply", "--auto-approve", "--allow", fresh, ...reason])).code).toBe(0);
});

test("the code of one service is worth nothing at another", async () => {
  const roster = { "roster.config.yaml": "guards: { max-new-users: 1 }\n" };
  const [one, other] = [await insideScene(), await insideScene()];
  for (const { cwd } of [one, other]) await writeRoster(cwd, roster);
  const code = allowanceFor("max-new-users", (await one.run(["plan"])).stderr);
  const refused = await other.run(["apply", "--auto-approve", "--allow", code, ...reason]);
  expect([refused.code, other.writes()]).toEqual([5, []]);
  expect((await one.run(["apply", "--auto-approve", "--allow", code, ...reason])).code).toBe(0);
});

/** Bo was made an administrator by a code that stays in ROSTER_ALLOW. */
async function leftover() {
  const at = await insideScene();
  await writeRoster(at.cwd, { "roster.yaml": withAdmin("DEVELOPER, ACCOUNT_ADMIN") });
  const code = allowanceFor("privileged-roles:bo@acme.example", (await at.run(["plan"])).stdout);
  const apply = (...codes: readonly string[]) =>
    at.run(["apply", "--auto-approve"], { env: { ROSTER_ALLOW: codes.join(" "), ROSTER_REASON: "INC-42" } });
  expect((await apply(code)).code).toBe(0);
  const isAdmin = () =>
    at.server.world.users.some(
      ({ email, accessKeys }) => email === "bo@acme.example" && JSON.stringify(accessKeys).includes("ACCOUNT_ADMIN"),
    );
  expect(isAdmin()).toBe(true);
  return { ...at, code, apply, isAdmin };
}

test("a code that was used makes nobody an administrator who was removed from the team and added again by hand", async () => {
  const { server, code, apply, isAdmin } = await leftover();
  const red = server.world.teams.find(({ name }) => name === "Red")?.identifier ?? "";
  server.world.removeMember(red, "bo@acme.example");
  server.world.addMember(red, "bo@acme.example");
  const again = await apply(code);
  expect([again.code, isAdmin()]).toEqual([5, false]);
  const fresh = allowanceFor("privileged-roles:bo@acme.example", again.stdout);
  expect([(await apply(fresh)).code, isAdmin()]).toEqual([0, true]);
});

test("nor a user who was deleted and is created again: not with the creation, and not later", async () => {
  const { server, code, apply, isAdmin } = await leftover();
  server.world.removeUser("bo@acme.example");
  const missing = allowanceFor("user-missing:bo@acme.example", (await apply(code)).stdout);
  const both = await apply(missing, code);
  expect([both.code, isAdmin()]).toEqual([5, false]);
  const created = await apply(missing);
  const fresh = allowanceFor("privileged-roles:bo@acme.example", created.stdout);
  expect([created.code, isAdmin()]).toEqual([9, false]);
  expect([(await apply(code)).code, isAdmin()]).toEqual([5, false]);
  expect([(await apply(fresh)).code, isAdmin()]).toEqual([0, true]);
});

test("nor somebody whose record was pruned, and who is there again by hand: not in the next plan, and not later", async () => {
  const { server, run, code, apply, isAdmin } = await leftover();
  server.world.removeUser("bo@acme.example");
  await run(["drift"]);
  await setTimeout(1200);
  expect((await run(["state", "prune", "--before", "1s", "--export", "old.jsonl"])).code).toBe(0);
  server.world.addUser({ account: "acc-1", email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
  const red = server.world.teams.find(({ name }) => name === "Red")?.identifier ?? "";
  server.world.addMember(red, "bo@acme.example");
  for (const _ of ["next", "later"]) {
    expect([(await apply(code)).code, isAdmin()]).toEqual([5, false]);
    await apply();
  }
  const fresh = allowanceFor("privileged-roles:bo@acme.example", (await run(["plan"])).stdout);
  expect([(await apply(fresh)).code, isAdmin()]).toEqual([0, true]);
});
