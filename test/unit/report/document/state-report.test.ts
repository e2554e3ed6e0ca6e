import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { unrecoverableFacts } from "../../../../src/report/document/state.ts";
import type { StateReport } from "../../../../src/report/json/document-format.ts";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { noon } from "../../../support/event-builders.ts";

const address = "file:log.jsonl";
const since = "2026-11-20T09:00:00.000Z";
const holder = { id: "l-1", who: "ada@build-7", operation: "apply", since, silentFor: 12_400, fence: 3 };
const open = {
  id: "3f2a91bc",
  run: "r-1",
  action: "add-members:science",
  at: noon,
  accepted: false,
  kind: "add-members",
  people: ["ada@acme.example", "bo@acme.example"],
  call: "add ada@acme.example, bo@acme.example to the team Science of acc-1",
  why: "the service does not show it",
} as const;

const samples: readonly (readonly [StateReport, string])[] = [
  [{ did: "look-at-lock", address, holder: undefined }, "No run holds the lock of file:log.jsonl.\n"],
  [{ did: "look-at-lock", address, holder }, ""],
  [
    { did: "unlock", address, holder },
    `roster broke the lock of file:log.jsonl (held by ada@build-7 for apply since\n${since}).\nThat ` +
      "run cannot save anything any more. If it is still running, it sends no new calls. The next run\nresolves " +
      "its open calls by reading.\n",
  ],
  [{ did: "list-calls", address, calls: [] }, "No call in file:log.jsonl has an unknown outcome.\n"],
  [
    { did: "list-calls", address, calls: [open] },
    "Calls with an unknown outcome (1)\n  3f2a91bc: add ada@acme.example, bo@acme.example to the team " +
      `Science of acc-1\n    announced at ${noon} by run r-1\n    the service does not show it.\n\nplan ` +
      "and apply resolve them by reading, if the service shows the change. If not, look in the service\nand " +
      "run:\n  roster state resolve ID done [PERSON]\n  roster state resolve ID not-done [PERSON]\n",
  ],
  [
    {
      did: "resolve",
      address,
      id: "3f2a91bc",
      call: "add ada@acme.example to the team Science of acc-1",
      outcome: "done",
      stillOpenFor: ["bo@acme.example"],
      left: 1,
    },
    "Recorded as done: 3f2a91bc, to add ada@acme.example to the team Science of acc-1. The outcome is\nstill " +
      "unknown for bo@acme.example.\n1 call has an unknown outcome. The next plan reads the service to " +
      "resolve it. `roster state resolve`\nshows the list.\n",
  ],
  [
    {
      did: "resolve",
      address,
      id: "3f2a91bc",
      call: "remove all roles from the key k-1",
      outcome: "not-done",
      stillOpenFor: [],
      left: 0,
    },
    "Recorded as not done: 3f2a91bc, to remove all roles from the key k-1.\nNo call has an unknown outcome " + "now.\n",
  ],
  [
    { did: "copy", from: address, to: "file:b.json", lineage: "l", open: 0 },
    "The log was copied to file:b.json and read back there.\nThe old log at file:log.jsonl now refuses " +
      "every run, so that no call is sent twice.\nFrom now on, use --state file:b.json, ROSTER_STATE or " +
      "`state:` in the settings (in CI, outside the\ncheckout).\n",
  ],
  [
    { did: "set-endpoint", address, from: "https://old.example", to: "https://new.example" },
    "The state file:log.jsonl is for https://new.example now. Its records of https://old.example are kept\n" +
      "for the new endpoint.\nNext: run `roster plan`. It shows which users do not exist there.\n",
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
    "Rebuilt file:log.jsonl from what the service shows: 2 people, 1 team, 1 membership, 1 key prefix.\n\nNot shown by the service\n  The " +
      "service does not show 1 user of the roster. No record says if they existed before. apply\n  creates them " +
      "if they are proven absent. Exclude users that must not be created again.\n  - cy@acme.example\n\nNot " +
      "recovered\n  - What was sent.\n\nNext: run `roster plan` and read it carefully before you apply.\n",
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
    const { document } = await rendered({ did: "unlock", address, holder });
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
    "Some users: the list of users is incomplete (a page is missing).",
    "Key prefixes: the service does not show them. Write them into the roster (`key:`).",
    "Memberships: the service does not show who is in which team.",
    "2 of 3 memberships of the roster: the service does not show them now.",
  ]);
});
