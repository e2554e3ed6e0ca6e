import { expect, test } from "vitest";
import {
  keySubject,
  memberSubject,
  mergeOwnership,
  partOf,
  type Subject,
  teamSubject,
  userSubject,
} from "../../../src/model/fact.ts";
import { indexOwnership } from "../../../src/model/roster.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { findingOwnership, ownerLookup } from "../../../src/plan/actions.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";

test("field by field, what the first one says counts", () => {
  const member = { note: "JIRA-1" };
  const team = { owner: "platform-team", note: "JIRA-2" };
  const user = { note: "on call", owner: "hr" };
  expect(mergeOwnership(member, undefined, team, user)).toEqual({
    owner: "platform-team",
    note: "JIRA-1",
  });
  expect(mergeOwnership(undefined, team, team)).toBe(team);
  expect(mergeOwnership(undefined)).toBeUndefined();
});

const red = teamKeyOf("acc-1", "Red");
const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const roster = aRoster({
  users: [aUser("ada", { ownership: { owner: "hr" } }), aUser("bo")],
  leavers: [aLeaver("cy", { ownership: { note: "HR-9" } })],
  teams: [
    aTeam("Red", {
      admin: "bo",
      ownership: { owner: "red-team" },
      members: [{ user: "ada", ownership: { note: "JIRA-1" } }, "bo"],
    }),
    aTeam("Blue", { admin: "bo", members: ["bo"] }),
  ],
  keys: [
    aKey("k-1", { owner: "ada", roles: [], ownership: { note: "nightly" } }),
    aKey("k-2", { owner: "bo", roles: [] }),
    aKey("k-3", { roles: [], ownership: { owner: "batch-team" } }),
  ],
});

test.each<[string, Subject, object | undefined, string | undefined]>([
  ["a user", userSubject(ada), { owner: "hr" }, "hr"],
  ["a leaver", userSubject(addressOf("cy")), { note: "HR-9" }, undefined],
  ["a team", teamSubject(red), { owner: "red-team" }, "red-team"],
  ["a member", memberSubject(ada, red), { owner: "red-team", note: "JIRA-1" }, "red-team"],
  ["an extra member", memberSubject(addressOf("mal"), red), { owner: "red-team" }, "red-team"],
  ["a key and its holder", keySubject("k-1"), { owner: "hr", note: "nightly" }, "hr"],
  ["the roles of a key of nobody", partOf("roles", keySubject("k-3")), { owner: "batch-team" }, "batch-team"],
  ["a key of which only the holder is known", keySubject("k-2"), undefined, bo],
  ["a team of which only the admin is known", teamSubject(teamKeyOf("acc-1", "Blue")), undefined, bo],
  ["somebody of whom nothing is said", userSubject(bo), undefined, undefined],
])("%s belongs to the one that the most precise entry names", (_, subject, ownership, owner) => {
  const index = indexOwnership(roster);
  expect(findingOwnership(subject, [], index)).toEqual(ownership);
  expect(ownerLookup(roster)(subject, findingOwnership(subject, [], index))).toBe(owner);
});

test("a key that the roster does not list is that of the only membership that it concerns", () => {
  const index = indexOwnership(roster);
  const inRed = { address: ada, team: red };
  expect(findingOwnership(keySubject("k-9"), [inRed], index)).toEqual({ owner: "red-team", note: "JIRA-1" });
  expect(findingOwnership(keySubject("k-9"), [inRed, { address: bo }], index)).toBeUndefined();
});
