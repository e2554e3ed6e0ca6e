import { describe, expect, test } from "vitest";
import { batchObject, bucketCredentials, lockObject, smallS3Place } from "../../../support/s3-place.ts";
import { aRun, failureOf } from "../../../support/state-place.ts";

/** A checkpoint that cannot be had is none: what is told is that the log cannot be read. */
const where = `s3://acme/${batchObject(1)}`;

async function refusedWith(answer: {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}) {
  const { server, open } = await smallS3Place();
  server.answer(() => answer);
  return failureOf(open().read());
}

describe("what a service refuses", () => {
  test.each([
    [404, "NoSuchBucket", "the bucket does not exist", "create the bucket, or correct its name"],
    [
      403,
      "AccessDenied",
      "the credentials have no permission for this",
      "s3:GetObject and s3:PutObject on the objects of the log",
    ],
    [403, "InvalidAccessKeyId", "the service does not know the access key", "check AWS_ACCESS_KEY_ID"],
    [403, "SignatureDoesNotMatch", "the service rejects the signature", "check AWS_SECRET_ACCESS_KEY"],
    [403, "RequestTimeTooSkewed", "the clock of this machine differs", "set the clock of this machine"],
    [400, "ExpiredToken", "the session token has expired", "AWS_SESSION_TOKEN"],
    [301, "PermanentRedirect", "the bucket is not in the region us-east-1", "region= in the s3: address"],
    [400, "AuthorizationHeaderMalformed", "the bucket is not in the region us-east-1", "region="],
    [400, "SomethingNew", "the service answered with SomethingNew", "check the bucket"],
    [418, undefined, "the service answered with status 418", "check the bucket"],
    [403, undefined, "the credentials have no permission for this", "s3:ListBucket on the bucket"],
    [302, undefined, "the bucket is not in the region us-east-1", "region="],
  ])("with %i %s is named, with what to do", async (status, code, why, hint) => {
    const failure = await refusedWith({ status, ...(code === undefined ? {} : { code }) });
    expect(failure).toMatchObject({ code: "state", request: where, status, hint: expect.stringContaining(hint) });
    expect(failure.message).toContain(`the log could not be read at ${where}: ${why}`);
  });

  test("in another region is told with the region that the service names", async () => {
    const headers = { "x-amz-bucket-region": "eu-central-1", location: "https://elsewhere.example/" };
    const failure = await refusedWith({ status: 301, code: "PermanentRedirect", headers });
    expect(failure.hint).toBe("write region=eu-central-1 in the s3: address, or set AWS_REGION");
  });

  test("with a region that is none is not told with it", async () => {
    const headers = { "x-amz-bucket-region": "eu; rm" };
    expect((await refusedWith({ status: 301, code: "PermanentRedirect", headers })).hint).not.toContain("rm");
  });

  test("is told in its own words: bounded, on one line, and without what they quote of the credentials", async () => {
    const quoted = `no\n\u001b[31m ${Object.values(bucketCredentials).join(" ")} ${"x".repeat(900)}`;
    const { serviceSays } = await refusedWith({ status: 403, code: "AccessDenied", message: quoted });
    expect(serviceSays).toMatch(/^no \[31m \[redacted\] \[redacted\] \[redacted\] x+$/u);
    expect(serviceSays?.length).toBeLessThanOrEqual(300);
  });

  test.each([
    ["behind a long text", `${" ".repeat(5000)}<Code>NoSuchKey</Code>`],
    ["with a code that is no word", "<Code>No Such Key</Code>"],
    ["with a code without end", `<Code>${"N".repeat(3000)}`],
  ])("is not taken for a missing object %s", async (_, message) => {
    const { server, open } = await smallS3Place();
    server.answer(() => ({ status: 404, code: "Strange", message }));
    expect((await failureOf(open().read())).message).toContain("the service answered with Strange");
  });

  test("with a 404 that is not the service's own word proves nothing", async () => {
    const { server, open } = await smallS3Place();
    server.answer(() => ({ status: 404 }));
    expect((await failureOf(open().read())).message).toContain("the service answered with status 404");
    expect((await failureOf(open().lock(aRun))).request).toBe(`s3://acme/${lockObject}`);
  });

  test("with an answer that names no version cannot be built on", async () => {
    const { server, open } = await smallS3Place({ showsEtags: "never" });
    server.put(batchObject(1), "{}\n");
    expect((await failureOf(open().read())).message).toContain("names no version of the object (ETag)");
    expect((await failureOf(open().lock(aRun))).message).toContain("names no version of the object (ETag)");
  });
});
