import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { type Passing, passingProxy } from "../support/passing-proxy.ts";
import { oneIn, runs } from "../support/property-runs.ts";
import { sceneWith, standing } from "../support/trap-scene.ts";

const json = "application/json";

/** What takes the place of an answer of success to a write. Without a body it is 204. */
interface Rewritten {
  readonly type?: string;
  readonly body?: string;
}

function rewriting(rewrite: () => Rewritten): Passing {
  return {
    answer({ method, url }, answer) {
      const isWrite = method === "PUT" || (method === "POST" && !url.includes("/users/search"));
      if (!isWrite || answer.status >= 300) return answer;
      const { type, body } = rewrite();
      const headers = type === undefined ? {} : { "content-type": type };
      return body === undefined ? { status: 204, headers, body: "" } : { status: answer.status, headers, body };
    },
  };
}

/** Answers of success that tell neither a person nor a team nor a key. */
const wordless: Readonly<Record<string, Rewritten>> = {
  "an object without fields": { type: json, body: "{}" },
  null: { type: json, body: "null" },
  true: { type: json, body: "true" },
  "a JSON text": { type: json, body: '"OK"' },
  "plain text": { type: "text/plain", body: "OK" },
  "plain text that is called JSON": { type: json, body: "OK\n" },
  "an empty list": { type: json, body: "[]" },
  "an empty list in an envelope": { type: json, body: '{"data":[]}' },
  "a word of success": { type: json, body: '{"status":"success"}' },
  "a message": { type: json, body: '{"message":"The request was processed"}' },
  "an empty object in a list": { type: json, body: "[{}]" },
  "a list of nulls": { type: json, body: "[null,null]" },
  "an unknown object": { type: json, body: '{"requestId":"7f3a","took":12}' },
  "an empty body": { type: json, body: "" },
  "no body (204)": {},
};

/** 8 teams and 24 people, of whom some are there already. */
interface Company {
  /** Indexes of the people who are there; the first eight are new, so that each team can be created. */
  readonly there: readonly number[];
  /** For each team the indexes of its members besides its first one. */
  readonly members: readonly (readonly number[])[];
  readonly roles: readonly (readonly string[])[];
  readonly ownKeyRoles: readonly number[];
}

const teams = 8;
const people = 24;
const roleSets = [["DEVELOPER"], ["DEVELOPER", "TEAM_ROLE"], ["DATA_SCIENTIST", "DEVELOPER"], ["TEAM_ROLE"], []];

const others = Array.from({ length: people - teams }, (_, index) => teams + index);
const companies: fc.Arbitrary<Company> = fc.record({
  there: fc.subarray(others, { maxLength: 4 }),
  members: fc.tuple(...Array.from({ length: teams }, () => fc.subarray(others, { minLength: 1, maxLength: 5 }))),
  roles: fc.tuple(...Array.from({ length: teams }, () => fc.constantFrom(...roleSets))),
  ownKeyRoles: fc.subarray(others, { maxLength: 3 }),
});

/** Services that show everything about their users. */
const showing: fc.Arbitrary<Partial<Knobs>> = fc.record({
  showKeys: fc.constantFrom("accessKeys", "listAccessKeys"),
  showTeams: fc.constantFrom("full", "flat"),
  showKeyRoles: fc.constantFrom("objects", "names"),
  showKeyKinds: fc.constantFrom("kind", "none"),
  userWords: fc.constantFrom("plain", "short", "long"),
  envelope: fc.constantFrom("L1", "L2", "L5"),
});

const email = (index: number) => `p${index}@acme.example`;

function rosterOf({ members, roles, ownKeyRoles }: Company): string {
  const users = Array.from({ length: people }, (_, index) => {
    const own = ownKeyRoles.includes(index) ? ", ownKeyRoles: [DEVELOPER]" : "";
    return `  - { email: ${email(index)}, firstName: P${index}, lastName: Test${own} }`;
  });
  const lines = members.map((more, index) => {
    const all = [index, ...more].map((one) => `{ user: ${email(one)} }`);
    return `  - { name: T${index}, admin: ${email(index)}, roles: [${roles[index]?.join(", ")}], members: [${all.join(", ")}] }`;
  });
  return ["version: 1", "account: acc-1", "users:", ...users, "teams:", ...lines, ""].join("\n");
}

