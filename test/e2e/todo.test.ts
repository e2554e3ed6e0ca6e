import { expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { daysAfter } from "../../src/model/roster.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { insideScene, twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

interface TodoDocument {
  readonly open: number;
  readonly opened: number;
  readonly overdue: number;
  readonly closed: number;
  readonly todo: readonly {
    readonly status: string;
    readonly code: string;
    readonly person?: string;
    readonly owner?: string;
    readonly since: string;
    readonly due?: string;
  }[];
  readonly closed_items: readonly { readonly code: string; readonly subject: string }[];
}

interface DriftDocument {
  readonly drift: { readonly todo: Omit<TodoDocument, "todo"> };
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
  await writeRoster(cwd, { "roster.config.yaml": "todo: { due: { unmanaged-privilege: 3d, default: off } }\n" });
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  const prefix = server.world.addProjectKey("mal@evil.example", ["ACCOUNT_ADMIN"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople.replace("Diaz }", "Dias }") });

  const todo = async (days: number, ...more: readonly string[]) => {
    const { code, stdout } = await scene.run(["todo", "--format", "json", ...more], { clock: clockAfter(days) });
    const document = JSON.parse(stdout) as TodoDocument;
    const lines = document.todo.map(({ status, code: what, person, due }) =>
      [status, what, person, due].filter((part) => part !== undefined).join(" "),
    );
    const closed = document.closed_items.map(({ code: what, subject }) => `${what} ${subject}`);
    const { open, opened, overdue } = document;
    return { code, counts: [open, opened, overdue, document.closed], lines, closed };
  };

  const due = daysAfter(today, 3);
  expect(await todo(0)).toEqual({
    code: 9,
    counts: [2, 2, 0, 0],
    lines: [`opened unmanaged-privilege mal@evil.example ${due}`, "opened profile-differs bo@acme.example"],
    closed: [],
  });
  expect((await todo(3)).lines).toEqual([
    `open unmanaged-privilege mal@evil.example ${due}`,
    "open profile-differs bo@acme.example",
  ]);
  expect(await todo(4)).toMatchObject({
    code: 9,
    counts: [2, 0, 1, 0],
    lines: [`overdue unmanaged-privilege mal@evil.example ${due}`, "open profile-differs bo@acme.example"],
  });

  const drift = async (...more: readonly string[]) => {
    const { stdout } = await scene.run(["drift", "--no-record", "--format", "json", ...more], { clock: clockAfter(4) });
    const { drift: found }: DriftDocument = JSON.parse(stdout);
    const { open, opened, overdue, closed, closed_items: gone } = found.todo;
    return { counts: [open, opened, overdue, closed], gone: gone.map(({ code }) => code).sort() };
  };
  expect(await drift()).toEqual({ counts: [2, 0, 1, 0], gone: [] });
  const told = await scene.run(["drift", "--no-record"], { clock: clockAfter(4) });
  expect(told.stdout).toContain("Manual work: 2 open, 1 overdue. `roster todo` lists it.");
  expect(told.stdout).toContain(`overdue since ${due}: ACCOUNT_ADMIN on key ${prefix}: unmanaged-privilege`);

  server.world.setKeyRoles(prefix, ["DEVELOPER"]);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  expect(await drift()).toEqual({ counts: [0, 0, 0, 2], gone: ["profile-differs", "unmanaged-privilege"] });
  expect(await drift("--exclude", "user:bo@acme.example")).toMatchObject({ gone: [] });
  const done = {
    code: 0,
    counts: [0, 0, 0, 2],
    lines: [],
    closed: [
      expect.stringMatching(/^profile-differs .*user bo@acme\.example$/u),
      `unmanaged-privilege ACCOUNT_ADMIN on key ${prefix}`,
    ],
  };
  const sorted = (found: Awaited<ReturnType<typeof todo>>) => ({ ...found, closed: [...found.closed].sort() });
  expect(sorted(await todo(5, "--no-record"))).toEqual(done);
  expect(sorted(await todo(5))).toEqual(done);
  expect(await todo(5)).toEqual({ ...done, counts: [0, 0, 0, 0], closed: [] });
});

interface Changed {
  readonly at: string;
  readonly new: boolean;
  readonly changes: readonly { readonly fact: string; readonly before?: string; readonly after?: string }[];
}

