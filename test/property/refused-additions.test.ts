import fc from "fast-check";
import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-code.ts";
import { countOutcomes, refusedMembers, summarizeRun } from "../../src/log/summary.ts";
import type { FailureCode } from "../../src/model/failure.ts";
import { emptyState } from "../../src/model/state.ts";
import { planNames } from "../../src/report/document/names.ts";
import { plain } from "../../src/report/document/tree.ts";
import { type FormatName, formats } from "../../src/report/formats.ts";
import { eventPart } from "../../src/report/json/ndjson.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { jsonLine } from "../../src/report/safe.ts";
import { progressLine } from "../../src/report/text/lines.ts";
import { anAddition, aPlan, person, teamRef } from "../support/action-builders.ts";
import { alwaysAsync } from "../support/always.ts";
import { applied, emptyService } from "../support/apply-run.ts";
import { memorySession } from "../support/memory-session.ts";
import { emailOf } from "../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../support/simulated-world.ts";

const names = ["ada", "bo", "cy", "di", "ed"] as const;
const team = teamRef("Ops", "t-ops");

const statuses: Readonly<Record<number, FailureCode>> = {
  400: "refused",
  404: "not-found",
  409: "conflict",
  422: "refused",
};

/** How a service refuses an addition because of some of its people. */
const anyRefusal = fc.record({
  people: fc.subarray([...names], { minLength: 1 }),
  refuses: fc.subarray([...names], { minLength: 1 }),
  status: fc.constantFrom(...Object.keys(statuses).map(Number)),
  naming: fc.constantFrom("identifier", "email", "nobody"),
  knowsBy: fc.constantFrom("identifier", "email", "both"),
});
type Refusal = typeof anyRefusal extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Applies the addition of these people, where the service refuses each call with one of those in it. */
async function addTo({ people, refuses, status, naming, knowsBy }: Refusal) {
  const world = aWorld();
  putTeam(world, { name: team.name, identifier: "t-ops" });
  const users = people.map((name) => putUser(world, { email: emailOf(name), identifier: `u-${name}` }));
  const isRefused = (named: string) => {
    const isIdentifier = named.startsWith("u-");
    if (knowsBy !== "both" && (knowsBy === "identifier") !== isIdentifier) return true;
    return refuses.some((name) => named === `u-${name}` || named === emailOf(name));
  };
  const service = emptyService({
    world,
    before(call) {
      const named = call.route === "add-members" ? call.identifiers.find(isRefused) : undefined;
      if (named === undefined) return undefined;
      const name = named.replace(/^u-|@.*$/gu, "");
      const serviceSays = { identifier: `no u-${name}`, email: `no ${emailOf(name)}`, nobody: "no" }[naming];
      return { failure: { code: statuses[status] ?? "refused", message: "not added", status, serviceSays } };
    },
  });
  const action = anAddition(
    team,
    people.map((name) => person(name, `u-${name}`)),
  );
  const events = await applied([action], service, { session: memorySession(emptyState("l")) });
  const added = users.filter(({ keys }) => keys.some((key) => key.team === "t-ops")).map(({ email }) => email);
  return { action, events, added, without: people.map(emailOf).filter((email) => !added.includes(email)) };
}

type Applied = Awaited<ReturnType<typeof addTo>>;

function outcomeOf({ action, events }: Applied) {
  const plan = aPlan([action]);
  const run = summarizeRun(events);
  const exitCode = exitCodeOf({ command: "apply", plan, run, tells: "what-remains" });
  return { command: "apply", exitCode, diagnostics: [], plan, run } as const;
}

const none = { succeeded: 0, unneeded: 0, failed: 0, unknown: 0, skipped: 0, stale: 0 };

