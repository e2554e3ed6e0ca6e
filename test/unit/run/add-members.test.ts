import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { emptyState } from "../../../src/model/state.ts";
import { anAddition, person, rolesOfAdded, teamRef } from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { emailOf } from "../../support/roster-builders.ts";
import { aFailure, on } from "../../support/simulated-service.ts";
import { aWorldOf } from "../../support/simulated-world.ts";

const team = teamRef("Ops", "t-ops");
/** What a service says against an addition; undefined where it takes it. */
type Against = (names: readonly string[]) => ReturnType<typeof aFailure> | undefined;

interface Joining extends Scene {
  readonly against?: Against;
  /** Who is a member by now, and who is gone. */
  readonly members?: readonly string[];
  readonly gone?: readonly string[];
}

/** Adds these people to Ops, and replaces the roles of their keys there; what becomes of each of them. */
async function joining(names: readonly string[], { against, members = [], gone = [], ...scene }: Joining = {}) {
  const there = names.filter((name) => !gone.includes(name));
  const world = aWorldOf({
    users: Object.fromEntries(there.map((name) => [name, { identifier: `u-${name}` }])),
    teams: { Ops: { members } },
  });
  const people = names.map((name) => person(name, `u-${name}`));
  const addition = anAddition(team, people);
  const before: Scene["before"] = (call) => {
    const failure = call.route === "add-members" ? against?.(call.identifiers) : undefined;
    return failure === undefined ? undefined : { failure };
  };
  const run = await runPlan([addition, ...names.map((name) => rolesOfAdded(name, team, ["DEVELOPER"]))], {
    world,
    before,
    ...scene,
  });
  const short = (address: string) => address.replace("@acme.example", "");
  const outcome = run.outcome(addition.id);
  const each = outcome?.is === "succeeded" && outcome.learned.kind === "add-members" ? outcome.learned.members : [];
  const refused = run.events.flatMap((event) => (event.type === "member-refused" ? [event] : []));
  return {
    ...run,
    addition,
    outcome,
    /** Who was sent, call by call. */
    sent: run.sent.flatMap((call) => /^add (.*) to t-ops$/u.exec(call)?.[1] ?? []),
    told:
      outcome?.is === "succeeded"
        ? each.map((one) => `${short(one.address)} ${one.outcome.added ? "added" : one.outcome.failure.code}`)
        : [outcome?.is],
    refused: [...new Set(refused.map(({ address, failure }) => `${short(address)} ${failure.code}`))],
    /** For whom the call is open. */
    openFor: run.saved.open.flatMap(({ intent }) => (intent.kind === "add-members" ? intent.addresses.map(short) : [])),
    recorded: [...run.saved.memberships.values()].map(({ address }) => short(address)),
    roles: names.map((name) => run.about(`replace-roles:acc-1/ops ${emailOf(name)}`).split(" because")[0]),
  };
}

const three = ["ada", "bo", "cy"];
const allThree = "u-ada u-bo u-cy";

describe("an addition that the service refuses as a whole because of one", () => {
  test("who is a member by now is made for the others one by one, and nobody is mailed twice", async () => {
    const { told, mails, sent, recorded, open } = await joining(three, { members: ["ada"] });
    expect([told, mails, sent]).toEqual([
      ["ada added", "bo added", "cy added"],
      ["bo", "cy"],
      [allThree, "u-bo", "u-cy"],
    ]);
    expect([recorded.length, open]).toEqual([3, []]);
  });

  test("who is gone is made for the others, whose keys get their roles, and told of that one", async () => {
    const { told, mails, roles } = await joining(["ada", "bo"], { gone: ["ada"] });
    expect([told, mails, roles]).toEqual([["ada not-found", "bo added"], ["bo"], ["skipped", "intended, succeeded"]]);
  });

  test("and then everybody in the same words is not asked for person by person without end", async () => {
    const five = ["ada", "bo", "cy", "di", "ed"];
    const { told, refused, sent } = await joining(five, { against: () => aFailure("not-found", "no such team") });
    expect(sent).toEqual(["u-ada u-bo u-cy u-di u-ed", ...three.flatMap((name) => [name, `u-${name}`])]);
    expect([told, refused]).toEqual([["failed"], five.map((name) => `${name} not-found`)]);
  });

  test("who is the only one has failed, or is a member by now", async () => {
    const { told, sent } = await joining(["ada"], { against: () => aFailure("conflict", "no") });
    expect([told, sent]).toEqual([["failed"], ["u-ada"]]);
    expect((await joining(["ada"], { members: ["ada"] })).told).toEqual(["ada added"]);
  });

  test("stops where it is not known whether one was added, who alone stays open", async () => {
    const lost = { outcome: "unknown", failure: aFailure("unreachable", "lost") } as const;
    const { told, sent, openFor } = await joining(three, {
      members: ["ada"],
      consistency: "learned",
      before: on("add-members", undefined, lost),
    });
    expect([sent, told, openFor]).toEqual([[allThree, "u-bo"], ["unknown"], ["bo"]]);
  });

  test("and which is killed in between leaves open only whom it asked for last", async () => {
    const durable: RunEvent[] = [];
    let isKilled = false;
    const kill = () => {
      isKilled = true;
      return new Promise<undefined>(() => undefined);
    };
    void joining(three, {
      gone: ["cy"],
      append: (events) => void durable.push(...events),
      before: (call) =>
        call.route === "add-members" && call.identifiers.join(" ") === emailOf("bo") ? kill() : undefined,
    });
    while (!isKilled) await new Promise((resolve) => setImmediate(resolve));
    const { open, memberships } = applyEvents(emptyState("l"), durable);
    expect(open).toMatchObject([{ intent: { addresses: [emailOf("bo")] } }]);
    expect([...memberships.values()].map(({ address }) => address)).toEqual([emailOf("ada")]);
  });
});

