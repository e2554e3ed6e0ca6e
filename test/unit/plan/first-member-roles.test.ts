import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { observed, unknown } from "../../../src/model/fact.ts";
import { aPolicy } from "../../support/plan-inputs.ts";
import { deeds, outcome, planFor, troubles } from "../../support/plan-words.ts";
import { runs } from "../../support/property-runs.ts";
import { aRoster, aTeam, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { aWorldOf } from "../../support/simulated-world.ts";

const usuallyPrivileged = ["ACCOUNT_ADMIN", "OWNER"];

interface Case {
  readonly wanted: readonly string[] | undefined;
  readonly known: readonly string[] | undefined;
  readonly sent: readonly string[];
  readonly exact: readonly string[];
  readonly forAMoment?: readonly string[];
  readonly privileged?: readonly string[];
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
  "the usual role where none is wanted, though the list of roles does not name it": {
    wanted: [],
    known: ["OWNER", "READER", "AUDITOR"],
    sent: ["TEAM_ROLE"],
    exact: [],
  },
  "the usual role beside privileged ones, though the list of roles does not name it": {
    wanted: ["OWNER"],
    known: ["ACCOUNT_ADMIN", "OWNER"],
    sent: ["OWNER", "TEAM_ROLE"],
    exact: ["OWNER"],
  },
  "the usual role though it is called privileged, shown as given for a moment": {
    wanted: [],
    known: ["TEAM_ROLE"],
    privileged: ["TEAM_ROLE"],
    sent: ["TEAM_ROLE"],
    exact: [],
    forAMoment: ["TEAM_ROLE"],
  },
  "only roles that the service knows for a team key": {
    wanted: ["DEVELOPER", "PROJECT"],
    known: ["DEVELOPER", "PROJECT", "TEAM_ROLE"],
    sent: ["DEVELOPER"],
    exact: ["DEVELOPER"],
  },
  "as wanted, where the service does not say what it knows": {
    wanted: ["NOPE"],
    known: undefined,
    sent: ["NOPE"],
    exact: ["NOPE"],
  },
  "the usual role where none is managed, though the list of roles does not name it": {
    wanted: undefined,
    known: ["ACCOUNT_ADMIN", "AUDITOR"],
    sent: ["TEAM_ROLE"],
    exact: ["TEAM_ROLE"],
  },
  "the usual role, where the service says nothing and knows nothing": {
    wanted: [],
    known: [],
    sent: ["TEAM_ROLE"],
    exact: [],
  },
};

describe("a first member's key is asked to carry", () => {
  test.each(Object.entries(cases))("%s", (_sentence, one) => {
    const { wanted, known, sent, exact, forAMoment = [], privileged = usuallyPrivileged } = one;
    const world = aWorldOf({ users: { root: {} } });
    const team = aTeam("T", { members: ["ada"], roles: wanted });
    const roles =
      known === undefined
        ? unknown<readonly { identifier: string }[]>("not shown")
        : observed(
            known.map((identifier) => ({ identifier })),
            "roles",
          );
    const plan = planFor(world, aRoster({ users: [aUser("ada")], teams: [team] }), {
      policy: aPolicy({ privilegedRoles: privileged }),
      seen: (snapshot) => ({ ...snapshot, roles }),
    });
    expect(plan.actions).toMatchObject([
      { kind: "create-user", createsTeam: { accessKeyRoles: sent, temporaryRoles: forAMoment } },
      { kind: "replace-roles", roles: exact },
    ]);
  });

  test("a privilege for a moment, and the plan says so", () => {
    const world = aWorldOf({ roles: ["TEAM_ROLE"], users: { root: {} } });
    const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("T", { members: ["ada"], roles: [] })] });
    const plan = planFor(world, roster, { policy: aPolicy({ privilegedRoles: ["TEAM_ROLE"] }) });
    expect(outcome(plan)).toEqual([
      "create ada creating T with TEAM_ROLE",
      "set key of ada in T to nothing after create-user:ada@acme.example",
      "temporary-privilege: team acc-1/t",
    ]);
  });
});