test("an entry whose facts change keeps its date and says once that it is new, from what to what", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  const team = (admin: string) => twoPeople.replace("admin: ada@acme.example", `admin: ${admin}@acme.example`);
  const settle = (days: number) => ({ "roster.config.yaml": `todo: { due: { default: ${days}d } }\n` });
  await writeRoster(cwd, settle(9));
  expect((await scene.run(["apply", "--auto-approve"])).code).toBe(0);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  const prefix = server.world.addMember("Red", "mal@evil.example");
  server.world.setKeyRoles(prefix, ["TEAM_ROLE"]);
  await writeRoster(cwd, { "roster.yaml": team("ada") });

  const todo = async (days: number, ...more: readonly string[]) => {
    const { stdout } = await scene.run(["todo", "--format", "json", ...more], { clock: clockAfter(days) });
    const { todo: rows, changed }: { todo: readonly Row[]; changed: number } = JSON.parse(stdout);
    return { changed, rows: rows.map((row) => [row.status, row.since.slice(0, 10), row.changed ?? "-"]) };
  };
  interface Row {
    readonly status: string;
    readonly since: string;
    readonly changed?: Changed;
  }
  const opened = await todo(0);
  expect(opened).toEqual({ changed: 0, rows: [["opened", today, "-"]] });
  expect(await todo(1)).toEqual({ changed: 0, rows: [["open", today, "-"]] });

  // Somebody takes roles away by hand, the team gets another admin, and the settings another time.
  server.world.setKeyRoles(prefix, ["DEVELOPER"]);
  await writeRoster(cwd, { "roster.yaml": team("bo"), ...settle(20) });
  const changes = [
    { fact: "roles", before: "TEAM_ROLE", after: "DEVELOPER" },
    { fact: "owner", before: "ada@acme.example", after: "bo@acme.example" },
    { fact: "due date", before: daysAfter(today, 9), after: daysAfter(today, 20) },
  ];
  const words = changes.map(({ fact, before, after }) => `${fact}: ${before} → ${after}`).join("; ");
  const on = expect.stringContaining(daysAfter(today, 2)) as unknown as string;
  const now = { changed: 1, rows: [["changed", today, { at: on, new: true, changes }]] };
  expect(await todo(2, "--no-record")).toEqual(now);

  const plain = await scene.run(["todo", "--no-record"], { clock: clockAfter(2) });
  expect(plain.stdout.replaceAll(/\s+/gu, " ")).toContain(
    `Changed: 1 ! member mal@evil.example of team acc-1/red: extra-member`,
  );
  expect(plain.stdout.replaceAll(/\s+/gu, " ")).toContain(`changed ${daysAfter(today, 2)}: ${words}`);
  const tasks = await scene.run(["todo", "--no-record", "--format", "markdown"], { clock: clockAfter(2) });
  expect(tasks.stdout).toMatch(/^- \[ \] \*\*changed\*\* `member mal@evil.*changed .*`roles: TEAM_ROLE → DEVELOPER`/mu);
  const csv = await scene.run(["todo", "--no-record", "--format", "csv"], { clock: clockAfter(2) });
  expect(csv.stdout).toContain(`${words}\r\n`);
  const drift = await scene.run(["drift", "--no-record"], { clock: clockAfter(2) });
  expect(drift.stdout.replaceAll(/\s+/gu, " ")).toContain(
    `Manual work: 1 open, 1 changed. \`roster todo\` lists it. changed: member mal@evil.example of team acc-1/red: extra-member: ${words}`,
  );

  expect(await todo(2)).toEqual(now);
  expect(await todo(3)).toEqual({ changed: 0, rows: [["open", today, { at: on, new: false, changes }]] });
  // It has two lives: overdue, it may still change.
  await writeRoster(cwd, settle(1));
  const again = [{ fact: "due date", before: daysAfter(today, 20), after: daysAfter(today, 1) }];
  expect(await todo(4)).toEqual({
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

  const csv = async () => {
    const { code, stdout } = await scene.run(["todo", "--format", "csv"]);
    const [, ...rows] = stdout.trimEnd().split("\r\n");
    return { code, rows: rows.map((line) => line.split(",").slice(0, 4).join(" ")).sort() };
  };
  const owned = await scene.run(["todo", "--format", "markdown"]);
  expect(owned.stdout).toMatch(/^- \[ \] .*`member mal@evil\.example of team acc-1\/red`.*owner `ada@acme\.example`/mu);
  const extra = "open extra-member mal@evil.example acc-1/red";
  expect(await csv()).toEqual({ code: 9, rows: [extra, "open leaver-remains bo@acme.example "] });
  server.world.setUserStatus("bo@acme.example", "DISABLED");
  expect(await csv()).toEqual({ code: 9, rows: [extra] });
  server.world.removeMember("Red", "mal@evil.example");
  expect(await csv()).toEqual({ code: 0, rows: [] });
});