describe("an addition that is answered without naming everybody", () => {
  const pair = ["ada", "bo"];
  const both = ["ada added", "bo added"];
  /** Adds these of both, and answers so. */
  const answering =
    (
      added: number,
      members: readonly { readonly identifier: string; readonly failure?: { code: "not-found"; message: string } }[],
      listsAdded?: true,
    ): NonNullable<Scene["service"]> =>
    ({ addMembers }) => ({
      async addMembers(asked, names, ...rest) {
        if (added > 0) await addMembers(asked, names.slice(0, added), ...rest);
        return { outcome: "done", value: { members, ...(listsAdded === undefined ? {} : { listsAdded }) } };
      },
    });
  const named = [{ identifier: "u-ada" }];

  test("is told by what reading shows, with the keys", async () => {
    const { told, events, waits } = await joining(pair, { hides: ["added-members"] });
    expect([told, waits]).toEqual([both, []]);
    expect(summarizeRun(events).keys.map(({ prefix }) => prefix)).toEqual(["k3", "k4"]);
  });

  test("and which reading does not show in time did not reach them", async () => {
    const message = "the answer does not name this user, and the service shows that the user was not added";
    const { outcome } = await joining(["ada"], { service: answering(0, []) });
    expect(outcome).toEqual({ is: "failed", failure: { code: "refused", message } });
  });

  test("counts as done for them where keys are hidden, so that nobody is mailed twice", async () => {
    expect((await joining(pair, { hides: ["added-members", "keys"] })).told).toEqual(both);
  });

  test.each<[string, Scene, Partial<Awaited<ReturnType<typeof joining>>>]>([
    [
      "but names some is told for the others by what reading shows",
      { service: answering(2, named) },
      { told: both, openFor: [], recorded: pair, roles: ["intended, succeeded", "intended, succeeded"] },
    ],
    [
      "but names some did not reach the others where reads show those who are named, and not them",
      { service: answering(1, named) },
      { told: ["ada added", "bo refused"], openFor: [], recorded: ["ada"] },
    ],
    [
      "but names some is unknown for the others where no read tells of them, who alone stay open",
      { service: answering(2, named), hides: ["keys"] },
      { told: ["unknown"], openFor: ["bo"], recorded: ["ada"], roles: ["skipped", "skipped"] },
    ],
    [
      "but refuses some, and lists nobody as added, is unknown for the others where no read tells of them",
      {
        service: answering(0, [{ identifier: "u-ada", failure: { code: "not-found", message: "no" } }], true),
        hides: ["keys"],
      },
      {
        outcome: {
          is: "unknown",
          failure: expect.objectContaining({ message: "The answer names other users, and not bo@acme.example" }),
        },
        openFor: ["bo"],
        recorded: [],
      },
    ],
    [
      "but names somebody who is not known by that name counts as done for the others, whoever reads show beside them",
      { service: answering(1, [...named, { identifier: "4711" }]) },
      { told: both },
    ],
  ])("%s", async (_, scene, expected) => {
    expect(await joining(pair, { ...scene, consistency: "learned" })).toMatchObject(expected);
  });
});

/** A service that takes nobody by an identifier, and refuses in words that name nobody. */
const addressesOnly: Against = (names) =>
  names.some((name) => name.startsWith("u-")) ? aFailure("refused", "no such member") : undefined;