/** What each format has to say of an addition that failed for somebody. GitLab's report is about the plan alone. */
const saysFailed: Readonly<Record<FormatName, RegExp>> = {
  text: /^ {2}! (?:failed|refused): invite /mu,
  json: /"outcome":\s*"failed"|"added":\s*false/u,
  ndjson: /"type":"failed"|"added":false/u,
  github: /^::error .*not added/mu,
  gitlab: /"severity":\s*"(?:major|critical|blocker)"/u,
  "gitlab-terraform": /^\{"create":\d+,"update":0,"delete":0\}\n$/u,
  sarif: /"level":\s*"error"/u,
  prometheus: /^roster_last_run_success\{[^}]*\} 0$/mu,
  markdown: /\*\*(?:failed|refused)\*\*/u,
  html: /<span class="alarm">(?:failed|refused)<\/span>/u,
};

/** The formats that name everybody who was refused while others were added. */
const naming: readonly FormatName[] = ["text", "json", "ndjson", "github", "sarif", "markdown", "html"];

const saysDone = /checked in[^\n]*it was done(?! for)/u;

type Told = readonly [FormatName, string];

async function everyFormat(): Promise<(outcome: CommandOutcome) => Promise<readonly Told[]>> {
  const all = Object.keys(formats) as FormatName[];
  const renders = await Promise.all(all.map(async (name) => ({ name, render: await formats[name].load() })));
  return (outcome) =>
    Promise.all(
      renders.map(async ({ name, render }) => [name, (await render(outcome, { paint: plain })).stdout] as const),
    );
}

type End = "everybody" | "some" | "nobody";

/** What the exit code and the outcome of the only action are. */
const ends: Readonly<Record<End, readonly [number, "succeeded" | "failed"]>> = {
  everybody: [0, "succeeded"],
  some: [7, "succeeded"],
  nobody: [7, "failed"],
};

function endOf({ added, without }: Applied): End {
  if (without.length === 0) return "everybody";
  return added.length === 0 ? "nobody" : "some";
}

/** Exit code, counts and events of one run agree with what the service has done. */
function expectAgreement(one: Applied): void {
  const end = endOf(one);
  const [exitCode, is] = ends[end];
  const { run, ...outcome } = outcomeOf(one);
  const ended = run.outcomes.get(one.action.id);
  expect([outcome.exitCode, ended?.is, countOutcomes(run)]).toEqual([exitCode, is, { ...none, [is]: 1 }]);
  const refused =
    end === "some" && ended !== undefined
      ? refusedMembers(ended)
      : one.events.filter((event) => event.type === "member-refused");
  const told = [...new Set(refused.map(({ address }) => address))];
  if (end !== "everybody") expect(told.sort()).toEqual([...one.without].sort());
}

/** What somebody reads while the run goes on, and afterwards in each format. */
async function everythingTold(
  one: Applied,
  render: (outcome: CommandOutcome) => Promise<readonly Told[]>,
): Promise<readonly Told[]> {
  const outcome = outcomeOf(one);
  const names = planNames(outcome.plan);
  const lines = one.events.map((event) => jsonLine(eventPart(event, names))).join("");
  const live = one.events.flatMap((event) => progressLine(event, outcome.plan) ?? []).join("\n");
  return (await render(outcome)).map(([name, text]) => {
    if (name === "ndjson") return [name, lines + text];
    return name === "text" ? [name, `${text}\n${live}`] : [name, text];
  });
}

test("a refused addition has failed in every output, and exit code, counts and events agree", async () => {
  const without = Object.keys(formats).filter((name) => !Object.hasOwn(saysFailed, name));
  expect(without, "Formats without a row in `saysFailed`").toEqual([]);
  const render = await everyFormat();
  const seen = new Set<End>();
  await alwaysAsync({ seed: 11, numRuns: 80 }, anyRefusal, async (drawn) => {
    const one = await addTo(drawn);
    const end = endOf(one);
    seen.add(end);
    expectAgreement(one);
    if (end === "everybody") return;
    for (const [name, text] of await everythingTold(one, render)) {
      expect([name, text]).toEqual([name, expect.stringMatching(saysFailed[name])]);
      expect([name, text]).not.toEqual([name, expect.stringMatching(saysDone)]);
      const missing =
        end === "some" && naming.includes(name) ? one.without.filter((email) => !text.includes(email)) : [];
      expect([name, missing]).toEqual([name, []]);
    }
  });
  expect([...seen].sort()).toEqual(["everybody", "nobody", "some"]);
});
