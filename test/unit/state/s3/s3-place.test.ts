import { describe, expect, test } from "vitest";
import { s3Place } from "../../../../src/state/s3/s3-place.ts";

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
      },
    });
  });

  test("every sign of a key that means something in an address is escaped", () => {
    const place = s3Place(given, { bucket: "acme", key: "a b/ë+%20/!'()*.json" }, { region: "eu-west-1" });
    expect(place.ok && place.value.state.url.pathname).toBe("/a%20b/%C3%AB%2B%2520/%21%27%28%29%2A.json");
  });

  test.each([
    ["a region that is no part of a host name", "eu-west-1.evil.example/", undefined, "The region"],
    ["an endpoint that is no address", "auto", "s3.example", "is not an address"],
    ["an endpoint of another scheme", "auto", "ftp://s3.example", "is not an address"],
    ["an endpoint with credentials", "auto", "https://a:b@s3.example", "holds credentials"],
    ["an endpoint with a query", "auto", "https://s3.example/?x=1", "a query or a fragment"],
    ["plain HTTP to another machine", "auto", "http://s3.example", "unencrypted"],
    ["plain HTTP to a host that only begins as this one", "auto", "http://127.0.0.1.evil.example", "unencrypted"],
  ])("%s is refused", (_, region, endpoint, why) => {
    const place = s3Place(given, { bucket: "acme", key }, { region, endpoint });
    expect(place).toEqual({ ok: false, error: expect.stringContaining(why) });
  });
});