describe("a service that does not know members by their identifiers", () => {
  const added = three.map((name) => `${name} added`);
  const nobody = { mails: [], told: ["failed"], refused: three.map((name) => `${name} refused`), open: [] };
  const known = (membersNamedBy: "email" | "identifier"): Scene => ({ state: { writes: { membersNamedBy } } });

  test.each<[string, Joining, string | undefined, object]>([
    [
      "is tried with one person's address before the others, and what it takes is remembered",
      { against: addressesOnly },
      "email",
      { sent: [allThree, ...three], mails: three, told: added },
    ],
    [
      "is tried with the others' addresses also where it takes the first one under neither name",
      {
        against: (names) =>
          names.includes(emailOf("ada")) ? aFailure("refused", "ada is barred") : addressesOnly(names),
      },
      "email",
      {
        sent: [allThree, "ada", "u-ada", "bo", "cy"],
        mails: ["bo", "cy"],
        told: ["ada refused", "bo added", "cy added"],
        refused: ["ada refused"],
      },
    ],
    [
      "is told everybody's address at once by the next run",
      { against: addressesOnly, ...known("email") },
      "email",
      { sent: ["ada bo cy"], mails: three },
    ],
    [
      "and which has been known to take identifiers is not tried with the address",
      { against: addressesOnly, ...known("identifier") },
      "identifier",
      { sent: [allThree, "u-ada", "u-bo", "u-cy"], ...nobody },
    ],
    ["is taken to know them where it takes the first call", {}, "identifier", { sent: [allThree] }],
    [
      "and that refuses addresses alike has failed for everybody, which is recorded of each",
      { against: () => aFailure("refused", "no such member") },
      undefined,
      nobody,
    ],
  ])("%s", async (_, scene, by, expected) => {
    const run = await joining(three, scene);
    expect(run).toMatchObject(expected);
    expect(run.saved.writes?.membersNamedBy).toBe(by);
  });
});

describe("who is sent again after an addition was refused", () => {
  const says =
    (serviceSays?: string): Against =>
    (names) =>
      names.length > 1 ? { ...aFailure("conflict"), ...(serviceSays === undefined ? {} : { serviceSays }) } : undefined;
  const named = says("bo@acme.example cannot be added");

  test.each<[string, Joining, object]>([
    [
      "are those whom reads show outside the team",
      { against: named, members: ["ada"] },
      { sent: [allThree, "u-bo", "u-cy"], mails: ["bo", "cy"], told: ["ada added", "bo added", "cy added"] },
    ],
    [
      "is only whom the refusal names where reads show no keys",
      { against: named, hides: ["keys"] },
      { sent: [allThree, "u-bo"], mails: ["bo"], told: ["ada conflict", "cy conflict", "bo added"] },
    ],
    [
      "is nobody whose name is only a part of the one that it names",
      { against: says("jumbo@acme.example (u-bo-2) is there"), hides: ["keys"] },
      { sent: [allThree] },
    ],
    [
      "is nobody where it names nobody, and reads show no keys",
      { against: says(), hides: ["keys"] },
      { sent: [allThree], mails: [], told: ["failed"], refused: three.map((name) => `${name} conflict`) },
    ],
  ])("%s", async (_, scene, expected) => {
    expect(await joining(three, scene)).toMatchObject(expected);
  });
});

test("whoever was refused by one name is added by the other once another team's addition has shown that it is taken", async () => {
  const users = { ada: { identifier: "u-ada" }, bo: { identifier: "u-bo" } };
  const world = aWorldOf({ users, teams: { Ops: {}, Data: {} } });
  const actions = [
    anAddition(team, [person("ada", "u-ada")]),
    anAddition(teamRef("Data", "t-data"), [person("bo", "u-bo")]),
  ];
  let isAdaIn = false;
  const { sent, mails } = await runPlan(actions, {
    world,
    parallelism: 4,
    async before(call) {
      if (call.route !== "add-members") return undefined;
      // Bo's refusal comes when ada has been added.
      while (call.identifiers.includes("u-bo") && !isAdaIn) await new Promise(setImmediate);
      const failure = addressesOnly(call.identifiers);
      return failure === undefined ? undefined : { failure };
    },
    after(call) {
      if (call.route === "add-members") isAdaIn = true;
      return undefined;
    },
  });
  expect(sent).toEqual(["add u-ada to t-ops", "add u-bo to t-data", "add ada to t-ops", "add bo to t-data"]);
  expect(mails).toEqual(["ada", "bo"]);
});
