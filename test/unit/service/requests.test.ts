import { describe, expect, test } from "vitest";
import { baseAddress, endpointProblem, readKey } from "../../../src/service/requests.ts";

describe("endpointProblem", () => {
  test.each([
    "https://service.example",
    "https://service.example:8443/modzy/",
    "https://service.example/api",
    "http://localhost:8080",
    "http://roster.localhost",
    "http://127.0.0.1:8080/",
    "http://127.8.9.1",
    "http://[::1]:8080",
    "http://127.1:8080",
  ])("has nothing against %s", (text) => {
    expect(endpointProblem(text)).toBeUndefined();
  });

  test.each([
    ["service.example", "is not a URL"],
    ["", "is not a URL"],
    ["ftp://service.example", "not an HTTP URL"],
    ["file:///etc/passwd", "not an HTTP URL"],
    ["https://ada:secret@service.example", "contains credentials"],
    ["https://service.example?key=1", "has a query"],
    ["https://service.example/#top", "has a query"],
    ["https://service.example/?", "has a query"],
    ["http://service.example", "unencrypted"],
    ["http://localhost.evil.example", "unencrypted"],
    ["http://127.0.0.1.evil.example", "unencrypted"],
    ["http://10.0.0.1", "unencrypted"],
    ["http://localhost.", "unencrypted"],
    ["http://notlocalhost", "unencrypted"],
    ["http://0.0.0.0:8080", "unencrypted"],
    ["http://[::ffff:10.0.0.1]", "unencrypted"],
    ["http://localhost@service.example", "contains credentials"],
  ])("refuses %j because it %s", (text, why) => {
    expect(endpointProblem(text)).toContain(why);
    expect(endpointProblem(text)).not.toContain("secret");
  });
});

describe("baseAddress", () => {
  test.each([
    ["https://h.example", { origin: "https://h.example", prefix: "", address: "https://h.example" }],
    ["https://h.example/", { origin: "https://h.example", prefix: "", address: "https://h.example" }],
    ["https://h.example/api", { origin: "https://h.example", prefix: "", address: "https://h.example" }],
    ["https://h.example/api/", { origin: "https://h.example", prefix: "", address: "https://h.example" }],
    ["https://h.example/modzy", { origin: "https://h.example", prefix: "/modzy", address: "https://h.example/modzy" }],
    [
      "https://H.example/modzy/api/",
      { origin: "https://h.example", prefix: "/modzy", address: "https://h.example/modzy" },
    ],
    ["https://h.example:443/a/b//", { origin: "https://h.example", prefix: "/a/b", address: "https://h.example/a/b" }],
  ])("%s", (text, expected) => {
    expect(baseAddress(new URL(text))).toEqual(expected);
  });

  test("throws on an endpoint that should have been refused", () => {
    expect(() => baseAddress(new URL("http://service.example"))).toThrow("unencrypted");
  });
});

describe("readKey", () => {
  test.each([
    ["a bare key", "pre.secret", "pre.secret"],
    ["a trailing line break", "pre.secret\r\n", "pre.secret"],
    ["the scheme's name before it", "ApiKey pre.secret\n", "pre.secret"],
    ["the scheme's name in another case", "apikey   pre.secret", "pre.secret"],
    ["a key that begins like the scheme", "ApiKeys.secret", "ApiKeys.secret"],
  ])("takes %s", (_name, text, key) => {
    expect(readKey(text)).toEqual({ ok: true, value: key });
  });

  test.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["the scheme's name alone", "ApiKey "],
    ["a line break inside", "pre.se\ncret"],
    ["a space inside", "pre.se cret"],
    ["a character outside ASCII", "pre.sécret"],
    ["a control character", "pre.\u0000secret"],
  ])("refuses %s and does not quote it", (_name, text) => {
    const read = readKey(text);
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).not.toContain("pre.");
  });
});
