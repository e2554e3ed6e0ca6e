import { expect, test } from "vitest";
import { decodeSettings } from "../../../../src/cli/settings/setting-table.ts";
import { defaultGuards, guardsInForce } from "../../../../src/library/policy.ts";
import { definedFields } from "../../../../src/model/collections.ts";
import { readGeneral } from "../../../../src/yaml/general.ts";
import { casesOf } from "../../../support/cases.ts";

function decode(text: string) {
  return decodeSettings(readGeneral("roster.config.yaml", new TextEncoder().encode(text)));
}

test("`service.shapes` maps fields by JSON Pointers", () => {
  const text = `service:
  shapes:
    users: { list: /payload/rows, email: /mail, keys: /creds }
    createdUser: { prefix: /credential/pfx }
`;
  const users = { list: "/payload/rows", email: "/mail", keys: "/creds" };
  const shapes = { users, createdUser: { prefix: "/credential/pfx" } };
  expect(decode(text)).toEqual({ ok: true, value: { setAt: {}, service: { shapes } } });
});

test("`sections` says what files may carry", () => {
  const text = `sections:
  - { paths: ["teams/**", crews/], only: [teams] }
  - { paths: ["-"], only: [] }
`;
  const place = (line: number) => ({ file: "roster.config.yaml", line, column: 5 });
  const sections = [
    { paths: ["teams/**", "crews/"], only: ["teams"], place: place(2) },
    { paths: ["-"], only: [], place: place(3) },
  ];
  expect(decode(text)).toEqual({ ok: true, value: { sections, setAt: {} } });
});

/** Each error as its place, its message and its hint. */
function faultsOf(text: string): readonly string[] {
  const decoded = decode(text);
  return (decoded.ok ? [] : decoded.error).map(({ place, message, hint }) =>
    [`${place?.line}:${place?.column} ${message}`, ...(hint === undefined ? [] : [hint])].join(" "),
  );
}

function inForce(text: string) {
  const decoded = decode(text);
  if (!decoded.ok) throw new Error(decoded.error[0]?.message);
  const { guards, protect, setAt } = decoded.value;
  return guardsInForce({ ...guards, ...definedFields({ protect }), setAt });
}

test("where nothing is set, every guard has its default", () => {
  expect(inForce("")).toEqual({ ...defaultGuards, setAt: {} });
  const protect = { file: "roster.config.yaml", line: 2, column: 1 };
  expect(inForce("guards: {}\nprotect: {}")).toEqual({ ...defaultGuards, setAt: { protect } });
});

test("`service.throttling` can only be said to have no effect", () => {
  expect(decode("service: { throttling: no-effect }")).toMatchObject({
    value: { service: { throttling: "no-effect" } },
  });
  expect(faultsOf("service: { throttling: may-have-effect }")).toEqual([
    expect.stringContaining("must be `no-effect`"),
  ]);
});

test("every guard that can be set is set under its name", () => {
  const text = `guards:
  allowed-email-domains: [ACME.example, müller.example, "@sub.acme.example"]
  near-duplicate: off
  privileged-roles: { roles: [B, A], people: [Ada@acme.example] }
  max-new-users: 0
  max-invitations: 500
  max-role-removals: { ratio: 0.5, floor: 3 }
  min-admins: { role: PLATFORM_ADMIN, count: 2 }
  required-admins: [root@acme.example]
protect: { users: [Root@acme.example], keys: [k1] }
`;
  expect(inForce(text)).toEqual({
    allowedEmailDomains: ["acme.example", "xn--mller-kva.example", "sub.acme.example"],
    nearDuplicate: "off",
    privilegedRoles: { roles: ["A", "B"], people: ["Ada@acme.example".toLowerCase()] },
    protect: { users: ["root@acme.example"], keys: ["k1"] },
    maxNewUsers: 0,
    maxInvitations: 500,
    maxRoleRemovals: { ratio: 0.5, floor: 3 },
    minAdmins: { role: "PLATFORM_ADMIN", count: 2 },
    requiredAdmins: ["root@acme.example"],
    setAt: {
      "guards.allowed-email-domains": { file: "roster.config.yaml", line: 2, column: 3 },
      "guards.privileged-roles": { file: "roster.config.yaml", line: 4, column: 3 },
      protect: { file: "roster.config.yaml", line: 10, column: 1 },
    },
  });
});

test("guards that can be off are off, and what a guard does not say keeps its default", () => {
  const text = `guards: { privileged-roles: { people: [ada@acme.example] }, max-new-users: off, max-invitations: off,
  max-role-removals: { floor: 3 }, min-admins: { count: 1 } }`;
  expect(inForce(text)).toEqual({
    ...defaultGuards,
    privilegedRoles: { roles: ["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"], people: ["ada@acme.example"] },
    maxNewUsers: "off",
    maxInvitations: "off",
    maxRoleRemovals: { ...defaultGuards.maxRoleRemovals, floor: 3 },
    minAdmins: { role: "ACCOUNT_ADMIN", count: 1 },
    setAt: { "guards.privileged-roles": { file: "roster.config.yaml", line: 1, column: 11 } },
  });
});

