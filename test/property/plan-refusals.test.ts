import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { usersObserved } from "../../src/log/observed-events.ts";
import { formatSubject } from "../../src/model/fact.ts";
import type { FailureCode } from "../../src/model/failure.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import { defaultPrivilegedRoles } from "../../src/model/values.ts";
import { momentOf } from "../../src/ports/clock.ts";
import { applyPlan } from "../../src/run/run.ts";
import { alwaysAsync } from "../support/always.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { memorySession } from "../support/memory-session.ts";
import { aPeopleReader } from "../support/people-reader.ts";
import { planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, type Situation, sceneOf } from "../support/random-situations.ts";
import { aFailure, type ServiceCall, simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

/** A service that has something against some people, teams and keys, and will always have. */
interface Objections {
  readonly people: readonly number[];
  readonly teams: readonly number[];
  readonly members: readonly number[];
  readonly roles: readonly string[];
  readonly code: FailureCode;
  /** Says of whom it speaks, so that no two refusals read alike. */
  readonly precise: boolean;
}

const objections: fc.Arbitrary<Objections> = fc.record({
  people: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7], { maxLength: 3 }),
  teams: fc.subarray([0, 1, 2, 3, 4], { maxLength: 2 }),
  members: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7], { maxLength: 3 }),
  roles: fc.subarray(["DEVELOPER", "AUDITOR"]),
  code: fc.constantFrom("refused", "conflict"),
  precise: fc.boolean(),
});

const drawn = fc.record({
  situation: anySituation,
  against: objections,
  hides: fc.constantFrom<readonly Hidden[]>([], [], ["roles"], ["user-identifiers"], ["created-key", "added-members"]),
});

// Slow machines may take their time; the number of runs is what is bounded.
/** More applies than any team has members who can be tried as its first member. */
const applies = 12;

describe("a service that refuses some things for good", () => {
  test("is never sent in a later run what it refused of those who were there, and in the end nothing at all, until a person says so", async () => {
    await alwaysAsync({ seed: 20261120, numRuns: runs(300, 20) }, drawn, async ({ situation, against, hides }) => {
      const { world, roster, sent, refused, state, plan } = await story(situation, against, hides);
      sent.forEach((requests, run) => {
        const before = new Set(refused.slice(0, run).flat());
        expect(requests.filter((request) => before.has(request))).toEqual([]);
      });
      expect(sent.at(-1)).toEqual([]);
      expect(plan.actions).toEqual([]);
      const again = planFor(roster, world, state, { hides, retryRefused: true });
      expect(again.findings.filter(({ code, kind }) => code === "refused" && kind === "task")).toEqual([]);
      expect(again.actions.length > 0).toBe(told(plan).length > 0);
    });
  });

  test("is asked again as soon as the roster or what is shown has changed", async () => {
    await alwaysAsync({ seed: 7, numRuns: runs(300, 20) }, drawn, async ({ situation, against, hides }) => {
      const { world, roster, state, plan } = await story(situation, against, hides);
      const users = new Map([...roster.users].map(([key, user]) => [key, { ...user, title: "New" }]));
      const inOtherWords = planFor({ ...roster, users }, world, state, { hides });
      expect(told(inOtherWords).filter((subject) => /^(?:user|team) /u.test(subject))).toEqual([]);
      for (const account of world.accounts.values()) account.status = "trial";
      for (const user of world.users) if (user.status !== "deleted") user.status = `${user.status} `;
      const after = planFor(roster, world, state, { hides });
      expect(told(after)).toEqual([]);
      expect(after.actions.length > 0).toBe(told(plan).length > 0);
    });
  });
});

