import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/library/system.ts";
import type { Clock } from "../../../../src/ports/clock.ts";
import { allowanceFor } from "../../../support/drawn/printed-words.ts";
import type { InsideOptions } from "../../../support/inside.ts";
import { type InsideScene, insideScene } from "../../../support/inside-scene.ts";
import { writeRoster } from "../../../support/roster-directory.ts";
import { company, companyThere, standing } from "../../../support/trap-scene.ts";

const bo = "bo@acme.example";
const boLine = "  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }\n";

/** The company without bo: nobody names him, or the given lines do. */
function withoutBo(more = "", team = ""): string {
  return company.replace(boLine, more).replace(`, { user: ${bo} }`, "").replace("    members:", `${team}    members:`);
}

interface TextFinding {
  readonly code: string;
  readonly subject: string;
  readonly blocking: boolean;
  readonly suggested_yaml?: string;
}

interface Document {
  readonly findings?: readonly TextFinding[];
  readonly run?: { readonly findings: readonly TextFinding[] };
}

/** A service with the company as the roster has it. */
async function applied(knobs: Parameters<typeof insideScene>[0] = {}): Promise<InsideScene> {
  const at = await insideScene(knobs);
  await write(at, company);
  await at.run(["apply", "--auto-approve"]);
  return at;
}

async function write(at: InsideScene, text: string): Promise<void> {
  await writeRoster(at.cwd, { "roster.yaml": text });
}

/** What a command sends, its exit code and what it finds, blocking findings marked. */
async function told(at: InsideScene, args: readonly string[], more: Omit<InsideOptions, "cwd"> = {}) {
  const before = at.writes().length;
  const { code, stdout } = await at.run([...args, "--format", "json"], more);
  const { findings = [], run } = JSON.parse(stdout) as Document;
  const all = [...findings, ...(run?.findings ?? [])];
  return {
    code,
    findings: all.map((one) => `${one.blocking ? "!" : ""}${one.code} ${one.subject}`),
    yaml: all.flatMap((one) => one.suggested_yaml ?? []),
    sent: at.writes().length - before,
  };
}

const apply = (at: InsideScene, args: readonly string[] = [], more: Omit<InsideOptions, "cwd"> = {}) =>
  told(at, ["apply", "--auto-approve", ...args], more);

/** The system's clock, so many days later. */
function inDays(days: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + days * 86_400_000 };
}

/** When whatever was done a moment ago must show: nothing is waited for. */
const soon = { clock: inDays(1) };

function dateIn(days: number): string {
  return new Date(inDays(days).now()).toISOString().slice(0, 10);
}

const keysOfBo = (at: InsideScene) => standing(at.server).keys.filter((line) => line.startsWith("bo"));
const nothing = { code: 0, findings: [], yaml: [], sent: 0 };

