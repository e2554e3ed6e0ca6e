import { expect, test } from "vitest";
import { readProxy } from "../../../src/network/proxy-server.ts";

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
  ["socks5://ada:hush@p.example:1080", "is of the kind socks5, which is not spoken: http:// and https:// are"],
  ["http://ada:hush@", "is not an address: write it like http://proxy.example:3128"],
  ["p.example:port", "is not an address: write it like http://proxy.example:3128"],
])("%s is refused, and not quoted", (text, why) => {
  expect(readProxy(text)).toEqual({ ok: false, error: why });
});
