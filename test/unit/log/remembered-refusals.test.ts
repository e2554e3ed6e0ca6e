import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { allowedRetries } from "../../../src/log/remembered-refusals.ts";
import type { AddedMember, RunEvent } from "../../../src/model/event.ts";
import type { CreationIntent, Failure, FailureCode, RecordedRefusal } from "../../../src/model/recorded.ts";
import { emptyState } from "../../../src/model/state.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  notAdded,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { aRefusal, asking, asks, refusalMap, taken } from "../../support/refusal-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const empty = emptyState("lineage-1");
const service = "https://simulated.example";
const quarterPast = "2026-11-20T12:15:00.000Z";
const noUser: Failure = { code: "not-found", message: "no user" };
const forbidden: Failure = { code: "forbidden", message: "no" };
const [creation, teamCreation, addition] = [asks.creation("ada"), asks.teamCreation("ada"), asks.addition("ada")];
const roles = asks.roles("k-1", ["DEVELOPER"]);
const everything = [creation, teamCreation, addition, roles].map((part) => aRefusal(part));

const create = (name: string, team?: string) => intended("r1", `c-${name}`, asking(creationIntent(name, team)));
const foundUnder = (name: string, admin: string) => {
  const intent = creationIntent(name, "Science") as CreationIntent;
  const createsTeam = { team: science, name: "Science", accessKeyRoles: ["TEAM_ROLE"], admin: addressOf(admin) };
  return intended("r1", `c-${name}`, asking({ ...intent, createsTeam }));
};
const add = (...names: readonly string[]) => intended("r1", "a", asking(additionIntent(...names)));
const put = (prefix: string) => intended("r1", `p-${prefix}`, asking(rolesIntent(prefix, "DEVELOPER")));
const failed = (action: string, failure: Failure = taken): RunEvent => ({ type: "failed", at: noon, action, failure });
const settledFor = (action: string, ...members: readonly AddedMember[]): RunEvent => {
  return { type: "resolved", at: noon, run: "r1", action, as: { done: true, learned: addedTo(...members) } };
};
const met = (...names: readonly string[]): RunEvent => {
  const people = names.map((name) => ({ address: addressOf(name), email: emailOf(name), account: "acc-1" }));
  return { type: "users-observed", at: noon, service, people, teams: [] };
};

interface Case {
  readonly before?: readonly RecordedRefusal[];
  readonly events: readonly RunEvent[];
  readonly refused: readonly RecordedRefusal[];
}