test("the line of `protect` is known as well", () => {
  const place = { file: "roster.config.yaml", line: 1, column: 1 };
  expect(guardsInForce({ protect: { users: [], keys: ["k1"] }, setAt: { protect: place } })).toEqual({
    ...defaultGuards,
    protect: { users: [], keys: ["k1"] },
    setAt: { protect: place },
  });
});

test.each(
  casesOf([
    "endpoint: '' | 1:11 `endpoint` is empty.",
    "roster: [] | 1:9 `roster` must have at least one entry.",
    "apiKeyCommand: [] | 1:16 `apiKeyCommand` must have at least one entry.",
    "parallelism: 65 | 1:14 `parallelism` must be a whole number from 1 to 64, not 65.",
    "parallelism: 1.5 | 1:14 `parallelism` must be a whole number from 1 to 64, not 1.5.",
    "service: { consistency: 90 } | 1:25 `service.consistency` is not understood: a duration has a unit, such as 90s or 90m.",
    "service: 3 | 1:10 `service` must be a map, not a number.",
    "service: { shape: {} } | 1:12 `service` has no field `shape`. Did you mean `shapes`?",
    "service: { shapes: [] } | 1:20 `service.shapes` must be a map, not a list.",
    "service: { shapes: { user: {} } } | 1:22 `service.shapes` has no field `user`. Did you mean `users`?",
    "service: { shapes: { users: { mail: /m } } } | 1:31 `service.shapes.users` has no field `mail`. Did you mean `email`?",
    "service: { shapes: { users: { email: 3 } } } | 1:38 `service.shapes.users.email` must be a JSON Pointer, not a number.",
    "service: { shapes: { users: { email: mail } } } | 1:38 `service.shapes.users.email`: `mail` is not a JSON Pointer",
    "sections: {} | 1:11 `sections` must be a list, not a map.",
    "sections: [teams] | 1:12 An entry of `sections` must be a map, not a text.",
    "sections: [{ paths: [teams] }] | 1:12 An entry of `sections` needs `only`.",
    "sections: [{ paths: [teams], only: [team] }] | 1:37 An entry of `only` must be `roleSets`, `groups`, `users`, `leavers`, `teams`, `keys` or `accept`, not `team`. Did you mean `teams`?",
    "sections: [{ paths: [teams], onyl: [teams] }] | 1:30 An entry of `sections` has no field `onyl`. Did you mean `only`?",
    "sections: [{ paths: teams, only: [teams] }] | 1:21 `paths` must be a list, not a text.",
    "sections: [{ paths: [../teams], only: [teams] }] | 1:22 The path `../teams` has a part",
    "guards: 3 | 1:9 `guards` must be a map, not a number.",
    "guards: { max-new-user: 3 } | 1:11 `guards` has no field `max-new-user`. Did you mean `max-new-users`?",
    "guards: { own-key: off } | 1:11 `guards` has no field `own-key`. It is always on.",
    "guards: { protected: [] } | 1:11 `guards` has no field `protected`. Write `protect:` at the top level, like `guards:`.",
    "guards: { max-new-users: -1 } | 1:26 `guards.max-new-users` must be a whole number of at least 0, not -1.",
    "guards: { max-new-users: many } | 1:26 `guards.max-new-users` must be a whole number of at least 0, not a text.",
    "guards: { near-duplicate: maybe } | 1:27 `guards.near-duplicate` must be `on` or `off`, not `maybe`.",
    "guards: { max-role-removals: { ratio: 25 } } | 1:39 `guards.max-role-removals.ratio` must be a number from 0 to 1, not 25.",
    "guards: { max-role-removals: { flor: 25 } } | 1:32 `guards.max-role-removals` has no field `flor`. Did you mean `floor`?",
    "guards: { min-admins: { role: R } } | 1:23 `guards.min-admins` needs `count`. Write `{ role: ACCOUNT_ADMIN, count: 2 }`.",
    "guards: { required-admins: root@acme.example } | 1:28 `guards.required-admins` must be a list, not a text.",
    "guards: { required-admins: [root] } | 1:29 An entry of `guards.required-admins` is not an e-mail address: `root`.",
    "guards: { allowed-email-domains: [ada@acme.example] } | 1:35 An entry of `guards.allowed-email-domains` is no domain: `ada@acme.example`.",
    "guards: { allowed-email-domains: [acme.example/é.evil.example] } | 1:35 An entry of `guards.allowed-email-domains` is no domain: `acme.example/é.evil.example`.",
    "guards: { privileged-roles: { role: [A] } } | 1:31 `guards.privileged-roles` has no field `role`. Did you mean `roles`?",
    "protect: { user: [] } | 1:12 `protect` has no field `user`. Did you mean `users`?",
    "protect: { keys: [3] } | 1:19 An entry of `protect.keys` must be a text, but YAML reads a number here.",
  ]),
)("%s is an error: %s", (text = "", told = "") => {
  expect(faultsOf(text)).toContainEqual(expect.stringContaining(told));
});
