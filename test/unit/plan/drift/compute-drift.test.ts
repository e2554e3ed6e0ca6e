import { describe, expect, test } from "vitest";
import { formatSubject } from "../../../../src/model/fact.ts";
import type { Drift, DriftClass, DriftItem, Plan } from "../../../../src/model/plan.ts";
import type { State } from "../../../../src/model/state.ts";
import type { RoleSet } from "../../../../src/model/values.ts";
import { findSubjectsInProgress, repairPlan } from "../../../../src/plan/drift/compute-drift.ts";
import { splitAction } from "../../../../src/plan/drift/outside-changes.ts";
import { noon, openIntent, rolesIntent } from "../../../support/event-builders.ts";
import { aState, type InputParts, planned, plannedDrift } from "../../../support/plan-inputs.ts";
import { brief, partsOf, play } from "../../../support/scenes.ts";
import { remembering } from "../../../support/state-builders.ts";

play("coverage counts", (parts) => {
  const { users, teams, keys, without } = plannedDrift(parts).drift.coverage;
  const counts = Object.entries({ users, teams, keys }).map(
    ([what, of]) => `${what} ${of ? `${of.named}/${of.shown}` : "unknown"}`,
  );
  return [...counts, ...(without === undefined ? [] : [`without ${without}`])];
})`
  users: {ada: {previously: [ada.old]}, bo}
  leavers: {cy}
  teams: {Red: {members: [ada]}}
  keys: {listed: {roles: []}}
people by any of their addresses, leavers, their teams, and the keys that the roster leads to
  there:
    ada.old: {own: none, in: {Red}, keys: {k2: {}}}
    bo: {in: {Blue}}
    cy: {own: none, keys: {k5: {}}}
    mal: {own: none, in: {Red, Blue}, keys: {listed: {}}}
    gone: {status: deleted, own: none, keys: {k8: {team: Blue, kind: team, status: deleted}}}
  > users 3/4
  > teams 1/2
  > keys 4/8
not the key in use and its owner
  there: {ada, mal: {keys: {k3: {}}}}
  keyInUse: k-mal
  > users 1/1
  > teams 0/0
  > keys 1/2
  > without owner-of-key-in-use
the owner of the key in use whom the roster names
  there: {ada, mal: {keys: {k3: {}}}}
  keyInUse: k-ada
  > users 1/2
  > teams 0/0
  > keys 1/3
not what the service does not show
  there: {ada, mal}
  hides: [keys]
  > users 1/2
  > teams unknown
  > keys unknown
`;

/** Class, code and subject of an item; what counts as a change is marked by a `+`, as blocking by a `!`. */
function line(item: DriftItem): string {
  const mark = { change: "+", blocking: "!", nothing: "" }[item.counts];
  return brief(`${item.class}: ${mark}${item.code} ${formatSubject(item.subject)}`);
}

const driftLines = (parts: InputParts) => plannedDrift(parts).drift.items.map(line);

