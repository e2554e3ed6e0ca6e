import type { lookup } from "node:dns";
import { expect, test } from "vitest";
import { isThisMachine, lookUpThisMachine } from "../../../src/http/origin.ts";

/** Resolves every name to these addresses. */
function resolvingTo(...addresses: readonly string[]): typeof lookup {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const resolve = (_name: string, _options: object, callback: (error: null, found: object) => void) =>
    callback(null, found);
  return resolve as typeof lookup;
}

function lookedUp(resolve: typeof lookup, options: { readonly all: boolean }): Promise<unknown> {
  return new Promise((done) => {
    lookUpThisMachine(resolve)("api.localhost", options, (error, address) => done(error?.message ?? address));
  });
}

const elsewhere = (address: string) =>
  `its name leads to ${address} not to this machine; http:// works only for this machine`;

test.each([
  ["127.0.0.1", ["127.0.0.1"], "127.0.0.1"],
  ["::1", ["::1", "127.0.0.1"], "::1"],
  ["10.0.0.7", ["10.0.0.7"], elsewhere("10.0.0.7")],
  ["this machine and another one", ["127.0.0.1", "203.0.113.9"], elsewhere("203.0.113.9")],
  ["an address that only looks like it", ["::ffff:203.0.113.9"], elsewhere("::ffff:203.0.113.9")],
  ["nothing", [], elsewhere("no address")],
])("a name of this machine that leads to %s", async (_name, addresses, expected) => {
  expect(await lookedUp(resolvingTo(...addresses), { all: false })).toBe(expected);
});

test("all addresses are given where all are asked for", async () => {
  expect(await lookedUp(resolvingTo("::1", "127.0.0.1"), { all: true })).toEqual([
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ]);
});

test.each([
  ["localhost", true],
  ["api.localhost", true],
  ["::1", true],
  ["127.9.9.9", true],
  ["localhost.example", false],
  ["10.0.0.1", false],
  ["fd00::1", false],
])("%s is this machine: %s", (host, expected) => {
  expect(isThisMachine(host)).toBe(expected);
});
