import { describe, expect, test } from "vitest";
import { knobRegistry } from "../../../../src/reference-server/knobs/registry.ts";
import { type CompanyDraw, ordinaryCompany, type Wanted } from "../../../support/drawn/company.ts";
import { basePathOf, type Draw, isPassing, isPlain, lagOf, type ServiceDraw } from "../../../support/drawn/draw.ts";
import { type Judged, judgeEnd, judgeRun, type RunJudged } from "../../../support/drawn/judge.ts";
import { harmless, knobValues, passing } from "../../../support/drawn/reference-ways.ts";

const company: CompanyDraw = {
  newPeople: 4,
  therePeople: 1,
  newTeams: [{ admin: "firstMember", members: [], roles: undefined }],
  ...ordinaryCompany,
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

const draw: Draw = { service: { kind: "reference", ways: {} }, company, seed: 1, runs: [] };
const hidden: Draw = { ...draw, service: { kind: "reference", ways: { showTeams: "none" } } };

const wanted: Wanted = { people: [{ email: "ada@acme.example", previously: [] }], leavers: [], teams: [] };
const ada = { identifier: "u-1", email: "ada@acme.example", account: "acc-1", keys: [] };
const reached: Judged = {
  wanted,
  seed: { account: "acc-1", people: [], teams: [] },
  service: { keyPrefix: "in-use", writes: [], people: [ada], teams: [], mails: [] },
};
const missed: Judged = { ...reached, service: { ...reached.service, people: [] } };

function troublesOf(code: number, rest: Partial<RunJudged> & { readonly stdout?: string; readonly stderr?: string }) {
  const { stdout = JSON.stringify({ exit_code: code, error: null }), stderr = "" } = rest;
  const ran = { code, stdout, stderr };
  return judgeRun({ judged: reached, draw: hidden, ran, index: 0, key: "in-use.s3cret", ...rest });
}

describe("what should not be of the end of a run", () => {
  test.each([0, 1, 4, 5, 6, 7, 9])("nothing, where it ends with %i and all is well", (code) => {
    expect(troublesOf(code, {})).toEqual([]);
  });

  test.each([2, 3, 8, 130])("an exit code that has no reason here: %i", (code) => {
    expect(troublesOf(code, { stderr: "first\nthe last line\n" })).toEqual([`exit code ${code}: the last line`]);
  });

  test("a document that says another exit code, and a document without one", () => {
    expect(troublesOf(9, { stdout: '{"exit_code":0}' })).toEqual(["exit code 9, and the document says 0"]);
    expect(troublesOf(9, { stdout: "{}" })).toEqual(["exit code 9, and the document says undefined"]);
    expect(troublesOf(9, { stdout: "a text for people" })).toEqual([]);
    const inJson: Draw = { ...hidden, runs: [{ format: "json", parallelism: 1, pause: 0 }] };
    expect(troublesOf(9, { stdout: "half a docu", draw: inJson })).toEqual(["no document is printed"]);
  });

  test("a defect, in a text as in a document", () => {
    const message = "a defect of roster ended the command: TypeError";
    expect(troublesOf(1, { stdout: JSON.stringify({ exit_code: 1, error: { code: "internal", message } }) })).toEqual([
      "a defect of roster is told",
    ]);
    expect(troublesOf(1, { stdout: "", stderr: `error: ${message}` })).toEqual(["a defect of roster is told"]);
  });

  test("exit code 0 where the roster is not reached", () => {
    expect(troublesOf(0, { judged: missed })).toEqual(["exit code 0, and ada@acme.example is not there"]);
    expect(troublesOf(7, { judged: missed })).toEqual([]);
  });

  test("a first run that does not reach the roster of a service that shows everything", () => {
    const told = (code: number, missing: string) =>
      `a service that shows everything is not reached in one run (${code}): ${missing}`;
    expect(troublesOf(9, { draw, judged: missed })).toEqual([told(9, "ada@acme.example is not there")]);
    expect(troublesOf(9, { draw })).toEqual([told(9, "")]);
    expect(troublesOf(0, { draw })).toEqual([]);
    expect(troublesOf(9, { draw, judged: missed, index: 1 })).toEqual([]);
  });

  test.each<Partial<CompanyDraw>>([{ hasLeaver: true }, { hasFormerAddress: true }])(
    "exit code 0 of a first run where somebody remains to be seen to by hand: %j",
    (rest) => {
      const remaining = { ...draw, company: { ...company, ...rest } };
      expect(troublesOf(9, { draw: remaining })).toEqual([]);
      expect(troublesOf(0, { draw: remaining })).toHaveLength(1);
    },
  );

  test("an offer to recreate somebody who is there", () => {
    const stdout = "She is gone: `--allow user-missing:ada@acme.example#0123456789ab`.";
    expect(troublesOf(9, { stdout })).toEqual(["offers to recreate ada@acme.example, who is there"]);
    expect(troublesOf(9, { stdout, judged: missed })).toEqual([]);
  });

  test("a service whose disturbances pass, and that the last run has not reached", () => {
    const missing = ["ada@acme.example is not there"];
    const lost: Draw = { ...draw, service: { kind: "reference", ways: { dropResponse: ["create@1"] } } };
    expect(judgeEnd(lost, { missing, codes: [7, 9] })).toEqual([
      "a service whose disturbances pass is not reached in the end (7, 9): ada@acme.example is not there",
    ]);
    expect(judgeEnd(lost, { missing: [], codes: [7, 0] })).toEqual([]);
    expect(judgeEnd(hidden, { missing, codes: [7, 9] })).toEqual([]);
  });

  test("the secret of the key in use in an output", () => {
    expect(troublesOf(9, { stderr: "ApiKey in-use.s3cret" })).toEqual(["the secret of the key is printed"]);
  });
});
