import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validPlanFile } from "../../src/codec/generated/plan-file.js";
import { validState } from "../../src/codec/generated/state.js";
import type { PlanFile } from "../../src/codec/plan-file-format.ts";
import { decodeState } from "../../src/codec/state.ts";
import { type RecordedTeam, teamKeyOf } from "../../src/model/team.ts";
import { decodePlanFile, encodePlanFile } from "../../src/plan/plan-file.ts";
import { planId } from "../../src/plan/plan-id.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../support/command.ts";
import { noon } from "../support/event-builders.ts";

import { inside } from "../support/inside.ts";
import { logOfState } from "../support/kept-log.ts";
import { oneIn } from "../support/property-runs.ts";
import { writeRoster } from "../support/roster-directory.ts";

const seed: Seed = {
  users: [
    { identifier: "u-ada", email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" },
    { identifier: "u-cy", email: "cy@acme.example", firstName: "Cy", lastName: "Ito" },
    { identifier: "u-di", email: "di@acme.example", firstName: "Di", lastName: "Roe" },
  ],
  teams: [
    {
      identifier: "t-red",
      name: "Red",
      admin: "ada@acme.example",
      members: [{ user: "ada@acme.example", prefix: "redada", roles: ["TEAM_ROLE"] }],
    },
    {
      identifier: "t-gold",
      name: "Gold",
      admin: "di@acme.example",
      members: [{ user: "di@acme.example", prefix: "golddi", roles: ["TEAM_ROLE"] }],
    },
  ],
  keys: [{ prefix: "projada", owner: "ada@acme.example", roles: ["DEVELOPER"] }],
};

const roster = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: cy@acme.example, firstName: Cy, lastName: Ito }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, title: Chief, externalIdentifier: E-1, source: hr }
  - { email: eve@acme.example, firstName: Eve, lastName: Kim, ownKeyRoles: [AUDITOR], previously: [eva@acme.example] }
teams:
  - name: Red
    roles: [DEVELOPER]
    owner: red-leads
    members: [{ user: ada@acme.example }, { user: cy@acme.example, note: soon }, { user: eve@acme.example }]
  - name: Blue
    admin: ada@acme.example
    roles: [DATA_SCIENTIST]
    members: [{ user: bo@acme.example }, { user: ada@acme.example }]
keys:
  - { prefix: projada, owner: ada@acme.example, roles: [PROJECT] }
