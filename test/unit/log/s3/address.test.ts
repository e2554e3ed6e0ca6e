import { describe, expect, test } from "vitest";
import { readS3Address, s3Place } from "../../../../src/log/s3/address.ts";

describe("a state address of S3", () => {
  test.each([
    ["s3://acme/state.json", { bucket: "acme", key: "state.json" }],
    ["s3://acme.eu/teams/roster/state.json", { bucket: "acme.eu", key: "teams/roster/state.json" }],
    ["s3://acme/a%20b+c.json", { bucket: "acme", key: "a%20b+c.json" }],
    ["s3://acme/Zoë/state.json", { bucket: "acme", key: "Zoë/state.json" }],
    ["s3://acme/state.json?region=eu-west-1", { bucket: "acme", key: "state.json", region: "eu-west-1" }],
    ["s3://acme/state.json?region=", { bucket: "acme", key: "state.json" }],
    [
      "s3://acme/state.json?endpoint=https://s3.example:9000/base&region=auto",
      { bucket: "acme", key: "state.json", region: "auto", endpoint: "https://s3.example:9000/base" },
    ],
    [
      "s3://acme/state.json?endpoint=https%3A%2F%2Fs3.example",
      { bucket: "acme", key: "state.json", endpoint: "https://s3.example" },
    ],
  ])("%s is read", (text, value) => {
    expect(readS3Address(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["s3://AKID:secret@acme/state.json", "contains credentials"],
    ["s3:///state.json", "names no bucket"],
    ["s3:acme/state.json", "names no bucket"],
    ["s3://Acme/state.json", "names no bucket"],
    ["s3://a/state.json", "names no bucket"],
    ["s3://acme", "names no object"],
    ["s3://acme/", "names no object"],
    ["s3://acme/roster/", "names no object"],
    ["s3://acme//state.json", "has an empty part"],
    ["s3://acme/../other/state.json", "has an empty part, . or .."],
    ["s3://acme/./state.json", "has an empty part, . or .."],
    ["s3://acme/state.json.lock", "ends in .lock"],
    ["s3://acme/st\u0000te.json", "contains a control character"],
    ["s3://acme/st\ud800te.json", "contains a control character"],
    [`s3://acme/${"ë".repeat(481)}`, "longer than 960 bytes"],
    ["s3://acme/state.json#part", "has a fragment"],
    ["s3://acme/state.json?profile=prod", "but not profile="],
    ["s3://acme/state.json?secret=x&AWS%3Dkey=y", "but not secret="],
    ["s3://acme/state.json?region=a&region=b", "each once"],
  ])("%j is refused: it %s", (text, why) => {
    expect(readS3Address(text)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  test("what may be a secret is not quoted", () => {
    const said = ["s3://AKID:hunter2@acme/state.json", "s3://acme/state.json?key=hunter2", "s3://acme/s?hunter2*=1"];
    expect(JSON.stringify(said.map(readS3Address))).not.toContain("hunter2");
  });
});

const key = "roster/state.json";
const given = "s3://as/it/was/given";

describe("where the objects of a state are", () => {
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
        bucket,
        region,
        origin: new URL(base).origin,
        state: { shown: `s3://${bucket}/${key}`, url: new URL(`${base}/${key}`) },
        lock: { shown: `s3://${bucket}/${key}.lock`, url: new URL(`${base}/${key}.lock`) },
        root: { shown: `s3://${bucket}`, url: new URL(base) },
      },
    });
  });

  test("every sign of a key that means something in an address is escaped", () => {
    const place = s3Place(given, { bucket: "acme", key: "a b/ë+%20/!'()*.json" }, { region: "eu-west-1" });
    expect(place.ok && place.value.state.url.pathname).toBe("/a%20b/%C3%AB%2B%2520/%21%27%28%29%2A.json");
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
