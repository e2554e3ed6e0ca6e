import { describe, expect, test } from "vitest";
import { namedProxy, needsNoProxy, readProxy } from "../../../src/http/proxy.ts";

const service = "https://accounts.acme.example";

function chosen(origin: string, env: Readonly<Record<string, string>>, configured?: string): string | undefined {
  const named = namedProxy(env, configured);
  return named === undefined || needsNoProxy(new URL(origin), env) ? undefined : `${named.address} of ${named.from}`;
}

describe("the proxy for an origin", () => {
  test.each([
    ["is none where nobody names one", service, {}, undefined, undefined],
    ["comes from https_proxy", service, { https_proxy: "http://a:1" }, undefined, "http://a:1 of https_proxy"],
    ["comes from HTTPS_PROXY", service, { HTTPS_PROXY: "a:1" }, undefined, "a:1 of HTTPS_PROXY"],
    ["is that in lower case first", service, { HTTPS_PROXY: "b", https_proxy: "a" }, "c", "a of https_proxy"],
    ["is that of a variable before that of the settings", service, { HTTPS_PROXY: "b" }, "c", "b of HTTPS_PROXY"],
    ["comes from the settings", service, {}, "http://c:3", "http://c:3 of the settings"],
    ["is none for an empty variable", service, { https_proxy: " " }, undefined, undefined],
    ["is not that for plain HTTP", service, { http_proxy: "a", HTTP_PROXY: "b" }, undefined, undefined],
    ["is none for plain HTTP, which stays here", "http://localhost:8080", { https_proxy: "a" }, "c", undefined],
    ["is none for this machine", "https://127.0.0.1:8443", { https_proxy: "a" }, "c", undefined],
    ["is none for this machine by name", "https://localhost", { https_proxy: "a" }, "c", undefined],
  ])("%s", (_name, origin, env, configured, expected) => {
    expect(chosen(origin, env, configured)).toBe(expected);
  });

  test.each([
    ["*", service, true],
    ["acme.example", service, true],
    [".acme.example", service, true],
    ["*.acme.example", service, true],
    ["ACCOUNTS.Acme.Example.", service, true],
    ["elsewhere.example, acme.example", service, true],
    ["elsewhere.example acme.example", service, true],
    ["me.example", service, false],
    ["counts.acme.example", service, false],
    ["other.accounts.acme.example", service, false],
    ["acme.example:443", service, true],
    ["acme.example:8443", service, false],
    ["acme.example:8443", `${service}:8443`, true],
    ["acme.example", `${service}:8443`, true],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["1.2.3", "https://10.1.2.3", false],
    ["10.1.2.3:8443", "https://10.1.2.3:8443", true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/16", "https://10.1.2.3", false],
    ["10.0.0.0/33", "https://10.1.2.3", false],
    ["10.0.0.0/8", service, false],
    ["fd00::1", "https://[fd00::1]", true],
    ["[fd00::1]:8443", "https://[fd00::1]:8443", true],
    ["[fd00::1]:8443", "https://[fd00::1]", false],
    ["fd00::/8", "https://[fd00::1]", true],
    ["", service, false],
    [" , .,:443", service, false],
  ])("NO_PROXY %j for %s: %s", (list, origin, excepted) => {
    expect(chosen(origin, { HTTPS_PROXY: "a", NO_PROXY: list }) === undefined).toBe(excepted);
    expect(chosen(origin, { no_proxy: list }, "c") === undefined).toBe(excepted);
  });

  test("no_proxy counts before NO_PROXY", () => {
    expect(chosen(service, { HTTPS_PROXY: "a", no_proxy: "other.example", NO_PROXY: "*" })).toBe("a of HTTPS_PROXY");
  });
});

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test.each([
  ["http://p.example:3128", { protocol: "http:", hostname: "p.example", port: 3128, shown: "http://p.example:3128" }],
  ["p.example:3128", { protocol: "http:", hostname: "p.example", port: 3128, shown: "http://p.example:3128" }],
  ["p.example", { protocol: "http:", hostname: "p.example", port: 80, shown: "http://p.example" }],
  ["https://P.example/", { protocol: "https:", hostname: "p.example", port: 443, shown: "https://p.example" }],
  ["http://[fd00::1]:8", { protocol: "http:", hostname: "fd00::1", port: 8, shown: "http://[fd00::1]:8" }],
])("%s is a proxy without credentials", (text, expected) => {
  expect(readProxy(text)).toEqual({ ok: true, value: expected });
});

test.each([
  ["http://ada:hush@p.example:1", "ada:hush"],
  ["ada:hush@p.example:1", "ada:hush"],
  ["http://ada@p.example:1", "ada:"],
  ["http://ACME%5Cada:h%40sh%3A%C3%A9@p.example:1", "ACME\\ada:h@sh:é"],
  ["http://ada:100%@p.example:1", "ada:100%"],
])("%s tells the proxy alone who we are", (text, credentials) => {
  const read = readProxy(text);
  expect(read).toMatchObject({ ok: true, value: { authorization: basic(credentials), shown: "http://p.example:1" } });
});

test.each([
  ["socks5://ada:hush@p.example:1080", "is of the kind socks5; only http:// and https:// are supported"],
  ["http://ada:hush@", "is not a URL: write it like http://proxy.example:3128"],
  ["p.example:port", "is not a URL: write it like http://proxy.example:3128"],
])("%s is refused, and not quoted", (text, why) => {
  expect(readProxy(text)).toEqual({ ok: false, error: why });
});
