import { expect, onTestFinished, test } from "vitest";
import { emptyState, type State } from "../../src/model/state.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import type { AtEnd } from "../support/command.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { openIntent } from "../support/event-builders.ts";
import { logOfState } from "../support/kept-log.ts";
import { addressOf } from "../support/roster-builders.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { redSeed } from "../support/trap-rosters.ts";
import { type Scene, scene, standing } from "../support/trap-scene.ts";

/** Bo alone is managed; the team has others. No key of a roster's person shows a team. */
const roster = `version: 1
account: acc-1
users: [{ email: bo@acme.example, firstName: Bo, lastName: Diaz }]
teams: [{ name: Red, identifier: t-red, open: true, members: [{ user: bo@acme.example }] }]
`;
const red = { team: teamKeyOf("acc-1", "Red"), name: "Red", account: "acc-1", identifier: "t-red" };

/** A run died at this time, when it had sent the addition. */
function died(at: string): State {
  const addition = { kind: "add-members", ...red, addresses: [addressOf("bo")] } as const;
  return { ...emptyState("ours"), serial: 7, open: [openIntent("r1", "add-members:acc-1/red", addition, at)] };
}

async function left(atEnd: AtEnd, at: string): Promise<Scene> {
  const made = await scene(atEnd, {
    knobs: { showTeams: "created-only" },
    seed: redSeed(["ada", "bo"], ["ada"]),
    roster,
    time: "virtual",
  });
  await writeRoster(made.directory, logOfState(".roster/log.jsonl", died(at)));
  return made;
}

const long = "2020-01-01T00:00:00.000Z";
const inDoubt = "!unknown-outcome additions to team acc-1/red";
const there = ["Red: ada@acme.example, bo@acme.example"];

test("an addition that reads never tell is sent again by the word that the plan prints, once", async () => {
  const at = await left(onTestFinished, long);
  const held = await at.apply();
  expect({ code: held.code, findings: held.findings, mails: standing(at.server).mails }).toEqual({
    code: 7,
    findings: [inDoubt],
    mails: [],
  });
  const words = printedWords(held.output.stdout);
  expect(words.map(({ what }) => what)).toEqual(["unknown-outcome:red/bo@acme.example"]);
  const done = await at.apply(...words.flatMap(({ word }) => ["--allow", word]));
  const after = [await at.apply(), await at.plan()];
  expect({ codes: [done.code, ...after.map(({ code }) => code)], ...standing(at.server) }).toMatchObject({
    codes: [0, 0, 0],
    teams: there,
    mails: ["Red bo@acme.example"],
  });
});

test("an addition that reads never tell is resolved by `state resolve`, as its finding says", async () => {
  const at = await left(onTestFinished, long);
  const told = (await at.run(["plan"])).stdout.replaceAll(/\s+/gu, " ");
  expect(told).toContain("Reads still do not show who is in the team.");
  const [, call = ""] = /run `roster state resolve ([0-9a-f]{8})` with `done` or `not-done`/u.exec(told) ?? [];
  expect((await at.run(["state", "resolve", call, "not-done"])).code).toBe(0);
  // That this call added nobody does not say that nobody else did: keys show no teams.
  const held = await at.apply();
  const words = printedWords(held.output.stdout).map(({ word }) => word);
  expect({ code: held.code, ...standing(at.server) }).toMatchObject({ code: 9, mails: [] });
  const done = await at.apply(...words.flatMap((word) => ["--allow", word]));
  expect({ code: done.code, ...standing(at.server) }).toMatchObject({
    code: 0,
    teams: there,
    mails: ["Red bo@acme.example"],
  });
});

test("within the consistency window no word is offered: reads may be late", async () => {
  const at = await left(onTestFinished, new Date().toISOString());
  const { stdout } = await at.run(["plan", "--format", "json"], { ROSTER_CONSISTENCY: "1h" });
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { code: string; subject: string }[] };
  expect({
    findings: findings.map(({ code, subject }) => `${code} ${subject}`),
    words: printedWords(stdout),
  }).toEqual({ findings: ["unknown-outcome additions to team acc-1/red"], words: [] });
});
