import { expect, test } from "vitest";
import { serviceLearned } from "../../../src/journal/service-learned.ts";
import type { Capabilities } from "../../../src/model/capabilities.ts";
import { emptyState, type State } from "../../../src/model/state.ts";

const service = "https://simulated.example";
const at = "2026-11-20T12:00:00.000Z";
const known: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "hidden",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "hidden",
  paging: { firstPage: "1", largestPage: 20 },
};

function stateThatKnows(learned: Capabilities): State {
  return { ...emptyState("l"), capabilities: { learned, at: "2026-11-01T12:00:00.000Z" } };
}

test("what a service shows is remembered when it is first learned", () => {
  expect(serviceLearned({ service, capabilities: known }, emptyState("l"), at)).toEqual({
    type: "service-learned",
    at,
    service,
    capabilities: known,
  });
});

test("the same again is nothing new, nor is what no answer could tell", () => {
  const untold: Capabilities = {
    keysOnUsers: "unknown",
    rolesOnKeys: "unknown",
    teamsOnKeys: "unknown",
    titles: "unknown",
    totals: "unknown",
    paging: { firstPage: "unknown" },
  };
  expect(serviceLearned({ service, capabilities: known }, stateThatKnows(known), at)).toBeUndefined();
  expect(serviceLearned({ service, capabilities: untold }, stateThatKnows(known), at)).toBeUndefined();
});

test.each([
  ["what is shown by now", { ...known, rolesOnKeys: "shown" }],
  ["how pages are counted by now", { ...known, paging: { firstPage: "0", largestPage: 20 } }],
  ["how large pages are by now", { ...known, paging: { firstPage: "1", largestPage: 50 } }],
] satisfies [string, Capabilities][])("%s is", (_name, learned) => {
  expect(serviceLearned({ service, capabilities: learned }, stateThatKnows(known), at)?.capabilities).toEqual(learned);
});
