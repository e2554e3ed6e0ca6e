import { describe, expect, test } from "vitest";
import { factValue, reasonAt, unknown } from "../../../src/model/fact.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import type { RecordedMembership } from "../../../src/model/membership.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { callIdOf, type State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { type DesiredTeam, teamKeyOf } from "../../../src/model/team.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import { additionIntent, creationIntent, openIntent } from "../../support/event-builders.ts";
import { aPolicy, aState, planned, selector } from "../../support/plan-inputs.ts";
import { type Circumstances, outcome, planFor } from "../../support/plan-words.ts";
import { allRefused, refusalMap } from "../../support/refusal-builders.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, at, aUser, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, newKey, putTeam, putUser, type World, type WorldUser } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

const data = teamKeyOf("acc-1", "Data");

interface Known {
  readonly user?: Partial<RecordedUser>;
  readonly places?: Readonly<Record<string, Partial<RecordedMembership>>>;
  readonly keys?: Parameters<typeof remembering>[0]["keys"];
}

/** What a state remembers of cy, by team. */
function knowing({ user, places = {}, keys }: Known, rest: Partial<State> = {}): State {
  const members = Object.entries(places).map(([team, parts]) => [`${team}/cy`, parts] as const);
  const users = user === undefined ? {} : { cy: user };
  return { ...remembering({ users, members: Object.fromEntries(members), keys }), ...rest };
}

/** Somebody who stays, so that neither the service nor the roster is empty. */
const root = aUser("root", { firstName: "Ada", lastName: "Lovelace" });

function aWorldWithRoot(): World {
  const world = aWorld();
  putUser(world, { email: emailOf("root"), identifier: "u-root" });
  return world;
}

function putCy(world: World, parts: Partial<Parameters<typeof putUser>[1]> = {}): WorldUser {
  return putUser(world, { email: emailOf("cy"), identifier: "u-cy", ...parts });
}

function rosterWithRoot(parts: Parameters<typeof aRoster>[0]): Roster {
  return aRoster({ ...parts, users: [root, ...(parts.users ?? [])] });
}

interface Case extends Circumstances {
  readonly world?: (world: World) => void;
  readonly leaver?: Parameters<typeof aLeaver>[1];
  readonly also?: Partial<Parameters<typeof aRoster>[0]>;
  readonly plans?: readonly string[];
}

const remains = "! leaver-remains: user cy@acme.example";

const cases: Readonly<Record<string, Case>> = {
  "who is there: every key that has roles is emptied, first of all": {
    world: (world) => {
      const cy = putCy(world);
      putTeam(world, { name: "Data", identifier: "t-1", members: [cy], roles: ["DEVELOPER"] });
      cy.keys.push({ ...newKey(world, { kind: "project", roles: ["AUDITOR"], isDefault: false }), prefix: "project" });
    },
    also: { users: [aUser("ada")] },
    plans: [
      "set k2 (observed) to nothing",
      "set k3 (observed) to nothing",
      "set project (observed) to nothing",
      "create ada",
      remains,
    ],
  },
  "whose keys have no roles: nothing is left but what no call can end": {
    world: (world) => {
      putCy(world).keys.splice(0);
    },
    plans: [remains],
  },
  "whose keys are switched off or gone: they are left alone": {
    world: (world) => {
      const cy = putCy(world);
      for (const key of cy.keys) key.status = "inactive";
      cy.keys.push({ ...newKey(world, { kind: "user", roles: ["AUDITOR"], isDefault: false }), status: "deleted" });
    },
    plans: [remains],
  },
  "who is gone: nothing, whatever is recorded and listed": {
    leaver: { key: "k-own" },
    also: { keys: [aKey("listed", { owner: "cy", roles: [] })] },
    state: knowing({ user: { createdAt: recordedAt, key: "k-rec" }, places: { Data: { prefix: "k-team" } } }),
  },
  "who is deleted: nothing": { world: (world) => void putCy(world, { status: "Deleted" }) },
  "who is barred: a notice, and the keys are emptied all the same": {
    world: (world) => void putCy(world, { status: "Inactive" }),
    plans: ["set k2 (observed) to nothing", "leaver-remains: user cy@acme.example"],
  },
  "of whom it is not proven that they are gone": {
    everyone: { read: "incomplete", why: "page 7 failed" },
    seen: (shown) => ({ ...shown, absences: new Map() }),
    plans: ["! leaver-remains: user cy@acme.example"],
  },
  "whose keys are not shown: those are emptied that are recorded and listed": {
    world: (world) => void putCy(world),
    leaver: { key: "k-own", teamKeys: ["k-place", "k-team"] },
    also: { keys: [aKey("listed", { owner: "cy", roles: [] })] },
    hides: ["keys"],
    state: knowing({ user: { createdAt: recordedAt, key: "k-rec" }, places: { Data: { prefix: "k-team" } } }),
    plans: [
      "set k-rec (recorded) to nothing",
      "set k-team (recorded) to nothing",
      "set k-own (declared) to nothing",
      "set k-place (declared) to nothing",
      "set listed (declared) to nothing",
      remains,
    ],
  },
  "whose keys are not shown, and were emptied before": {
    world: (world) => void putCy(world),
    hides: ["keys"],
    state: knowing({
      user: { createdAt: recordedAt, key: "k-rec" },
      keys: { "k-rec": { setRoles: [], observedRoles: ["TEAM_ROLE"] } },
    }),
    plans: [remains],
  },
  "on whose key the service keeps a role: asked once, and part of what remains": {
    world: (world) => void putCy(world),
    state: knowing({ keys: { k2: { setRoles: [], observedRoles: ["TEAM_ROLE"] } } }),
    plans: [remains],
  },
  "on whose key the service keeps a privilege: one finding all the same": {
    world: (world) => {
      for (const key of putCy(world).keys) key.roles = ["ACCOUNT_ADMIN"];
    },
    state: knowing({ keys: { k2: { setRoles: [], observedRoles: ["ACCOUNT_ADMIN"] } } }),
    plans: [remains],
  },
  "whose recorded key is shown as somebody else's": {
    world: (world) => {
      putCy(world).keys.splice(0);
      putUser(world, { email: emailOf("dee"), identifier: "u-dee" });
    },
    state: knowing({ user: { createdAt: recordedAt, key: "k3" } }),
    plans: [remains],
  },
  "who is there twice: the keys of both": {
    world: (world) => {
      putCy(world);
      putUser(world, { email: "CY@acme.example", identifier: "u-cy2" });
    },
    plans: ["set k2 (observed) to nothing", "set k3 (observed) to nothing", remains],
  },
  "who has another address by now: found by the recorded identifier": {
    world: (world) => void putUser(world, { email: emailOf("cy.away"), identifier: "u-cy" }),
    state: knowing({ user: { identifier: "u-cy", seenAt: recordedAt } }),
    plans: ["set k2 (observed) to nothing", remains],
  },
  "who came back under another address, which the roster names": {
    world: (world) => void putUser(world, { email: emailOf("cy.new"), lastName: "Test", identifier: "u-cy" }),
    also: { users: [aUser("cy.new", { firstName: "Ada" })] },
    state: knowing({ user: { identifier: "u-cy", seenAt: recordedAt } }),
  },
  "whose creation was announced and may still be done: nothing is sent": {
    state: knowing({}, { open: [openIntent("r-1", "c", creationIntent("cy"), recordedAt)] }),
    plans: ["! unknown-outcome: user cy@acme.example"],
  },
  "whose addition was announced and may still be done": {
    world: (world) => void putCy(world).keys.splice(0),
    state: knowing({}, { open: [openIntent("r-1", "a", additionIntent("cy", "bo"), recordedAt)] }),
    plans: ["! unknown-outcome: user cy@acme.example", remains],
  },
  "whose key is listed with roles, without an owner: a leaver holds nothing, and that is told": {
    world: (world) => void putCy(world),
    also: { keys: [aKey("k2", { roles: ["DEVELOPER"] })] },
    plans: ["set k2 (observed) to nothing", remains, "! conflicting-roles: key k2"],
  },
  "whose key is only recorded, and listed with roles: nobody can tell, and nothing is done": {
    world: (world) => void putCy(world),
    also: { keys: [aKey("k-rec", { roles: ["DEVELOPER"] })] },
    hides: ["keys"],
    state: knowing({ user: { createdAt: recordedAt, key: "k-rec" } }),
    plans: [remains, "! conflicting-roles: key k-rec"],
  },
  "who is still in a team, which is no finding of its own": {
    world: (world) => {
      const cy = putCy(world);
      putTeam(world, { name: "Data", identifier: "t-1", members: [cy], roles: [] });
      for (const key of cy.keys) key.roles = [];
    },
    also: { teams: [aTeam("Data", { identifier: "t-1" })] },
    plans: [remains],
  },
  "whom nobody asks about in an unselected run": {
    world: (world) => void putCy(world),
    also: { teams: [aTeam("Data", { identifier: "t-1" })] },
    policy: aPolicy({ include: [selector("team:Data")] }),
  },
  "who is selected by name": {
    world: (world) => void putCy(world),
    policy: aPolicy({ include: [selector("user:cy")] }),
    plans: ["set k2 (observed) to nothing", remains],
  },
  "who is not unmanaged": {
    world: (world) => void putCy(world).keys.splice(0),
    policy: aPolicy({ reportUnmanaged: true }),
    plans: [remains],
  },
};

describe("a leaver", () => {
  test.each(Object.entries(cases))("%s", (_, { world: change, leaver, also, ...rest }) => {
    const { plans = [], ...circumstances } = rest;
    const world = aWorldWithRoot();
    change?.(world);
    const roster = rosterWithRoot({ leavers: [aLeaver("cy", leaver)], ...also });
    const plan = planFor(world, roster, circumstances);
    expect(outcome(plan)).toEqual(plans);
  });

  test("about whom a call may still be done is told with its time, from when on that is decided, and what to type", () => {
    const state = aState({ open: [openIntent("r-1", "c", creationIntent("cy"), recordedAt)] });
    const plan = planFor(aWorldWithRoot(), rosterWithRoot({ leavers: [aLeaver("cy")] }), { state });
    const id = callIdOf({ run: "r-1", action: "c" });
    expect(plan.findings.map(({ message }) => message)).toEqual([
      "cy@acme.example is a leaver. roster sent a call to create them at 2026-11-01T00:00:00.000Z, and the " +
        "outcome is unknown. roster does not send it again. Plan again after 2026-11-01T00:15:00.000Z. If " +
        `reads do not show it by then, it was not done. Or look in the service and run \`roster state resolve ${id}\` ` +
        "with `done` or `not-done`.",
    ]);
  });

  test("about whom a call may still be done is told with what to type where the service does not show its time", () => {
    const { dated: _, ...open } = openIntent("r-1", "c", creationIntent("cy"), recordedAt);
    const plan = planFor(aWorldWithRoot(), rosterWithRoot({ leavers: [aLeaver("cy")] }), {
      state: aState({ open: [open] }),
    });
    const id = callIdOf({ run: "r-1", action: "c" });
    expect(plan.findings.map(({ message }) => message)).toEqual([
      "cy@acme.example is a leaver. roster sent a call to create them at 2026-11-01T00:00:00.000Z, and the outcome is " +
        "unknown. roster does not send it again. Plan again: a read may show that it was done. The service does not " +
        "show its time (header `Date`). So roster cannot know when a call that reads do not show was not done. Or look " +
        `in the service and run \`roster state resolve ${id}\` with \`done\` or \`not-done\`.`,
    ]);
  });

  test("is told whole: since when, what is left of them, and what to do by hand", () => {
    const world = aWorldWithRoot();
    const cy = putCy(world, { status: "Invited" });
    putTeam(world, { name: "Data", identifier: "t-1", members: [cy], roles: ["TEAM_ROLE"] });
    const state = remembering({
      keys: { k3: { setRoles: [], observedRoles: ["TEAM_ROLE"] } },
      teams: { Data: { firstMember: addressOf("cy") } },
    });
    const roster = rosterWithRoot({
      leavers: [aLeaver("cy", { since: "2026-11-20", ownership: { note: "HR-812" }, line: 7 })],
    });
    const plan = planFor(world, roster, { state });
    expect(plan.findings).toEqual([
      {
        accept: { code: "leaver-remains:cy@acme.example#1f0700b5845b", until: "2026-12-20" },
        ownership: { note: "HR-812" },
        kind: "task",
        code: "leaver-remains",
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/u),
        subject: decodeSubject("user cy@acme.example"),
        roles: ["TEAM_ROLE"],
        message:
          "cy@acme.example is a leaver (since 2026-11-20), and the service still has the user u-cy, " +
          "Invited, in acc-1, with a membership in Data (t-1, key k3) and TEAM_ROLE on the key k3, which the " +
          "service does not remove. The API cannot delete users, end memberships or withdraw invitations. " +
          "Delete or disable this user in the service. roster created Data with them as first member. Check that it " +
          "has another admin.",
        because: [reasonAt(at(7), "leaver")],
        restsOn: [
          {
            about: decodeSubject("user cy@acme.example"),
            fact: { known: "declared", value: "a leaver since 2026-11-20", place: at(7) },
          },
          {
            about: decodeSubject("user cy@acme.example"),
            fact: { known: "observed", value: "present as Invited", by: "list" },
          },
        ],
      },
    ]);
  });

  test("is emptied for the reason that they are a leaver, and since that day", () => {
    const world = aWorldWithRoot();
    putCy(world);
    const roster = rosterWithRoot({ leavers: [aLeaver("cy", { since: "2026-11-20", line: 7 })] });
    expect(planFor(world, roster).actions).toMatchObject([
      {
        kind: "replace-roles",
        id: "replace-roles:k2",
        because: [reasonAt(at(7), "leaver")],
        key: { address: "cy@acme.example" },
        before: { known: "observed", value: ["TEAM_ROLE"] },
        roles: [],
        restsOn: [
          { about: decodeSubject("roles of key k2") },
          {
            about: decodeSubject("user cy@acme.example"),
            fact: { known: "declared", value: "a leaver since 2026-11-20" },
          },
        ],
      },
    ]);
  });

  test("whose key is the one in use keeps the role by which anything may be done, and that is told", () => {
    const world = aWorldWithRoot();
    for (const key of putCy(world).keys) key.roles = ["ACCOUNT_ADMIN"];
    const roster = rosterWithRoot({ leavers: [aLeaver("cy")] });
    const plan = planned({ roster, snapshot: snapshotOf(world, { roster }), keyInUse: "k2" });
    expect(outcome(plan)).toEqual(["! own-key: key k2", remains]);
  });

  test("whose service refuses to empty a key is told once, with what to do by hand", () => {
    const world = aWorldWithRoot();
    putCy(world);
    const roster = rosterWithRoot({ leavers: [aLeaver("cy")] });
    const state = aState({ refusals: refusalMap(...allRefused(planFor(world, roster))) });
    const plan = planFor(world, roster, { state });
    expect(outcome(plan)).toEqual([remains, "! refused: key k2"]);
    expect(plan.findings[1]?.message).toContain("Disable the key in the service.");
  });
});

