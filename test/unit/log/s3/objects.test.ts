import { describe, expect, test } from "vitest";
import { s3Place } from "../../../../src/log/s3/address.ts";
import { signerFor, withoutCredentials } from "../../../../src/log/s3/objects.ts";

/** The credentials of the examples in the documentation of AWS. */
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const clock = { now: () => Date.parse("2013-05-24T00:00:00.000Z") };
const sign = signerFor(credentials, { region: "us-east-1", clock });

describe("the signature of a request", () => {
  test("is the one of the documentation's example of a write", async () => {
    const signed = await sign({
      method: "PUT",
      url: new URL("https://examplebucket.s3.amazonaws.com/test%24file.text"),
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      body: "Welcome to Amazon S3.",
    });
    expect(signed.headers).toEqual({
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      "x-amz-date": "20130524T000000Z",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    });
  });

  test("is the one that another library computes for an object with many signs in its name", async () => {
    const place = s3Place(
      "",
      { bucket: "acme.eu", key: "a b/ë+%20!'()*,;=:@&$[]|~_-.json" },
      { region: "eu-west-1", endpoint: "https://s3.example:9000" },
    );
    if (!place.ok) throw new Error(place.error);
    const other = signerFor(
      { accessKeyId: "AKID", secretAccessKey: "se/c+ret", sessionToken: "to/ken==" },
      { region: "eu-west-1", clock: { now: () => Date.parse("2026-11-20T12:00:00.000Z") } },
    );
    const request = { method: "PUT", url: place.value.log.url, headers: { "if-match": 'W/"v 1"' } };
    const { headers } = await other({ ...request, body: '{"name":"Zoë"}\n' });
    expect(headers["authorization"]).toMatch(
      /Signature=5c781bb5ab35df79200f19231cec171e3d6dec15f9ac0e8023958205767194e4$/u,
    );
  });

  test("is the one that botocore makes of a list, whose query has escaped signs", async () => {
    const other = signerFor(
      { accessKeyId: "AKID", secretAccessKey: "secret" },
      { region: "eu-west-1", clock: { now: () => Date.parse("2026-11-20T12:00:00.000Z") } },
    );
    const query = "list-type=2&encoding-type=url&prefix=r%2Fmy%20r%C3%A9%2B%2F&continuation-token=a%2Bb%3D%3D";
    const { headers } = await other({ method: "GET", url: new URL(`https://s3.example/acme?${query}`), headers: {} });
    expect(headers["authorization"]).toMatch(
      /Signature=4c25cf5f7196557959122e984bfdfc48959e190437e09480179e8c78a248ca63$/u,
    );
  });

  test("covers the conditions, and the token where there is one", async () => {
    const withToken = signerFor({ ...credentials, sessionToken: "token" }, { region: "eu-west-1", clock });
    const request = {
      method: "PUT",
      url: new URL("https://s3.example/b/k"),
      headers: { "if-match": '"v1"' },
      body: "",
    };
    const { headers } = await withToken(request);
    expect(headers["x-amz-security-token"]).toBe("token");
    expect(headers["authorization"]).toContain(
      "SignedHeaders=host;if-match;x-amz-content-sha256;x-amz-date;x-amz-security-token,",
    );
  });
});

test("credentials are taken out of what a service says, wherever they stand", () => {
  const all = { ...credentials, sessionToken: "a.token" };
  const said = `${all.accessKeyId} signed "${all.secretAccessKey}${all.sessionToken}" and ${all.accessKeyId}`;
  expect(withoutCredentials(said, all)).toBe('[redacted] signed "[redacted][redacted]" and [redacted]');
});
