import { describe, expect, test } from "vitest";
import {
  type Author,
  countApprovals,
  groupByPerson,
  readAuthor,
  type Signer,
} from "../../../../src/cli/approvals/count-approvals.ts";
import { foldAddress } from "../../../../src/model/address.ts";

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