/** Applies the same roster again and again over one world and one state. */
async function story(situation: Situation, against: Objections, hides: readonly Hidden[]) {
  const { roster, world } = sceneOf(situation);
  const clock = clockAt(noon);
  const sent: string[][] = [];
  const refused: string[][] = [];
  let state: State = emptyState("l");
  let plan = planFor(roster, world, state, { hides });
  const isStill = () => sent.at(-1)?.length === 0;
  for (let run = 0; run < applies && !isStill(); run += 1) {
    const [now, no]: [string[], string[]] = [[], []];
    const before = namesIn(world);
    const service = simulatedService({
      world,
      hides,
      before(call) {
        const requests = requestsOf(call);
        now.push(...requests);
        const objection = objectionTo(call, against, world);
        if (objection === undefined) return undefined;
        // Of several people one alone may be meant. What the run has just made may be refused for that alone.
        if (requests.length === 1 && isAboutKnown(call, before)) no.push(...requests);
        return { failure: { ...aFailure(against.code), serviceSays: against.precise ? objection : "no" } };
      },
    });
    const snapshot = snapshotOf(world, { roster, hides });
    const session = memorySession(state);
    const seen = usersObserved(roster, snapshot, state, { at: noon, allowed: [] });
    await session.append(seen === undefined ? [] : [seen]);
    plan = planFor(roster, world, state, { hides });
    const { capabilities, readAt } = snapshot;
    const factsRead = { ...momentOf(clock), wall: Date.parse(readAt) };
    const work = { plan, run: `r${run}`, factsRead, capabilities, privilegedRoles: defaultPrivilegedRoles };
    const people = aPeopleReader(service);
    const events = applyPlan(work, { service, people, session, clock, parallelism: 4 });
    while (!(await events.next()).done);
    state = applyEvents(state, session.durable);
    clock.move(10_000);
    sent.push(now);
    refused.push(no);
  }
  return { roster, world, sent, refused, state, plan: planFor(roster, world, state, { hides }) };
}

function planFor(
  roster: Roster,
  world: World,
  state: State,
  { hides, retryRefused = false }: { readonly hides: readonly Hidden[]; readonly retryRefused?: boolean },
): Plan {
  const allows = ["unproven-absence:*", ...(retryRefused ? ["refused:*"] : [])];
  return planned({ roster, allows, state, snapshot: snapshotOf(world, { roster, hides }) });
}

function told({ findings }: Plan): readonly string[] {
  return findings.filter(({ code }) => code === "refused").map(({ subject }) => formatSubject(subject));
}

/** A write as one request for each person, team and key that it is about. */
function requestsOf(call: ServiceCall): readonly string[] {
  switch (call.route) {
    case "create-user":
      return [JSON.stringify([call.account, call.user, call.team])];
    case "add-members":
      return call.identifiers.map((identifier) => JSON.stringify([call.team, identifier]));
    case "replace-roles":
      return [JSON.stringify([call.prefix, call.roles])];
    default:
      return [];
  }
}

function namesIn({ users, teams }: World): ReadonlySet<string | undefined> {
  const people = users.flatMap(({ identifier, email, keys }) => [
    identifier,
    email,
    ...keys.map(({ prefix }) => prefix),
  ]);
  return new Set([undefined, ...people, ...teams.keys()]);
}

function isAboutKnown(call: ServiceCall, names: ReadonlySet<string | undefined>): boolean {
  switch (call.route) {
    case "create-user":
      return names.has(call.team?.adminUserIdentifier);
    case "add-members":
      return [call.team, ...call.identifiers].every((one) => names.has(one));
    case "replace-roles":
      return names.has(call.prefix);
    default:
      return false;
  }
}

function objectionTo(call: ServiceCall, against: Objections, world: World): string | undefined {
  switch (call.route) {
    case "create-user": {
      if (against.people.some((index) => call.user.email.startsWith(`p${index}@`))) return call.user.email;
      const isBad = against.teams.some((index) => call.team?.name === `Team ${index}`);
      return isBad ? `${call.team?.name} with ${call.user.email}` : undefined;
    }
    case "add-members": {
      const names = call.identifiers.map(
        (one) => world.users.find(({ identifier }) => identifier === one)?.email ?? one,
      );
      return names.find((name) => against.members.some((index) => name.startsWith(`p${index}@`)));
    }
    case "replace-roles":
      return call.roles.find((role) => against.roles.includes(role));
    default:
      return undefined;
  }
}
