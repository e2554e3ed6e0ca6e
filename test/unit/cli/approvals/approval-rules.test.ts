import { describe, expect, test } from "vitest";
import {
  type Author,
  approvalRulesOf,
  countApprovals,
  groupByPerson,
  readAuthor,
  type Signer,
} from "../../../../src/cli/approvals/approval-rules.ts";
import { decodeSettings } from "../../../../src/cli/settings/decode-settings.ts";
import { foldAddress } from "../../../../src/model/address.ts";
import { readYaml } from "../../../../src/yaml/read.ts";
import { sshKey } from "../../../support/ssh-keys.ts";

/** A signer, as `NAME <ADDRESS>`, with a key of this name. */
function signer(key: string, who: string): Signer {
  return { ...readAuthor(who), key: { type: "ssh-ed25519", blob: key, fingerprint: `SHA256:${key}` } };
}

const ada = signer("a1", "Ada Lovelace <ada@acme.example>");
const adaToo = signer("a2", "ADA  lovelace");
const adaAtHome = signer("a3", "Countess <ada@acme.example>");
const bo = signer("b1", "<bo@acme.example>");
const cy = signer("c1", "Cy");
const signers = [ada, adaToo, adaAtHome, bo, cy];

describe("signers", () => {
  test("who share a name or an address are one person, also by way of a third entry", () => {
    expect(groupByPerson([adaToo, bo, adaAtHome, cy, ada])).toEqual([[bo], [cy], [adaToo, adaAtHome, ada]]);
  });

  test("without a name are not one person for that", () => {
    const [one, other] = [signer("d1", "<d@acme.example>"), signer("e1", "<e@acme.example>")];
    expect(groupByPerson([one, other])).toEqual([[one], [other]]);
  });
});

describe("approvals", () => {
  test.each<[string, readonly Signer[], readonly Author[], readonly string[]]>([
    ["count once for each person", [ada, bo, cy], [], ["counted", "counted", "counted"]],
    ["count once for a person with several keys", [adaToo, ada, adaAtHome], [], ["counted", "repeated", "repeated"]],
    ["count once for the same key twice", [bo, bo], [], ["counted", "repeated"]],
    ["of an author do not count, by address", [bo, cy], [readAuthor("X <BO@acme.example>")], ["author", "counted"]],
    ["of an author do not count, by name", [bo, cy], [readAuthor("cy <x@y.example>")], ["counted", "author"]],
    ["of an author do not count with any key", [adaToo], [readAuthor("Z <ada@acme.example>")], ["author"]],
    [
      "of several authors do not count",
      [ada, bo, cy],
      [readAuthor("Cy"), readAuthor("<bo@acme.example>")],
      ["counted", "author", "author"],
    ],
    ["count where the author is nobody of them", [bo], [readAuthor(""), readAuthor("Eve <e@e.example>")], ["counted"]],
  ])("%s", (_, signed, authors, standings) => {
    expect(countApprovals(signed, { signers }, authors)).toEqual(standings);
  });
});

test.each([
  ["Ada Lovelace <ada@ACME.example>", { name: "Ada Lovelace", email: foldAddress("ada@acme.example") }],
  ["Ada", { name: "Ada" }],
  [" <ada@acme.example>", { email: foldAddress("ada@acme.example") }],
  ["Ada <>", { name: "Ada" }],
  [" <>", {}],
  ["", {}],
])("the author %o is read", (written, author) => {
  expect(readAuthor(written)).toEqual(author);
});

const key = (name: string) => JSON.stringify(sshKey(name).line);
const adaEntry = `{ name: Ada, email: Ada@acme.example, key: ${key("ada")} }`;
const boEntry = `{ email: bo@acme.example, key: ${key("bo")} }`;

function decoded(text: string) {
  const settings = decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
  return settings.ok ? approvalRulesOf(settings.value) : settings.error.map(({ message }) => message);
}

describe("rules of approvals", () => {
  test.each([
    ["{}", { default: 1, privileged: 2 }],
    ["{ default: 2 }", { default: 2, privileged: 2 }],
    ["{ default: 0, privileged: 1 }", { default: 0, privileged: 1 }],
    ["{ privileged: 1 }", { default: 1, privileged: 1 }],
  ])("are in force: %s", (approvals, needed) => {
    expect(decoded(`signers: [${adaEntry}, ${boEntry}]\napprovals: ${approvals}`)).toMatchObject({
      needed,
      signers: [
        { name: "Ada", email: "ada@acme.example", key: { fingerprint: sshKey("ada").fingerprint } },
        { email: "bo@acme.example", key: { fingerprint: sshKey("bo").fingerprint } },
      ],
    });
  });

  test("are not there unless they are written", () => {
    expect(decoded("parallelism: 3")).toBeUndefined();
  });

  test.each([
    [`signers: [${adaEntry}]`, "`signers` has no effect without `approvals`."],
    ["approvals: {}", "`approvals` needs `signers`."],
    [`signers: [${adaEntry}]\napprovals: {}`, "Some plans need 2 approvals, but `signers` lists 1 person."],
    [
      `signers: [${adaEntry}, { name: ada, key: ${key("ada at home")} }]\napprovals: {}`,
      "Some plans need 2 approvals, but `signers` lists 1 person.",
    ],
    [
      `signers: [${adaEntry}, ${boEntry}]\napprovals: { default: 2, privileged: 1 }`,
      "`approvals.privileged` is less than `approvals.default`.",
    ],
    [
      `signers: [${adaEntry}, { name: Bo, key: ${key("ada")} }]\napprovals: {}`,
      `\`signers\` lists the key ${sshKey("ada").fingerprint} twice.`,
    ],
    [`signers: [{ key: ${key("ada")} }]\napprovals: {}`, "A signer needs `name` or `email`."],
    [`signers: [{ name: "a\\nb", key: ${key("ada")} }]\napprovals: {}`, "`name` has a line break."],
    [`signers: [{ name: "a\\u202eb", key: ${key("ada")} }]\napprovals: {}`, "`name` contains an invisible character."],
    [
      `signers: [{ name: "a\\u001bb", key: ${key("ada")} }]\napprovals: {}`,
      expect.stringContaining("control character"),
    ],
    [
      `signers: [{ name: Ada, key: "cert-authority ${sshKey("ada").line}" }]\napprovals: {}`,
      "`key` is no public SSH key on one line.",
    ],
  ])("are refused: %s", (text, message) => {
    expect(decoded(text)).toContainEqual(message);
  });

  test("never show a line with a private key", () => {
    const text = `signers: [{ name: Ada, key: ${JSON.stringify(sshKey("ada").privateText)} }]\napprovals: {}`;
    const settings = decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
    const told = JSON.stringify(settings);
    expect([told.includes("is a private key"), told.includes(sshKey("ada").privateText.slice(40, 60))]).toEqual([
      true,
      false,
    ]);
  });
});
