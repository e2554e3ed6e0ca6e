import { describe, expect, test } from "vitest";
import type { FoldedAddress } from "../../../src/model/address.ts";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Roster } from "../../../src/model/roster.ts";
import { callIdOf, type State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import { planResendInvitation } from "../../../src/plan/resend-invitation.ts";
import { additionIntent, openIntent, science } from "../../support/event-builders.ts";
import { aPlanInput, aPolicy, aState, sha256, unguarded } from "../../support/plan-inputs.ts";
import { addressOf, aLeaver, aRoster, aTeam, at, aUser, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, giveTeamKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";
import type { Hidden } from "../../support/visibility.ts";

const recordedAt = "2026-11-01T08:00:00.000Z";
const ada = addressOf("ada");

/** Ada, who has not accepted yet, in Science or not. */
function worldWith(status: string, isMember = true): World {
  const world = aWorld();
  const shown = putUser(world, { email: emailOf("ada"), lastName: "Test", identifier: "u-ada", status });
  putTeam(world, { name: "Science", identifier: "t-1" });
  if (isMember) giveTeamKey(world, shown, "t-1", ["TEAM_ROLE"]);
  return world;
}

function added(parts: Partial<State> = {}): State {
  const held = { team: science, address: ada, how: "added", at: recordedAt, prefix: "k-1" } as const;
  return aState({ memberships: new Map([[membershipKeyOf(science, ada), held]]), ...parts });
}

const wanted = aRoster({
  users: [aUser("ada", { line: 3 }), aUser("bo")],
  leavers: [aLeaver("cy")],
  teams: [aTeam("Science", { members: ["ada"], line: 9 }), aTeam("Ops", { members: ["bo"] })],
});

interface Scene {
  readonly world?: World;
  readonly roster?: Roster;
  readonly state?: State;
  readonly hides?: readonly Hidden[];
  readonly protects?: readonly FoldedAddress[];
  readonly who?: string;
  readonly team?: string;
}

function resent(scene: Scene) {
  const { world = worldWith("Invited"), roster = wanted, state = aState(), hides = [], protects = [] } = scene;
  const { who = "ada", team = "Science" } = scene;
  const policy = aPolicy({ guards: { ...unguarded, protected: { users: protects, keys: [] } } });
  const snapshot = snapshotOf(world, { roster, hides });
  return planResendInvitation(aPlanInput({ roster, snapshot, state, policy }), {
    address: addressOf(who),
    email: emailOf(who),
    team,
  });
}

const identified: Partial<State> = {
  teams: new Map([[science, { team: science, name: "Science", account: "acc-1", identifier: "t-1", at: recordedAt }]]),
};

const invited: Readonly<Record<string, Scene>> = {
  "is shown in the team, and has not accepted": {},
  "is shown in the team, and active": { world: worldWith("active") },
  "is in the team by our record alone": { state: added(identified), hides: ["keys"], world: worldWith("active") },
  "was in the team by our record, and is shown without it": {
    world: worldWith("Invited", false),
    state: added(identified),
  },
  "has not accepted, where nothing shows or records who is in the team": { state: aState(identified), hides: ["keys"] },
  "is named by the team's identifier": {
    roster: aRoster({ users: [aUser("ada")], teams: [aTeam("Science", { identifier: "t-1", members: ["ada"] })] }),
    team: "t-1",
  },
};

const refused: Readonly<Record<string, readonly [Scene, string]>> = {
  "is a leaver": [{ who: "cy" }, "cy@acme.example is a leaver"],
  "is a stranger to the roster": [{ who: "zoe" }, "the roster has no user with the address zoe@acme.example"],
  "is not in the service": [{ who: "bo", team: "Ops" }, "the service does not have bo@acme.example yet"],
  "is no member in the roster": [{ team: "Ops" }, "ada@acme.example is not a member of Ops in the roster"],
  "is named with a team that is none": [{ team: "Sciences" }, "the roster has no team Sciences"],
  "is in two teams of the name": [
    {
      roster: aRoster({
        users: [aUser("ada")],
        teams: [aTeam("Science", { members: ["ada"] }), aTeam("Science", { account: "acc-2", members: ["ada"] })],
      }),
    },
    "ada@acme.example is in several teams with the name Science",
  ],
  "is barred": [{ world: worldWith("Inactive") }, "the service shows ada@acme.example as Inactive"],
  "was deleted": [{ world: worldWith("Deleted") }, "roster changes nothing for ada@acme.example"],
  "is not a member yet": [
    { world: worldWith("Invited", false), state: aState(identified) },
    "ada@acme.example is not a member of Science yet",
  ],
  "is active, and perhaps a member": [
    { world: worldWith("active"), state: aState(identified), hides: ["keys"] },
    "roster cannot know if ada@acme.example is a member of Science: the service does not show the keys of users",
  ],
  "is in a team whose identifier nobody knows": [
    {
      hides: ["keys"],
      state: added({
        teams: new Map([[science, { team: science, name: "Science", account: "acc-1", at: recordedAt }]]),
      }),
    },
    "the identifier of Science is unknown",
  ],
  "was perhaps mailed a moment ago": [
    {
      state: added({ ...identified, open: [openIntent("r1", "a", additionIntent("ada"), recordedAt)] }),
      hides: ["keys"],
    },
    `roster sent a call to add ada@acme.example to Science at ${recordedAt}, and the outcome is unknown`,
  ],
};

describe("an invitation once more", () => {
  test.each(Object.entries(invited))("is for somebody who %s", (_, scene) => {
    const plan = resent(scene);
    if (!plan.ok) throw new Error(plan.error.message);
    expect(plan.value.actions).toMatchObject([
      {
        kind: "add-members",
        id: `resend-invitation:${science}:${ada}`,
        again: true,
        members: [{ address: ada, identifier: { value: "u-ada" } }],
        team: { identifier: { value: "t-1" } },
      },
    ]);
  });

  test.each(Object.entries(refused))("is not for somebody who %s", (_, [scene, why]) => {
    expect(resent(scene)).toMatchObject({
      ok: false,
      error: { code: "cannot-resend", message: `No mail was sent: ${why}.` },
    });
  });

  test("whose mail may have been sent says from when on that is decided, and what to type", () => {
    const [scene] = refused["was perhaps mailed a moment ago"] ?? [{}];
    const id = callIdOf({ run: "r1", action: "a" }, sha256);
    expect(resent(scene)).toMatchObject({
      error: {
        hint:
          "Plan again after 2026-11-01T08:15:00.000Z. What reads do not show by then was not done. Or look in " +
          `the service and run \`roster state resolve ${id}\` with \`--done\` or \`--not-done\`.`,
      },
    });
  });

  test("is not for somebody whom the settings protect", () => {
    expect(resent({ protects: [ada] })).toMatchObject({ ok: false, error: { code: "protected" } });
  });

  test("says who is mailed, when the last mail was sent by our record, and rests on what it saw", () => {
    const plan = resent({ state: added() });
    if (!plan.ok) throw new Error(plan.error.message);
    const subject = decodeSubject(`member ${ada} of team ${teamKeyOf("acc-1", "Science")}`);
    expect(plan.value).toMatchObject({
      calls: { writes: 1, atMost: 1 },
      actions: [
        {
          rule: "invitation-resent",
          because: [
            reasonAt(at(9), "member", { person: addressOf("ada") }),
            reasonAt(at(9), "team", { name: "Science" }),
          ],
          restsOn: [
            { about: decodeSubject(`user ${ada}`), fact: { known: "observed", value: "present as Invited" } },
            { about: decodeSubject(`user ${ada}`), fact: { known: "recorded", value: "invited", at: recordedAt } },
            { about: decodeSubject("today"), fact: { value: "2026-11-20", by: "clock" } },
          ],
        },
      ],
      findings: [
        {
          code: "invited-before",
          blocking: false,
          subject,
          message:
            "ada@acme.example gets one more mail for Science: last invitation at 2026-11-01T08:00:00.000Z, 19 " +
            "days ago. The service shows the user as Invited. A mail cannot be undone.",
        },
      ],
    });
  });

  test("is remembered by no request, so that a refusal stands in nobody's way", () => {
    const plan = resent({});
    if (!plan.ok) throw new Error(plan.error.message);
    const [action] = plan.value.actions;
    expect(action?.kind === "add-members" ? action.members.map(({ request }) => request) : "another").toEqual([
      undefined,
    ]);
  });
});

test("somebody whom our record knows to have been created, and not mailed, is told so", () => {
  const created = { address: ada, email: emailOf("ada"), account: "acc-1", createdAt: recordedAt } as const;
  const plan = resent({ state: aState({ users: new Map([[ada, created]]) }) });
  expect(plan.ok ? plan.value.findings.map(({ message }) => message) : plan.error).toEqual([
    "ada@acme.example gets a mail for Science: no mail since the user was created at " +
      "2026-11-01T08:00:00.000Z, 19 days ago. The service shows the user as Invited. A mail cannot be " +
      "undone.",
  ]);
});
