import { expect, test } from "vitest";
import { localErrors } from "../../../src/roster/build.ts";
import { readYaml } from "../../../src/yaml/read.ts";

function standing(text: string) {
  const { tree } = readYaml("f.yaml", new TextEncoder().encode(text));
  if (tree === undefined) throw new Error(text);
  const settings = { accounts: new Map(), today: "2026-11-20" };
  return localErrors([{ file: "f.yaml", tree }], settings).map(({ code, place }) => `${place?.line} ${code}`);
}

const head = "version: 1\naccount: acc-1\n";
const ada = "users: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace, until: 2026-11-01 }]\n";

test.each([
  ["of people who may be users of another file", "teams: [{ name: Red, members: [bo@acme.example] }]\n", []],
  [
    "of groups of another file, and who is in them",
    `${ada}teams: [{ name: Red, admin: ada@acme.example, members: [{ group: g }] }]\n`,
    [],
  ],
  [
    "of leavers who may have come back in another file",
    "leavers: [{ email: bo@acme.example }]\ngroups: { g: [bo@acme.example] }\n",
    [],
  ],
  ["of roles that role sets of another file make the same", "keys: [{ prefix: p, roles: [{ set: s }] }]\n", []],
  [
    "but all of two users with one address",
    `${ada.replace("[", "[{ email: ADA@acme.example, firstName: A, lastName: L }, ")}`,
    ["3 duplicate-user"],
  ],
  [
    "but all that a file says of itself",
    "users: [{ email: ada, firstName: 1 }]\n",
    ["3 missing-key", "3 bad-address", "3 quote-needed"],
  ],
])("where other files cannot be read nothing is told %s", (_, text, faults) => {
  expect(standing(head + text)).toEqual(faults);
});

test("what is not told does not crowd out what is", () => {
  const nobody = Array.from({ length: 1100 }, (_, index) => `n${index}@acme.example`).join(", ");
  const leaver = "leavers: [{ email: bo@acme.example, since: 2027-02-01 }]\n";
  expect(standing(`${head}groups: { g: [${nobody}] }\n${leaver}`)).toEqual(["4 since-in-future"]);
});
