import { describe, expect, test } from "vitest";
import type { CompanyDraw } from "../../../support/drawn/company.ts";
import type { Draw } from "../../../support/drawn/draw.ts";
import { play } from "../../../support/drawn/play.ts";

const company: CompanyDraw = {
  newPeople: 4,
  therePeople: 2,
  newTeams: [
    { admin: "new", members: [4], roles: ["DEVELOPER"] },
    { admin: "new", members: [], roles: undefined },
  ],
  oldTeam: { identifier: "open", membersThere: 1, newMembers: [0], roles: ["TEAM_ROLE"] },
  ownKeyRoles: { of: "there", roles: ["DEVELOPER"], key: "open" },
  hasLeaver: false,
  hasFormerAddress: false,
  hasCaller: true,
  hasProtected: false,
  nearDuplicates: "on",
  writesCapitals: true,
};

const draw: Draw = {
  service: { kind: "reference", ways: {} },
  company,
  seed: 7,
  runs: Array.from({ length: 5 }, () => ({ format: "json", parallelism: 4, pause: 0 })),
};

describe("a draw that is played", () => {
  test("is the same each time", async () => {
    const heard = async () => {
      const said: string[] = [];
      await play({ ...draw, service: { kind: "reference", ways: { dropResponse: ["writes@every-3"] } } }, (line) =>
        said.push(line),
      );
      return said;
    };
    expect(await heard()).toEqual(await heard());
  });

  test("gives a word that the last output printed, in text as in a document", async () => {
    const hidden: Draw = { ...draw, service: { kind: "reference", ways: { showTeams: "none" } } };
    for (const format of ["text", "json"] as const) {
      const said: string[] = [];
      await play({ ...hidden, runs: hidden.runs.map((run) => ({ ...run, format })) }, (line) => said.push(line));
      const commands = said
        .filter((line) => line.startsWith("== 20"))
        .map((line) => line.slice("== 2026-11-20T12:00:00.000Z ".length).replace(/#[0-9a-f]{12}/gu, ""));
      expect(commands.slice(0, 2)).toEqual([
        `apply --auto-approve --format ${format} roster`,
        `apply --auto-approve --format ${format} --allow unproven-absence:ops --allow unproven-absence:data%20science roster`,
      ]);
    }
  });
});
