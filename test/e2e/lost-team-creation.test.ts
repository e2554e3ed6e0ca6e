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

/** The word that a finding prints, and the short name of the call in it. */
function wordIn(message: string): { readonly word: string; readonly call: string } {
  const [, word, call] = /`--allow (unproven-absence:red@([0-9a-f]{8})@[0-9a-f]{16})`\.$/u.exec(message) ?? [];
  if (word === undefined || call === undefined) throw new Error(`no word is printed: ${message}`);
  return { word, call };
}

/** The connection ended under the call that creates Ada and creates Red, and the service shows neither her nor any team. */
async function lostTeamCreation(): Promise<InsideScene> {
  const at = await insideScene({ knobs: { showTeams: "created-only", reset: ["create@1"] } });
  const { stdout } = await plan(at);
  expect((await apply(at, "--allow", allowanceFor("unproven-absence:*", stdout))).code).toBe(7);
  expect(at.writes()).toEqual([creation]);
  return at;
}

/** What is planned as long as the creation of a team is in doubt: Bo is created alone, not as another first member. */
const held = {
  actions: ["create-user:bo@acme.example"],
  findings: ["unknown-outcome: user ada@acme.example", "unknown-outcome: team acc-1/red"],
};

test("a team whose creation of a team may have been done is held, whatever general words are given, and the call is named", async () => {
  const at = await lostTeamCreation();
  const first = await plan(at);
  const { word } = wordIn(first.ofTeam);
  const sent = /^roster sent a call at (\S+Z) that/u.exec(first.ofTeam)?.[1] ?? "";
  const [, decided = ""] = /Plan again after (\S+Z)\./u.exec(first.ofTeam) ?? [];
  expect(Date.parse(decided) - Date.parse(sent)).toBeGreaterThanOrEqual(3_600_000);
  expect(Date.parse(decided) - Date.parse(sent)).toBeLessThan(3_660_000);
  const message =
    `roster sent a call at ${sent} that creates ada@acme.example and the team Red. The outcome is unknown. ` +
    `The team may exist, so roster tries no other first member. Plan again after ${decided}. What reads do not ` +
    "show by then was not done. Or look in the service. If the team exists, write its `identifier` into " +
    `the roster. If it does not, allow roster to create it. To allow it: \`--allow ${word}\`.`;
  const { stdout: _, ...shown } = first;
  expect(shown).toEqual({ code: 0, ...held, ofTeam: message });
  const general = ["unproven-absence:*", "unproven-absence:Red"].map((what) => allowanceFor(what, first.stdout));
  for (const one of general) {
    const { actions, findings, ofTeam } = await plan(at, "--allow", one);
    expect({ actions, ofTeam: ofTeam.replace(/after \S+Z/u, `after ${decided}`) }).toEqual({
      actions: held.actions,
      ofTeam: message,
    });
    expect(findings).toEqual([...held.findings, `idle-allowance: allowance ${one.toLowerCase()}`]);
  }
  const both = await apply(at, ...general.flatMap((one) => ["--allow", one]));
  expect(both).toMatchObject({ code: 7, actions: held.actions });
  expect(at.writes()).toEqual([creation, creation]);
});

test("the word that names the call creates the team exactly one more time", async () => {
  const at = await lostTeamCreation();
  const { word } = wordIn((await plan(at)).ofTeam);
  expect(await apply(at, "--allow", word)).toMatchObject({ code: 0, findings: [] });
  expect(creations(at)).toEqual([0, 201, 201]);
  expect(at.server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
  const sent = at.writes();
  for (const again of [
    word,
    ...["unproven-absence:*", "unproven-absence:Red"].map((what) => `${what}${word.slice(-17)}`),
  ]) {
    expect(await apply(at, "--allow", again)).toMatchObject({ code: 0, actions: [] });
  }
  expect(at.writes()).toEqual(sent);
  at.server.setKnobs({ showTeams: "full" });
  expect(await plan(at)).toMatchObject({ actions: [], findings: [] });
});

test("a plan file carries the word to its apply", async () => {
  const at = await lostTeamCreation();
  const { word } = wordIn((await plan(at)).ofTeam);
  expect(await plan(at, "--out", "p.json", "--allow", word)).toMatchObject({ code: 0, findings: [] });
  expect(at.writes()).toEqual([creation]);
  expect(await told(at, ["apply", "p.json"])).toMatchObject({ code: 0 });
  expect(creations(at)).toEqual([0, 201, 201]);
  expect(at.server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
  expect(await plan(at, "--detailed-exitcode")).toMatchObject({ code: 0, actions: [] });
});

test.each([
  ["another call than the one that may have created the team", "unproven-absence:red@0badca11"],
  ["no call of a team of which nothing is known", "unproven-absence:red@0badca11"],
])("a word that names %s is refused, and settles nothing", async (which, what) => {
  const at = which.startsWith("another")
    ? await lostTeamCreation()
    : await insideScene({ knobs: { showTeams: "created-only" } });
  const sent = at.writes();
  const word = allowanceFor(what, (await plan(at)).stdout);
  for (const run of [await plan(at, "--allow", word), await apply(at, "--allow", word)]) {
    expect(run.code).toBe(5);
    expect(run.stdout).toContain(
      `The allowance ${word} does not apply: no unresolved call 0badca11 creates this team.`,
    );
  }
  expect(at.writes()).toEqual(sent);
});

test("a word for another plan is refused, and names both", async () => {
  const at = await lostTeamCreation();
  const { word } = wordIn((await plan(at)).ofTeam);
  const other = word.replace(/@[0-9a-f]{16}$/u, "@0123456789abcdef");
  const run = await apply(at, "--allow", other);
  expect(run.code).toBe(5);
  expect(run.stdout).toContain(
    `The allowance ${other} is for plan 0123456789abcdef. This is plan ${word.slice(-16)}, so it does not apply.`,
  );
  expect(at.writes()).toEqual([creation]);
});
