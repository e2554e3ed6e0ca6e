import { expect, test } from "vitest";
import { guardsInForce } from "../../../../src/cli/settings/decode-guards.ts";
import { decodeSettings } from "../../../../src/cli/settings/decode-settings.ts";
import { defaultGuards } from "../../../../src/model/policy.ts";
import { readYaml } from "../../../../src/yaml/read.ts";

function decode(text: string) {
  return decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
}

function inForce(text: string) {
  const decoded = decode(text);
  if (!decoded.ok) throw new Error(decoded.error[0]?.message);
  return guardsInForce(decoded.value.guards, decoded.value.protect);
}

test("where nothing is set, every guard has its default", () => {
  expect(inForce("")).toEqual(defaultGuards);
  expect(inForce("guards: {}\nprotect: {}")).toEqual(defaultGuards);
});

test("every guard that can be set is set under its name", () => {
  const text = `guards:
  allowed-email-domains: [ACME.example, müller.example, "@sub.acme.example"]
  near-duplicate: off
  privileged-roles: { roles: [B, A], people: [Ada@acme.example] }
  renamed-team: "off"
  max-new-users: 0
  max-invitations: 500
  max-role-removals: { ratio: 0.5, floor: 3 }
  min-admins: { role: PLATFORM_ADMIN, count: 2 }
  required-admins: [root@acme.example]
  incomplete-snapshot: 0.9
protect: { users: [Root@acme.example], keys: [k1] }
`;
  expect(inForce(text)).toEqual({
    allowedEmailDomains: ["acme.example", "xn--mller-kva.example", "sub.acme.example"],
    nearDuplicate: "off",
    privilegedRoles: { roles: ["A", "B"], people: ["Ada@acme.example".toLowerCase()] },
    protected: { users: ["root@acme.example"], keys: ["k1"] },
    renamedTeam: "off",
    maxNewUsers: 0,
    maxInvitations: 500,
    maxRoleRemovals: { ratio: 0.5, floor: 3 },
    minAdmins: { role: "PLATFORM_ADMIN", count: 2 },
    requiredAdmins: ["root@acme.example"],
    incompleteSnapshot: 0.9,
    setAt: {
      "guards.allowed-email-domains": { file: "roster.config.yaml", line: 2, column: 3 },
      "guards.privileged-roles": { file: "roster.config.yaml", line: 4, column: 3 },
    },
  });
});

test("guards that can be off are off, and what a guard does not say keeps its default", () => {
  const text = `guards: { privileged-roles: { people: [ada@acme.example] }, max-new-users: off, max-invitations: off,
  max-role-removals: { floor: 3 }, min-admins: { count: 1 }, incomplete-snapshot: off }`;
  expect(inForce(text)).toEqual({
    ...defaultGuards,
    privilegedRoles: { roles: ["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"], people: ["ada@acme.example"] },
    maxNewUsers: "off",
    maxInvitations: "off",
    maxRoleRemovals: { ratio: 0.25, floor: 3 },
    minAdmins: { role: "ACCOUNT_ADMIN", count: 1 },
    incompleteSnapshot: "off",
    setAt: { "guards.privileged-roles": { file: "roster.config.yaml", line: 1, column: 11 } },
  });
});

test("the line of `protect` is known as well", () => {
  const place = { file: "roster.config.yaml", line: 1, column: 1 };
  expect(guardsInForce(undefined, { users: [], keys: ["k1"] }, place)).toEqual({
    ...defaultGuards,
    protected: { users: [], keys: ["k1"] },
    setAt: { protect: place },
  });
});

test.each([
  ["guards: 3", "1:9", "guards is a map."],
  ["guards: { max-new-user: 3 }", "1:11", "There is no guards.max-new-user. Did you mean max-new-users?"],
  [
    "guards: { own-key: off }",
    "1:11",
    "The guard own-key has no settings. It can be allowed for one plan with --allow own-key@PLANID.",
  ],
  ["guards: { protected: [] }", "1:11", "The guard protected has no settings. Write `protect:` beside `guards:`."],
  ["guards: { max-new-users: -1 }", "1:26", "guards.max-new-users is a whole number."],
  ["guards: { max-new-users: many }", "1:26", "guards.max-new-users is a whole number."],
  ["guards: { near-duplicate: maybe }", "1:27", "guards.near-duplicate is on or off."],
  ["guards: { incomplete-snapshot: 2 }", "1:32", "guards.incomplete-snapshot is a number from 0 to 1."],
  ["guards: { max-role-removals: { ratio: 25 } }", "1:39", "guards.max-role-removals.ratio is a number from 0 to 1."],
  [
    "guards: { max-role-removals: { flor: 25 } }",
    "1:32",
    "There is no guards.max-role-removals.flor. Did you mean floor?",
  ],
  [
    "guards: { min-admins: { role: R } }",
    "1:23",
    "guards.min-admins lacks its count. Write { role: ACCOUNT_ADMIN, count: 2 }.",
  ],
  ["guards: { required-admins: root@acme.example }", "1:28", "guards.required-admins is a list."],
  ["guards: { required-admins: [root] }", "1:29", "guards.required-admins: root is no e-mail address."],
  [
    "guards: { allowed-email-domains: [ada@acme.example] }",
    "1:35",
    "guards.allowed-email-domains: ada@acme.example is no domain.",
  ],
  [
    "guards: { allowed-email-domains: [acme.example/é.evil.example] }",
    "1:35",
    "guards.allowed-email-domains: acme.example/é.evil.example is no domain.",
  ],
  [
    "guards: { privileged-roles: { role: [A] } }",
    "1:31",
    "There is no guards.privileged-roles.role. Did you mean roles?",
  ],
  ["protect: { user: [] }", "1:12", "There is no protect.user. Did you mean users?"],
  ["protect: { keys: [3] }", "1:19", "protect.keys is a text."],
])("%s is an error at %s", (text, at, words) => {
  const decoded = decode(text);
  const [fault] = decoded.ok ? [] : decoded.error;
  expect(`${fault?.place?.line}:${fault?.place?.column}`).toBe(at);
  expect([fault?.message, fault?.hint].filter((part) => part !== undefined).join(" ")).toContain(words);
});
