import { describe, expect, test } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { anAddition, person, teamRef } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService } from "../../support/apply-run.ts";
import { memorySession } from "../../support/memory-session.ts";
import { emailOf } from "../../support/roster-builders.ts";
import { aFailure, type ServiceCall, type SimulatedService } from "../../support/simulated-service.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../support/simulated-world.ts";

type Refusal = ReturnType<typeof aFailure>;

/** What a service says against an addition; undefined where it takes it. */
type Against = (names: readonly string[]) => Refusal | undefined;

const names = ["ada", "bo", "cy"];
const ops = teamRef("Ops", "t-ops");
const addition = anAddition(
  ops,
  names.map((name) => person(name, `u-${name}`)),
);

/** A service that takes nobody by an identifier, and refuses in words that name nobody. */
const addressesOnly: Against = (asked) =>
  asked.some((name) => name.startsWith("u-")) ? aFailure("refused", "no such member") : undefined;

/** Ada, bo and cy are there; who of them is in the team is given. */
async function adding(
  against: Against,
  wish: { state?: State; members?: readonly string[]; hides?: readonly ["keys"] } = {},
) {
  const { state = emptyState("l"), members = [], hides = [] } = wish;
  const world = aWorld();
  putTeam(world, { name: "Ops", identifier: "t-ops" });
  for (const name of names) {
    const user = putUser(world, { email: emailOf(name), identifier: `u-${name}` });
    if (members.includes(name)) giveTeamKey(world, user, "t-ops", []);
  }
  const simulated = emptyService({
    world,
    hides,
    before(call) {
      const failure = call.route === "add-members" ? against(call.identifiers) : undefined;
      return failure === undefined ? undefined : { failure };
    },
  });
  const session = memorySession(state);
  const events = await applied([addition], simulated, { session });
  const mails = simulated.outbox.map(({ email }) => email);
  return { events, asked: askedIn(simulated.calls), mails, state: session.saved() };
}

function askedIn(calls: readonly ServiceCall[]): readonly (readonly string[])[] {
  return calls.flatMap((call) => (call.route === "add-members" ? [call.identifiers] : []));
}

/** What was told of each person at last. */
function toldOf(events: readonly RunEvent[]): readonly string[] {
  const outcome = summarizeRun(events).outcomes.get(addition.id);
  if (outcome?.is !== "succeeded" || outcome.learned.kind !== "add-members") return [outcome?.is ?? "nothing"];
  return outcome.learned.members.map(
    ({ address, outcome: end }) => `${address.replace(/@.*/u, "")} ${end.added ? "added" : end.failure.code}`,
  );
}

/** Whose refusal was recorded. */
function refusedIn(events: readonly RunEvent[]): readonly string[] {
  return [...new Set(events.flatMap((event) => (event.type === "member-refused" ? [event.address] : [])))];
}

const emails = names.map(emailOf);

describe("a service that does not know members by their identifiers", () => {
  test("is tried with one person's address before the others, and what it takes is remembered", async () => {
    const { asked, mails, state, events } = await adding(addressesOnly);
    expect({ asked, mails, told: toldOf(events), by: state.writes?.membersNamedBy }).toEqual({
      asked: [["u-ada", "u-bo", "u-cy"], ["ada@acme.example"], ["bo@acme.example"], ["cy@acme.example"]],
      mails: emails,
      told: ["ada added", "bo added", "cy added"],
      by: "email",
    });
  });

  test("is tried with the others' addresses also where it takes the first one under neither name", async () => {
    const withoutAda: Against = (asked) =>
      asked.includes("ada@acme.example") ? aFailure("refused", "ada is barred") : addressesOnly(asked);
    const { asked, mails, state, events } = await adding(withoutAda);
    expect({ asked: asked.slice(1), mails, told: toldOf(events), by: state.writes?.membersNamedBy }).toEqual({
      asked: [["ada@acme.example"], ["u-ada"], ["bo@acme.example"], ["cy@acme.example"]],
      mails: ["bo@acme.example", "cy@acme.example"],
      told: ["ada refused", "bo added", "cy added"],
      by: "email",
    });
    expect(refusedIn(events)).toEqual(["ada@acme.example"]);
  });

  test("is told everybody's address at once by the next run", async () => {
    const first = await adding(addressesOnly);
    const { asked, mails } = await adding(addressesOnly, {
      state: { ...emptyState("l"), writes: first.state.writes ?? {} },
    });
    expect({ asked, mails }).toEqual({ asked: [emails], mails: emails });
  });

  test("and which has been known to take identifiers is not tried with the address", async () => {
    const writes = { membersNamedBy: "identifier" } as const;
    const { asked, mails, events } = await adding(addressesOnly, { state: { ...emptyState("l"), writes } });
    expect({ asked, mails, told: toldOf(events) }).toEqual({
      asked: [["u-ada", "u-bo", "u-cy"], ["u-ada"], ["u-bo"], ["u-cy"]],
      mails: [],
      told: ["failed"],
    });
  });

  test("is taken to know them where it takes the first call", async () => {
    const { asked, state } = await adding(() => undefined);
    expect({ asked, by: state.writes?.membersNamedBy }).toEqual({
      asked: [["u-ada", "u-bo", "u-cy"]],
      by: "identifier",
    });
  });

  test("and that refuses addresses alike has failed for everybody, which is recorded of each", async () => {
    const { mails, events, state } = await adding(() => aFailure("refused", "no such member"));
    expect(aboutAction(events, addition.id).filter((told) => /resolved|succeeded/u.test(told))).toEqual([]);
    expect({ mails, told: toldOf(events), open: state.open, by: state.writes?.membersNamedBy }).toEqual({
      mails: [],
      told: ["failed"],
      open: [],
      by: undefined,
    });
    expect(aboutAction(events, addition.id).at(-1)).toBe(`failed ${addition.id}: refused`);
    expect(refusedIn(events)).toEqual(emails);
  });
});

