import { describe, expect, test } from "vitest";
import type { RecordedMembership, State } from "../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import { aPolicy, aState } from "../../support/plan-inputs.ts";
import { type Circumstances, planFor } from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const ada = addressOf("ada");

function invited(
  parts: { readonly createdAt?: string; readonly places?: readonly [string, RecordedMembership["how"], string][] } = {},
): State {
  const { createdAt, places = [] } = parts;
  const memberships = places.map(([name, how, at]) => {
    const team = teamKeyOf("acc-1", name);
    return [membershipKeyOf(team, ada), { team, address: ada, how, at }] as const;
  });
  const record = {
    address: ada,
    email: emailOf("ada"),
    account: "acc-1",
    ...(createdAt === undefined ? {} : { createdAt }),
  };
  return aState({ users: new Map([[ada, record]]), memberships: new Map(memberships) });
}

/** Ada is in Data, and has not accepted yet; today is the 20th of November. */
function told(state: State, { policy, hides }: Circumstances = {}) {
  const world = aWorld();
  const shown = putUser(world, { email: emailOf("ada"), lastName: "Test", status: "Invited" });
  putTeam(world, { name: "Data", identifier: "t-1", members: [shown] });
  const teams = [
    aTeam("Data", { identifier: "t-1", members: ["ada"] }),
    aTeam("Big Ops", { identifier: "t-2", members: ["ada"] }),
  ];
  const plan = planFor(world, aRoster({ users: [aUser("ada")], teams }), {
    state,
    ...(policy === undefined ? {} : { policy }),
    ...(hides === undefined ? {} : { hides }),
  });
  return plan.findings.find(({ subject }) => subject === `user ${ada}`);
}

const day = (date: string) => `${date}T08:00:00.000Z`;

describe("somebody who has not accepted an invitation", () => {
  test.each([
    ["of which nothing is recorded is a notice", invited(), "pending-user"],
    ["of 14 days ago is a notice", invited({ createdAt: day("2026-11-06") }), "pending-user"],
    ["of 15 days ago blocks", invited({ createdAt: day("2026-11-05") }), "invitation-expired"],
    [
      "mailed for a team later is a notice",
      invited({ createdAt: day("2026-11-05"), places: [["Data", "added", day("2026-11-19")]] }),
      "pending-user",
    ],
    [
      "of which the last of several mails counts",
      invited({
        places: [
          ["Data", "added", day("2026-11-19")],
          ["Big Ops", "added", day("2026-10-01")],
        ],
      }),
      "pending-user",
    ],
    [
      "who founded a team was mailed by nobody since",
      invited({ createdAt: day("2026-11-05"), places: [["Data", "founded", day("2026-11-05")]] }),
      "invitation-expired",
    ],
    [
      "who was seen in a team was not mailed then",
      invited({ createdAt: day("2026-11-05"), places: [["Data", "seen", day("2026-11-19")]] }),
      "invitation-expired",
    ],
  ])("%s", (_, state, code) => {
    const finding = told(state);
    expect({ code: finding?.code, blocking: finding?.blocking }).toEqual({ code, blocking: code !== "pending-user" });
  });

  test("may wait as long as the policy says", () => {
    const policy = aPolicy({ invitationDays: 30 });
    expect(told(invited({ createdAt: day("2026-11-01") }), { policy })?.code).toBe("pending-user");
  });

  test("is told how to be invited once more, for each team that they are in", () => {
    const state = invited({ places: [["Big Ops", "added", day("2026-11-01")]] });
    expect(told(state)).toMatchObject({
      class: "pending",
      message:
        "The service shows ada@acme.example as Invited, 19 days after the last invitation that our record knows (2026-11-01T08:00:00.000Z): " +
        "it may have been lost, or lasts no longer. Nobody is mailed twice by itself: ask the person, and say " +
        '`roster reinvite ada@acme.example Data` or `roster reinvite ada@acme.example "Big Ops"`; a service that answers that they are a ' +
        "member already mails no member again, and the invitation has to be renewed by hand there.",
      restsOn: [
        { fact: { known: "observed", value: "present as Invited" } },
        { fact: { known: "recorded", value: "invited", at: "2026-11-01T08:00:00.000Z" } },
        { about: "today", fact: { known: "observed", value: "2026-11-20", by: "clock" } },
      ],
    });
  });

  test("in no team that is known has to be asked", () => {
    const state = invited({ createdAt: day("2026-11-01") });
    expect(told(state, { hides: ["keys"] })?.message).toContain(
      "by itself: ask the person, or have the invitation renewed by hand.",
    );
  });
});
