import { expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { resolveCall } from "../../../src/log/operator-resolution.ts";
import type { Intent } from "../../../src/model/call.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { additionIntent, creationIntent, openIntent, rolesIntent } from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { remembering } from "../../support/state-builders.ts";

const ada = addressOf("ada");
const later = "2026-11-20T13:00:00.000Z";
const holding = (parts: Parameters<typeof remembering>[0]): State => remembering(parts, later);
const opened = (intent: Intent) => openIntent("r1", "c", intent);

function resolve(intent: Intent, outcome: "done" | "not-done", names: readonly string[]) {
  return resolveCall(
    opened(intent),
    outcome,
    names.map((name) => addressOf(name)),
    later,
  );
}

const [both, all] = [additionIntent("ada", "bo"), additionIntent("ada", "bo", "cy")];
const withRed = creationIntent("ada", "Red");
const created = { createdAt: later, profile: { sent: { firstName: "ada", lastName: "Test" }, answered: {} } };
const red = teamKeyOf("acc-1", "Red");
const science = { teams: { Science: { identifier: "t-1" } } };

test.each<[string, Intent, "done" | "not-done", readonly string[], State]>([
  ["done makes a creation ours", creationIntent("ada"), "done", [], holding({ users: { ada: created } })],
  [
    "done makes a created team ours",
    withRed,
    "done",
    [],
    holding({
      users: { ada: { ...created, createdTeam: red } },
      teams: { Red: { firstMember: ada } },
      members: { "Red/ada": { how: "created" } },
    }),
  ],
  [
    "done settles one person of an addition, and leaves the call open for the others",
    all,
    "done",
    ["bo"],
    holding({ ...science, members: { "Science/bo": {} }, open: [opened(additionIntent("ada", "cy"))] }),
  ],
  [
    "done settles everybody of an addition",
    both,
    "done",
    [],
    holding({ ...science, members: { "Science/ada": {}, "Science/bo": {} } }),
  ],
  [
    "done records the roles of a key",
    rolesIntent("k-1", "DEVELOPER"),
    "done",
    [],
    holding({ keys: { "k-1": ["DEVELOPER"] } }),
  ],
  ["not done closes a creation and records nothing", creationIntent("ada"), "not-done", [], holding({})],
  ["not done closes an addition and records nothing", both, "not-done", [], holding({})],
  [
    "not done closes a creation with a team, until a read shows the user",
    withRed,
    "not-done",
    [],
    holding({ presumedUndone: [opened(withRed)] }),
  ],
  [
    "not done settles one person of an addition, who is recorded nowhere",
    both,
    "not-done",
    ["ada"],
    holding({ ...science, open: [opened(additionIntent("bo"))] }),
  ],
])("a person's word that a call was %s", (_, intent, outcome, names, expected) => {
  const events = resolve(intent, outcome, names);
  if (!events.ok) throw new Error(events.error);
  const { access: _access, ...state } = applyEvents(holding({ open: [opened(intent)] }), events.value);
  expect({ ...state, access: new Map() }).toEqual(expected);
});

test.each<[string, Intent, string, string]>([
  [
    "a person of a creation",
    creationIntent("ada"),
    "ada",
    "only a call that adds several members can be resolved for some of them",
  ],
  ["a person of whom the call is not", both, "cy", `the call does not name ${addressOf("cy")}`],
])("a word that cannot be is refused: %s", (_, intent, name, error) => {
  expect(resolve(intent, "done", [name])).toEqual({ ok: false, error });
});