play("drift:", driftLines)`
  there: {ada: {own: none}}
  users: {ada}
whoever was there is created again on a person's word, which undoes what others did
  there: {ada: gone}
  state: {users: {ada: {createdAt: RECORDED}}}
  allows: [user-missing:ada@acme.example]
  > tampered: +create-user user ada
roles that are not shown cannot be seen to have been moved
  there: {ada: {keys: {k: {}}}}
  keys: {k: {roles: [AUDITOR]}}
  state: {keys: {k: [DEVELOPER]}}
  hides: [roles]
  > unapplied: +replace-roles key k
  > information: not-observed service https://simulated.example
whoever was there and is gone
  there: {ada: gone}
  state: {users: {ada: {createdAt: RECORDED}}}
  > tampered: !user-missing user ada
whoever was created right before the service was read, and is not shown
  there: {ada: gone}
  state: {users: {ada: {createdAt: 2026-11-20T09:59:58.000Z}}}
  > pending: write-pending user ada
whoever was created right before, is not shown, and is to join a team
  there: {ada: gone, bo: {own: none, in: {Red: []}}}
  teams: {Red: {identifier: t-red, members: [ada]}}
  state: {users: {ada: {createdAt: 2026-11-20T09:59:58.000Z}}}
  > pending: !write-pending user ada
  > blocked: !extra-member member bo of team acc-1/red
whoever was added right before the service was read, and shows no key
  teams: {Red: {identifier: t-red, members: [ada]}}
  state: {users: {ada: {createdAt: RECORDED}}, members: {Red/ada: {at: 2026-11-20T09:59:58.000Z}}}
  > pending: write-pending member ada of team acc-1/red
a member of ours who was removed
  teams: {Red: {identifier: t-red, members: [ada]}}
  state: {users: {ada: {createdAt: RECORDED}}, members: {Red/ada: {}}}
  > tampered: !member-removed member ada of team acc-1/red
a user of ours who was deleted
  there: {ada: {status: deleted}}
  state: {users: {ada: {createdAt: RECORDED}}}
  > tampered: !inactive-user user ada
a user of ours who was moved to another account
  accounts: {acc-2}
  there: {ada: {account: acc-2}}
  state: {users: {ada: {createdAt: RECORDED}}}
  > tampered: !user-in-other-account user ada
a title that others changed
  there: {ada: {title: Intern}}
  users: {ada: {title: Principal}}
  state: {users: {ada: {createdAt: RECORDED, profile: {sent: {title: Principal}, answered: {title: Principal}}}}}
  > tampered: !profile-differs user ada
a title that the roster changed
  there: {ada: {title: Principal}}
  users: {ada: {title: Fellow}}
  state: {users: {ada: {createdAt: RECORDED, profile: {sent: {title: Principal}, answered: {title: Principal}}}}}
  > blocked: !profile-differs user ada
a title that the service shows in its own form by now is a notice, and nobody's change
  there: {ada: {title: Big Boss}}
  users: {ada: {title: Big  Boss}}
  state: {users: {ada: {createdAt: RECORDED, profile: {sent: {title: Big  Boss}, answered: {title: Big  Boss}}}}}
  > information: profile-differs user ada
a member too many in a team that we created, whom no run added
  there: {ada: {in: {Red: []}}, mal: {own: none, in: {Red: []}}}
  teams: {Red: {identifier: t-red, members: [ada]}}
  state: {teams: {Red: {identifier: t-red, firstMember: ada@acme.example}}}
  > tampered: !extra-member member mal of team acc-1/red
a member too many whom a run once added
  there: {ada: {in: {Red: []}}, mal: {own: none, in: {Red: []}}}
  teams: {Red: {identifier: t-red, members: [ada]}}
  state: {teams: {Red: {identifier: t-red, firstMember: ada@acme.example}}, members: {Red/mal: {}}}
  > blocked: !extra-member member mal of team acc-1/red
a member too many who holds nothing any more is a notice, and nobody's change
  there: {ada: {in: {Red: []}}, mal: {own: none, in: {Red: []}}}
  teams: {Red: {identifier: t-red, members: [ada], onRemoval: revoke}}
  state: {teams: {Red: {identifier: t-red, firstMember: ada@acme.example}}}
  > information: extra-member member mal of team acc-1/red
a team that has its former name is a notice, and nobody's change
  shown: {Red: {name: Rot}}
  there: {ada: {in: {Red: []}}}
  teams: {Red: {identifier: t-red, members: [ada], previously: [Rot]}}
  state: {teams: {Red: {identifier: t-red, firstMember: ada@acme.example}}}
  > information: team-name-differs team acc-1/red
somebody of ours who was switched off is not gone
  there: {ada: {status: inactive}}
  state: {users: {ada: {createdAt: RECORDED}}}
  > blocked: !inactive-user user ada
a key on which we have put roles and which is gone
  there: {ada: {own: []}}
  keys: {k: {roles: [DEVELOPER]}}
  state: {keys: {k: [DEVELOPER]}}
  > tampered: !unknown-key key k
a creation of which nobody knows what became of it
  there: {ada: gone}
  open: {create ada}
  > blocked: !unknown-outcome user ada
a creation that the service took for later
  there: {ada: gone}
  open: {create ada: RECORDED accepted}
  > pending: !unknown-outcome user ada
a key that others gave a role, and that a guard keeps us from
  there: {ada: {keys: {k: {roles: [AUDITOR, DEVELOPER]}}}}
  keys: {k: {roles: [DEVELOPER]}}
  state: {keys: {k: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER]}}}
  guards: {protect: {users: [], keys: [k]}}
  > tampered: !protected key k
a key that the roster changes, and that a guard keeps us from
  there: {ada: {keys: {k: {roles: [DEVELOPER]}}}}
  keys: {k: {roles: [AUDITOR, DEVELOPER]}}
  state: {keys: {k: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER]}}}
  guards: {protect: {users: [], keys: [k]}}
  > blocked: !protected key k
an administrator's role that others took, and that a guard lets nobody gain
  there: {ada: {keys: {k: {}}}}
  keys: {k: {roles: [ACCOUNT_ADMIN], owner: ada}}
  state: {keys: {k: {setRoles: [ACCOUNT_ADMIN], observedRoles: [ACCOUNT_ADMIN]}}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
  > tampered: !privileged-roles user ada
people and privileges beyond the roster
  there: {mal: {own: none, keys: {k: {roles: [ACCOUNT_ADMIN]}}}}
  reportUnmanaged: true
  > unmanaged: !unmanaged-privilege ACCOUNT_ADMIN on key k
  > unmanaged: unmanaged user mal
`;

