import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { allowedRetries } from "../../../src/log/refusals.ts";
import type { CreationIntent } from "../../../src/model/call.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import type { Failure, FailureCode, RecordedRefusal } from "../../../src/model/failure.ts";
import { emptyState } from "../../../src/model/state.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  declined,
  failed as failedWith,
  intended,
  noon,
  notAdded,
  resolved,
  rolesIntent,
  rolesSet,
  runStarted,
  science,
  shownExact,
  succeeded,
} from "../../support/event-builders.ts";
import { aRefusal, asking, asks, refusalMap, taken } from "../../support/refusal-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { remembering } from "../../support/state-builders.ts";

const empty = emptyState("lineage-1");
const service = "https://simulated.example";
const quarterPast = "2026-11-20T12:15:00.000Z";
const noUser: Failure = { code: "not-found", message: "no user" };
const forbidden: Failure = { code: "forbidden", message: "no" };
const conflict: Failure = { code: "conflict", message: "taken" };
const status = (code: number): Failure => ({ code: "refused", status: code, message: "no user" });
const [creation, teamCreation, addition] = [asks.creation("ada"), asks.teamCreation("ada"), asks.addition("ada")];
const roles = asks.roles("k-1", ["DEVELOPER"]);
const refusedAll = (...parts: readonly Parameters<typeof aRefusal>[0][]) => parts.map((part) => aRefusal(part));
const everything = refusedAll(creation, teamCreation, addition, roles);

const create = (name: string, team?: string) => intended("r1", `c-${name}`, asking(creationIntent(name, team)));
const done = (name: string) => [create(name), succeeded(`c-${name}`, created(name))];
const foundUnder = (name: string, admin: string) => {
  const intent = creationIntent(name, "Science") as CreationIntent;
  const createsTeam = { team: science, name: "Science", accessKeyRoles: ["TEAM_ROLE"], admin: addressOf(admin) };
  return intended("r1", `c-${name}`, asking({ ...intent, createsTeam }));
};
const add = (...names: readonly string[]) => intended("r1", "a", asking(additionIntent(...names)));
const put = (prefix: string) => intended("r1", `p-${prefix}`, asking(rolesIntent(prefix, "DEVELOPER")));
const failed = (action: string, failure: Failure = taken, at = noon) => failedWith(action, failure, at);
const met = (...people: readonly (readonly [name: string, identifier?: string])[]): RunEvent => ({
  type: "users-observed",
  at: noon,
  service,
  people: people.map(([name, identifier]) => ({
    address: addressOf(name),
    email: emailOf(name),
    account: "acc-1",
    ...(identifier === undefined ? {} : { identifier }),
  })),
  teams: [],
});

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
    events: [create("ada"), failed("c-ada", conflict)],
    refused: [aRefusal(creation, { failure: conflict })],
  },
  "one person's part of an addition that was answered": {
    events: [add("ada", "bo"), succeeded("a", addedTo(notAdded("ada", taken), added("bo")))],
    refused: [aRefusal(addition)],
  },
  "whoever was refused one by one, and the others who were refused with them and not asked for again": {
    events: [
      add("ada", "bo", "cy"),
      add("bo"),
      resolved("r1", "a", addedTo(notAdded("bo", taken))),
      succeeded("a", addedTo(notAdded("bo", taken), notAdded("ada", taken), notAdded("cy", taken))),
    ],
    refused: refusedAll(asks.addition("bo"), addition, asks.addition("cy")),
  },
  "the roles of a key": { events: [put("k-1"), failed("p-k-1")], refused: [aRefusal(roles)] },
  "nothing of requests about what the same plan creates: they have no digest": {
    events: [
      intended("r1", "c", creationIntent("ada", "Science")),
      failed("c"),
      intended("r1", "a", additionIntent("ada")),
      succeeded("a", addedTo(notAdded("ada", conflict))),
      intended("r1", "p", rolesIntent("k-1", "DEVELOPER")),
      failed("p"),
    ],
    refused: [],
  },
  "nothing that was not found within the consistency window of what we made": {
    events: [...done("ada"), add("ada"), failed("a", status(422))],
    refused: [],
  },
  "nothing of a key that we were given a moment ago": {
    events: [add("ada"), succeeded("a", addedTo(added("ada", "k-1"))), put("k-1"), failed("p-k-1", status(400))],
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
    events: [...done("bo"), foundUnder("ada", "bo"), failed("c-ada", noUser)],
    refused: [],
  },
  "nothing of such a creation that a crash left open, and that was resolved when the window was over": {
    events: [
      ...done("bo"),
      foundUnder("ada", "bo"),
      declined("c-ada", noUser),
      resolved("r1", "c-ada", "not-done", { at: "2026-11-20T12:30:00.000Z" }),
    ],
    refused: [],
  },
  "what was not found when the window was over": {
    events: [
      ...done("ada"),
      { ...add("ada"), dated: { by: "service", at: quarterPast } },
      failed("a", noUser, quarterPast),
    ],
    refused: [aRefusal(addition, { at: quarterPast, failure: noUser })],
  },
  "nothing that was not found in the window by the service's clock, where this machine's clock runs ahead": {
    events: [...done("ada"), { ...add("ada"), at: quarterPast }, failed("a", noUser, quarterPast)],
    refused: [],
  },
  "nothing that is forbidden where the key in use was allowed nothing of the kind": {
    events: [create("ada"), failed("c-ada", forbidden), put("k-1"), failed("p-k-1", forbidden)],
    refused: [],
  },
  "what is forbidden where another of the kind was allowed, before or after": {
    events: [
      ...done("cy"),
      create("ada"),
      failed("c-ada", forbidden),
      add("ada", "bo"),
      succeeded("a", addedTo(notAdded("ada", forbidden), added("bo"))),
      put("k-1"),
      failed("p-k-1", forbidden),
      put("k-2"),
      succeeded("p-k-2", rolesSet("k-2")),
    ],
    refused: [creation, addition, roles].map((part) => aRefusal(part, { failure: forbidden })),
  },
  "nothing that is forbidden because an earlier run was allowed its like": {
    events: [put("k-2"), succeeded("p-k-2", rolesSet("k-2")), runStarted("r1"), put("k-1"), failed("p-k-1", forbidden)],
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
    events: [met(["bo"], ["ada"])],
    refused: refusedAll(addition, roles),
  },
  "no creation of a team of a team that somebody else created": {
    before: everything,
    events: [create("bo", "Science"), succeeded("c-bo", created("bo"))],
    refused: refusedAll(creation, addition, roles),
  },
  "no addition of somebody who is a member now": {
    before: everything,
    events: [add("ada"), succeeded("a", addedTo(added("ada")))],
    refused: refusedAll(creation, teamCreation, roles),
  },
  "nothing of a key that has its roles now": {
    before: everything,
    events: [put("k-1"), succeeded("p-k-1", rolesSet("k-1"))],
    refused: refusedAll(creation, teamCreation, addition),
  },
  "nothing of a key that was shown with its roles": {
    before: everything,
    events: [shownExact("p", "k-1", "DEVELOPER")],
    refused: refusedAll(creation, teamCreation, addition),
  },
  "nothing that a read has shown for the first time as the roster has it": {
    before: [...everything, ...refusedAll(asks.addition("bo"), asks.roles("k-2", []))],
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
    refused: refusedAll(creation, teamCreation, asks.addition("bo"), asks.roles("k-2", [])),
  },
  "a creation that was declined and, after a crash, found not to have been done": {
    events: [create("ada"), declined("c-ada", taken), resolved("r1", "c-ada", "not-done")],
    refused: [aRefusal(creation)],
  },
};

