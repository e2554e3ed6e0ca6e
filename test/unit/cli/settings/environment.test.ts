import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { givenSecrets } from "../../../../src/cli/settings/environment.ts";
import { newSecrets, passwordsIn, secretsOfKey } from "../../../../src/library/redaction.ts";

function keeping(...texts: readonly string[]) {
  const secrets = newSecrets();
  for (const text of texts) secrets.keep(text);
  return secrets;
}

const secret = 'p&ss/w"rd ü+=';

describe("a secret", () => {
  test.each([
    ["as it is", secret],
    ["within JSON", JSON.stringify({ x: secret })],
    ["percent-encoded", `https://x/?password=${encodeURIComponent(secret)}`],
    [
      "percent-encoded in small letters",
      encodeURIComponent(secret).replace(/%../gu, (hexadecimal) => hexadecimal.toLowerCase()),
    ],
    ["as forms encode it", new URLSearchParams({ x: secret }).get("x") ?? ""],
    ["in another letter case", secret.toUpperCase()],
    ["as credentials in Base64", Buffer.from(`ada:${secret}`).toString("base64")],
    ["in Base64 for addresses", Buffer.from(`a:${secret}:`).toString("base64url")],
    ["at another place in Base64", Buffer.from(`xy${secret}`).toString("base64")],
  ])("is taken out %s", (_, text) => {
    const shown = keeping(secret).redact(text);
    expect(shown).toContain("[redacted]");
    for (const part of ["p&ss", "P&SS", "p%26ss", "w%22rd", 'w\\"rd']) expect(shown).not.toContain(part);
  });

  test.each([
    ["its beginning before an ellipsis", "postgres-pa…", "[redacted]…"],
    ["its end behind one", "said …s-password!", "said …[redacted]!"],
    ["its beginning before three dots", "POSTGRES-PASSWO...", "[redacted]..."],
    ["all but its last character", "postgres-passwor…", "[redacted]…"],
    ["all but its first character", "...ostgres-password", "...[redacted]"],
    ["at one of several places", "postgres, postgres-pa…", "postgres, [redacted]…"],
    ["fewer than 8 characters at a cut", "postgre…", "postgre…"],
    ["its beginning not at the ellipsis", "postgres is cut…", "postgres is cut…"],
    ["what only begins alike", "postgres-pa is not cut", "postgres-pa is not cut"],
  ])("is taken out where it was cut: %s", (_, text, shown) => {
    expect(keeping("postgres-password").redact(text)).toBe(shown);
  });

  test("is found in Base64 wherever it stands", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 9, maxLength: 20 }), fc.string(), fc.string(), (text, before, after) => {
        const whole = Buffer.from(before + text + after).toString("base64");
        expect(keeping(text).redact(whole)).toContain("[redacted]");
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  test("of fewer characters than stand by chance in other texts is left alone", () => {
    const short = "x".repeat(7);
    expect(keeping(short).redact(`a ${short} b`)).toBe(`a ${short} b`);
    expect(keeping(`${short}x`).redact(`a ${short}x b`)).toBe("a [redacted] b");
  });

  test("within another one leaves nothing of the longer one", () => {
    expect(keeping("abcdefgh", "abcdefgh-ijkl").redact("abcdefgh-ijkl")).toBe("[redacted]");
  });
});

test("every text of a value is looked at, keys of maps too, and what holds no secret stays the same value", () => {
  const harmless = { list: ["a"], map: new Map([["b", 1]]), set: new Set(["c"]), nothing: null };
  const secrets = keeping("sesame-open");
  expect(secrets.redactAll(harmless)).toBe(harmless);
  const value = {
    harmless,
    list: ["sesame-open"],
    map: new Map([["sesame-open", ["sesame-open"]]]),
    set: new Set(["sesame-open"]),
  };
  const shown = secrets.redactAll(value);
  expect(shown).toEqual({
    harmless,
    list: ["[redacted]"],
    map: new Map([["[redacted]", ["[redacted]"]]]),
    set: new Set(["[redacted]"]),
  });
  expect(shown.harmless).toBe(harmless);
});

describe("secrets are known from", () => {
  test("the environment and the command line", () => {
    const env = { ROSTER_API_KEY: " prefix0.secret0 ", PGPASSWORD: "database", HTTPS_PROXY: "http://ada:pr%6Fxy@p:1" };
    const given = givenSecrets(["apply", "--state", "postgres://ada:word@h/db"], env).filter((text) => text !== "");
    expect(given).toEqual(["prefix0.secret0", "secret0", "database", "word", "word", "pr%6Fxy", "proxy"]);
  });

  test("a key, of which the prefix may be shown", () => {
    expect(secretsOfKey("prefix.the-secret\n")).toEqual(["prefix.the-secret", "the-secret"]);
    expect(secretsOfKey("no-parts")).toEqual(["no-parts"]);
  });

  test("addresses", () => {
    expect(passwordsIn("s3://bucket/x?token=abc&region=y").filter((text) => text !== "")).toEqual(["abc", "abc"]);
  });
});

test.each([
  ["among characters of two bytes", "日本 sesame-open"],
  ["in another letter case among them", "日本 SESAME-OPEN"],
  ["in Base64 among them", `日本 ${Buffer.from("ada:sesame-open").toString("base64")}`],
  ["within JSON", JSON.stringify({ x: "sesame-open" })],
])("a value is redacted where a secret stands %s", (_, text) => {
  const shown = keeping("sesame-open").redactAll({ deep: [new Map([["a", { text }]])] });
  expect(shown.deep[0]?.get("a")?.text).toContain("[redacted]");
});

test("a secret that no single byte can tell is looked for in every text", () => {
  expect(keeping("пароль-日本語").redactAll(["a пароль-日本語"])).toEqual(["a [redacted]"]);
  expect(keeping("pässwörd-ü").redactAll(["a pässwörd-ü", "日本 pässwörd-ü"])).toEqual([
    "a [redacted]",
    "日本 [redacted]",
  ]);
});
