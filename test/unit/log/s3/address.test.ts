import { describe, expect, test } from "vitest";
import { batchAt, readS3Address, s3Place } from "../../../../src/log/s3/address.ts";

describe("an address of S3", () => {
  test.each([
    ["s3://acme/log", { bucket: "acme", key: "log" }],
    ["s3://acme.eu/teams/roster/log", { bucket: "acme.eu", key: "teams/roster/log" }],
    ["s3://acme/a%20b+c.json", { bucket: "acme", key: "a%20b+c.json" }],
    ["s3://acme/Zoë/log", { bucket: "acme", key: "Zoë/log" }],
    ["s3://acme/log?region=eu-west-1", { bucket: "acme", key: "log", region: "eu-west-1" }],
    ["s3://acme/log?region=", { bucket: "acme", key: "log" }],
    [
      "s3://acme/log?endpoint=https://s3.example:9000/base&region=auto",
      { bucket: "acme", key: "log", region: "auto", endpoint: "https://s3.example:9000/base" },
    ],
    ["s3://acme/log?endpoint=https%3A%2F%2Fs3.example", { bucket: "acme", key: "log", endpoint: "https://s3.example" }],
  ])("%s is read", (text, value) => {
    expect(readS3Address(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["s3://AKID:secret@acme/log", "contains credentials"],
    ["s3:///log", "names no bucket"],
    ["s3:acme/log", "names no bucket"],
    ["s3://Acme/log", "names no bucket"],
    ["s3://a/log", "names no bucket"],
    ["s3://acme", "names no object"],
    ["s3://acme/", "names no object"],
    ["s3://acme/roster/", "names no object"],
    ["s3://acme//log", "has an empty part"],
    ["s3://acme/../other/log", "has an empty part, . or .."],
    ["s3://acme/./log", "has an empty part, . or .."],
    ["s3://acme/log.lock", "ends in .lock"],
    ["s3://acme/log.checkpoint", "ends in .checkpoint"],
    ["s3://acme/l\u0000g", "contains a control character"],
    ["s3://acme/l\ud800g", "contains a control character"],
    [`s3://acme/${"ë".repeat(481)}`, "longer than 960 bytes"],
    ["s3://acme/log#part", "has a fragment"],
    ["s3://acme/log?profile=prod", "but not profile="],
    ["s3://acme/log?secret=x&AWS%3Dkey=y", "but not secret="],
    ["s3://acme/log?region=a&region=b", "each once"],
  ])("%j is refused: it %s", (text, why) => {
    expect(readS3Address(text)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  test("what may be a secret is not quoted", () => {
    const said = ["s3://AKID:hunter2@acme/log", "s3://acme/log?key=hunter2", "s3://acme/s?hunter2*=1"];
    expect(JSON.stringify(said.map(readS3Address))).not.toContain("hunter2");
  });
});

const key = "roster/log";
const given = "s3://as/it/was/given";

describe("where the objects of a log are", () => {
  test.each([
    ["by the bucket's host at AWS", "acme", "eu-west-1", undefined, "https://acme.s3.eu-west-1.amazonaws.com"],
    ["in China under another domain", "acme", "cn-north-1", undefined, "https://acme.s3.cn-north-1.amazonaws.com.cn"],
    [
      "by path where the bucket has a dot",
      "acme.eu",
      "eu-west-1",
      undefined,
      "https://s3.eu-west-1.amazonaws.com/acme.eu",
    ],
    ["by path below an endpoint", "acme", "auto", "https://s3.example", "https://s3.example/acme"],
    ["below the path of an endpoint", "acme", "auto", "https://s3.example/storage/", "https://s3.example/storage/acme"],
    ["on this machine without encryption", "acme", "auto", "http://127.0.0.1:9000", "http://127.0.0.1:9000/acme"],
  ])("%s", (_, bucket, region, endpoint, base) => {
    const place = s3Place(given, { bucket, key }, { region, endpoint });
    expect(place).toEqual({
      ok: true,
      value: {
        address: given,
        region,
        origin: new URL(base).origin,
        log: { shown: `s3://${bucket}/${key}`, url: new URL(`${base}/${key}`) },
        checkpoint: { shown: `s3://${bucket}/${key}.checkpoint`, url: new URL(`${base}/${key}.checkpoint`) },
        lock: { shown: `s3://${bucket}/${key}.lock`, url: new URL(`${base}/${key}.lock`) },
      },
    });
  });

  test("its batches have numbers of at least eight digits, so that a listing has them in their order", () => {
    const place = s3Place(given, { bucket: "acme", key: "a b" }, { region: "eu-west-1" });
    const at = (number: number) => (place.ok ? batchAt(place.value, number) : undefined);
    expect([at(7)?.shown, at(7)?.url.pathname]).toEqual(["s3://acme/a b/00000007", "/a%20b/00000007"]);
    expect(at(123_456_789)?.shown).toBe("s3://acme/a b/123456789");
  });

  test("every sign of a key that means something in an address is escaped", () => {
    const place = s3Place(given, { bucket: "acme", key: "a b/ë+%20/!'()*.json" }, { region: "eu-west-1" });
    expect(place.ok && place.value.log.url.pathname).toBe("/a%20b/%C3%AB%2B%2520/%21%27%28%29%2A.json");
  });

  test.each([
    ["a region that is no part of a host name", "eu-west-1.evil.example/", undefined, "The region"],
    ["an endpoint that is no address", "auto", "s3.example", "is not a URL"],
    ["an endpoint of another scheme", "auto", "ftp://s3.example", "is not a URL"],
    ["an endpoint with credentials", "auto", "https://a:b@s3.example", "contains credentials"],
    ["an endpoint with a query", "auto", "https://s3.example/?x=1", "a query or a fragment"],
    ["plain HTTP to another machine", "auto", "http://s3.example", "unencrypted"],
    ["plain HTTP to a host that only begins as this one", "auto", "http://127.0.0.1.evil.example", "unencrypted"],
  ])("%s is refused", (_, region, endpoint, why) => {
    const place = s3Place(given, { bucket: "acme", key }, { region, endpoint });
    expect(place).toEqual({ ok: false, error: expect.stringContaining(why) });
  });
});
