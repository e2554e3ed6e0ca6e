import { expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { allowanceFor } from "../support/drawn/printed-words.ts";
import { type InsideScene, insideScene } from "../support/inside-scene.ts";

/** Reads of this service may lag an hour behind writes, so that what they do not show proves nothing in this test. */
const slow = { ROSTER_CONSISTENCY: "1h" };

/** The system's clock, for somebody who never waits: each wait moves it on. */
function hastyClock(): Clock {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    async wait(milliseconds) {
      ahead += milliseconds;
    },
  };
}

interface Document {
  readonly actions?: readonly { readonly id: string }[];
  readonly findings?: readonly { readonly code: string; readonly subject: string; readonly message: string }[];
}

interface Told {
  readonly code: number;
  readonly actions: readonly string[];
  readonly findings: readonly string[];
  /** What is said of the team. */
  readonly ofTeam: string;
  readonly stdout: string;
}

async function told(at: InsideScene, args: readonly string[]): Promise<Told> {
  const run = await at.run([...args, "--format", "json"], { clock: hastyClock(), env: slow });
  const { actions = [], findings = [] } = JSON.parse(run.stdout) as Document;
  return {
    code: run.code,
    actions: actions.map(({ id }) => id),
    findings: findings.map(({ code, subject }) => `${code}: ${subject}`),
    ofTeam: findings.find(({ subject }) => subject === "team acc-1/red")?.message ?? "",
    stdout: run.stdout,
  };
}

const plan = (at: InsideScene, ...flags: readonly string[]) => told(at, ["plan", ...flags]);
const apply = (at: InsideScene, ...flags: readonly string[]) => told(at, ["apply", "--auto-approve", ...flags]);

const users = "/api/accounting/accounts/acc-1/users";
const creation = `POST ${users}`;

/** The status of each creation that was sent, in its order; 0 is the one that was lost. */
function creations({ server }: InsideScene): readonly number[] {
  const sent = server.requests.filter(({ method, path }) => method === "POST" && path === users);
  return sent.map(({ status }) => status);
}

/** The code that a finding prints. */
function codeIn(message: string): string {
  const [, code] = /`roster apply --allow (unknown-outcome:red#[0-9a-f]{12})`\.$/u.exec(message) ?? [];
  if (code === undefined) throw new Error(`no code is printed: ${message}`);
  return code;
}

/** The connection ended under the call that creates Ada and creates Red, and the service shows neither her nor any team. */
async function lostTeamCreation(): Promise<InsideScene & { readonly general: string }> {
  const at = await insideScene({ knobs: { showTeams: "created-only", reset: ["create@1"] } });
  const { stdout } = await plan(at);
  const general = allowanceFor("unproven-absence:red", stdout);
  expect((await apply(at, "--allow", general)).code).toBe(7);
  expect(at.writes()).toEqual([creation]);
  return { ...at, general };
}

/** What is planned as long as the creation of a team is in doubt: Bo is created alone, not as another first member. */
const held = {
  actions: ["create-user:bo@acme.example"],
  findings: ["unknown-outcome: user ada@acme.example", "unknown-outcome: team acc-1/red"],
};

test("a team whose creation may have been done is held, also by the code that let it be created, and has a code of its own", async () => {
  const at = await lostTeamCreation();
  const first = await plan(at);
  const word = codeIn(first.ofTeam);
  const sent = /^roster sent a call at (\S+Z) that/u.exec(first.ofTeam)?.[1] ?? "";
  const [, decided = ""] = /Plan again after (\S+Z)\./u.exec(first.ofTeam) ?? [];
  expect(Date.parse(decided) - Date.parse(sent)).toBeGreaterThanOrEqual(3_600_000);
  expect(Date.parse(decided) - Date.parse(sent)).toBeLessThan(3_660_000);
  const message =
    `roster sent a call at ${sent} that creates ada@acme.example and the team Red. The outcome is unknown. ` +
    `The team may exist, so roster tries no other first member. Plan again after ${decided}. If reads do not ` +
    "show it by then, it was not done. Or look in the service. If the team exists, write its `identifier` into " +
    `the roster. If it does not, allow roster to create it. To allow it: \`roster apply --allow ${word}\`.`;
  const { stdout: _, ...shown } = first;
  expect(shown).toEqual({ code: 0, ...held, ofTeam: message });
  const { actions, findings, ofTeam } = await plan(at, "--allow", at.general);
  expect({ actions, ofTeam: ofTeam.replace(/after \S+Z/u, `after ${decided}`) }).toEqual({
    actions: held.actions,
    ofTeam: message,
  });
  expect(findings).toEqual([...held.findings, `idle-allowance: allowance ${at.general}`]);
  expect(await apply(at, "--allow", at.general)).toMatchObject({ code: 7, actions: held.actions });
  expect(at.writes()).toEqual([creation, creation]);
});

test("the code of the call creates the team exactly one more time", async () => {
  const at = await lostTeamCreation();
  const word = codeIn((await plan(at)).ofTeam);
  expect(await apply(at, "--allow", word)).toMatchObject({ code: 0, findings: [] });
  expect(creations(at)).toEqual([0, 201, 201]);
  expect(at.server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
  const sent = at.writes();
  for (const again of [word, at.general]) {
    expect(await apply(at, "--allow", again)).toMatchObject({ code: 0, actions: [] });
  }
  expect(at.writes()).toEqual(sent);
  at.server.setKnobs({ showTeams: "full" });
  expect(await plan(at)).toMatchObject({ actions: [], findings: [] });
});

test("a plan file carries the code to its apply", async () => {
  const at = await lostTeamCreation();
  const word = codeIn((await plan(at)).ofTeam);
  expect(await plan(at, "--out", "p.json", "--allow", word)).toMatchObject({ code: 0, findings: [] });
  expect(at.writes()).toEqual([creation]);
  expect(await told(at, ["apply", "p.json"])).toMatchObject({ code: 0 });
  expect(creations(at)).toEqual([0, 201, 201]);
  expect(at.server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
  expect(await plan(at, "--detailed-exitcode")).toMatchObject({ code: 0, actions: [] });
});

test("the code of another call is refused, settles nothing, and is told with the right one", async () => {
  const at = await lostTeamCreation();
  const word = codeIn((await plan(at)).ofTeam);
  const sent = at.writes();
  const other = word.replace(/#.*/u, "#0badca110bad");
  for (const run of [await plan(at, "--allow", other), await apply(at, "--allow", other)]) {
    expect(run.code).toBe(5);
    expect(run.stdout).toContain(
      `\`--allow ${other}\` does not fit this plan: it is for other facts, another service or another log. Now it is about team acc-1/red`,
    );
    expect(run.stdout).toContain(`\`--allow ${word}\`.`);
  }
  expect(at.writes()).toEqual(sent);
});

test("the code of a call is idle where no call is open", async () => {
  const at = await insideScene({ knobs: { showTeams: "created-only" } });
  const { findings } = await plan(at, "--allow", "unknown-outcome:red#0badca110bad");
  expect(findings).toContain("idle-allowance: allowance unknown-outcome:red#0badca110bad");
});
