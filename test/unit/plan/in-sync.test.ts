import { expect, test } from "vitest";
import type { State } from "../../../src/model/state.ts";
import { findInSync } from "../../../src/plan/in-sync.ts";
import { aContext, aState } from "../../support/plan-inputs.ts";
import { planFor } from "../../support/plan-words.ts";
import { aKey, aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, aWorldOf, newKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";
import type { Hidden } from "../../support/visibility.ts";

/** What is so already, each with how it is known. */
function agreed(
  world: World,
  roster: ReturnType<typeof aRoster>,
  { state = aState(), hides = [] }: { readonly state?: State; readonly hides?: readonly Hidden[] } = {},
): readonly string[] {
  const snapshot = snapshotOf(world, { roster, hides });
  return findInSync(aContext({ roster, snapshot, state })).map(({ says, basis }) => {
    const fact = basis?.fact;
    if (fact === undefined || fact.known === "unknown") return says;
    return `${says} (${fact.known === "recorded" ? fact.at : fact.known})`;
  });
}

function company(): { readonly world: World; readonly prefixes: readonly string[] } {
  const world = aWorld();
  const ada = putUser(world, { email: emailOf("ada"), lastName: "Test", identifier: "u-ada" });
  const bo = putUser(world, { email: emailOf("bo"), lastName: "Test", identifier: "u-bo" });
  putTeam(world, { name: "Data", identifier: "t-1", members: [ada, bo], roles: ["DEVELOPER"] });
  return { world, prefixes: [ada, bo].flatMap(({ keys }) => keys.map(({ prefix }) => prefix)) };
}

const users = [aUser("ada"), aUser("bo")];

test("people, teams, places and roles that are as the roster says are agreed to, and nothing else", () => {
  const { world } = company();
  const roster = aRoster({
    users: [...users, aUser("cy")],
    teams: [aTeam("Data", { members: ["ada", { user: "bo", roles: ["AUDITOR"] }, "cy"], roles: ["DEVELOPER"] })],
  });
  const [ada] = world.users;
  const key = ada?.keys.find(({ team }) => team !== undefined)?.prefix;
  expect(agreed(world, roster)).toEqual([
    "ada@acme.example exists already (observed)",
    "bo@acme.example exists already (observed)",
    "the team Data exists already (observed)",
    "ada@acme.example is a member of Data already (observed)",
    "bo@acme.example is a member of Data already (observed)",
    `the key of ada@acme.example in Data (${key}) has just the roles DEVELOPER (observed)`,
  ]);
});

test("own keys and listed keys with just the roles that are wanted are agreed to", () => {
  const world = aWorld();
  const ada = putUser(world, { email: emailOf("ada"), lastName: "Test" });
  const [own] = ada.keys;
  const project = newKey(world, { kind: "project", roles: ["PROJECT"], isDefault: false });
  ada.keys.push(project);
  const roster = aRoster({
    users: [aUser("ada", { ownKeyRoles: own?.roles ?? [] })],
    keys: [aKey(project.prefix, { roles: ["PROJECT"] })],
  });
  expect(agreed(world, roster)).toEqual([
    "ada@acme.example exists already (observed)",
    `the own key of ada@acme.example (${own?.prefix}) has just the roles ${own?.roles?.join(", ")} (observed)`,
    `the listed key (${project.prefix}) has just the roles PROJECT (observed)`,
  ]);
});

test("what is not shown is agreed to by our record, and by nothing else", () => {
  const { world } = company();
  const roster = aRoster({
    users,
    teams: [aTeam("Data", { identifier: "t-1", members: ["ada"], roles: ["DEVELOPER"] })],
  });
  const state = remembering({ members: { "Data/ada": { prefix: "k-9" } }, keys: { "k-9": ["DEVELOPER"] } });
  const inTeam = (told: readonly string[]) =>
    told.filter((one) => one.includes("Data already") || one.includes("roles"));
  expect(inTeam(agreed(world, roster, { hides: ["keys"] }))).toEqual([]);
  expect(inTeam(agreed(world, roster, { hides: ["keys"], state }))).toEqual([
    `ada@acme.example is a member of Data already (${recordedAt})`,
    `the key of ada@acme.example in Data (k-9) has just the roles DEVELOPER (${recordedAt})`,
  ]);
});

test("a leaver who is gone, or whose keys have no roles, is agreed to", () => {
  const world = aWorldOf({ users: { ada: {} } });
  const cy = putUser(world, { email: emailOf("cy"), lastName: "Test" });
  for (const key of cy.keys) key.roles = [];
  const roster = aRoster({ users: [aUser("ada")], leavers: [aLeaver("cy"), aLeaver("di")] });
  expect(agreed(world, roster)).toEqual([
    "ada@acme.example exists already (observed)",
    ...cy.keys.map(({ prefix }) => `a key of cy@acme.example, a leaver (${prefix}) has just no roles (observed)`),
    "di@acme.example, a leaver, is gone (observed)",
  ]);
});

test("what a plan changes is not agreed to, and what is agreed to is not changed", () => {
  const { world } = company();
  const roster = aRoster({
    users: [...users, aUser("cy")],
    teams: [aTeam("Data", { members: ["ada", "bo", "cy"], roles: ["AUDITOR"] })],
  });
  const snapshot = snapshotOf(world, { roster, hides: [] });
  const prefixes = findInSync(aContext({ roster, snapshot })).map(({ prefix }) => prefix);
  const replaced = planFor(world, roster).actions.flatMap(({ id }) => /^replace-roles:(k\d+)$/u.exec(id)?.[1] ?? []);
  expect(replaced.length).toBe(2);
  expect(prefixes.filter((prefix) => prefix !== undefined && replaced.includes(prefix))).toEqual([]);
});