describe("who is sent again after an addition was refused", () => {
  const onlyAlone: Against = (asked) =>
    asked.length > 1 ? { ...aFailure("conflict"), serviceSays: "bo@acme.example cannot be added" } : undefined;

  test("are those whom reads show outside the team", async () => {
    const { asked, mails, events } = await adding(onlyAlone, { members: ["ada"] });
    expect({ asked: asked.slice(1), mails, told: toldOf(events) }).toEqual({
      asked: [["u-bo"], ["u-cy"]],
      mails: [emailOf("bo"), emailOf("cy")],
      told: ["ada added", "bo added", "cy added"],
    });
  });

  test("is only whom the refusal names where reads show no keys", async () => {
    const { asked, mails, events } = await adding(onlyAlone, { hides: ["keys"] });
    expect({ asked: asked.slice(1), mails, told: toldOf(events) }).toEqual({
      asked: [["u-bo"]],
      mails: [emailOf("bo")],
      told: ["ada conflict", "cy conflict", "bo added"],
    });
  });

  test("is nobody whose name is only a part of the one that it names", async () => {
    const against: Against = (asked) =>
      asked.length > 1 ? { ...aFailure("conflict"), serviceSays: "jumbo@acme.example (u-bo-2) is there" } : undefined;
    const { asked } = await adding(against, { hides: ["keys"] });
    expect(asked.slice(1)).toEqual([]);
  });

  test("is nobody where it names nobody, and reads show no keys", async () => {
    const { asked, mails, events } = await adding((sent) => (sent.length > 1 ? aFailure("conflict") : undefined), {
      hides: ["keys"],
    });
    expect({ asked, mails, told: toldOf(events), refused: refusedIn(events) }).toEqual({
      asked: [["u-ada", "u-bo", "u-cy"]],
      mails: [],
      told: ["failed"],
      refused: emails,
    });
  });
});

test("whoever was refused by one name is added by the other once another team's addition has shown that it is taken", async () => {
  const world = aWorld();
  const teams = [ops, teamRef("Data", "t-data")];
  for (const { name } of teams) putTeam(world, { name, identifier: `t-${name.toLowerCase()}` });
  for (const name of names) putUser(world, { email: emailOf(name), identifier: `u-${name}` });
  const simulated: SimulatedService = emptyService({
    world,
    async before(call) {
      if (call.route !== "add-members") return undefined;
      // Bo's refusal comes when ada has been added.
      while (call.identifiers.includes("u-bo") && simulated.outbox.length === 0) await new Promise(setImmediate);
      const failure = addressesOnly(call.identifiers);
      return failure === undefined ? undefined : { failure };
    },
  });
  const actions = teams.map((team, index) => anAddition(team, [person(names[index] ?? "", `u-${names[index]}`)]));
  await applied(actions, simulated, { parallelism: 4 });
  expect(askedIn(simulated.calls)).toEqual([["u-ada"], ["u-bo"], [emailOf("ada")], [emailOf("bo")]]);
  expect(simulated.outbox.map(({ email }) => email)).toEqual([emailOf("ada"), emailOf("bo")]);
});
