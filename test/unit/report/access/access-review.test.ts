import { expect, test } from "vitest";
import { roleSet } from "../../../../src/model/role-set.ts";
import type { Roster } from "../../../../src/model/roster.ts";
import type { Snapshot } from "../../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { formatAccess } from "../../../../src/report/access/access-formats.ts";
import { type AccessSelection, reviewAccess } from "../../../../src/report/access/access-review.ts";
import { addressOf, aRoster, aTeam, at, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";

interface Scene {
  readonly roster?: Roster;
  readonly state?: State;
  readonly selection?: AccessSelection;
}

function reviewOf(snapshot: Snapshot, scene: Scene = {}) {
  const { roster = aRoster({}), state = emptyState("lineage-1"), selection = {} } = scene;
  return reviewAccess({ roster, snapshot, state, privilegedRoles: roleSet(["ADMIN"]) }, selection);
}

const science = { name: "Science" };
const hidden = aSnapshot({
  users: [
    aShownUser("ada"),
    aShownUser("bo", { keys: [aShownKey("k-1", science)] }),
    aShownUser("cy", { keys: [{ prefix: "k-2", roles: roleSet(["USER"]) }] }),
    aShownUser("di", { keys: [aShownKey("k-3", science, { roles: roleSet([]) })] }),
    aShownUser("ed", { keys: [{ prefix: "k-4" }] }),
  ],
});

test.each<[string, AccessSelection, readonly string[]]>([
  ["all", {}, ["ada - keys", "bo - roles", "cy USER team", "di - -", "ed - roles team"]],
  ["a role", { role: "ADMIN" }, ["ada - keys", "bo - roles", "ed - roles team"]],
  ["a team", { team: "Other" }, ["ada - keys", "cy USER team", "ed - roles team"]],
  ["a person", { person: addressOf("di") }, ["di - -"]],
])("access that the service hides is never taken for none: %s", (_, selection, expected) => {
  const shown = reviewOf(hidden, { selection }).rows.map(({ person, role = "-", not_shown: what = "-" }) =>
    [person?.replace(/@.*/u, ""), role, what].join(" "),
  );
  expect(shown.sort()).toEqual(expected);
});

test("a person sees what is hidden, and that not all users were read", () => {
  const text = formatAccess(reviewOf({ ...hidden, everyone: { read: "incomplete", why: "cut" } }), "text");
  expect(text.match(/not shown/gu)?.length).toBe(7);
  expect(text).toContain("Not all users were read: more access may exist.");
  expect(text).toContain("The service does not show the keys of some users.");
  expect(text).toContain("The service does not show the roles of some keys.");
  expect(text).toContain("The service does not show the team of some keys.");
});

const inScience = aSnapshot({
  users: [aShownUser("old.ada", { keys: [aShownKey("k-1", science, { roles: roleSet(["ADMIN", "USER"]) })] })],
});

test("a user under a former address is the roster's user, and access ends with the first end", () => {
  const team = aTeam("Science", { members: ["ada"], roles: ["USER"] });
  const endings = [{ roles: roleSet(["USER"]), until: { value: "2027-06-01", place: at(9) } }];
  const teams = [{ ...team, members: team.members.map((member) => ({ ...member, endings })) }];
  const users = [aUser("ada", { previously: ["old.ada"], until: "2027-01-31" })];
  const { rows } = reviewOf(inScience, { roster: aRoster({ users, teams }) });
  expect(rows.map(({ role, source, place, until }) => [role, source, place, until])).toEqual([
    ["ADMIN", "not-in-roster", undefined, undefined],
    ["USER", "roster", "roster.yaml:9", "2027-01-31"],
  ]);
});

test("a role that a recorded call found on the key has no date, whatever the state says of that call", () => {
  const grant = { at: "2026-11-03T12:00:00Z", run: "r2" };
  const put = { prefix: "k-1", setRoles: roleSet(["ADMIN", "USER"]), at: grant.at };
  const access = { prefix: "k-1", roles: [{ role: "ADMIN" }, { role: "USER", ...grant }] };
  const runs = new Map([["r2", { run: "r2", actor: { name: "bo", source: "os" } }]]);
  const state = {
    ...emptyState("lineage-1"),
    keys: new Map([["k-1", put]]),
    access: new Map([["k-1", access]]),
    runs,
  };
  const { rows } = reviewOf(inScience, { state });
  expect(rows.map(({ role, granted_at: since, granted_by: by }) => [role, since, by])).toEqual([
    ["ADMIN", undefined, undefined],
    ["USER", grant.at, "bo"],
  ]);
});

test("each row has the owner of the membership, else of the team, else of the user", () => {
  const roster = aRoster({
    users: [aUser("ada", { previously: ["old.ada"], ownership: { owner: "hr" } }), aUser("bo")],
    teams: [
      aTeam("Science", {
        ownership: { owner: "science-team" },
        members: [{ user: "ada", roles: ["USER"], ownership: { note: "JIRA-1" } }],
      }),
    ],
  });
  const snapshot = aSnapshot({
    users: [
      aShownUser("old.ada", {
        keys: [aShownKey("k-1", science, { roles: roleSet(["USER"]) }), aShownKey("k-2", "none")],
      }),
      aShownUser("bo", { keys: [aShownKey("k-3", "none", { roles: roleSet(["USER"]) })] }),
      aShownUser("mal", { keys: [aShownKey("k-4", science, { roles: roleSet(["USER"]) })] }),
    ],
  });
  const csv = formatAccess(reviewOf(snapshot, { roster }), "csv");
  expect(
    csv
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(",").at(-1)),
  ).toEqual(["owner", "", "science-team", "hr", "science-team"]);
});
