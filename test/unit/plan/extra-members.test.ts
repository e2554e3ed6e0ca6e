import { describe, expect, test } from "vitest";
import type { State } from "../../../src/model/state.ts";
import { type Circumstances, outcome, planFor } from "../../support/plan-words.ts";
import { aKey, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, giveTeamKey, putTeam, putUser, type World, type WorldKey } from "../../support/simulated-world.ts";
import { remembering } from "../../support/state-builders.ts";

const held = remembering({ members: { "Data/bo": { prefix: "k-bo" } } });

/** Roles on the key of bo were removed, and the service kept others. */
function emptied(...observedRoles: readonly string[]): State {
  return remembering({ members: { "Data/bo": { prefix: "k-bo" } }, keys: { "k-bo": { setRoles: [], observedRoles } } });
}

interface Case extends Circumstances {
  /** Of the key that bo, whom the roster does not name, holds in the team. */
  readonly key?: Partial<Pick<WorldKey, "status" | "roles">>;
  readonly bo?: Parameters<typeof aUser>[1] & { readonly status?: string };
  readonly team?: Parameters<typeof aTeam>[1];
  readonly also?: Partial<Parameters<typeof aRoster>[0]>;
  readonly plans?: readonly string[];
}

const extra = "! extra-member: member bo@acme.example of team acc-1/data";

const cases: Readonly<Record<string, Case>> = {
  "is told alone, where the team does not say more": { team: { onRemoval: "report" }, plans: [extra] },
  "loses the roles of their key in a team that revokes roles": { plans: ["set k-bo (observed) to nothing", extra] },
  "whose key has no roles any more is a notice": {
    key: { roles: [] },
    plans: ["extra-member: member bo@acme.example of team acc-1/data"],
  },
  "is asked once, where the service keeps a role on the key": { state: emptied("TEAM_ROLE"), plans: [extra] },
  "on whose key a privilege stays is told for it too": {
    key: { roles: ["ACCOUNT_ADMIN"] },
    state: emptied("ACCOUNT_ADMIN"),
    plans: [extra, "! roles-kept-by-service: key k-bo"],
  },
  "whom the roster names elsewhere is told all the same": {
    also: { users: [aUser("bo", { firstName: "Ada", lastName: "Lovelace" })] },
    team: { onRemoval: "report" },
    plans: [extra],
  },
  "who has not accepted an invitation yet is told": {
    bo: { status: "invited" },
    team: { onRemoval: "report" },
    plans: [extra],
  },
  "whose key is switched off is none": { key: { status: "inactive" } },
  "whose key is deleted is none": { key: { status: "Deleted" } },
  "who is barred is none": { bo: { status: "Inactive" } },
  "who is deleted is none": { bo: { status: "deleted" } },
  "is nobody in an open team": { team: { open: true } },
  "who is a member under a later address is none": {
    also: { users: [aUser("bo.new", { previously: ["bo"] })] },
    team: { members: ["bo.new"] },
    plans: ["! former-address: user bo.new@acme.example"],
  },
  "whose key the roster lists with roles is in doubt, and nothing is done": {
    also: { keys: [aKey("k-bo", { roles: ["DEVELOPER"] })] },
    plans: [extra, "! conflicting-roles: key k-bo"],
  },
  "by record loses them where the service shows no keys": {
    hides: ["keys"],
    state: held,
    plans: ["set k-bo (recorded) to nothing"],
  },
  "by record lost them already": { hides: ["keys"], state: emptied("TEAM_ROLE") },
  "by record is left alone in a team that reports": {
    team: { onRemoval: "report" },
    hides: ["keys"],
    state: held,
  },
};

function worldWith({ key, bo }: { readonly key?: Case["key"]; readonly bo?: Case["bo"] }): World {
  const world = aWorld();
  putUser(world, { email: emailOf("root"), identifier: "u-root" });
  const { status = "active" } = bo ?? {};
  const user = putUser(world, { email: emailOf("bo"), identifier: "u-bo", status });
  putTeam(world, { name: "Data", identifier: "t-1" });
  const given = giveTeamKey(world, user, "t-1", key?.roles ?? ["TEAM_ROLE"]);
  user.keys.splice(user.keys.indexOf(given), 1, { ...given, prefix: "k-bo", status: key?.status ?? "active" });
  return world;
}

describe("a member too many", () => {
  test.each(Object.entries(cases))("%s", (_, { key, bo, team, also, ...rest }) => {
    const { plans = [], ...circumstances } = rest;
    const root = aUser("root", { firstName: "Ada", lastName: "Lovelace" });
    const teams = [aTeam("Data", { identifier: "t-1", onRemoval: "revoke", ...team })];
    const roster = aRoster({ ...also, users: [root, ...(also?.users ?? [])], teams });
    const plan = planFor(worldWith({ key, bo }), roster, circumstances);
    expect(outcome(plan)).toEqual(plans);
  });

  test("is told with the roles that their key carries, where it carries any", () => {
    const users = [aUser("root", { firstName: "Ada", lastName: "Lovelace" })];
    const told = ([["B", "A"], []] as const).map((roles) => {
      const roster = aRoster({ users, teams: [aTeam("Data", { identifier: "t-1", onRemoval: "report" })] });
      return planFor(worldWith({ key: { roles } }), roster).findings[0]?.message.split(", and the roster")[0];
    });
    expect(told).toEqual([
      "bo@acme.example has the key k-bo of Data with A, B, but is not a member in the roster. The API " +
        "cannot remove members. Remove them in the service, or add them to the roster. `open: true` allows " +
        "extra members.",
      "bo@acme.example has the key k-bo of Data with no roles, but is not a member in the roster. The API " +
        "cannot remove members. Remove them in the service, or add them to the roster. `open: true` allows " +
        "extra members.",
    ]);
  });

  test("is told with what becomes of the key, before it is emptied and after", () => {
    const roster = aRoster({
      users: [aUser("root", { firstName: "Ada", lastName: "Lovelace" })],
      teams: [aTeam("Data", { identifier: "t-1", onRemoval: "revoke" })],
    });
    const told = ([{}, { key: { roles: [] } }] as const).map(
      (parts) => planFor(worldWith(parts), roster).findings[0]?.message,
    );
    const kept = planFor(worldWith({}), roster, { state: emptied("TEAM_ROLE") }).findings[0]?.message;
    expect([...told, kept].map((message) => message?.split("in the roster. ")[1])).toEqual([
      "The team has `onRemoval: revoke`, so apply removes the roles of this key. The API cannot remove " +
        "members. Remove them in the service, or add them to the roster.",
      "The key has no roles, because the team has `onRemoval: revoke`. The API cannot remove members. To " +
        "hide this notice, remove the member in the service.",
      "roster removed the roles of this key, but it still has TEAM_ROLE. The API cannot remove members. " +
        "Remove them in the service, or add them to the roster.",
    ]);
  });
});