function wanted({ there, members, roles, ownKeyRoles }: Company): ReturnType<typeof standing> {
  const ownKeys = others.map((one) => `${email(one)} own: ${ownKeyRoles.includes(one) ? "DEVELOPER" : "TEAM_ROLE"}`);
  const inTeams = members.flatMap((more, index) =>
    [index, ...more].map((one) => `${email(one)} T${index}: ${[...(roles[index] ?? [])].sort().join(", ")}`),
  );
  expect(there.every((one) => others.includes(one))).toBe(true);
  return {
    people: Array.from({ length: people }, (_, index) => email(index)).sort(),
    teams: members.map((more, index) => `T${index}: ${[index, ...more].map(email).sort().join(", ")}`).sort(),
    mails: members.flatMap((more, index) => more.map((one) => `T${index} ${email(one)}`)).sort(),
    keys: [...ownKeys, ...inTeams].sort(),
  };
}

async function appliedTo(company: Company, knobs: Partial<Knobs>, rewrite: () => Rewritten) {
  const ends: (() => unknown)[] = [];
  const atEnd = (end: () => unknown) => void ends.push(end);
  const seed = {
    users: company.there.map((one) => ({ email: email(one), firstName: `P${one}`, lastName: "Test" })),
  };
  const server = await startReferenceServer({ port: 0, knobs, seed });
  try {
    const endpoint = await passingProxy(server.endpoint, rewriting(rewrite), atEnd);
    const at = await sceneWith(atEnd, server, rosterOf(company), endpoint);
    const words = printedWords((await at.plan()).output.stdout);
    const first = await at.apply(...words.flatMap(({ word }) => ["--allow", word]));
    const second = await at.apply();
    return {
      codes: [first.code, second.code],
      troubles: first.troubles,
      unknown: second.findings.filter((finding) => finding.startsWith("!")).sort(),
      ...standing(server),
    };
  } finally {
    for (const end of ends.reverse()) await end();
    await server.close();
  }
}

describe("an answer of success that says nothing: one run reaches the roster, and nobody is there twice, where writes are answered with", () => {
  test.each(oneIn(4, Object.entries(wordless)))("%s", async (_, rewritten) => {
    await fc.assert(
      fc.asyncProperty(companies, showing, async (company, knobs) => {
        const came = await appliedTo(company, knobs, () => rewritten);
        expect(came).toEqual({ codes: [0, 0], troubles: [], unknown: [], ...wanted(company) });
      }),
      { numRuns: runs(12), endOnFailure: true },
    );
  });

  test("any of these, each time another one", async () => {
    await fc.assert(
      fc.asyncProperty(
        companies,
        showing,
        fc.infiniteStream(fc.constantFrom(...Object.values(wordless))),
        async (company, knobs, drawn) => {
          const came = await appliedTo(company, knobs, () => drawn.next().value);
          expect(came).toEqual({ codes: [0, 0], troubles: [], unknown: [], ...wanted(company) });
        },
      ),
      { numRuns: runs(36), endOnFailure: true },
    );
  });
});

test("where reads do not show keys either, each new team waits for its identifier, and nobody is there twice", async () => {
  const drawn = fc.constantFrom(...Object.values(wordless));
  await fc.assert(
    fc.asyncProperty(companies, drawn, async (company, rewritten) => {
      const came = await appliedTo({ ...company, ownKeyRoles: [] }, { showKeys: "none" }, () => rewritten);
      const names = company.members.map((_, index) => `t${index}`);
      expect({
        ...came,
        teams: came.teams.length,
        keys: came.keys.length,
        unknown: came.unknown.flatMap((one) => /^!team-identifier-unknown team acc-1\/(.*)$/u.exec(one)?.[1] ?? []),
      }).toEqual({
        codes: [7, 9],
        troubles: expect.anything(),
        unknown: names,
        people: wanted(company).people,
        teams,
        mails: [],
        keys: people,
      });
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});
