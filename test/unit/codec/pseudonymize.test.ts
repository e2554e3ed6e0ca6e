import { describe, expect, test } from "vitest";
import { hashedDigest, hashKeyCheck, isPseudonym, pseudonymize, reidentify } from "../../../src/codec/pseudonymize.ts";
import { foldAddress } from "../../../src/model/address.ts";
import { testSeal } from "../../support/snapshot-file.ts";

const anew = pseudonymize(testSeal);
const hidden = (email: string) => anew.address(foldAddress(email));

describe("hiding", () => {
  test("stands for one address in all its spellings, and for one key", () => {
    expect(hidden("Ada@ACME.example")).toBe(hidden("ada@acme.example"));
    expect(isPseudonym(hidden("ada@acme.example"))).toBe(true);
    const other = pseudonymize((of, text) => testSeal(of, `${text}, with another key`));
    expect(other.address(foldAddress("ada@acme.example"))).not.toBe(hidden("ada@acme.example"));
    expect(hashKeyCheck(testSeal)).not.toBe(hashedDigest(testSeal, ""));
  });

  test.each([
    ["it lacks ada@acme.example, whom a search found", ["ada@acme.example"]],
    ["create-user:ada@acme.example", ["ada@acme.example"]],
    ["replace-roles:acc-1/red:a+b=c@x.example", ["a+b=c@x.example"]],
    ["`ada@acme.example` and Ada@Acme.Example.", ["ada@acme.example", "Ada@Acme.Example"]],
    ['"a b"@acme.example and é@münchen.example', ['"a b"@acme.example', "é@münchen.example"]],
    ["<o'brien@acme.example>; [x@y]", ["o'brien@acme.example", "x@y"]],
    ["no address, and no @ either", []],
  ])("hides each address in the sentence %j", (text, addresses) => {
    const expected = addresses.reduce((so, address) => so.replace(address, hidden(address)), text);
    expect(anew.text(text)).toBe(expected);
  });

  test("hides an unusual address that is known, and what else looks like one", () => {
    const known = pseudonymize(testSeal, ["x:y(z)@acme.example", "y(z)@acme.example", "nobody", "ada@acme.example"]);
    expect(known.text("own key of x:y(z)@acme.example, then y(z)@acme.example and ada@acme.example")).toBe(
      `own key of ${hidden("x:y(z)@acme.example")}, then ${hidden("y(z)@acme.example")} and ${hidden("ada@acme.example")}`,
    );
  });

  test("hides an identifier that is an address, and leaves others", () => {
    expect([anew.identifier("u-ada"), anew.identifier("Ada@acme.example")]).toEqual([
      "u-ada",
      hidden("ada@acme.example"),
    ]);
  });
});

describe("revealing", () => {
  const known = reidentify(testSeal, ["Ada@acme.example", "ada@ACME.example"]);

  test("finds whoever is known, as first written, and leaves others hidden", () => {
    const ada = hidden("ada@acme.example");
    const bo = hidden("bo@acme.example");
    expect([known.address(ada), known.email(ada, ada), known.identifier(ada)]).toEqual([
      "ada@acme.example",
      "Ada@acme.example",
      "ada@acme.example",
    ]);
    expect([known.address(bo), known.email(bo, bo), known.identifier(bo), known.identifier("u-1")]).toEqual([
      bo,
      bo,
      bo,
      "u-1",
    ]);
    expect(known.text(`${ada} and ${bo}`)).toBe(`ada@acme.example and ${bo}`);
  });
});