const [A, D, P, T] = ["AUDITOR", "DEVELOPER", "ACCOUNT_ADMIN", "TEAM_ROLE"];
const [unapplied, tampered] = ["unapplied: +replace-roles key k", "tampered: +replace-roles key k"];
const [before, justNow] = ["2026-11-20T09:00:00.000Z", "2026-11-20T09:59:58.000Z"];

function put(setRoles: RoleSet, observedRoles: RoleSet | undefined = setRoles, at = before): State {
  return remembering({ keys: { k: { setRoles, observedRoles, at } } });
}

const unread = (setRoles: RoleSet, at = before) => remembering({ keys: { k: { setRoles, at } } });

/** The roster gives the key `k` roles, and the service shows others on it. */
function ofKey(given: RoleSet, carried: RoleSet, state?: State): InputParts {
  const parts = partsOf(`
there: {ada: {own: none, keys: {k: {roles: [${carried.join()}]}}}}
users: {ada}
keys: {k: {roles: [${given.join()}]}}
`);
  return state === undefined ? parts : { ...parts, state };
}

describe("drift of roles:", () => {
  /** What the roster gives a key, what the key carries, and what a run has written and read of it. */
  test.each<[string, RoleSet, RoleSet, State, string]>([
    ["roles that no run of ours has asked for are to be applied", [D], [T], aState(), unapplied],
    ["a role given to a key by others", [D], [P, D], put([D]), tampered],
    ["a role taken from a key by others", [A, D], [D], put([A, D]), tampered],
    ["a role that the roster asks for now, and did not", [A, D], [D], put([D]), unapplied],
    ["a role that the roster asks for no longer", [D], [A, D], put([A, D]), unapplied],
    ["a role given by others while the roster asks for another one too", [A, D], [P, D], put([D]), tampered],
    ["a role taken by others that the roster gave up as well", [A], [T], put([D], [D, T]), unapplied],
    ["a role that the service never took", [A, D], [D], put([A, D], [D]), unapplied],
    ["a role that came by others and that the roster asks for now", [A, D, T], [A, D], put([A]), unapplied],
    ["a role that we had asked for and that came late", [A], [A, D], put([A, D], [A]), unapplied],
    ["a role that the service kept, that went, and that is asked for now", [A, D], [A], put([A], [A, D]), unapplied],
    [
      "a role that the service keeps is no difference",
      [D],
      [D, T],
      put([D], [D, T]),
      "information: roles-kept-by-service service https://simulated.example",
    ],
    ["roles put right before the service was read", [D], [A], unread([D], justNow), "pending: write-pending key k"],
    ["roles put right before, and shown since", [D], [A], put([D], [D], justNow), tampered],
    ["roles put an hour before, and that nobody has read since", [D], [A], unread([D]), tampered],
  ])("%s", (_, given, carried, state, expected) => {
    expect(driftLines(ofKey(given, carried, state))).toEqual([expected]);
  });

  test("other roles on the same key are another matter", () => {
    const seen = (...carried: RoleSet) => plannedDrift(ofKey([D], carried)).drift.items[0]?.fingerprint;
    expect(seen(A)).toBe(seen(A));
    expect(new Set([seen(A), seen(P), seen(A, D)]).size).toBe(3);
  });
});

test("drift says since when, once a run has recorded it", () => {
  const parts = partsOf("users: {ada}");
  const [item] = plannedDrift(parts).drift.items;
  const fingerprint = item?.fingerprint ?? "";
  const openFinding = { fingerprint, since: noon, code: "create-user", subject: "user ada@acme.example" };
  const state = aState({ openFindings: new Map([[fingerprint, openFinding]]) });
  expect([item?.since, plannedDrift({ ...parts, state }).drift.items[0]?.since]).toEqual([undefined, noon]);
});

