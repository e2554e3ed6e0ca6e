import { describe, expect, test } from "vitest";
import type { CompanyDraw, Wanted } from "../../../support/drawn/company.ts";
import type { Draw } from "../../../support/drawn/draw.ts";
import { type Judged, judgeEnd, judgeRun, type RunJudged } from "../../../support/drawn/judge.ts";

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
