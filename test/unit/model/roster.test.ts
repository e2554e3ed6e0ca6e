import { expect, test } from "vitest";
import { rosterDigest } from "../../../src/model/roster.ts";
import { sha256 } from "../../support/plan-inputs.ts";
import { rosterFrom } from "../../support/roster-text.ts";

const text = `version: 1
account: acc-1
defaults: { source: hr }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, ownKeyRoles: [{ set: engineer }] }
leavers: [{ email: cy@acme.example }]
teams:
  - { name: Red, roles: [{ set: engineer }], onRemoval: disarm, members: [{ group: all }, { group: more }] }
keys: [{ prefix: k-1, roles: [{ set: engineer }] }]
groups: { all: [ada@acme.example], more: [ada@acme.example] }
roleSets: { engineer: [DEVELOPER] }
`;

function digestOf(written: string, file = "roster.yaml"): string {
  const { roster } = rosterFrom({ [file]: written });
  if (roster === undefined) throw new Error("the roster is invalid");
  return rosterDigest(roster, sha256);
}

test("a roster is the same wherever its lines are, and another one where it says something else", () => {
  const moved = text.replace("version: 1", "# moved\n\nversion: 1").replaceAll("  - {", "  -   {");
  expect(digestOf(moved, "elsewhere.yaml")).toBe(digestOf(text));
  expect(digestOf(text.replace("onRemoval: disarm", "onRemoval: report"))).not.toBe(digestOf(text));
  expect(digestOf(text.replace("source: hr", "source: web"))).not.toBe(digestOf(text));
});
