import { describe, expect, test } from "vitest";
import { writeRoster } from "../support/roster-directory.ts";
import { company, companyThere, type Scene, scene, standing, writesOf } from "../support/trap-scene.ts";

const bo = "bo@acme.example";
const boLine = "  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }\n";

/** The company without bo: nobody names him, or the given lines do. */
function withoutBo(more = "", team = ""): string {
  return company.replace(boLine, more).replace(`, { user: ${bo} }`, "").replace("    members:", `${team}    members:`);
}

async function write(at: Scene, text: string): Promise<void> {
  await writeRoster(at.directory, { "roster.yaml": text });
}

/** What a run of the command sends, its exit code and what it tells. */
async function told(at: Scene, run: () => ReturnType<Scene["apply"]>) {
  const before = writesOf(at.server).length;
  const { code, findings } = await run();
  return { code, findings, sent: writesOf(at.server).length - before };
}

const keysOfBo = (at: Scene) => standing(at.server).keys.filter((line) => line.startsWith("bo"));

interface Document {
  readonly actions?: readonly { readonly id: string; readonly again?: boolean }[];
  readonly findings?: readonly { readonly code: string; readonly suggested_yaml?: string }[];
  readonly diagnostics: readonly { readonly code: string }[];
  readonly error: { readonly code: string } | null;
  readonly exit_code: number;
}

describe.concurrent("people who leave", () => {
  test("as leavers lose every role, and block until the service shows them gone", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    await write(at, `${withoutBo()}leavers:\n  - { email: ${bo}, since: 2026-11-20, ref: HR-812 }\n`);
    const remains = [`!leaver-remains user ${bo}`];
    expect(await told(at, () => at.plan())).toEqual({ code: 2, findings: remains, sent: 0 });
    expect(await told(at, () => at.apply())).toEqual({ code: 9, findings: remains, sent: 2 });
    expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: `]);
    expect(await told(at, () => at.apply())).toEqual({ code: 9, findings: remains, sent: 0 });
    at.server.world.setUserStatus(bo, "Inactive");
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [`leaver-barred user ${bo}`], sent: 0 });
    at.server.world.removeUser(bo);
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [], sent: 0 });
    await write(at, company);
    expect(await told(at, () => at.plan())).toEqual({ code: 9, findings: [`!vanished user ${bo}`], sent: 0 });
  });

  test("come back with their roles, and without a second mail", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    await write(at, `${withoutBo()}leavers:\n  - { email: ${bo} }\n`);
    await at.apply();
    await write(at, company);
    expect((await at.apply()).code).toBe(0);
    const own = (line: string) => (line === `${bo} own: TEAM_ROLE` ? `${bo} own: ` : line);
    expect(standing(at.server)).toEqual({ ...companyThere, keys: companyThere.keys.map(own) });
  });

  test("without a word are told as dropped, until they are leavers, released or gone", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    await write(at, withoutBo("", "    open: true\n"));
    const dropped = { code: 9, findings: [`!dropped user ${bo}`], sent: 0 };
    expect(await told(at, () => at.apply())).toEqual(dropped);
    // Whoever was dropped before the last roster was applied is so still.
    expect(await told(at, () => at.plan())).toEqual(dropped);
    expect(await told(at, () => at.apply("--include", "user:ada@acme.example"))).toEqual({
      code: 0,
      findings: [],
      sent: 0,
    });
    expect((await at.apply("--release", "ada@acme.example")).code).toBe(3);
    expect(await told(at, () => at.apply("--release", bo))).toEqual({ code: 0, findings: [], sent: 0 });
    expect(await told(at, () => at.plan())).toEqual({ code: 0, findings: [], sent: 0 });
    expect((await at.drift()).findings).toEqual(expect.arrayContaining([`unmanaged-user user ${bo}`]));
  });

  test("a team lose the roles of its key, where it says so", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    await write(at, withoutBo(boLine, "    onRemoval: disarm\n"));
    const member = `member ${bo} of team acc-1/red`;
    expect(await told(at, () => at.apply())).toEqual({ code: 9, findings: [`!extra-member ${member}`], sent: 1 });
    expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: TEAM_ROLE`]);
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [`disarmed-member ${member}`], sent: 0 });
  });
});

describe.concurrent("people and teams that are called otherwise by now", () => {
  test("are told with the YAML to write, and stay whole once it is written", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    at.server.world.changeEmail(bo, "bo.diaz@acme.example");
    at.server.world.renameTeam("Red", "Crimson");
    const before = await told(at, () => at.apply());
    expect(before).toEqual({
      code: 9,
      findings: [
        `!vanished user ${bo}`,
        "team-renamed team acc-1/red",
        "!extra-member member bo.diaz@acme.example of team acc-1/red",
      ],
      sent: 0,
    });
    const document = JSON.parse((await at.run(["plan", "--format", "json"])).stdout) as Document;
    expect(document.findings?.flatMap(({ suggested_yaml: yaml }) => yaml ?? [])).toEqual([
      "users:\n  - email: bo.diaz@acme.example\n    previously: [bo@acme.example]\n",
      "teams:\n  - name: Crimson\n    previously: [Red]\n",
    ]);
    const renamed = company
      .replaceAll(bo, "bo.diaz@acme.example")
      .replace("lastName: Diaz", `lastName: Diaz, previously: [${bo}]`)
      .replace("name: Red", "name: Crimson\n    previously: [Red]");
    await write(at, renamed);
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [], sent: 0 });
    // What is remembered has moved for good: nothing of it needs the former names any more.
    await write(at, renamed.replace(/, previously: \[[^\]]*\]|\n {4}previously: \[Red\]/gu, ""));
    at.server.setKnobs({ showTeams: "none" });
    expect(await told(at, () => at.plan())).toMatchObject({ code: 0, sent: 0 });
    expect(at.server.outbox.length).toBe(1);
  });
});

describe.concurrent("an invitation once more", () => {
  const again = (at: Scene, ...args: readonly string[]) => at.run(["reinvite", bo, "Red", "--format", "json", ...args]);

  test("is sent on a person's word, once, and by no apply", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { readd: "reinvite" } });
    await at.apply();
    at.server.world.setUserStatus(bo, "Invited");
    expect((await at.apply()).findings).toEqual([`pending-user user ${bo}`]);
    const asked = await again(at);
    expect({ code: asked.code, mails: at.server.outbox.length }).toEqual({ code: 5, mails: 1 });
    const sent = await again(at, "--auto-approve");
    const document = JSON.parse(sent.stdout) as Document;
    expect({
      code: sent.code,
      mails: at.server.outbox.length,
      told: document.findings?.map(({ code }) => code),
    }).toEqual({
      code: 0,
      mails: 2,
      told: ["invited-before"],
    });
    expect(document.actions).toMatchObject([{ id: `reinvite:acc-1/red:${bo}`, again: true }]);
    expect((await at.apply()).code).toBe(0);
    expect(at.server.outbox.length).toBe(2);
    const strangers = [await at.run(["reinvite", "zoe@acme.example", "Red"]), await at.run(["reinvite", bo, "Blue"])];
    expect(strangers.map(({ code }) => code)).toEqual([3, 3]);
  });

  test("of which nobody knows whether it was sent is not sent again", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { readd: "reinvite", dropResponse: ["members@2"] } });
    await at.apply();
    const lost = await again(at, "--auto-approve");
    expect({ code: lost.code, mails: at.server.outbox.length }).toEqual({ code: 7, mails: 2 });
    expect((await at.apply()).code).toBe(0);
    expect(at.server.outbox.length).toBe(2);
  });
});
