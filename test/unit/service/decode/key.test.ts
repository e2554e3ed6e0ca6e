import { describe, expect, test } from "vitest";
import type { ObservedTeam } from "../../../../src/model/team.ts";
import { decodeKey } from "../../../../src/service/decode/key.ts";
import { decodeAddedMembers, decodeCreatedUser } from "../../../../src/service/decode/write-answers.ts";

const red: ObservedTeam = { identifier: "t-1", name: "Red" };

test.each<[string, object, ObservedTeam | "none" | undefined]>([
  ["an identifier and a name", { teamIdentifier: "t-1", teamName: "Red" }, red],
  ["another word for the identifier", { teamId: 7, teamName: "Red" }, { identifier: "7", name: "Red" }],
  ["a name alone", { teamName: "Red" }, { name: "Red" }],
  ["an identifier alone", { teamId: "t-1" }, { identifier: "t-1" }],
  ["no name, and an identifier", { teamId: "t-1", teamName: null }, { identifier: "t-1" }],
  ["no team, by the name", { teamName: null }, "none"],
  ["no team, by every field", { teamIdentifier: null, teamId: null, teamName: null }, "none"],
  ["empty texts", { teamIdentifier: "", teamName: "" }, undefined],
  ["what is no text", { teamName: { de: "Rot" } }, undefined],
  ["the same as under `team`", { team: { id: 7, identifier: "t-1", name: "Red" }, teamId: 7, teamName: "red " }, red],
  ["what `team` leaves out", { team: { name: "Red" }, teamId: "t-1" }, red],
  ["the name of an identifier under `team`", { team: "t-1", teamName: "Red" }, red],
  ["the identifier of a name under `team`", { team: "Red", teamName: "Red", teamId: "t-1" }, red],
  ["no team twice", { team: null, teamName: null }, "none"],
  ["another identifier than `team`", { team: { identifier: "t-2", name: "Red" }, teamId: "t-1" }, undefined],
  ["another name than `team`", { team: { identifier: "t-1", name: "Blue" }, teamName: "Red" }, undefined],
  ["neither of a text under `team`", { team: "t-2", teamId: "t-1", teamName: "Red" }, undefined],
  ["a team, and `team` none", { team: null, teamName: "Red" }, undefined],
  ["no team, and `team` one", { team: { identifier: "t-1" }, teamName: null }, undefined],
  ["a team, and `team` is not understood", { team: {}, teamName: "Red" }, { name: "Red" }],
  ["no team, and `team` is not understood", { team: {}, teamName: null }, undefined],
  ["nothing", {}, undefined],
])("a key that tells its team flat tells %s", (_, fields, expected) => {
  const team = decodeKey({ prefix: "p", ...fields })?.team;
  expect(team).toEqual(expected);
});

describe("a creation's answer", () => {
  const user = { identifier: "u-1", email: "ada@acme.example" };

  test.each<[string, object, ObservedTeam | undefined]>([
    ["beside the user's fields", { ...user, teamIdentifier: "t-1", teamName: "Red" }, red],
    ["beside the user", { user, teamId: "t-1", teamName: "Red" }, red],
    ["within the user", { user: { ...user, teamId: "t-1", teamName: "Red" } }, red],
    ["on the key alone", { ...user, accessKeys: [{ prefix: "p", teamId: "t-1", teamName: "Red" }] }, red],
    ["in two ways that differ", { ...user, team: { identifier: "t-2" }, teamId: "t-1" }, undefined],
  ])("tells the team that was created flat: %s", (_, body, expected) => {
    const answer = { status: 201, body };
    const created = decodeCreatedUser(answer, "Red");
    expect(created.ok && created.value.team).toEqual(expected);
  });
});

test.each<[string, object, unknown]>([
  ["a team", { teamId: "t-1", teamName: "Red" }, { prefix: "p", team: red }],
  ["no team of the person", { teamName: null }, { prefix: "p" }],
])("an addition's answer that shows a prefix beside the person tells %s", (_, fields, expected) => {
  const added = decodeAddedMembers([{ identifier: "u-1", accessKeyPrefix: "p", ...fields }]);
  expect(added).toEqual({
    ok: true,
    value: { members: [{ identifier: "u-1", keys: { are: "named", shown: [expected] } }] },
  });
});
