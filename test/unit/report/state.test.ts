import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { jsonFormat } from "../../../src/report/json/json.ts";
import { plain } from "../../../src/report/outcome.ts";
import { type StateReport, unrecoverableFacts } from "../../../src/report/state.ts";
import { textFormat } from "../../../src/report/text/text.ts";
import { additionIntent, noon, openIntent, rolesIntent } from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

const address = "file:state.json";
const since = "2026-11-20T09:00:00.000Z";
const holder = { id: "l-1", who: "ada@build-7", operation: "apply", since, silentFor: 12_400, fence: 3 };
const open = openIntent("r-1", "add-members:science", additionIntent("ada", "bo"));

const samples: readonly (readonly [StateReport, string])[] = [
  [
    { did: "verify", address, lineage: "l", serial: 7, parts: ["state.json holds version 7"], open: 1 },
    `State file:state.json
Lineage l, serial 7. All of it can be read.
  - state.json holds version 7
1 call has an outcome that is not known yet: the next plan settles by reading what it can, and
\`roster state resolve\` lists them.
`,
  ],
  [
    { did: "verify", address, lineage: "l", serial: 7, movedTo: "s3://bucket/key", parts: [], open: 0 },
    `State file:state.json
Lineage l, serial 7. All of it can be read.
It was moved to s3://bucket/key, and is no longer used here.
`,
  ],
  [{ did: "look-at-lock", address, holder: "nobody" }, "Nobody holds the lock of file:state.json.\n"],
  [{ did: "look-at-lock", address, holder }, ""],
  [
    { did: "unlock", address, holder },
    `The lock of file:state.json is broken (apply by ada@build-7 since ${since}, silent
for 12 s).
That run can record nothing any more: if it still runs, it sends nothing but what it has announced
by now, which the next run settles.
`,
  ],
  [{ did: "list-calls", address, calls: [] }, "The outcome of every call in file:state.json is known.\n"],
  [
    { did: "list-calls", address, calls: [{ id: "3f2a91bc", open, why: "the service does not show it" }] },
    `Calls whose outcome is not known (1)

  3f2a91bc  add ada@acme.example, bo@acme.example to the team Science of acc-1
            announced at ${noon} by run r-1
            the service does not show it.

A plan or an apply settles by reading what the service shows. Of the rest, look in the service and
say:
  roster state resolve ID --done [--identifier ID] [--prefix PREFIX] [--person EMAIL]
  roster state resolve ID --not-done [--person EMAIL]
`,
  ],
  [
    { did: "resolve", address, id: "3f2a91bc", open, outcome: "done", stillOpenFor: [addressOf("bo")], left: 1 },
    `Recorded as done: 3f2a91bc, to add ada@acme.example to the team Science of acc-1. It stays open for
bo@acme.example.
1 call has an outcome that is not known yet: the next plan settles by reading what it can, and
\`roster state resolve\` lists them.
`,
  ],
  [
    {
      did: "resolve",
      address,
      id: "3f2a91bc",
      open: openIntent("r-1", "k", rolesIntent("k-1")),
      outcome: "not-done",
      stillOpenFor: [],
      left: 0,
    },
    `Recorded as not done: 3f2a91bc, to take every role from the key k-1.
The outcome of every call is known now.
`,
  ],
  [
    { did: "move", from: address, to: "file:b.json", lineage: "l", open: 0 },
    `The state was moved to file:b.json, and read back there.
What is left at file:state.json says so, and refuses every run: two histories of one service would
do things twice.
From now on name it with --state file:b.json, ROSTER_STATE or \`state:\` in the settings.
`,
  ],
  [
    { did: "set-endpoint", address, from: "https://old.example", to: "https://new.example" },
    `The state file:state.json is about https://new.example now, and what it remembers of
https://old.example counts for it.
Next: \`roster plan\`, which says who of them is not there.
`,
  ],
  [
    {
      did: "rebuild",
      address,
      people: 2,
      teams: 1,
      memberships: 1,
      prefixes: 1,
      missing: ["cy@acme.example"],
      unlearned: ["What was sent."],
    },
    `Rebuilt file:state.json from what the service shows: 2 people, 1 team, 1 membership, 1 key prefix.

1 person of the roster is not shown by the service. Nothing remembers whether they were there
before, so that an apply creates whoever is proven absent: exclude whom that would be wrong for.
  - cy@acme.example

What could not be learned:
  - What was sent.

Next: read \`roster plan\` with care before anything is applied.
`,
  ],
];

async function rendered(state: StateReport) {
  const outcome = { command: "state", exitCode: 0, diagnostics: [], state } as const;
  return {
    text: (await textFormat(outcome, { paint: plain })).stdout,
    document: JSON.parse(jsonFormat(outcome).stdout) as { state: unknown },
  };
}

describe("what a subcommand of the state came to", () => {
  test.each(samples)("$did, for people", async (told, text) => {
    expect((await rendered(told)).text).toBe(text);
  });

  const isDocument = new Ajv({ strict: false }).compile(JSON.parse(readFileSync("schemas/plan.schema.json", "utf8")));

  test.each(samples)("$did, for programs, by the schema", async (told) => {
    const { document } = await rendered(told);
    expect([isDocument(document), isDocument.errors ?? []]).toEqual([true, []]);
    expect(document.state).toMatchObject({ did: told.did });
  });

  test("names its fields as every document does", async () => {
    const { document } = await rendered({ did: "unlock", address, holder: { ...holder, silentFor: 12_399.7265 } });
    expect(document.state).toEqual({
      did: "unlock",
      address,
      holder: { id: "l-1", who: "ada@build-7", operation: "apply", since, silent_for: 12_400, fence: 3 },
    });
  });
});

test("what a service does not show is named among what could not be learned", () => {
  const hidden = { firstPage: "unknown" } as const;
  const capabilities = { rolesOnKeys: "shown", titles: "shown", totals: "shown", paging: hidden } as const;
  const told = unrecoverableFacts(
    { ...capabilities, keysOnUsers: "hidden", teamsOnKeys: "unknown" },
    { read: "incomplete", why: "a page is missing" },
    { asked: 3, shown: 1 },
  );
  expect(told.slice(0, 4)).toEqual([
    "Everybody: the list of users is incomplete (a page is missing).",
    "The prefixes of keys: the service does not show them. Give them in the roster (`key:`).",
    "Who is in which team: the service does not show it.",
    "Whether 2 of 3 memberships of the roster were ever there: they are not shown now.",
  ]);
});
