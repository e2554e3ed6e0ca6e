import { domainToASCII } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAddress, unsafeAddressReason } from "../../src/model/address.ts";
import { isDeliverable } from "../../src/reference-server/routes/create-user.ts";
import { always } from "../support/always.ts";
import { codePoint } from "../support/code-point.ts";
import { runs } from "../support/property-runs.ts";
import { acceptedBySchema } from "../support/roster-schema.ts";

const settings = (count: number) => ({ seed: 20_261_122, numRuns: runs(count) });

/** Signs by which parsers of domains, URLs and addresses begin something, and what they drop or turn into ASCII. */
const strange = fc.constantFrom(
  ..."/?#%\\:@\"'<>(),;[]&=+!$*^`{|}~ .-_",
  ..."ａＡ．。／：＠？＃％①ⓐ𝐚\u212a\u2100\u00ad\u200b\u200c\u200d\u2060\ufeff\u202e\ufe0f\u034f\u3164\u00a0\u3000",
  ..."éÉ\u0301İıßẞΣςσ例界ー・·",
);
const letter = fc.constantFrom(..."abcKxz09");
const text = fc.array(fc.oneof(letter, strange, codePoint), {
  maxLength: 8,
});
const domain = text.map((signs) => `${signs.join("")}.example`);

/** What every reader of domains agrees to be one domain: canonical equivalence and letter case, sign by sign. */
function spelling(name: string): string {
  const signs = [...name.normalize("NFC")].map((sign) => sign.toLowerCase());
  return signs.join("").normalize("NFC");
}

test("folding twice is folding once", () => {
  always(settings(3000), fc.tuple(text, fc.constantFrom("@", ""), domain), ([local, at, name]) => {
    const once = foldAddress(`${local.join("")}${at}${name}`);
    expect(foldAddress(once)).toBe(once);
  });
});

test("a domain never folds to another one: not without what a parser would drop, nor with a sign in another form", () => {
  let folded = 0;
  always(settings(5000), domain, fc.nat(), strange, (name, place, sign) => {
    const signs = [...name];
    const at = place % signs.length;
    for (const other of [signs.toSpliced(at, 0, sign), signs.toSpliced(at, 1, sign), signs.toSpliced(at, 1)]) {
      const isOne = foldAddress(`ada@${name}`) === foldAddress(`ada@${other.join("")}`);
      if (isOne) folded += 1;
      if (isOne) expect(spelling(other.join(""))).toBe(spelling(name));
    }
  });
  expect(folded).toBeGreaterThan(0);
});

test("a domain and its cut by a URL parser are two", () => {
  const tail = fc.tuple(fc.constantFrom("/", "?", "#", "\\", ":80", ":", "/é", "?é", "#é", "\\é"), fc.string());
  always(settings(1000), fc.constantFrom("acme.example", "é.example", "xn--9ca.example"), tail, (name, [cut, rest]) => {
    fc.pre(!rest.includes("@"));
    expect(foldAddress(`ada@${name}${cut}${rest}`)).not.toBe(foldAddress(`ada@${name}`));
  });
});

test("a domain in plain letters folds to the ASCII form that the DNS knows", () => {
  const plain = fc.stringMatching(/^[a-zäéöüßñø例え中文бвгαβγ]{1,12}$/u).map((label) => `${label}.example`);
  always(settings(1000), plain, (name) => {
    expect(foldAddress(`ada@${name}`)).toBe(`ada@${domainToASCII(name)}`);
  });
});

test("roster, its editor schema and the reference server agree on any address, but for forms that no pattern lists", () => {
  const verdicts = { created: 0, refused: 0 };
  always(settings(5000), fc.tuple(text, domain), ([local, name]) => {
    const address = `${local.join("")}@${name}`;
    const isCreated = unsafeAddressReason(address) === undefined;
    verdicts[isCreated ? "created" : "refused"] += 1;
    expect(isDeliverable(address)).toBe(isCreated);
    const accepted = acceptedBySchema({ version: 1, users: [{ email: address, firstName: "A", lastName: "L" }] });
    if (isCreated) expect(accepted).toBe(true);
  });
  expect(verdicts.created).toBeGreaterThan(runs(100));
  expect(verdicts.refused).toBeGreaterThan(runs(1000));
});

test("no invisible character and no format character is in the address of a new user", () => {
  const hidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
  const missed: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const sign = String.fromCodePoint(point);
    if (!hidden.test(sign)) continue;
    for (const address of [`a${sign}da@acme.example`, `ada@ac${sign}me.example`]) {
      const user = { email: address, firstName: "A", lastName: "L" };
      const isTaken =
        unsafeAddressReason(address) === undefined ||
        isDeliverable(address) ||
        acceptedBySchema({ version: 1, users: [user] });
      if (isTaken) missed.push(point.toString(16));
    }
  }
  expect(missed).toEqual([]);
});
