import { describe, expect, test } from "vitest";
import { emptyState } from "../../../../src/model/state.ts";
import { describeRebuild, recordedStateDocument } from "../../../../src/report/document/state.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import type { StateReport } from "../../../../src/report/json/document-format.ts";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import { renderDocument, textFormat } from "../../../../src/report/text/text.ts";
import { noon } from "../../../support/event-builders.ts";
import { aRefusal, asks, refusalMap } from "../../../support/refusal-builders.ts";
import { aRoster, aTeam } from "../../../support/roster-builders.ts";
import { validatorOf } from "../../../support/schema-validators.ts";
import { everythingShown } from "../../../support/snapshot-builders.ts";
import { remembering } from "../../../support/state-builders.ts";

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

const resolved = {
  did: "resolve",
  address,
  id: "3f2a91bc",
  call: "invite bo@acme.example to the team S of acc-1",
} as const;

const rebuilt = { people: 2, teams: 1, memberships: 1, prefixes: 1 };

const samples: readonly StateReport[] = [
  { did: "look-at-lock", address, holder: undefined },
  { did: "look-at-lock", address, holder },
  { did: "unlock", address, holder },
  { did: "list-calls", address, calls: [] },
  { did: "list-calls", address, calls: [open] },
  { ...resolved, outcome: "done", stillOpenFor: ["bo@acme.example"], left: 1 },
  { ...resolved, outcome: "not-done", stillOpenFor: [], left: 0 },
  { did: "copy", from: address, to: "file:b.json", lineage: "l", open: 0 },
  { did: "set-endpoint", address, from: "https://old.example", to: "https://new.example" },
  { did: "rebuild", address, ...rebuilt, missing: ["cy@acme.example"], unlearned: ["What was sent."] },
];

async function rendered(state: StateReport) {
  const outcome = { command: "state", exitCode: 0, diagnostics: [], state } as const;
  return {
    text: (await textFormat(outcome, { paint: plain })).stdout,
    document: JSON.parse(jsonFormat(outcome).stdout) as { state: unknown },
  };
}

describe("what a subcommand of the state came to", () => {
  test("is told to people: a broken lock, and what a new state cannot know", async () => {
    const texts = await Promise.all(samples.map(async (one) => (await rendered(one)).text));
    expect(texts[2]).toBe(
      `roster broke the lock of file:log.jsonl (held by ada@build-7 for apply since\n${since}).\nThat run cannot save anything any more. If it is still running, it sends no new calls. The next run\nreads the service to find out about its open calls.\n`,
    );
    expect([texts[1], texts[3]]).toEqual(["", "No call in file:log.jsonl has an unknown outcome.\n"]);
    expect(texts[6]).toContain("Recorded as not done: 3f2a91bc, to invite bo@acme.example to the team S of acc-1.");
    expect(texts[9]).toContain("Not shown by the service\n  The service does not show 1 user of the roster.");
    expect(texts[9]).toContain("\n  - cy@acme.example\n\nNot recovered\n  - What was sent.\n");
  });

  const isDocument = validatorOf("plan");

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
  const capabilities = { ...everythingShown, keysOnUsers: "hidden", teamsOnKeys: "unknown" } as const;
  const everyone = { read: "incomplete", why: "a page is missing" } as const;
  const roster = aRoster({ teams: [aTeam("Data", { members: ["ada", "bo", "cy"] })] });
  const { unlearned } = describeRebuild(
    roster,
    { capabilities, everyone },
    remembering({ members: { "Data/ada": {} } }),
  );
  expect(unlearned.slice(0, 4)).toEqual([
    "Some users: the list of users is incomplete (a page is missing).",
    "Key prefixes: the service does not show them. Write them into the roster (`key:`).",
    "Memberships: the service does not show who is in which team.",
    "2 of 3 memberships of the roster: the service does not show them now.",
  ]);
});

test("a refused request is shown with the service's own words, where it had any", () => {
  const refusals = refusalMap(
    aRefusal(asks.creation("cy")),
    aRefusal(asks.addition("bo"), { failure: { code: "conflict", message: "There already" } }),
  );
  const document = recordedStateDocument({ ...emptyState("l-1"), refusals }, "file:s.json");
  expect(renderDocument(document, { paint: plain })).toMatch(
    /create cy@acme\.example +\S+ +The service refuses the request \(400\): taken\n +add bo@acme\.example to Science +\S+ +There already\n/u,
  );
});
