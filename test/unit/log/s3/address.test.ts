import { expect, test } from "vitest";
import { batchAt, readS3Address, s3Place } from "../../../../src/log/s3/address.ts";
import { plainText } from "../../../support/plain-text.ts";
import { testTextCases, unescaped } from "../../../support/text-cases.ts";

const given = "s3://as/it/was/given";

testTextCases(new URL("./address.txt", import.meta.url), (section, [first = "", key = "", region = "", endpoint]) => {
  if (section === "an address of S3") {
    const read = readS3Address(unescaped(first));
    expect(plainText(read)).not.toContain("hunter2");
    return read.ok ? plainText(read.value) : `refused: ${read.error}`;
  }
  const place = s3Place(given, { bucket: first, key }, { region, endpoint });
  if (!place.ok) return `refused: ${place.error}`;
  const { address, origin, log, checkpoint, lock } = place.value;
  expect([address, place.value.region, origin]).toEqual([given, region, log.url.origin]);
  expect([checkpoint, lock]).toEqual(
    ["checkpoint", "lock"].map((part) => ({ shown: `${log.shown}.${part}`, url: new URL(`${log.url.href}.${part}`) })),
  );
  return `${log.url.href}, shown as ${log.shown}`;
});

test("its batches have numbers of at least eight digits, so that a listing has them in their order", () => {
  const place = s3Place(given, { bucket: "acme", key: "a b" }, { region: "eu-west-1" });
  const at = (number: number) => (place.ok ? batchAt(place.value, number) : undefined);
  expect([at(7)?.shown, at(7)?.url.pathname]).toEqual(["s3://acme/a b/00000007", "/a%20b/00000007"]);
  expect(at(123_456_789)?.shown).toBe("s3://acme/a b/123456789");
});