const cases: Readonly<Record<string, Case>> = {
  "a creation that was refused, with the service's words": {
    events: [create("ada"), failed("c-ada")],
    refused: [aRefusal(creation)],
  },
  "a creation of a team that was refused, as the pair of team and first member": {
    events: [create("ada", "Science"), failed("c-ada")],
    refused: [aRefusal(teamCreation)],
  },
  "a conflict that was not resolved as somebody who is there": {
    events: [create("ada"), failed("c-ada", { code: "conflict", message: "taken" })],
    refused: [aRefusal(creation, { failure: { code: "conflict", message: "taken" } })],
  },
  "one person's part of an addition that was answered": {
    events: [add("ada", "bo"), succeeded("a", addedTo(notAdded("ada", taken), added("bo")))],
    refused: [aRefusal(addition)],
  },
  "the one person of an addition that was refused whole": {
    events: [add("ada"), failed("a")],
    refused: [aRefusal(addition)],
  },
  "whoever was refused one by one, and the others who were refused with them and not asked for again": {
    events: [
      add("ada", "bo", "cy"),
      add("bo"),
      settledFor("a", notAdded("bo", taken)),
      succeeded("a", addedTo(notAdded("bo", taken), notAdded("ada", taken), notAdded("cy", taken))),
    ],
    refused: [aRefusal(asks.addition("bo")), aRefusal(addition), aRefusal(asks.addition("cy"))],
  },
  "the roles of a key": { events: [put("k-1"), failed("p-k-1")], refused: [aRefusal(roles)] },
  "nothing of requests about what the same plan creates: they have no digest": {
    events: [
      intended("r1", "c", creationIntent("ada", "Science")),
      failed("c"),
      intended("r1", "a", additionIntent("ada")),
      succeeded("a", addedTo(notAdded("ada", { code: "conflict", message: "taken" }))),
      intended("r1", "p", rolesIntent("k-1", "DEVELOPER")),
      failed("p"),
    ],
    refused: [],
  },
  "what was not found": {
    events: [put("k-1"), failed("p-k-1", { code: "not-found", message: "no key" })],
    refused: [aRefusal(roles, { failure: { code: "not-found", message: "no key" } })],
  },
  "nothing that was not found within the consistency window of what we made": {
    events: [
      create("ada"),
      succeeded("c-ada", created("ada")),
      add("ada"),
      failed("a", { code: "refused", status: 422, message: "no user" }),
    ],
    refused: [],
  },
  "nothing of a key that we were given a moment ago": {
    events: [
      add("ada"),
      succeeded("a", addedTo(added("ada", "k-1"))),
      put("k-1"),
      failed("p-k-1", { code: "refused", status: 400, message: "no key" }),
    ],
    refused: [],
  },
  "nothing of a key of a membership that we gave a moment ago, of which a read alone told the prefix": {
    events: [
      add("ada"),
      succeeded("a", addedTo(added("ada"))),
      intended("r1", "p", asking({ ...rolesIntent("k-1", "DEVELOPER"), owner: addressOf("ada"), team: science })),
      failed("p", noUser),
    ],
    refused: [],
  },
  "nothing of a creation of a team whose administrator was created a moment ago": {
    events: [
      create("bo"),
      succeeded("c-bo", created("bo")),
      foundUnder("ada", "bo"),
      failed("c-ada", { code: "not-found", message: "no administrator" }),
    ],
    refused: [],
  },
  "nothing of such a creation that a crash left open, and that was resolved when the window was over": {
    events: [
      create("bo"),
      succeeded("c-bo", created("bo")),
      foundUnder("ada", "bo"),
      { type: "declined", at: noon, action: "c-ada", failure: { code: "not-found", message: "no administrator" } },
      { type: "resolved", at: "2026-11-20T12:30:00.000Z", run: "r1", action: "c-ada", as: { done: false } },
    ],
    refused: [],
  },
  "a creation of a team whose administrator had been there": {
    events: [foundUnder("ada", "bo"), failed("c-ada", { code: "not-found", message: "no administrator" })],
    refused: [aRefusal(teamCreation, { failure: { code: "not-found", message: "no administrator" } })],
  },
  "what was not found when the window was over": {
    events: [
      create("ada"),
      succeeded("c-ada", created("ada")),
      { ...add("ada"), dated: { by: "service", at: quarterPast } },
      { type: "failed", at: quarterPast, action: "a", failure: noUser },
    ],
    refused: [aRefusal(addition, { at: quarterPast, failure: noUser })],
  },
  "nothing that was not found in the window by the service's clock, where this machine's clock runs ahead": {
    events: [
      create("ada"),
      succeeded("c-ada", created("ada")),
      { ...add("ada"), at: quarterPast },
      { type: "failed", at: quarterPast, action: "a", failure: noUser },
    ],
    refused: [],
  },
  "nobody of an addition who was not found in the window by the service's clock either": {
    events: [
      create("ada"),
      succeeded("c-ada", created("ada")),
      { ...add("ada", "bo"), at: quarterPast },
      { ...succeeded("a", addedTo(notAdded("ada", noUser), notAdded("bo", noUser))), at: quarterPast },
    ],
    refused: [aRefusal(asks.addition("bo"), { at: quarterPast, failure: noUser })],
  },
  "nothing that is forbidden where the key in use was allowed nothing of the kind": {
    events: [create("ada"), failed("c-ada", forbidden), put("k-1"), failed("p-k-1", forbidden)],
    refused: [],
  },
  "what is forbidden where another of the kind was allowed, before or after": {
    events: [
      create("cy"),
      succeeded("c-cy", created("cy")),
      create("ada"),
      failed("c-ada", forbidden),
      add("ada", "bo"),
      succeeded("a", addedTo(notAdded("ada", forbidden), added("bo"))),
      put("k-1"),
      failed("p-k-1", forbidden),
      put("k-2"),
      succeeded("p-k-2", { kind: "replace-roles", prefix: "k-2" }),
    ],
    refused: [creation, addition, roles].map((part) => aRefusal(part, { failure: forbidden })),
  },
  "nothing that is forbidden because an earlier run was allowed its like": {
    events: [
      put("k-2"),
      succeeded("p-k-2", { kind: "replace-roles", prefix: "k-2" }),
      runStarted("r1"),
      put("k-1"),
      failed("p-k-1", forbidden),
    ],
    refused: [],
  },
  "the latest refusal of one request alone, beside another request of the same person": {
    before: [aRefusal(creation, { at: "earlier", request: "other" }), aRefusal(creation, { at: "earlier" })],
    events: [create("ada"), failed("c-ada")],
    refused: [aRefusal(creation, { at: "earlier", request: "other" }), aRefusal(creation)],
  },
  "a refusal still, where sending once more did not come through": {
    before: [aRefusal(creation)],
    events: [create("ada"), failed("c-ada", { code: "service-error", message: "down" })],
    refused: [aRefusal(creation)],
  },
  "no creation nor creation of a team of somebody who was created": {
    before: everything,
    events: [create("ada"), succeeded("c-ada", created("ada", { identifier: "u-1" }))],
    refused: [aRefusal(roles)],
  },
  "no creation nor creation of a team of somebody who was met": {
    before: everything,
    events: [met("bo", "ada")],
    refused: [aRefusal(addition), aRefusal(roles)],
  },
  "no creation of a team of a team that somebody else created": {
    before: everything,
    events: [create("bo", "Science"), succeeded("c-bo", created("bo"))],
    refused: [aRefusal(creation), aRefusal(addition), aRefusal(roles)],
  },
  "no addition of somebody who is a member now": {
    before: everything,
    events: [add("ada"), succeeded("a", addedTo(added("ada")))],
    refused: [aRefusal(creation), aRefusal(teamCreation), aRefusal(roles)],
  },
  "nothing of a key that has its roles now": {
    before: everything,
    events: [put("k-1"), succeeded("p-k-1", { kind: "replace-roles", prefix: "k-1" })],
    refused: [aRefusal(creation), aRefusal(teamCreation), aRefusal(addition)],
  },
  "nothing of a key that was shown with its roles": {
    before: everything,
    events: [{ type: "unneeded", at: noon, action: "p", why: "exact", shown: { prefix: "k-1", roles: ["DEVELOPER"] } }],
    refused: [aRefusal(creation), aRefusal(teamCreation), aRefusal(addition)],
  },
  "nothing that a read has shown for the first time as the roster has it": {
    before: [...everything, aRefusal(asks.addition("bo")), aRefusal(asks.roles("k-2", []))],
    events: [
      {
        type: "access-seen",
        at: noon,
        service,
        users: [],
        members: [{ team: science, address: addressOf("ada"), prefix: "k-1" }],
        keys: [{ prefix: "k-1", address: addressOf("ada"), roles: ["DEVELOPER"] }],
      },
    ],
    refused: [
      aRefusal(creation),
      aRefusal(teamCreation),
      aRefusal(asks.addition("bo")),
      aRefusal(asks.roles("k-2", [])),
    ],
  },
  "a creation that was declined and, after a crash, found not to have been done": {
    events: [
      create("ada"),
      { type: "declined", at: noon, action: "c-ada", failure: taken },
      { type: "resolved", at: noon, run: "r1", action: "c-ada", as: { done: false } },
    ],
    refused: [aRefusal(creation)],
  },
};

