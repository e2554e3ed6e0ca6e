import { expect, test } from "vitest";
import type { Intent } from "../../../src/model/call.ts";
import type { Finding } from "../../../src/model/finding.ts";
import type { Action, Plan } from "../../../src/model/plan.ts";
import { type Roster, rosterDigest } from "../../../src/model/roster.ts";
import type { Ownership } from "../../../src/model/values.ts";
import { additionIntent } from "../../../src/run/add-members.ts";
import { creationIntent } from "../../../src/run/create-user.ts";
import { replacementIntent } from "../../../src/run/replace-roles.ts";
import { aPlan } from "../../support/action-builders.ts";
import { type InputParts, planned } from "../../support/plan-inputs.ts";
import { aKey, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { rosterFrom } from "../../support/roster-text.ts";
import { brief, partsOf, reasonText } from "../../support/scenes.ts";

const people = `version: 1
account: acc-1
defaults: { source: hr }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test }
  - { email: bo@acme.example, firstName: Bo, lastName: Test, source: web, ownKeyRoles: [{ set: engineer }] }
  - { email: cy@acme.example, firstName: Cy, lastName: Test, until: 2026-11-20 }
  - { email: dee@acme.example, firstName: Dee, lastName: Test, previously: [old@acme.example] }
groups: { on-call: [ada@acme.example, bo@acme.example] }
roleSets: { engineer: [DEVELOPER] }
`;

const teams = `version: 1
account: lab
teams:
  - name: Red
    admin: ada@acme.example
    firstMember: ada@acme.example
    roles: [{ set: engineer }]
    members: [{ group: on-call }, { user: dee@acme.example, roles: [AUDITOR] }]
  - name: Blue
    identifier: t-blue
    onRemoval: revoke
    members: [{ group: on-call, roles: [AUDITOR] }]
keys:
  - { prefix: k-listed, roles: [{ set: engineer }] }
`;

const settings = {
  accounts: new Map([["lab", "acc-1"]]),
  accountsAt: new Map([["lab", { file: "roster.config.yaml", line: 3, column: 8 }]]),
};

/** Blue is there with a member too many, and so is cy, whose day has come. `more`: of the service. */
function planOf(files: Readonly<Record<string, string>> = {}, more = ""): Plan {
  const { roster, diagnostics } = rosterFrom({ "people.yaml": people, "teams.yaml": teams, ...files }, settings);
  if (roster === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const service = `
there:
  cy: {own: none, keys: {k-cy: {roles: [DEVELOPER]}}}
  eve: {own: none, in: {Blue: [DEVELOPER]}, keys: {k-listed: {roles: [AUDITOR]}}}
`;
  const { snapshot, ...parts }: InputParts = partsOf(service, "users: {ada, bo, dee: {previously: [old]}}", more);
  return planned({ ...parts, snapshot, roster });
}

/** Every link as `what name of person file:line`. */
function chain({ because }: Action | Finding): readonly string[] {
  return because.map((reason) => reasonText(reason).replace(/at (\d+)$/u, `${reason.file}:$1`));
}

/** The rule of each action, and its chain. */
function chains({ actions }: Plan): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(actions.map((action) => [brief(`${action.id} (${action.rule})`), chain(action)]));
}

test("each action names its rule and the chain by which the YAML asks for it", () => {
  const byTeam = ["team-roles teams.yaml:7", "role-set engineer people.yaml:10", "team Red teams.yaml:4"];
  const lab = ["account lab teams.yaml:2", "settings-account lab roster.config.yaml:3"];
  const onCall = (name: string) => ["group on-call teams.yaml:8", `group-member on-call ${name} people.yaml:9`];
  const inBlue = ["member-roles on-call teams.yaml:12", "team Blue teams.yaml:9"];
  expect(chains(planOf())).toEqual({
    "replace-roles:k-cy (leaver-roles-removed)": ["until 2026-11-20 people.yaml:7", "user people.yaml:7"],
    "replace-roles:k-eve-blue (extra-member-roles-removed)": ["on-removal teams.yaml:11", "team Blue teams.yaml:9"],
    // The entry, the team, who is fixed, the place in the team, then what the entry takes.
    "create-user:ada (creates-team)": [
      "user people.yaml:5",
      "team Red teams.yaml:4",
      "first-member ada teams.yaml:6",
      "admin ada teams.yaml:5",
      ...onCall("ada"),
      "account acc-1 people.yaml:2",
      "defaults source hr people.yaml:3",
    ],
    "create-user:bo (absent-user)": ["user people.yaml:6", "account acc-1 people.yaml:2"],
    "create-user:dee (absent-user)": [
      "user people.yaml:8",
      "account acc-1 people.yaml:2",
      "defaults source hr people.yaml:3",
    ],
    "add-members:acc-1/red (joins-new-team)": [
      "team Red teams.yaml:4",
      ...onCall("bo"),
      "member dee teams.yaml:8",
      ...lab,
    ],
    "add-members:acc-1/blue (missing-member)": [
      "team Blue teams.yaml:9",
      "group on-call teams.yaml:12",
      "group-member on-call ada people.yaml:9",
      "group-member on-call bo people.yaml:9",
      ...lab,
    ],
    "replace-roles:acc-1/red:ada (roles-of-first-member)": [...onCall("ada"), ...byTeam],
    "replace-roles:acc-1/red:bo (roles-of-new-key)": [...onCall("bo"), ...byTeam],
    "replace-roles:acc-1/red:dee (roles-of-new-key)": [
      "member dee teams.yaml:8",
      "member-roles teams.yaml:8",
      "team Red teams.yaml:4",
    ],
    "replace-roles:acc-1/blue:ada (roles-of-new-key)": [
      "group on-call teams.yaml:12",
      "group-member on-call ada people.yaml:9",
      ...inBlue,
    ],
    "replace-roles:acc-1/blue:bo (roles-of-new-key)": [
      "group on-call teams.yaml:12",
      "group-member on-call bo people.yaml:9",
      ...inBlue,
    ],
    "replace-roles:own:bo (roles-of-new-key)": [
      "own-key-roles people.yaml:6",
      "role-set engineer people.yaml:10",
      "user people.yaml:6",
    ],
    "replace-roles:k-listed (roles-differ)": ["key teams.yaml:14", "role-set engineer people.yaml:10"],
  });
});

test("of several entries that make somebody a member, an addition names all, and roles go by the one that decides", () => {
  const files = {
    "more.yaml": "version: 1\ngroups: { core: [bo@acme.example, dee@acme.example] }\n",
    "teams.yaml": teams.replace("{ user: dee@acme.example, roles: [AUDITOR] }", "$&, { group: core }"),
  };
  expect(chains(planOf(files))).toMatchObject({
    "add-members:acc-1/red (joins-new-team)": [
      "team Red teams.yaml:4",
      "group on-call teams.yaml:8",
      "group-member on-call bo people.yaml:9",
      "group core teams.yaml:8",
      "group-member core bo more.yaml:2",
      "member dee teams.yaml:8",
      "group-member core dee more.yaml:2",
      "account lab teams.yaml:2",
      "settings-account lab roster.config.yaml:3",
    ],
    "replace-roles:acc-1/red:dee (roles-of-new-key)": [
      "member dee teams.yaml:8",
      "member-roles teams.yaml:8",
      "team Red teams.yaml:4",
    ],
  });
});

test("roles of a key that nobody shows go by the rule that they are not known", () => {
  expect(chains(planOf({}, "hides: [roles]"))).toHaveProperty(["replace-roles:k-listed (roles-unknown)"]);
});

test.each([
  [
    "a former address: the entry and the former address",
    "there: {old}",
    {},
    "former-address",
    ["user people.yaml:8", "former-address old people.yaml:8"],
  ],
  [
    "a field that a default gives: the default too",
    "there: {ada: {source: elsewhere}}",
    {},
    "profile-differs",
    ["user people.yaml:5", "defaults source hr people.yaml:3"],
  ],
  [
    "an account: where it is named, then what is in it",
    "",
    { "other.yaml": "version: 1\naccount: acc-9\nteams:\n  - { name: Far, identifier: t-9 }\n" },
    "account-unavailable",
    ["account acc-9 other.yaml:2", "team Far other.yaml:4"],
  ],
])("the chain of a finding about %s", (_, more, files, code, expected) => {
  const findings = planOf(files, more).findings.filter((one) => one.code === code);
  expect(findings.map(chain)).toEqual([expected]);
});

function planFor(roster: Roster) {
  const there = "there: {root: {lastName: Other, in: {Old: [AUDITOR]}}}";
  return planned({ snapshot: partsOf(there, "users: {ada, bo}").snapshot, roster });
}

/** With `said` on every entry, or without. */
function rosterSaying(said: (entry: string) => { readonly ownership?: Ownership }): Roster {
  return aRoster({
    users: [aUser("root", said("root")), aUser("ada", said("ada")), aUser("bo")],
    teams: [
      aTeam("Old", {
        ...said("old"),
        members: ["root", { user: "ada", ...said("ada in old") }, "bo"],
        roles: ["DEVELOPER"],
      }),
      aTeam("New", { ...said("new"), members: ["ada"], roles: ["DEVELOPER"] }),
    ],
    keys: [aKey("k-9", { owner: "root", roles: [], ...said("k-9") })],
  });
}

const notes = (entry: string) => ({ ownership: { note: entry } });
const owners: Readonly<Record<string, Ownership>> = {
  root: { owner: "hr", note: "on call" },
  ada: { owner: "hr" },
  old: { owner: "old-team" },
  "ada in old": { note: "JIRA-1" },
};
const said = (entry: string) => (owners[entry] === undefined ? {} : { ownership: owners[entry] });

function ownershipOf(action: Action): readonly unknown[] {
  const members = action.kind === "add-members" ? action.members.map((one) => [one.address, one.ownership]) : [];
  return [action.id, action.ownership, ...members];
}

test("each action and finding says whose it is, and each membership of an addition", () => {
  const plan = planFor(rosterSaying(said));
  const ada = { owner: "old-team", note: "JIRA-1" };
  expect(plan.actions.map(ownershipOf)).toEqual([
    ["create-user:ada@acme.example", { owner: "hr" }],
    ["create-user:bo@acme.example", undefined],
    [
      "add-members:acc-1/old",
      { owner: "old-team" },
      ["ada@acme.example", ada],
      ["bo@acme.example", { owner: "old-team" }],
    ],
    ["replace-roles:acc-1/old:ada@acme.example", ada],
    ["replace-roles:acc-1/old:bo@acme.example", { owner: "old-team" }],
    ["replace-roles:k-root-old", { owner: "old-team", note: "on call" }],
    ["replace-roles:acc-1/new:ada@acme.example", { owner: "hr" }],
  ]);
  expect(plan.findings.map(({ code, ownership }) => [code, ownership])).toEqual([
    ["profile-differs", owners["root"]],
    ["unknown-key", owners["root"]],
  ]);
});

test("what is approved does not depend on it: plan ID, roster digest and requests stay the same", () => {
  const [plain, owned] = [rosterSaying(() => ({})), rosterSaying(notes)];
  const [before, after] = [plain, owned].map(planFor);
  expect(after?.id).toBe(before?.id);
  expect(rosterDigest(owned)).toBe(rosterDigest(plain));
  const requests = (actions: readonly Action[] = []) =>
    actions.map((one) => (one.kind === "add-members" ? one.members.map(({ request }) => request) : one.request));
  expect(requests(after?.actions)).toEqual(requests(before?.actions));
  expect(after?.findings.map(({ fingerprint }) => fingerprint)).toEqual(
    before?.findings.map(({ fingerprint }) => fingerprint),
  );
});

function intentOf(action: Action): Intent {
  switch (action.kind) {
    case "create-user":
      return creationIntent(action);
    case "add-members":
      return additionIntent(
        { action, team: { team: action.team, name: "Old", account: "acc-1", identifier: "t-old" } },
        action.members.slice(0, 1),
      );
    case "replace-roles":
      return replacementIntent(action, "k", aPlan([action]));
  }
}

test("it is announced with each call, apart from what is sent", () => {
  const plan = planFor(rosterSaying(notes));
  const intents = plan.actions.map(intentOf);
  expect(intents.map((intent) => (intent.kind === "add-members" ? intent.ownerships : intent.ownership))).toEqual([
    { note: "new" },
    undefined,
    [{ address: "ada@acme.example", ownership: { note: "ada in old" } }],
    { note: "ada in old" },
    { note: "old" },
    { note: "old" },
    { note: "new" },
  ]);
  const [creation] = intents;
  expect(creation?.kind === "create-user" && creation.sent).toEqual({ firstName: "Ada", lastName: "Test" });
});