describe("a team is not created", () => {
  const plannedWith = (
    offered: readonly string[],
    team: TeamWish,
    users: Readonly<Record<string, UserWish>> = { ada: {}, bo: {} },
  ) => {
    const world = aWorldOf({ roles: offered, users: { root: {} } });
    const named = Object.entries(users).map(([name, wish]) => aUser(name, wish));
    const plan = planFor(world, aRoster({ users: named, teams: [aTeam("T", { line: 5, ...team })] }));
    return { deeds: deeds(plan), troubles: troubles(plan), messages: plan.findings.map(({ message }) => message) };
  };
  const offered = ["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE"];

  test("with a role that the service does not know, whoever else may be named like it", () => {
    const { messages, ...plan } = plannedWith(offered, { admin: "ada", members: ["ada", "bo"], roles: ["DEVLOPER"] });
    expect(plan).toEqual({
      deeds: ["create bo"],
      troubles: ["! cannot-create-team: team acc-1/t", "! unknown-role: role DEVLOPER"],
    });
    expect(messages).toEqual([
      "roster cannot create T: the service does not know DEVLOPER, which the roster gives to its first member " +
        "ada@acme.example. Correct the roles. Until then, roster does not create ada@acme.example. The team needs a new user.",
      "The service does not know the role DEVLOPER of roster.yaml:5:3. roster does not change keys that need it, and " +
        "creates no team with it. Did you mean DEVELOPER? The service offers ACCOUNT_ADMIN, AUDITOR, DEVELOPER and " +
        "TEAM_ROLE. Upper and lower case matter.",
    ]);
  });

  test("nor with the other roles of such a list", () => {
    const { messages: _, ...plan } = plannedWith(
      offered,
      { members: ["ada"], roles: ["AUDITR", "DEVELOPER"] },
      { ada: {} },
    );
    expect(plan).toEqual({
      deeds: [],
      troubles: ["! cannot-create-team: team acc-1/t", "! unknown-role: role AUDITR"],
    });
  });

  test("by this member: another one, whose roles are known, is the first", () => {
    const members = [{ user: "ada", roles: ["DEVLOPER"] }, "bo"];
    const { messages: _, ...plan } = plannedWith(offered, { members, roles: ["DEVELOPER"] });
    expect(plan).toEqual({
      deeds: [
        "create bo creating T with DEVELOPER",
        "create ada after create-user:bo@acme.example",
        "add ada to T after create-user:bo@acme.example, create-user:ada@acme.example",
        "set key of bo in T to DEVELOPER after create-user:bo@acme.example",
      ],
      troubles: ["! unknown-role: role DEVLOPER"],
    });
  });
});

test("nobody is ever planned a role that the roster does not give to that key, but for TEAM_ROLE", () => {
  const names = ["ada", "bo", "cy", "di"];
  const written = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "DEVLOPER", "auditor", "PROJECT"]);
  const teams = fc.array(
    fc.record({ members: fc.subarray(names, { minLength: 1 }), roles: fc.option(written, { nil: undefined }) }),
    { minLength: 1, maxLength: 3 },
  );
  const offered = fc.subarray(["ACCOUNT_ADMIN", "AUDITOR", "DEVELOPER", "TEAM_ROLE", "PROJECT"]);
  const own = fc.option(written, { nil: undefined });
  fc.assert(
    fc.property(teams, offered, own, (wanted, roles, ownKeyRoles) => {
      const world = aWorldOf({ roles, users: { root: {} } });
      const rosterTeams = wanted.map(({ members, roles: given }, index) =>
        aTeam(`T${index}`, { members, roles: given }),
      );
      const users = names.map((name) => aUser(name, name === "di" && ownKeyRoles !== undefined ? { ownKeyRoles } : {}));
      const plan = planFor(world, aRoster({ users, teams: rosterTeams }));
      for (const action of plan.actions) {
        if (action.kind === "create-user" && action.createsTeam !== undefined) {
          const given = wanted[Number(action.createsTeam.name.slice(1))]?.roles ?? [];
          const { accessKeyRoles } = action.createsTeam;
          expect(accessKeyRoles).not.toEqual([]);
          expect(accessKeyRoles.filter((role) => ![...given, "TEAM_ROLE"].includes(role))).toEqual([]);
          expect(given.filter((role) => roles.length > 0 && ![...roles, "TEAM_ROLE"].includes(role))).toEqual([]);
        }
        if (action.kind === "replace-roles" && action.key.of === "team-key") {
          const given = wanted[Number(plan.teams.get(action.key.team)?.name.slice(1))]?.roles ?? ["TEAM_ROLE"];
          expect(action.roles.filter((role) => !given.includes(role) && role !== "TEAM_ROLE")).toEqual([]);
        }
      }
    }),
    { numRuns: runs(1200) },
  );
});