describe("the state remembers", () => {
  test.each(Object.entries(cases))("%s", (_, { before = [], events, refused }) => {
    const { refusals } = applyEvents({ ...empty, refusals: refusalMap(...before) }, events);
    expect([...refusals.values()]).toEqual(refused);
  });

  test.each<FailureCode>([
    "unauthorized",
    "service-error",
    "unreachable",
    "misunderstood",
    "stale",
    "redirected",
    "aborted",
    "state",
    "locked",
  ])("nothing of a failure that may pass (%s)", (code) => {
    const failure: Failure = { code, message: code };
    const events = [
      create("ada"),
      failed("c-ada", failure),
      add("ada"),
      failed("a", failure),
      put("k"),
      failed("p-k", failure),
    ];
    expect(applyEvents(empty, events).refusals.size).toBe(0);
  });

  test("nothing of a person whose address somebody else has now", () => {
    const users = new Map([
      [addressOf("ada"), { address: addressOf("ada"), email: emailOf("ada"), account: "acc-1", identifier: "u-1" }],
    ]);
    const refusals = refusalMap(...everything, aRefusal(asks.roles("k-2", [], "ada")), aRefusal(asks.addition("bo")));
    const another: RunEvent = {
      type: "users-observed",
      at: noon,
      service,
      people: [{ address: addressOf("ada"), email: emailOf("ada"), account: "acc-1", identifier: "u-2" }],
      teams: [],
    };
    const left = applyEvents({ ...empty, users, refusals }, [another]).refusals;
    expect([...left.keys()]).toEqual([roles.request, asks.addition("bo").request]);
  });

  test("that a creation was declined, until it ends or is announced again", () => {
    const declined: RunEvent = { type: "declined", at: noon, action: "c-ada", failure: taken };
    const [open] = applyEvents(empty, [create("ada"), declined]).open;
    expect(open?.declined).toEqual(taken);
    expect(applyEvents(empty, [create("ada"), declined, create("ada")]).open).toEqual([
      { run: "r1", action: "c-ada", at: noon, dated: { by: "service", at: noon }, intent: create("ada").intent },
    ]);
  });
});

test("a run offers to allow each request that was refused of its own plan", () => {
  const [plan, other] = ["1111111111111111", "2222222222222222"] as const;
  const refusals = refusalMap(
    ...[creation, addition, asks.roles("k-2", [])].map((asked) => aRefusal(asked, { plan })),
    aRefusal(asks.creation("bo"), { plan: other }),
    aRefusal(asks.creation("cy")),
  );
  expect(allowedRetries({ ...empty, refusals }, { id: plan, service: "https://simulated.example" })).toEqual([
    expect.stringMatching(/^refused:ada@acme\.example#[0-9a-f]{12}$/u),
    expect.stringMatching(/^refused:\S+\/ada@acme\.example#[0-9a-f]{12}$/u),
    expect.stringMatching(/^refused:k-2#[0-9a-f]{12}$/u),
  ]);
});
