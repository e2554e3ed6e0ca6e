import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactFailure, redacting, redactorFor, SecretIndex } from "../../../src/service/secrets.ts";
import { runs } from "../../support/property-runs.ts";

test.each([
  ["the whole key", "key pre1.s3cr3t/x was used", "key [redacted] was used"],
  ["its secret part alone", "secret s3cr3t/x leaked", "secret [redacted] leaked"],
  ["its spelling in a URL", "at ?k=pre1.s3cr3t%2Fx", "at ?k=[redacted]"],
  ["every occurrence", "s3cr3t/x and s3cr3t/x", "[redacted] and [redacted]"],
  ["not the prefix", "key pre1 was used", "key pre1 was used"],
])("takes out %s", (_name, text, shown) => {
  expect(redactorFor("pre1.s3cr3t/x")(text)).toBe(shown);
});

test.each([
  ["within Base64", Buffer.from("Bearer prefix.s3cr3t-long").toString("base64")],
  ["in another letter case", "PREFIX.S3CR3T-LONG"],
])("takes out a long secret %s", (_name, text) => {
  const shown = redactorFor("prefix.s3cr3t-long")(text);
  expect(shown).toContain("[redacted]");
  expect(Buffer.from(shown, "base64").toString()).not.toContain("s3cr3t-long");
  expect(shown.toLowerCase()).not.toContain("s3cr3t-long");
});

test("a key without a dot is secret as a whole", () => {
  expect(redactorFor("abcdef")("abc abcdef")).toBe("abc [redacted]");
});

test("a secret part of very few letters is not searched for, it would be found everywhere", () => {
  expect(redactorFor("prefix.a")("a banana of prefix.a")).toBe("a banana of [redacted]");
});

test("every text of a failure is redacted", () => {
  const failure = {
    code: "refused",
    message: "m p.secret",
    request: "GET /secret",
    status: 400,
    serviceSays: "s secret",
    hint: "h secret",
  } as const;
  expect(redactFailure(failure, redactorFor("p.secret"))).toEqual({
    code: "refused",
    message: "m [redacted]",
    request: "GET /[redacted]",
    status: 400,
    serviceSays: "s [redacted]",
    hint: "h [redacted]",
  });
});

test("the service's own words are cut once they are without the key, so that no part of it stands at the cut", () => {
  const serviceSays = `${"w".repeat(490)} p.s3cr3t-part-of-a-key ${"x".repeat(10_000)}`;
  const failure = { code: "refused", message: "m", serviceSays } as const;
  expect(redactFailure(failure, redactorFor("p.s3cr3t-part-of-a-key")).serviceSays).toBe(
    `${"w".repeat(490)} [redacted…`,
  );
});

test.each([
  ["8 characters", "no s3cr3t-p", "no [redacted]"],
  ["fewer than 8 characters", "no s3cr3t-", "no s3cr3t-"],
  ["its middle", "…3cr3t-part-of… is no key", "…[redacted]… is no key"],
  ["pieces that overlap, and others", "s3cr3t-part-o and part-of-a", "[redacted] and [redacted]"],
  ["Base64 of a piece", Buffer.from("xs3cr3t-part").toString("base64"), "eH[redacted]"],
])("takes %s of a key out, since texts are cut", (_name, text, shown) => {
  expect(redactorFor("p.s3cr3t-part-of-a-key")(text)).toBe(shown);
});

describe("many secrets", () => {
  const spellings: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => encodeURIComponent(text),
    (text) => JSON.stringify(text),
    (text) => Buffer.from(`ApiKey ${text}`).toString("base64"),
    (text) => Buffer.from(`x${text}`).toString("base64url"),
    (text) => `${text.slice(0, 9)}…`,
    (text) => `...${text.slice(-9)}`,
  ];
  const secret = fc.string({ unit: fc.constantFrom(...'abcABC12-.+/ü"'), minLength: 9, maxLength: 20 });

  test("are taken out as few are", () => {
    const drawn = fc.array(secret, { minLength: 1, maxLength: 40 });
    const text = fc.tuple(fc.nat(), fc.constantFrom(...spellings), fc.string(), fc.string());
    fc.assert(
      fc.property(drawn, fc.array(text, { maxLength: 4 }), (secrets, parts) => {
        const written = parts
          .map(([which, spell, before, after]) => `${before}${spell(secrets[which % secrets.length] ?? "")}${after}`)
          .join(" ");
        const index = new SecretIndex();
        for (const one of secrets) index.add(one);
        expect(index.redact(written)).toBe(redacting(secrets)(written));
      }),
      { numRuns: runs(2000) },
    );
  });
});
