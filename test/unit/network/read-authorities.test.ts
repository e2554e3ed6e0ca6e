import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readAuthorities } from "../../../src/network/read-authorities.ts";
import { certificates } from "../../support/tls-front.ts";

const one = readFileSync(`${certificates}/private.pem`, "utf8");
const other = readFileSync(`${certificates}/expired.pem`, "utf8");
const key = readFileSync(`${certificates}/key.pem`, "utf8");

test("the certificates of a file are taken, whatever stands between them", () => {
  const text = `# ours\r\n${one.replaceAll("\n", "\r\n")}\nissuer: somebody\n${key}${other}`;
  const read = readAuthorities(text);
  expect(read.ok && read.value.map((certificate) => certificate.replaceAll("\r", ""))).toEqual([
    one.trim(),
    other.trim(),
  ]);
});

test.each([
  ["an empty file", "\n", "are none: the file is empty"],
  ["a file without a certificate", key, "are none: the file holds no certificate"],
  ["one that ends within a certificate", one.slice(0, 200), "are none: the file holds no certificate"],
  [
    "one with a broken certificate",
    one + other.replace(/\n.{20}/u, "\nAAAA"),
    "are not all readable: number 2 is broken",
  ],
])("%s is refused", (_name, text, why) => {
  expect(readAuthorities(text)).toEqual({ ok: false, error: why });
});