`;

function contentOf({ world, outbox }: ReferenceServer): ReadonlySet<string> {
  const users = world.users.flatMap(({ accessKeys, email, firstName, lastName, title, externalIdentifier, source }) => [
    `user ${JSON.stringify([email, firstName, lastName, title, externalIdentifier, source])}`,
    ...accessKeys.flatMap(({ team, kind, roles }) => {
      const key = `key of ${email} ${kind} ${team?.identifier} ${team?.name}`;
      return [key, ...roles.map((role) => `${key} has ${role}`), `${key} has exactly ${roles.toSorted().join()}`];
    }),
  ]);
  return new Set([...users, ...outbox.map((mail) => `mail ${mail.address} ${mail.team}`)]);
}

type Command = (...args: readonly string[]) => ReturnType<typeof inside>;

/** A directory with a saved plan in `p.json`, and services that are all alike at one address, one after the other. */
async function scene() {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": roster });
  let port = 0;
  async function at<Value>(work: (server: ReferenceServer, run: Command) => Promise<Value>): Promise<Value> {
    const server = await startReferenceServer({ port, seed, start: 1 });
    port = Number(new URL(server.endpoint).port);
    const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...prompt };
    try {
      return await work(server, (...args) => inside(args, { cwd, env }));
    } finally {
      await server.close();
    }
  }
  const text = await at(async (_, run) => {
    expect((await run("plan", "--out", "p.json")).code).toBe(0);
    return readFile(join(cwd, "p.json"), "utf8");
  });
  const read = decodePlanFile(text, validPlanFile);
  if (!read.ok) throw new Error(read.error);
  return { cwd, at, text, file: read.value };
}

/** The same change everywhere, by somebody who knows the format. */
function replacedAll(file: PlanFile, from: string, to: string): PlanFile {
  return withOwnId(
    closed(JSON.parse(JSON.stringify(opened(file)).replaceAll(JSON.stringify(from), JSON.stringify(to)))),
  );
}

/** Its maps as lists, in which everything has a path. */
function opened(file: PlanFile) {
  const { plan } = file;
  return { ...file, plan: { ...plan, users: [...plan.users], teams: [...plan.teams] } };
}

function closed(file: ReturnType<typeof opened>): PlanFile {
  const { plan } = file;
  return { ...file, plan: { ...plan, users: new Map(plan.users), teams: new Map(plan.teams) } };
}

/** Each text, number and truth value, and each item of a list, with what it could be in its place. */
function* forgeries(file: PlanFile): Generator<{ readonly what: string; readonly file: PlanFile }> {
  const texts = new Map<string, Set<string>>();
  const leaves = [...leavesOf(opened(file), [])];
  for (const { path, value } of leaves) {
    const name = path.findLast((part) => typeof part === "string") ?? "";
    if (typeof value === "string") texts.set(name, (texts.get(name) ?? new Set()).add(value));
  }
  for (const { path, value } of leaves) {
    const name = path.findLast((part) => typeof part === "string") ?? "";
    for (const other of othersOf(value, texts.get(name) ?? new Set())) yield forged(file, path, other);
  }
  for (const text of new Set(leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : [])))) {
    yield { what: `every ${text}`, file: replacedAll(file, text, `${text}x`) };
  }
}

type Path = readonly (string | number)[];

function* leavesOf(value: unknown, path: Path): Generator<{ readonly path: Path; readonly value: unknown }> {
  if (typeof value !== "object" || value === null) {
    yield { path, value };
    return;
  }
  if (Array.isArray(value) && value.length > 0) yield { path: [...path, value.length - 1], value: undefined };
  const entries = Array.isArray(value) ? value.map((one, index) => [index, one] as const) : Object.entries(value);
  for (const [name, one] of entries) yield* leavesOf(one, [...path, name]);
}

function othersOf(value: unknown, texts: ReadonlySet<string>): readonly unknown[] {
  switch (typeof value) {
    case "string": {
      const known = [...texts].find((text) => text !== value);
      return [`${value}x`, ...(known === undefined ? [] : [known])];
    }
    case "number":
      return [value + 1];
    case "boolean":
      return [!value];
    default:
      return [undefined];
  }
}

function forged(file: PlanFile, path: Path, other: unknown): { readonly what: string; readonly file: PlanFile } {
  const copy = structuredClone(opened(file));
  let at = copy as unknown as Record<string | number, unknown>;
  for (const part of path.slice(0, -1)) at = at[part] as typeof at;
  const last = path.at(-1) ?? "";
  if (Array.isArray(at) && other === undefined) at.splice(Number(last), 1);
  else at[last] = other;
  return { what: `${path.join(".")} = ${JSON.stringify(other)}`, file: withOwnId(closed(copy)) };
}

function idOf(plan: PlanFile["plan"]): string {
  try {
    return planId(plan);
  } catch {
    return plan.id;
  }
}

/** Undefined of what cannot be written: a kind that there is not. */
function encoded(file: PlanFile): string | undefined {
  try {
    return encodePlanFile(file);
  } catch {
    return undefined;
  }
}

function withOwnId(file: PlanFile): PlanFile {
  const { plan } = file;
  return { ...file, plan: { ...plan, id: idOf(plan) } };
}

describe("a plan file that somebody has edited", () => {
  test("names a team by one identifier, which the service and the state still know", async () => {
    const { cwd, at, file } = await scene();
    const index = [...file.plan.teams.values()].findIndex(({ name }) => name === "Red");
    const one = forged(file, ["plan", "teams", index, 1, "identifier", "value"], "t-gold").file;
    await writeRoster(cwd, { "p.json": encodePlanFile(one) });
    await at(async (server, run) => {
      const before = contentOf(server);
      for (const command of ["show", "apply"]) {
        const { code, stderr } = await run(command, "p.json");
        expect([code, stderr]).toEqual([3, expect.stringContaining("two identifiers for the team Red: t-")]);
      }
      expect(contentOf(server)).toEqual(before);
    });

    // Nothing in the file speaks against this one. Its ID is another one, and whoever reads it sees the team.
    const all = replacedAll(file, "t-red", "t-gold");
    await writeRoster(cwd, { "p.json": encodePlanFile(all) });
    expect(all.plan.id).not.toBe(file.plan.id);
    await at(async (server, run) => {
      expect((await run("show", "p.json")).stdout).toContain("POST teams/t-gold/members");
      const { code, stdout } = await run("apply", "p.json");
      expect(code).toBe(7);
      expect(stdout).toContain("the service shows the team Red with the identifier t-red, and the plan adds to t-gold");
      expect(server.outbox.filter(({ team }) => team === "t-gold")).toEqual([]);
    });
  });

  test("adds nobody to a team that the state knows by another identifier, where the service shows no teams", async () => {
    const { cwd, at, file } = await scene();
    await at(async (_, run) => expect((await run("apply", "--auto-approve", "--exclude", "team:Red")).code).toBe(0));
    const [, , document = ""] = /^(.*\n.*\n)([\s\S]*)$/u.exec(await checkpointIn(cwd)) ?? [];
    const state = decodeState(document, "log.jsonl", validState);
    if (!state.ok) throw new Error(state.error.message);
    const red = teamKeyOf("acc-1", "Red");
    const known: RecordedTeam = { team: red, name: "Red", account: "acc-1", identifier: "t-red", at: noon };
    const { lineage, serial } = state.value;
    const moved = { ...state.value, teams: new Map([...state.value.teams, [red, known] as const]) };
    await writeRoster(cwd, logOfState(".roster/log.jsonl", moved));
    const forgedFile = replacedAll(file, "t-red", "t-gold");
    const basis = { ...forgedFile.basis, state: { lineage, serial, digest: "0".repeat(16) }, witnesses: [] };
    await writeRoster(cwd, { "p.json": encodePlanFile({ ...forgedFile, basis }) });
    await at(async (server, run) => {
      const { stderr } = await run("apply", "p.json");
      expect(stderr).toContain("the state has the team Red with the identifier t-red, and the plan adds to t-gold");
      expect(server.outbox.filter(({ team }) => team === "t-gold")).toEqual([]);
    });
  });

  test("is refused, or shows what it does under another ID, or does nothing else, and shows what else it records", async () => {
    const { cwd, at, text, file } = await scene();

    async function shown(): Promise<string | undefined> {
      const views = [
        ["show", "p.json"],
        ["show", "p.json", "--view", "calls"],
      ];
      const all = await Promise.all(views.map((words) => inside(words, { cwd, env: prompt })));
      if (all.some(({ code }) => code === 3)) return undefined;
      const text = all.map(({ stdout }) => stdout).join("");
      return text.replace(/^SHA-256 .*$/gmu, "").replace(/Plan ID [0-9a-f]+/gu, "");
    }
    const applied = () =>
      at(async (server, run) => {
        const before = contentOf(server);
        await run("apply", "p.json");
        const [, , state = "{}"] = /^(.*\n.*\n)([\s\S]*)$/u.exec(await checkpointIn(cwd).catch(() => "")) ?? [];
        await rm(join(cwd, ".roster"), { recursive: true, force: true });
        return { before, content: contentOf(server), records: recordsIn(state) };
      });

    const asShown = await shown();
    const asApplied = await applied();
    const allowed = new Set([...asApplied.before, ...asApplied.content]);
    expect(asApplied.content.size).toBeGreaterThan(asApplied.before.size + 5);
    async function verdictOn(forgedFile: PlanFile): Promise<string> {
      const now = await shown();
      if (now === undefined) return "refused";
      if (now !== asShown && forgedFile.plan.id !== file.plan.id) return "shown";
      const { content, records } = await applied();
      const more = [...content].filter((line) => !allowed.has(line));
      const unshown = now === asShown ? [...records].filter((line) => !asApplied.records.has(line)) : [];
      return [...more, ...unshown].join("; ") || "alike";
    }

    const verdicts = new Map<string, string>();
    for (const { what, file: forgedFile } of oneIn(101, forgeries(file))) {
      const forgedText = encoded(forgedFile);
      if (forgedText === text || forgedText === undefined) continue;
      await writeRoster(cwd, { "p.json": forgedText });
      verdicts.set(what, await verdictOn(forgedFile));
    }
    const usual = new Set(["refused", "shown", "alike"]);
    expect([...verdicts].filter(([, verdict]) => !usual.has(verdict))).toEqual([]);
    expect(new Set(verdicts.values())).toEqual(usual);
  });
});

const checkpointIn = (cwd: string) => readFile(join(cwd, ".roster/log.jsonl.checkpoint"), "utf8");

/** What a state says, a line each, without times, and without what only the run has made up. */
function recordsIn(state: string): ReadonlySet<string> {
  const lines = [...leavesOf(JSON.parse(state), [])].flatMap(({ path, value }) => {
    if (value === undefined || /\d{4}-\d\d-\d\dT|^[0-9a-f-]{36}$|^[0-9A-Za-z]{20}$/u.test(String(value))) return [];
    return [`${path.filter((part) => typeof part === "string").join(".")}: ${String(value)}`];
  });
  return new Set(lines.filter((line) => !/^(?:checksum|serial|lineage|plan_files|open|audit|writes)/u.test(line)));
}
