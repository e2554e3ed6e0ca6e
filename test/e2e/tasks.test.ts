import { expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { daysAfter } from "../../src/model/roster.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type InsideScene, insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

interface Changed {
  readonly at: string;
  readonly new: boolean;
  readonly changes: readonly { readonly fact: string; readonly before?: string; readonly after?: string }[];
}

interface DriftDocument {
  readonly drift: {
    readonly items: readonly { readonly fingerprint: string; readonly code: string; readonly subject: string }[];
    readonly todo: Readonly<Record<"open" | "opened" | "changed" | "overdue" | "closed", number>> & {
      readonly items: readonly {
        readonly fingerprint: string;
        readonly status: string;
        readonly owner?: string;
        readonly since: string;
        readonly due?: string;
        readonly changed?: Changed;
      }[];
      readonly closed_items: readonly { readonly code: string; readonly subject: string }[];
    };
  };
}

/** The tasks that a drift shows, each with its code. */
async function tasksOf(
  { run }: Pick<InsideScene, "run">,
  days: number,
  ...more: readonly string[]
): Promise<{
  readonly code: number;
  readonly todo: DriftDocument["drift"]["todo"];
  readonly lines: readonly string[];
}> {
  const { code, stdout } = await run(["drift", "--format", "json", ...more], { clock: clockAfter(days) });
  const { drift }: DriftDocument = JSON.parse(stdout);
  const codes = new Map(drift.items.map((item) => [item.fingerprint, item.code]));
  const lines = drift.todo.items.map(({ status, fingerprint, due }) =>
    [status, codes.get(fingerprint), due].filter((part) => part !== undefined).join(" "),
  );
  return { code, todo: drift.todo, lines: [...lines].sort() };
}

/** The first day of these tests is tomorrow, which begins at noon: no midnight comes in the course of a test. */
const today = daysAfter(new Date().toISOString().slice(0, 10), 1);
const ahead = Date.parse(`${today}T12:00:00.000Z`) - systemClock.now();

/** So many days later. */
function clockAfter(days: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + ahead + days * 86_400_000 };
}

test("work for people is opened, becomes overdue, and is closed by the read that shows it done", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  const prefix = server.world.addProjectKey("mal@evil.example", ["ACCOUNT_ADMIN"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople.replace("Diaz }", "Dias }") });

  const tasks = async (days: number, ...more: readonly string[]) => {
    const { code, todo, lines } = await tasksOf(scene, days, ...more);
    const closed = todo.closed_items.map(({ code: what }) => what).sort();
    return { code, counts: [todo.open, todo.opened, todo.overdue, todo.closed], lines, closed };
  };
  const due = daysAfter(today, 14);
  const both = (status: string) => [`${status} profile-differs ${due}`, `${status} unmanaged-privilege ${due}`];
  expect(await tasks(0)).toEqual({ code: 9, counts: [2, 2, 0, 0], lines: both("opened"), closed: [] });
  expect((await tasks(14)).lines).toEqual(both("open"));
  expect(await tasks(15, "--no-record")).toEqual({ code: 9, counts: [2, 0, 2, 0], lines: both("overdue"), closed: [] });
  const told = await scene.run(["drift", "--no-record"], { clock: clockAfter(15) });
  expect(told.stdout).toContain("Tasks: 2 open, 2 overdue.");
  expect(told.stdout).toContain(`overdue since ${due}: ACCOUNT_ADMIN on key ${prefix}: unmanaged-privilege`);

  server.world.setKeyRoles(prefix, ["DEVELOPER"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  expect((await tasks(15, "--no-record", "--exclude", "user:bo@acme.example")).closed).toEqual([]);
  const done = { code: 0, counts: [0, 0, 0, 2], lines: [], closed: ["profile-differs", "unmanaged-privilege"] };
  expect(await tasks(16, "--no-record")).toEqual(done);
  expect(await tasks(16)).toEqual(done);
  expect(await tasks(16)).toEqual({ ...done, counts: [0, 0, 0, 0], closed: [] });
});

test("an entry whose facts change keeps its date and says once that it is new, from what to what", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  const team = (admin: string) => twoPeople.replace("admin: ada@acme.example", `admin: ${admin}@acme.example`);
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  const prefix = server.world.addMember("Red", "mal@evil.example");
  server.world.setKeyRoles(prefix, ["TEAM_ROLE"]);
  await writeRoster(cwd, { "roster.yaml": team("ada") });

  const tasks = async (days: number, ...more: readonly string[]) => {
    const { todo } = await tasksOf(scene, days, ...more);
    return {
      changed: todo.changed,
      rows: todo.items.map((row) => [row.status, row.since.slice(0, 10), row.changed ?? "-"]),
    };
  };
  expect(await tasks(0)).toEqual({ changed: 0, rows: [["opened", today, "-"]] });
  expect(await tasks(1)).toEqual({ changed: 0, rows: [["open", today, "-"]] });

  // Somebody takes roles away by hand, and the team gets another admin.
  server.world.setKeyRoles(prefix, ["DEVELOPER"]);
  await writeRoster(cwd, { "roster.yaml": team("bo") });
  const changes = [
    { fact: "roles", before: "TEAM_ROLE", after: "DEVELOPER" },
    { fact: "owner", before: "ada@acme.example", after: "bo@acme.example" },
  ];
  const words = changes.map(({ fact, before, after }) => `${fact}: ${before} → ${after}`).join("; ");
  const on = expect.stringContaining(daysAfter(today, 2)) as unknown as string;
  const now = { changed: 1, rows: [["changed", today, { at: on, new: true, changes }]] };
  expect(await tasks(2, "--no-record")).toEqual(now);

  const drift = await scene.run(["drift", "--no-record"], { clock: clockAfter(2) });
  expect(drift.stdout.replaceAll(/\s+/gu, " ")).toContain(
    `Tasks: 1 open, 1 changed. changed: member mal@evil.example of team acc-1/red: extra-member: ${words}`,
  );

  expect(await tasks(2)).toEqual(now);
  expect(await tasks(3)).toEqual({ changed: 0, rows: [["open", today, { at: on, new: false, changes }]] });
  // It has two lives: overdue, it may still change.
  await writeRoster(cwd, { "roster.yaml": team("ada") });
  const again = [{ fact: "owner", before: "bo@acme.example", after: "ada@acme.example" }];
  expect(await tasks(15)).toEqual({
    changed: 1,
    rows: [["overdue", today, { at: expect.any(String), new: true, changes: again }]],
  });
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

  const tasks = async () => {
    const { todo, lines } = await tasksOf(scene, 0, "--no-record");
    return { lines, owners: todo.items.flatMap(({ owner }) => owner ?? []) };
  };
  // The apply, a day before, has recorded the leaver.
  const extra = `opened extra-member ${daysAfter(today, 14)}`;
  const leaver = `open leaver-remains ${daysAfter(today, 13)}`;
  expect(await tasks()).toEqual({ lines: [leaver, extra], owners: ["ada@acme.example"] });
  server.world.setUserStatus("bo@acme.example", "DISABLED");
  expect((await tasks()).lines).toEqual([extra]);
  server.world.removeMember("Red", "mal@evil.example");
  expect((await tasks()).lines).toEqual([]);
});
