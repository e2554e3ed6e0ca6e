import { expect, test } from "vitest";
import { looksLikeAddress } from "../../../src/roster/decode.ts";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";

const person = "firstName: Ada, lastName: Lovelace";

function told(text: string, newUsers?: "checked"): readonly string[] {
  const rules = newUsers === undefined ? {} : { newUsers };
  return faultsOf(rosterFrom({ "f.yaml": `version: 1\naccount: a\n${text}` }, rules));
}

const unsafe = (email: string, more = "") => `users: [{ email: ${email}, ${person}${more} }]\n`;

test("where no service is asked, a user with an address with which nobody is created is an error, at the address", () => {
  expect(told(unsafe("ada@acme.example/é.evil.example"), "checked")).toEqual([
    "f.yaml:3:18+31 unsafe-address: roster does not create `ada@acme.example/é.evil.example`: the address contains `/`.",
  ]);
});

test("where the service is asked, the plan judges them", () => {
  expect(told(unsafe("ada@acme.example/é.evil.example"))).toEqual([]);
  expect(told(unsafe("ada@intranet"))).toEqual([]);
});

test("a domain without a dot is an error", () => {
  expect(told(unsafe("ada@intranet"), "checked")).toEqual([
    "f.yaml:3:18+12 unsafe-address: roster does not create `ada@intranet`: its domain has no dot.",
  ]);
});

const warning = "f.yaml:3:18+16 unusual-address: The address `a/b@acme.example` contains `/`. Such addresses are rare.";

test.each([
  ["as their own", unsafe("a/b@acme.example", ", key: k1")],
  [
    "as a member's",
    `${unsafe("a/b@acme.example")}teams: [{ name: T, members: [{ user: a/b@acme.example, key: k1 }] }]\n`,
  ],
  ["in `keys`", `${unsafe("a/b@acme.example")}keys: [{ prefix: k1, owner: a/b@acme.example, roles: [] }]\n`],
])("whose key is declared %s is in the service, so that their address is a warning", (_, text) => {
  expect(told(text, "checked")).toEqual([warning]);
});

test("a user whose key is declared may have a domain without a dot", () => {
  expect(told(unsafe("ada@intranet", ", key: k1"), "checked")).toEqual([]);
});

test("letters beyond ASCII before the `@` are a warning for users who count as new", () => {
  const message =
    "f.yaml:3:18+16 unsafe-address: `adé@acme.example` has letters beyond ASCII before the `@`. " +
    "Many mail servers do not deliver to it.";
  expect(told(unsafe("adé@acme.example"), "checked")).toEqual([message]);
  expect([told(unsafe("adé@acme.example")), told(unsafe("adé@acme.example", ", key: k1"), "checked")]).toEqual([
    [],
    [],
  ]);
});

test.each([
  ["a leaver", "leavers: [{ email: a/b@acme.example }]\n", "3:20"],
  ["a former address", unsafe("ada@acme.example", ", previously: [a/b@acme.example]"), "3:85"],
  ["somebody else's address", unsafe("ada@acme.example", ", distinctFrom: [a/b@acme.example]"), "3:87"],
  ["a user whose `until` has come", unsafe("a/b@acme.example", ", until: 2026-11-20"), "3:18"],
])("%s may be any address that a service shows; an unusual one is a warning", (_, text, place) => {
  const unusual = told(text, "checked").filter((one) => one.includes("-address:"));
  expect(unusual).toEqual([warning.replace("3:18", place)]);
  expect(rosterFrom({ "f.yaml": `version: 1\naccount: a\n${text}` }, { newUsers: "checked" }).roster).toBeDefined();
});

test.each([
  ["ada@acme.example", true],
  ["a@b@acme.example", true],
  ["x:y/z@acme.example:80", true],
  ['"ada lovelace"@acme.example', true],
  ["ada lovelace@acme.example", false],
  ["ada", false],
  ["ada@", false],
  ["@acme.example", false],
])("%j names a person: %s", (text, names) => {
  expect(looksLikeAddress(text)).toBe(names);
});