describe("people who leave", () => {
  test("on a day lose every role from that day on, whoever still names them", async () => {
    const at = await applied();
    await write(at, company.replace("lastName: Diaz", `lastName: Diaz, until: ${dateIn(3)}`));
    expect(await apply(at)).toMatchObject({ code: 0, findings: [`leaving-soon user ${bo}`], sent: 0 });
    const then = { clock: inDays(4) };
    expect(await apply(at, [], then)).toMatchObject({ code: 9, findings: [`!leaver-remains user ${bo}`], sent: 2 });
    expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: `]);
    at.server.world.removeUser(bo);
    expect(await apply(at, [], then)).toEqual(nothing);
  });

  test("come back with their roles, and without a second mail", async () => {
    const at = await applied();
    await write(at, `${withoutBo()}leavers:\n  - { email: ${bo} }\n`);
    await apply(at);
    await write(at, company);
    expect((await apply(at)).code).toBe(0);
    const own = (line: string) => (line === `${bo} own: TEAM_ROLE` ? `${bo} own: ` : line);
    expect(standing(at.server)).toEqual({ ...companyThere, keys: companyThere.keys.map(own) });
  });

  test("without a word are told as dropped, until they are leavers, released or gone", async () => {
    const at = await applied();
    await write(at, withoutBo("", "    open: true\n"));
    const dropped = { code: 9, findings: [`!user-removed user ${bo}`], sent: 0 };
    expect(await apply(at)).toMatchObject(dropped);
    // Whoever was dropped before the last roster was applied is so still.
    expect(await told(at, ["plan", "--detailed-exitcode"])).toMatchObject(dropped);
    expect(await apply(at, ["--include", "user:ada@acme.example"])).toEqual(nothing);
    const word = allowanceFor(`release:${bo}`, (await at.run(["plan", "--format", "json"])).stdout);
    expect(await apply(at, ["--allow", word])).toEqual(nothing);
    expect(await told(at, ["plan", "--detailed-exitcode"])).toEqual(nothing);
    expect((await told(at, ["drift"])).findings).toEqual(expect.arrayContaining([`unmanaged-user user ${bo}`]));
  });

  test("before an apply was approved are no people of an applied roster", async () => {
    const at = await insideScene();
    await write(at, company);
    expect((await at.run(["apply"])).code).toBe(5);
    at.server.world.addUser({ email: bo, firstName: "Bo", lastName: "Diaz" });
    await write(at, withoutBo());
    expect(await told(at, ["plan"])).toMatchObject({ findings: [] });
  });

  test("a team lose the roles of its key, where it says so", async () => {
    const at = await applied();
    await write(at, withoutBo(boLine, "    onRemoval: disarm\n"));
    const member = `member ${bo} of team acc-1/red`;
    expect(await told(at, ["plan"])).toMatchObject({ findings: [`!extra-member ${member}`] });
    // What no call can end is told, and blocks no more: as in the plan after it.
    expect(await apply(at)).toMatchObject({ code: 0, findings: [`extra-member-without-roles ${member}`], sent: 1 });
    expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: TEAM_ROLE`]);
    expect(await apply(at)).toMatchObject({ code: 0, findings: [`extra-member-without-roles ${member}`], sent: 0 });
  });

  test("a team still block where no read shows that the roles of its key are gone", async () => {
    const at = await applied({ knobs: { showKeyRoles: "none" } });
    await write(at, withoutBo(boLine, "    onRemoval: disarm\n"));
    const blocked = { code: 9, findings: expect.arrayContaining([`!extra-member member ${bo} of team acc-1/red`]) };
    expect(await apply(at)).toMatchObject({ ...blocked, sent: 1 });
    expect(await apply(at)).toMatchObject({ ...blocked, sent: 0 });
  });
});

describe("people and teams that are called otherwise by now", () => {
  test("are told with the YAML to write, and stay whole once it is written", async () => {
    const at = await applied();
    at.server.world.changeEmail(bo, "bo.diaz@acme.example");
    at.server.world.renameTeam("Red", "Crimson");
    expect(await apply(at, [], soon)).toEqual({
      code: 9,
      findings: [
        `!user-missing user ${bo}`,
        "team-renamed team acc-1/red",
        "!extra-member member bo.diaz@acme.example of team acc-1/red",
      ],
      yaml: [
        "users:\n  - email: bo.diaz@acme.example\n    previously: [bo@acme.example]\n",
        "teams:\n  - name: Crimson\n    previously: [Red]\n",
      ],
      sent: 0,
    });
    const renamed = company
      .replaceAll(bo, "bo.diaz@acme.example")
      .replace("lastName: Diaz", `lastName: Diaz, previously: [${bo}]`)
      .replace("name: Red", "name: Crimson\n    previously: [Red]");
    await write(at, renamed);
    expect(await apply(at, [], soon)).toEqual(nothing);
    // What is remembered has moved for good: nothing of it needs the former names any more.
    await write(at, renamed.replace(/, previously: \[[^\]]*\]|\n {4}previously: \[Red\]/gu, ""));
    at.server.setKnobs({ showTeams: "none" });
    expect(await apply(at, [], soon)).toMatchObject({ code: 0, sent: 0 });
    expect(at.server.outbox.length).toBe(1);
  });
});

describe("an invitation", () => {
  test("that nobody accepts blocks after a while, and no apply renews it", async () => {
    const at = await applied({ knobs: { readd: "reinvite" } });
    at.server.world.setUserStatus(bo, "Invited");
    expect(await apply(at)).toMatchObject({ code: 0, findings: [`invitation-pending user ${bo}`] });
    const then = { clock: inDays(20) };
    expect(await apply(at, [], then)).toMatchObject({ code: 9, findings: [`!invitation-expired user ${bo}`], sent: 0 });
    await writeRoster(at.cwd, { "roster.config.yaml": "roster: [roster.yaml]\ninvitationDays: 30\n" });
    expect(await apply(at, [], then)).toMatchObject({ code: 0, findings: [`invitation-pending user ${bo}`] });
    await writeRoster(at.cwd, { "roster.config.yaml": "roster: [roster.yaml]\n" });
    expect(at.server.outbox.length).toBe(1);
  });
});
