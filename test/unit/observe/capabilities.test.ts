import { expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { observedCapabilities } from "../../../src/observe/observe.ts";

function holder(...keys: readonly ObservedKey[]): ObservedUser {
  return { email: "a@x.example", address: foldAddress("a@x.example"), by: "search 1", keys };
}

const paged = { totals: "shown", paging: { firstPage: "0-and-1-alike", largestPage: 20 } } as const;
const { keys: _, ...keyless } = holder();
const own: ObservedKey = { prefix: "k1", team: "none", roles: [] };
const data: ObservedKey = { prefix: "k2", kind: "team", team: { identifier: "t-1", name: "Data" } };

test.each([
  ["nobody was shown", [], ["unknown", "unknown", "unknown"]],
  ["nobody shows keys", [keyless], ["hidden", "unknown", "unknown"]],
  ["nobody has a key", [holder()], ["shown", "unknown", "unknown"]],
  ["a key names its team", [holder(data)], ["shown", "hidden", "shown"]],
  ["a key says that it has none", [holder(own)], ["shown", "shown", "shown"]],
  ["a key does not say", [holder({ prefix: "k" })], ["shown", "hidden", "hidden"]],
  ["a project's key need not say", [holder(data, { prefix: "k", kind: "project" })], ["shown", "hidden", "shown"]],
  ["a team's key does not say", [holder(data, { prefix: "k", kind: "team" })], ["shown", "hidden", "hidden"]],
  [
    "a team's key says that it has none",
    [holder(own, { prefix: "k", kind: "team", team: "none" })],
    ["shown", "shown", "hidden"],
  ],
  [
    "a deleted team's key says that it has none",
    [holder(own, { prefix: "k", kind: "team", team: "none", status: "Deleted" })],
    ["shown", "shown", "shown"],
  ],
  [
    "a team has an identifier alone",
    [holder(data, { prefix: "k", team: { identifier: "t-2" } })],
    ["shown", "hidden", "hidden"],
  ],
  ["one user's keys are hidden", [holder(data), keyless], ["shown", "hidden", "hidden"]],
  ["a deleted user's keys are hidden", [holder(data), { ...keyless, status: "deleted" }], ["shown", "hidden", "shown"]],
])("%s", (_name, users, [keysOnUsers, rolesOnKeys, teamsOnKeys]) => {
  expect(observedCapabilities(users, paged)).toMatchObject({ keysOnUsers, rolesOnKeys, teamsOnKeys });
});

test("how lists are paged and counted is told as the service has shown it", () => {
  expect(observedCapabilities([], paged)).toMatchObject(paged);
});
