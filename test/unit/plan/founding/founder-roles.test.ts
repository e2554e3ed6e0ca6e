import { describe, expect, test } from "vitest";
import { rolesToSend } from "../../../../src/plan/known-refusals.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, putUser } from "../../../support/simulated-world.ts";

const privileged = ["ACCOUNT_ADMIN", "OWNER"];

interface Case {
  readonly wanted: readonly string[] | undefined;
  readonly known: readonly string[] | undefined;
  readonly sent: readonly string[];
  readonly exact: readonly string[];
  readonly forAMoment?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "as wanted": { wanted: ["DEVELOPER"], known: ["DEVELOPER", "TEAM_ROLE"], sent: ["DEVELOPER"], exact: ["DEVELOPER"] },
  "the usual role, where none is wanted": { wanted: [], known: ["A", "TEAM_ROLE"], sent: ["TEAM_ROLE"], exact: [] },
  "the usual role, where none is managed": {
    wanted: undefined,
    known: ["A", "TEAM_ROLE"],
    sent: ["TEAM_ROLE"],
    exact: ["TEAM_ROLE"],
  },
  "the usual role besides, where only privileged ones are wanted": {
    wanted: ["ACCOUNT_ADMIN"],
    known: ["ACCOUNT_ADMIN", "TEAM_ROLE"],
    sent: ["ACCOUNT_ADMIN", "TEAM_ROLE"],
    exact: ["ACCOUNT_ADMIN"],
  },
  "another harmless role, where the service does not know the usual one": {
    wanted: [],
    known: ["OWNER", "READER", "AUDITOR"],
    sent: ["AUDITOR"],
    exact: [],
  },
  "privileged roles alone, where the service knows no others": {
    wanted: ["OWNER"],
    known: ["ACCOUNT_ADMIN", "OWNER"],
    sent: ["OWNER"],
    exact: ["OWNER"],
  },
  "something rather than nothing, shown as given for a moment": {
    wanted: undefined,
    known: ["OWNER", "ACCOUNT_ADMIN"],
    sent: ["ACCOUNT_ADMIN"],
    exact: [],
    forAMoment: ["ACCOUNT_ADMIN"],
  },
  "only roles that the service knows": {
    wanted: ["DEVELOPER", "NOPE"],
    known: ["DEVELOPER", "TEAM_ROLE"],
    sent: ["DEVELOPER"],
    exact: ["DEVELOPER"],
  },
  "as wanted, where the service does not say what it knows": {
    wanted: ["NOPE"],
    known: undefined,
    sent: ["NOPE"],
    exact: ["NOPE"],
  },
  "the usual role, where the service says nothing and knows nothing": {
    wanted: [],
    known: [],
    sent: ["TEAM_ROLE"],
    exact: [],
  },
};

describe("a founder's key is asked to carry", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { wanted, known, sent, exact, forAMoment = [] }) => {
    expect(rolesToSend({ wanted, known: known && new Set(known), privileged })).toEqual({
      accessKeyRoles: sent,
      exact,
      grantsForAMoment: forAMoment,
    });
  });

  test("a privilege for a moment, and the plan says so", () => {
    const world = aWorld({ roles: ["ACCOUNT_ADMIN"] });
    putUser(world, { email: "root@acme.example" });
    const plan = planFor(
      world,
      aRoster({ users: [aUser("ada")], teams: [aTeam("T", { members: ["ada"], roles: [] })] }),
    );
    expect({ deeds: deeds(plan), troubles: troubles(plan) }).toEqual({
      deeds: [
        "create ada founding T with ACCOUNT_ADMIN",
        "set key of ada in T to nothing after create-user:ada@acme.example",
      ],
      troubles: ["temporary-privilege: team acc-1/t"],
    });
  });
});
