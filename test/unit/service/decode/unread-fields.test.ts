import { expect, test } from "vitest";
import type { UnreadField } from "../../../../src/model/capabilities.ts";
import { UnreadFields } from "../../../../src/service/decode/observed.ts";

const person = { identifier: "u-1", email: "ada@acme.example", firstName: "Ada" };
const prefix = "Ab12Cd34Ef56";

function found(...rows: readonly unknown[]): readonly UnreadField[] {
  const unread = new UnreadFields();
  for (const row of rows) unread.noteUser(row);
  return unread.found;
}

function ofKey(key: object): readonly UnreadField[] {
  return found({ ...person, accessKeys: [key] });
}

test.each<[string, object, readonly UnreadField[]]>([
  ["nothing, where all is read", { status: "active", kind: "team", isDefault: false }, []],
  ["nothing, where what is not read looks like nothing", { createdAt: "2026-01-01T00:00:00Z", uses: 3, note: "x" }, []],
  ["roles by their name", { roles: undefined, permissions: ["run"] }, [{ like: "roles", pointer: "/permissions" }]],
  ["roles by their spelling", { roles: undefined, may: ["TEAM_ROLE"] }, [{ like: "roles", pointer: "/may" }]],
  ["no roles beside those that are read", { permissions: ["run"] }, []],
  ["no roles in an empty list", { roles: undefined, permissions: [] }, []],
  ["no roles in other words", { roles: undefined, tags: ["nightly"] }, []],
  ["a prefix by its name", { prefix: undefined, pfx: "x1" }, [{ like: "prefix", pointer: "/pfx" }]],
  ["a prefix by its spelling", { prefix: undefined, word: prefix }, [{ like: "prefix", pointer: "/word" }]],
  ["no prefix in what may be a secret", { prefix: undefined, secret: prefix, tokenPrefix: prefix }, []],
  ["no prefix in a date", { prefix: undefined, made: "2026-01-01T00:00:00Z" }, []],
  [
    "a team that is told flat",
    { team: undefined, groupId: "g-1", groupName: "Red" },
    [{ like: "team", pointer: "", identifier: "/groupId", name: "/groupName" }],
  ],
  [
    "a team under another name, with fields of its own",
    { team: undefined, squad: { gid: 7, title: "Red" } },
    [{ like: "team", pointer: "/squad", identifier: "/gid", name: "/title" }],
  ],
  [
    "a team by what it consists of",
    { team: undefined, home: { uid: "g-1", label: "Red" } },
    [{ like: "team", pointer: "/home", identifier: "/uid", name: "/label" }],
  ],
  [
    "a team in one text, which may be an identifier",
    { team: undefined, group: "g-1" },
    [{ like: "team", pointer: "/group" }],
  ],
  ["no team in the owner", { team: undefined, owner: { id: "u-1", name: "Ada" } }, []],
  ["no team that is null", { team: undefined, groupId: null, groupName: null }, []],
  [
    "the name of a team that tells its identifier alone",
    { team: { id: 1 }, groupName: "Red" },
    [{ like: "team", pointer: "", name: "/groupName" }],
  ],
  ["names that need escaping", { roles: undefined, "my/roles~": ["A"] }, [{ like: "roles", pointer: "/my~1roles~0" }]],
  ["no name that is too long", { roles: undefined, [`roles${"x".repeat(80)}`]: ["A"] }, []],
])("of a key is noted %s", (_, key, expected) => {
  expect(ofKey(JSON.parse(JSON.stringify({ prefix, roles: [], team: null, ...key })))).toEqual(expected);
});

test("keys under an unknown name are noted with what they carry", () => {
  expect(found({ ...person, creds: [{ pfx: "x1", perms: ["TEAM_ROLE"] }] })).toEqual([
    { like: "keys", pointer: "/creds" },
    { like: "prefix", pointer: "/pfx" },
    { like: "roles", pointer: "/perms" },
  ]);
});

test("keys under an unknown name are noted by what they carry", () => {
  expect(found({ ...person, held: [{ prefix }], friends: [{ name: "Bo" }] })).toEqual([
    { like: "keys", pointer: "/held" },
  ]);
});

test("where keys are shown no others are looked for", () => {
  expect(found({ ...person, accessKeys: [], tokens: [{ id: "s-1" }] })).toEqual([]);
});

test("what is noted has the same order in whichever order it came, names before values", () => {
  const rows = [{ may: ["TEAM_ROLE"] }, { scopes: ["A"] }, { grants: ["B"] }].map((key) => ({
    ...person,
    accessKeys: [{ prefix, team: null, ...key }],
  }));
  const expected = ["/grants", "/scopes", "/may"].map((pointer) => ({ like: "roles", pointer }));
  expect([found(...rows), found(...[...rows].reverse())]).toEqual([expected, expected]);
});

test("however many fields a service invents, few are kept, and the same ones", () => {
  const names = Array.from({ length: 500 }, (_, at) => `role${String(at).padStart(3, "0")}`);
  const rows = names.map((name) => ({ ...person, accessKeys: [{ prefix, team: null, [name]: ["A"] }] }));
  const kept = found(...rows);
  expect([kept.length, kept[0], found(...[...rows].reverse())]).toEqual([
    32,
    { like: "roles", pointer: "/role000" },
    kept,
  ]);
});

test.each([[null], ["text"], [[]], [{ accessKeys: [null, "x", 1] }]])(
  "what is no user with keys is passed over: %j",
  (row) => {
    expect(found(row)).toEqual([]);
  },
);