describe("drift while another run works:", () => {
  const parts = partsOf(`
there: {ada: {own: none, keys: {k: {roles: [AUDITOR, DEVELOPER]}}}}
users: {ada, bo}
keys: {k: {roles: [DEVELOPER], owner: ada}}
`);
  const recorded = put([D]);
  const announced = { ...recorded, open: [openIntent("other", "a", rolesIntent("k", A, D))] };
  const after = put([A, D]);

  test.each<[string, State, State, boolean, string]>([
    [
      "what it has announced is pending, and counts as nothing",
      announced,
      announced,
      true,
      "pending: replace-roles key k",
    ],
    ["what nobody works on any more is what it is", announced, announced, false, tampered],
    [
      "what it has recorded while the service was read is pending",
      recorded,
      after,
      false,
      "pending: replace-roles key k",
    ],
    ["so is what it had announced before that", announced, after, false, "pending: replace-roles key k"],
  ])("%s", (_, before, after, underWay, expected) => {
    const moving = findSubjectsInProgress({ before, after, underWay });
    const { items } = plannedDrift({ ...parts, state: recorded }, moving).drift;
    expect(items.map(line)).toEqual(["unapplied: +create-user user bo", expected]);
  });

  test("what waits for a creation that it has announced is pending with it", () => {
    const { state: open = aState(), ...grown } = partsOf(`
there: {ada}
users: {ada, bo}
teams: {Red: {identifier: t-red, members: [ada, bo], roles: [DEVELOPER]}}
open: {create bo}
`);
    const moving = findSubjectsInProgress({ before: open, after: open, underWay: true });
    expect(plannedDrift({ ...grown, state: aState() }, moving).drift.items.map(line)).toEqual([
      "pending: create-user user bo",
      "unapplied: +add-members member ada of team acc-1/red",
      "pending: add-members member bo of team acc-1/red",
      "unapplied: +replace-roles key of member ada of team acc-1/red",
      "pending: replace-roles key of member bo of team acc-1/red",
    ]);
  });
});

/** Ada creates Red for Bo; Cy, who is there, joins Blue and has a key with a role too many. */
const plan = planned(
  partsOf(`
there: {cy: {keys: {k-cy-more: {roles: [ACCOUNT_ADMIN]}}}, di, ed: {in: {Blue}}}
users: {ada, bo, cy, di, ed}
teams:
  Red: {members: [ada, bo], admin: ada, firstMember: ada, roles: [TEAM_ROLE]}
  Blue: {identifier: t-blue, members: [cy, di, ed]}
keys: {k-cy-more: {roles: [TEAM_ROLE]}}
`),
);

/** Everything of the plan is to be applied, but for the parts that the test says are of another class. */
function driftOfPlan(plan: Plan, others: Readonly<Record<string, DriftClass>>): Drift {
  const items = plan.actions.flatMap(splitAction).map(({ action, person, subject }): DriftItem => {
    const name = formatSubject(subject);
    return {
      fingerprint: name,
      class: others[name] ?? "unapplied",
      code: action.kind,
      subject,
      counts: "change",
      of: { is: "action", action: action.id, ...(person === undefined ? {} : { person }) },
    };
  });
  return { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
}

function repaired(plan: Plan, classes: readonly DriftClass[], others: Readonly<Record<string, DriftClass>>) {
  const { actions, calls, id } = repairPlan(plan, driftOfPlan(plan, others), new Set(classes));
  const parts = actions.flatMap(splitAction).map(({ action, subject }) => `${action.kind} ${formatSubject(subject)}`);
  return { parts, atMost: calls.atMost, isSame: id === plan.id };
}

const all = plan.actions.flatMap(splitAction).map(({ action, subject }) => `${action.kind} ${formatSubject(subject)}`);

describe("repairing", () => {
  test("of every class there is does the whole plan", () => {
    expect(repaired(plan, ["unapplied"], {})).toEqual({ parts: all, atMost: plan.actions.length, isSame: true });
  });

  test("of what was tampered with leaves everything else", () => {
    const subject = "key k-cy-more";
    expect(repaired(plan, ["tampered"], { [subject]: "tampered" })).toEqual({
      parts: [`replace-roles ${subject}`],
      atMost: 1,
      isSame: false,
    });
  });

  test("adds whom it is about, and nobody else of the same call", () => {
    const subject = "member di@acme.example of team acc-1/blue";
    expect(repaired(plan, ["tampered"], { [subject]: "tampered" }).parts).toEqual([`add-members ${subject}`]);
  });

  test("creates no team without its people: the creation of a team waits until all of it can be done", () => {
    const subject = "member bo@acme.example of team acc-1/red";
    const { parts } = repaired(plan, ["unapplied"], { [subject]: "pending" });
    expect(all.filter((part) => !parts.includes(part))).toEqual([
      "create-user user ada@acme.example",
      "create-user user bo@acme.example",
      `add-members ${subject}`,
      "replace-roles key of member ada@acme.example of team acc-1/red",
      `replace-roles key of ${subject}`,
    ]);
  });

  test("of a class that no action is of does nothing", () => {
    expect(repaired(plan, ["tampered"], {})).toEqual({ parts: [], atMost: 0, isSame: false });
  });
});