describe("the state remembers", () => {
  test.each(Object.entries(cases))("%s", (_, { before = [], events, refused }) => {
    const { refusals } = applyEvents({ ...empty, refusals: refusalMap(...before) }, events);
    expect([...refusals.values()]).toEqual(refused);
  });

  test("nothing of a failure that may pass", () => {
    const passing = "unauthorized service-error unreachable misunderstood stale redirected aborted state locked";
    for (const code of passing.split(" ") as FailureCode[]) {
      const sent = { "c-ada": create("ada"), a: add("ada"), "p-k": put("k") };
      const events = Object.entries(sent).flatMap(([id, call]) => [call, failed(id, { code, message: code })]);
      expect([code, applyEvents(empty, events).refusals.size]).toEqual([code, 0]);
    }
  });

  test("nothing of a person whose address somebody else has now", () => {
    const others = [aRefusal(asks.roles("k-2", [], "ada")), aRefusal(asks.addition("bo"))];
    const before = remembering({
      users: { ada: { identifier: "u-1" } },
      refusals: refusalMap(...everything, ...others),
    });
    const left = applyEvents(before, [met(["ada", "u-2"])]).refusals;
    expect([...left.keys()]).toEqual([roles.request, asks.addition("bo").request]);
  });

  test("that a creation was declined, until it ends or is announced again", () => {
    const events = [create("ada"), declined("c-ada", taken)];
    expect(applyEvents(empty, events).open[0]?.declined).toEqual(taken);
    expect(applyEvents(empty, [...events, create("ada")]).open).toEqual(applyEvents(empty, [create("ada")]).open);
  });
});

test("a run offers to allow each request that was refused of its own plan", () => {
  const [plan, other] = ["1111111111111111", "2222222222222222"] as const;
  const refusals = refusalMap(
    ...[creation, addition, asks.roles("k-2", [])].map((asked) => aRefusal(asked, { plan })),
    aRefusal(asks.creation("bo"), { plan: other }),
    aRefusal(asks.creation("cy")),
  );
  expect(allowedRetries({ ...empty, refusals }, { id: plan, service })).toEqual([
    expect.stringMatching(/^refused:ada@acme\.example#[0-9a-f]{12}$/u),
    expect.stringMatching(/^refused:\S+\/ada@acme\.example#[0-9a-f]{12}$/u),
    expect.stringMatching(/^refused:k-2#[0-9a-f]{12}$/u),
  ]);
});