test("a place in a team that the service does not show is told as recorded", () => {
  const world = aWorldWithRoot();
  putCy(world);
  const state = remembering({
    members: { "Science/cy": { prefix: "k-9" } },
    keys: { "k-9": [] },
    teams: { Science: { identifier: "t-9" } },
  });
  const plan = planFor(world, rosterWithRoot({ leavers: [aLeaver("cy")] }), { state, hides: ["keys"] });
  expect(plan.findings[0]?.message).toContain(
    "with a membership in Science (t-9, key k-9, from the state) and keys that the service does not show",
  );
});

describe("each key of a leaver says of which team it is", () => {
  const inTeams = (world: World, ...identifiers: readonly string[]) => {
    const cy = putCy(world);
    for (const identifier of identifiers) putTeam(world, { name: "Data", identifier, members: [cy], roles: ["A"] });
  };
  const known = aTeam("Data", { identifier: "t-1" });
  const state = remembering({
    members: { "Data/cy": { prefix: "k-data" }, "Ops/cy": { prefix: "k-ops" } },
    teams: { Ops: { identifier: "t-7" } },
  });
  test.each<[string, (world: World) => void, readonly DesiredTeam[], Circumstances, Readonly<Record<string, string>>]>([
    ["of the roster", (world) => inTeams(world, "t-1"), [known], {}, { k3: "acc-1/data t-1" }],
    ["that is shown only", (world) => inTeams(world, "t-1"), [], {}, { k3: "acc-1/data t-1" }],
    [
      "beside one of its name in the roster",
      (world) => inTeams(world, "t-1", "t-2"),
      [known],
      {},
      { k3: "acc-1/data t-1", k4: "acc-1/data ID t-2 t-2" },
    ],
    [
      "of two that are shown only",
      (world) => inTeams(world, "t-1", "t-2"),
      [],
      {},
      { k3: "acc-1/data ID t-1 t-1", k4: "acc-1/data ID t-2 t-2" },
    ],
    [
      "that is shown by its name",
      (world) => inTeams(world, "t-1"),
      [known],
      { seen: namesOnly },
      { k3: "acc-1/data t-1" },
    ],
    [
      "unless only its name is shown, and no team of the roster has it",
      (world) => inTeams(world, "t-1"),
      [],
      { seen: namesOnly },
      {},
    ],
    [
      "that is recorded",
      (world) => void putCy(world),
      [known],
      { hides: ["keys"], state },
      { "k-data": "acc-1/data t-1", "k-ops": "acc-1/ops t-7" },
    ],
  ])("%s", (_, change, teams, circumstances, expected) => {
    const world = aWorldWithRoot();
    change(world);
    const plan = planFor(world, rosterWithRoot({ leavers: [aLeaver("cy")], teams }), circumstances);
    const named = plan.actions.flatMap((action) => {
      if (action.kind !== "replace-roles" || action.key.of !== "prefix" || action.key.team === undefined) return [];
      const { team, prefix } = action.key;
      const { identifier } = plan.teams.get(team) ?? { identifier: unknown<string>("not named") };
      return [[factValue(prefix), `${team} ${factValue(identifier)}`]];
    });
    expect(Object.fromEntries(named)).toEqual(expected);
  });

  function namesOnly(shown: Snapshot): Snapshot {
    const nameOf = ({ team, ...key }: ObservedKey): ObservedKey =>
      team === undefined || team === "none" || team.name === undefined ? key : { ...key, team: { name: team.name } };
    return { ...shown, users: shown.users.map((user) => ({ ...user, keys: (user.keys ?? []).map(nameOf) })) };
  }
});

