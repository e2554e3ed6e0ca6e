import { expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { daysAfter } from "../../src/model/roster.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

interface DriftDocument {
  readonly drift: {
    readonly items: readonly { readonly fingerprint: string; readonly code: string }[];
    readonly tasks: Readonly<Record<"open" | "new" | "closed", number>> & {
      readonly items: readonly { readonly fingerprint: string; readonly owner?: string; readonly since?: string }[];
      readonly closed_items: readonly { readonly code: string; readonly subject: string }[];
    };
  };
}

/** The tasks that a drift shows: each with its code, the day on which it was first seen, and its owner. */
async function tasksOf({ run }: Pick<InsideScene, "run">, days: number, ...more: readonly string[]) {
  const { code, stdout } = await run(["drift", "--format", "json", ...more], { clock: clockAfter(days) });
  const { drift }: DriftDocument = JSON.parse(stdout);
  const { open, new: opened, closed, items, closed_items } = drift.tasks;
  const codes = new Map(drift.items.map((item) => [item.fingerprint, item.code]));
  const lines = items.map(({ fingerprint, since = "new", owner = "nobody" }) =>
    [codes.get(fingerprint), since.slice(0, 10), owner].join(" "),
  );
  const done = closed_items.map((one) => one.code).sort();
  return { code, counts: [open, opened, closed], lines: [...lines].sort(), done };
}

/** The first day of these tests is tomorrow, which begins at noon: no midnight comes in the course of a test. */
const today = daysAfter(new Date().toISOString().slice(0, 10), 1);
const ahead = Date.parse(`${today}T12:00:00.000Z`) - systemClock.now();

/** So many days later. */
function clockAfter(days: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + ahead + days * 86_400_000 };
}

test("a task is new, keeps the day on which it was first seen, and is closed by the read that shows it done", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  const prefix = server.world.addProjectKey("mal@evil.example", ["ACCOUNT_ADMIN"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople.replace("Diaz }", "Dias }") });

  const tasks = (days: number, ...more: readonly string[]) => tasksOf(scene, days, ...more);
  const both = (since: string) => [`profile-differs ${since} nobody`, `unmanaged-privilege ${since} nobody`];
  expect(await tasks(0)).toEqual({ code: 9, counts: [2, 2, 0], lines: both("new"), done: [] });
  expect(await tasks(15)).toEqual({ code: 9, counts: [2, 0, 0], lines: both(today), done: [] });

  server.world.setKeyRoles(prefix, ["DEVELOPER"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  expect((await tasks(15, "--no-record", "--exclude", "user:bo@acme.example")).done).toEqual([]);
  const told = await scene.run(["drift", "--no-record"], { clock: clockAfter(15) });
  expect(told.stdout).toContain("2 tasks are done.");
  expect(told.stdout).toContain(`  ACCOUNT_ADMIN on key ${prefix}: unmanaged-privilege`);
  const done = { code: 0, counts: [0, 0, 2], lines: [], done: ["profile-differs", "unmanaged-privilege"] };
  expect(await tasks(16, "--no-record")).toEqual(done);
  expect(await tasks(16)).toEqual(done);
  expect(await tasks(16)).toEqual({ ...done, counts: [0, 0, 0], done: [] });
});

const withLeaver = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
leavers:
  - { email: bo@acme.example, since: 2026-11-01 }
teams:
  - { name: Red, admin: ada@acme.example, roles: [DEVELOPER], members: [{ user: ada@acme.example }] }
`;

test("an extra member belongs to the admin of the team; a leaver's entry closes once the service bars them", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  server.world.addMember("Red", "mal@evil.example");
  await writeRoster(cwd, { "roster.yaml": withLeaver });
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(9);

  const tasks = async () => (await tasksOf(scene, 0, "--no-record")).lines;
  // The apply, a day before, has recorded the leaver.
  const extra = "extra-member new ada@acme.example";
  expect(await tasks()).toEqual([extra, `leaver-remains ${daysAfter(today, -1)} nobody`]);
  server.world.setUserStatus("bo@acme.example", "DISABLED");
  expect(await tasks()).toEqual([extra]);
  server.world.removeMember("Red", "mal@evil.example");
  expect(await tasks()).toEqual([]);
});
