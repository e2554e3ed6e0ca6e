import { expect, test } from "vitest";
import { knobRegistry } from "../../../../src/reference-server/knobs/registry.ts";
import type { CompanyDraw } from "../../../support/drawn/company.ts";
import { basePathOf, type Draw, isPassing, isPlain, lagOf, type ServiceDraw } from "../../../support/drawn/draw.ts";
import { harmless, knobValues, passing } from "../../../support/drawn/reference-ways.ts";

const company: CompanyDraw = {
  newPeople: 4,
  therePeople: 1,
  newTeams: [{ admin: "firstMember", members: [], roles: undefined }],
  oldTeam: undefined,
  ownKeyRoles: undefined,
  hasLeaver: false,
  hasFormerAddress: false,
  hasCaller: false,
  hasProtected: false,
  nearDuplicates: "on",
  writesCapitals: false,
};
const drawOf = (service: ServiceDraw, rest: Partial<CompanyDraw> = {}): Draw => {
  return { service, company: { ...company, ...rest }, seed: 1, runs: [] };
};
const oldTeam = { identifier: "open", membersThere: 1, newMembers: [], roles: undefined } as const;

test("every knob is drawn but for those that say nothing here", () => {
  const left = [...knobRegistry.keys()].filter((name) => !knobValues.has(name));
  expect(left.sort()).toEqual(["latencyMs", "maxBodyBytes"]);
  expect(knobValues.get("searchLagMs")).toEqual([0, 2000, 30_000, 300_000, 1_800_000]);
  expect(knobValues.get("conflict")).toEqual(["409", "200", "400", "422", "500", "second-user", "409-though-created"]);
});

test.each([
  ["harmless", harmless],
  ["passing", passing],
])("what is said of %s ways is said of knobs and values that there are", (_, ways) => {
  const unknown = Object.entries(ways).flatMap(([name, values]) => {
    const known = knobValues.get(name)?.map(String) ?? [];
    if (known.length === 0) return [name];
    return values === "any" ? [] : values.filter((value) => !known.includes(value)).map((value) => `${name}=${value}`);
  });
  expect(unknown).toEqual([]);
});

test.each<[ServiceDraw, Partial<CompanyDraw>, boolean]>([
  [{ kind: "reference", ways: {} }, {}, true],
  [{ kind: "reference", ways: { envelope: "L4", create: "C7" } }, {}, true],
  [{ kind: "reference", ways: { showTeams: "none" } }, {}, false],
  [{ kind: "reference", ways: { searchLagMs: 2000 } }, {}, false],
  [{ kind: "reference", ways: { dropResponse: ["create@1"] } }, {}, false],
  [{ kind: "second", ways: { searchShape: "map" } }, { oldTeam }, true],
  [{ kind: "second", ways: { teamOfOwnKeys: "null" } }, {}, true],
  [{ kind: "second", ways: {} }, { oldTeam: { ...oldTeam, membersThere: 0 } }, false],
  [{ kind: "second", ways: {} }, {}, false],
  [{ kind: "second", ways: { lostAfterEffect: 2 } }, { oldTeam }, false],
])("a service that shows everything and disturbs nothing is told from others (%j, %j: %j)", (service, rest, plain) => {
  expect(isPlain(drawOf(service, rest))).toBe(plain);
});

test.each<[ServiceDraw, Partial<CompanyDraw>, boolean]>([
  [{ kind: "reference", ways: { searchLagMs: 2000, dropResponse: ["create@1"] } }, {}, true],
  [{ kind: "reference", ways: { showTeams: "none" } }, {}, false],
  [{ kind: "second", ways: { lostAfterEffect: 2, cachedAnswer: "first-addition" } }, { oldTeam }, true],
  [{ kind: "second", ways: { lostAfterEffect: 2 } }, {}, false],
  [{ kind: "second", ways: { projectKeys: "one-each" } }, { oldTeam, hasLeaver: true }, false],
])("a service whose disturbances pass is told from others (%j, %j: %j)", (service, rest, passes) => {
  expect(isPassing(drawOf(service, rest))).toBe(passes);
});

test("the longest lag and the path of a service are those of its ways", () => {
  expect([
    lagOf({ kind: "reference", ways: { searchLagMs: 2000, keyLagMs: 30_000 } }),
    lagOf({ kind: "second", ways: { listLag: 300_000, keysLag: 2000 } }),
    lagOf({ kind: "second", ways: {} }),
  ]).toEqual([30_000, 300_000, 0]);
  expect([
    basePathOf({ kind: "reference", ways: { basePath: "modzy" } }),
    basePathOf({ kind: "reference", ways: {} }),
    basePathOf({ kind: "second", ways: {} }),
  ]).toEqual(["/modzy", "", ""]);
});
