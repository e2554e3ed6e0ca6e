import { expect, test } from "vitest";
import type { Intent } from "../../../src/model/call.ts";
import type { Action } from "../../../src/model/plan.ts";
import { type Roster, rosterDigest } from "../../../src/model/roster.ts";
import type { Ownership } from "../../../src/model/values.ts";
import { creationIntent } from "../../../src/run/create-user.ts";
import { replacementIntent } from "../../../src/run/replace-roles.ts";
import { additionIntent } from "../../../src/run/send-addition.ts";
import { aPlan } from "../../support/action-builders.ts";
import { planned } from "../../support/plan-inputs.ts";
import { aKey, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { partsOf } from "../../support/scenes.ts";

function planFor(roster: Roster) {
  const there = "there: {root: {lastName: Other, in: {Old: [AUDITOR]}}}";
  return planned({ snapshot: partsOf(there, "users: {ada, bo}").snapshot, roster });
}

/** With `said` on every entry, or without. */
function rosterSaying(said: (entry: string) => { readonly ownership?: Ownership }): Roster {
  return aRoster({
    users: [aUser("root", said("root")), aUser("ada", said("ada")), aUser("bo")],
    teams: [
      aTeam("Old", {
        ...said("old"),
        members: ["root", { user: "ada", ...said("ada in old") }, "bo"],
        roles: ["DEVELOPER"],
      }),
      aTeam("New", { ...said("new"), members: ["ada"], roles: ["DEVELOPER"] }),
    ],
    keys: [aKey("k-9", { owner: "root", roles: [], ...said("k-9") })],
  });
}

const notes = (entry: string) => ({ ownership: { note: entry } });
const owners: Readonly<Record<string, Ownership>> = {
  root: { owner: "hr", note: "on call" },
  ada: { owner: "hr" },
  old: { owner: "old-team" },
  "ada in old": { note: "JIRA-1" },
};
const said = (entry: string) => (owners[entry] === undefined ? {} : { ownership: owners[entry] });

function ownershipOf(action: Action): readonly unknown[] {
  const members = action.kind === "add-members" ? action.members.map((one) => [one.address, one.ownership]) : [];
  return [action.id, action.ownership, ...members];
}

test("each action and finding says whose it is, and each membership of an addition", () => {
  const plan = planFor(rosterSaying(said));
  const ada = { owner: "old-team", note: "JIRA-1" };
  expect(plan.actions.map(ownershipOf)).toEqual([
    ["create-user:ada@acme.example", { owner: "hr" }],
    ["create-user:bo@acme.example", undefined],
    [
      "add-members:acc-1/old",
      { owner: "old-team" },
      ["ada@acme.example", ada],
      ["bo@acme.example", { owner: "old-team" }],
    ],
    ["replace-roles:acc-1/old:ada@acme.example", ada],
    ["replace-roles:acc-1/old:bo@acme.example", { owner: "old-team" }],
    ["replace-roles:k-root-old", { owner: "old-team", note: "on call" }],
    ["replace-roles:acc-1/new:ada@acme.example", { owner: "hr" }],
  ]);
  expect(plan.findings.map(({ code, ownership }) => [code, ownership])).toEqual([
    ["profile-differs", owners["root"]],
    ["unknown-key", owners["root"]],
  ]);
});

test("what is approved does not depend on it: plan ID, roster digest and requests stay the same", () => {
  const [plain, owned] = [rosterSaying(() => ({})), rosterSaying(notes)];
  const [before, after] = [plain, owned].map(planFor);
  expect(after?.id).toBe(before?.id);
  expect(rosterDigest(owned)).toBe(rosterDigest(plain));
  const requests = (actions: readonly Action[] = []) =>
    actions.map((one) => (one.kind === "add-members" ? one.members.map(({ request }) => request) : one.request));
  expect(requests(after?.actions)).toEqual(requests(before?.actions));
  expect(after?.findings.map(({ fingerprint }) => fingerprint)).toEqual(
    before?.findings.map(({ fingerprint }) => fingerprint),
  );
});

function intentOf(action: Action): Intent {
  switch (action.kind) {
    case "create-user":
      return creationIntent(action);
    case "add-members":
      return additionIntent(
        { action, team: { team: action.team, name: "Old", account: "acc-1", identifier: "t-old" } },
        action.members.slice(0, 1),
      );
    case "replace-roles":
      return replacementIntent(action, "k", aPlan([action]));
  }
}

test("it is announced with each call, apart from what is sent", () => {
  const plan = planFor(rosterSaying(notes));
  const intents = plan.actions.map(intentOf);
  expect(intents.map((intent) => (intent.kind === "add-members" ? intent.ownerships : intent.ownership))).toEqual([
    { note: "new" },
    undefined,
    [{ address: "ada@acme.example", ownership: { note: "ada in old" } }],
    { note: "ada in old" },
    { note: "old" },
    { note: "old" },
    { note: "new" },
  ]);
  const [creation] = intents;
  expect(creation?.kind === "create-user" && creation.sent).toEqual({ firstName: "Ada", lastName: "Test" });
});