describe("a key of a leaver says that it is their own", () => {
  const byRecord = knowing({ user: { createdAt: recordedAt, key: "k-rec" } });
  const ofTeamCreation = knowing({ user: { createdAt: recordedAt, key: "k-rec", createdTeam: data } });

  test.each<[string, Parameters<typeof aLeaver>[1], (world: World) => void, Circumstances, readonly string[]]>([
    [
      "where it is shown to be, and no other does",
      {},
      (world) => {
        const cy = putCy(world);
        putTeam(world, { name: "Data", identifier: "t-1", members: [cy], roles: ["A"] });
        cy.keys.push({ ...newKey(world, { kind: "project", roles: ["A"], isDefault: false }), prefix: "project" });
      },
      {},
      ["k2"],
    ],
    [
      "where it came with them by our record",
      {},
      (world) => void putCy(world),
      { hides: ["keys"], state: byRecord },
      ["k-rec"],
    ],
    [
      "but not where it came with a team",
      {},
      (world) => void putCy(world),
      { hides: ["keys"], state: ofTeamCreation },
      [],
    ],
    [
      "where the roster said so",
      { key: "k-own", teamKeys: ["k-team"] },
      (world) => void putCy(world),
      { hides: ["keys"] },
      ["k-own"],
    ],
  ])("%s", (_, leaver, change, circumstances, expected) => {
    const world = aWorldWithRoot();
    change(world);
    const plan = planFor(world, rosterWithRoot({ leavers: [aLeaver("cy", leaver)] }), circumstances);
    const own = plan.actions.flatMap((action) =>
      action.kind === "replace-roles" && action.key.of === "prefix" && action.key.own === true
        ? [factValue(action.key.prefix)]
        : [],
    );
    expect(own).toEqual(expected);
  });
});
