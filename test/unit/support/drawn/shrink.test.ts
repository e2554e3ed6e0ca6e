import { expect, test } from "vitest";
import type { Draw } from "../../../support/drawn/draw.ts";
import { smallest } from "../../../support/drawn/shrink.ts";

const draw: Draw = {
  service: { kind: "reference", ways: { create: "C8", error: "X5", search: "S3", total: "none", times: "z" } },
  company: {
    newPeople: 6,
    therePeople: 3,
    newTeams: [
      { admin: "new", members: [1, 2], roles: ["DEVELOPER"] },
      { admin: "there", members: [], roles: undefined },
    ],
    oldTeam: { identifier: "open", membersThere: 1, newMembers: [], roles: undefined },
    ownKeyRoles: { of: "new", roles: [], key: "open" },
    hasLeaver: true,
    hasFormerAddress: true,
    hasCaller: true,
    hasProtected: false,
    nearDuplicates: "on",
    writesCapitals: true,
  },
  seed: 1,
  runs: [
    { format: "text", parallelism: 10, pause: 30_000 },
    { format: "json", parallelism: 1, pause: 0 },
  ],
};

test("a failing draw loses all that it fails without", async () => {
  const small = await smallest(
    draw,
    async ({ service, company }) => "search" in service.ways && company.newTeams.length > 0 && company.hasLeaver,
  );
  expect(small).toEqual({
    service: { kind: "reference", ways: { search: "S3" } },
    company: {
      newPeople: 4,
      therePeople: 1,
      newTeams: [{ admin: "there", members: [], roles: undefined }],
      oldTeam: undefined,
      ownKeyRoles: undefined,
      hasLeaver: true,
      hasFormerAddress: false,
      hasCaller: false,
      hasProtected: false,
      nearDuplicates: "on",
      writesCapitals: false,
    },
    seed: 1,
    runs: [
      { format: "text", parallelism: 1, pause: 0 },
      { format: "json", parallelism: 1, pause: 0 },
    ],
  });
});
