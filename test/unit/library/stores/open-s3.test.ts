import { describe, expect, onTestFinished, test } from "vitest";
import { openLog } from "../../../../src/cli/log.ts";
import type { Variables } from "../../../../src/library/environment.ts";
import { openS3 } from "../../../../src/library/stores/open-s3.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { insideHost } from "../../../support/inside.ts";
import { errorOf } from "../../../support/settled.ts";
import { type SmallS3, smallS3 } from "../../../support/small-s3.ts";
import { aRun, unwrap } from "../../../support/state-place.ts";
import { storeEnvironment } from "../../../support/store-environment.ts";

const clock = clockAt(noon);
const credentials = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "sesame" };
const byCheckout = "roster.config.yaml";

async function server(): Promise<SmallS3> {
  const started = await smallS3({ clock });
  onTestFinished(() => started.close());
  return started;
}

async function locking(address: string, env: Variables, editableIn?: string): Promise<void> {
  const store = await openS3(address, storeEnvironment(env), editableIn, {});
  unwrap(await unwrap(await store.lock(aRun)).close());
  await store.close();
}

async function refusedFor(address: string, env: Variables, editableIn?: string) {
  const error = await errorOf(() => openS3(address, storeEnvironment(env), editableIn, {}));
  expect(error.reason).toBe("invalid");
  return error.diagnostics[0];
}

describe("an address of a bucket", () => {
  test("is used with the credentials, the region and the endpoint of the environment", async () => {
    const { endpoint, seen } = await server();
    const env = {
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "sesame\n",
      AWS_SESSION_TOKEN: "token",
      AWS_DEFAULT_REGION: "eu-west-1",
      AWS_ENDPOINT_URL: endpoint,
    };
    await locking("s3://acme/log.jsonl", env);
    expect(seen[0]).toMatchObject({
      url: "/acme/log.jsonl.lock",
      headers: {
        authorization: expect.stringContaining("Credential=AKID/20261120/eu-west-1/s3/aws4_request"),
        "x-amz-security-token": "token",
      },
    });
  });

  test.each([
    ["the region of the address", "?region=a-1", { AWS_REGION: "b-1", AWS_DEFAULT_REGION: "c-1" }, "a-1"],
    ["AWS_REGION", "", { AWS_REGION: "b-1", AWS_DEFAULT_REGION: "c-1" }, "b-1"],
    ["AWS_DEFAULT_REGION", "", { AWS_REGION: "", AWS_DEFAULT_REGION: "c-1" }, "c-1"],
  ])("is signed for %s, where it is the first that is set", async (_, query, env, region) => {
    const { endpoint, seen } = await server();
    await locking(`s3://acme/log.jsonl${query}`, { ...credentials, ...env, AWS_ENDPOINT_URL: endpoint });
    expect(seen[0]?.headers["authorization"]).toContain(`/${region}/s3/`);
  });

  test("goes to the endpoint of the address before those of the environment", async () => {
    const [named, s3, any] = [await server(), await server(), await server()];
    const env = { ...credentials, AWS_REGION: "a-1", AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_ENDPOINT_URL: any.endpoint };
    await locking(`s3://acme/log.jsonl?endpoint=${named.endpoint}`, env);
    await locking("s3://acme/log.jsonl", env);
    expect([named, s3, any].map(({ seen }) => seen.length > 0)).toEqual([true, true, false]);
  });

  test.each([
    ["names no bucket", "s3:log.jsonl", {}, "bad-value", "names no bucket"],
    ["is of a service that is not encrypted", "s3://acme/s?endpoint=http://s3.example", {}, "bad-value", "unencrypted"],
    ["has no region", "s3://acme/s", { AWS_REGION: "" }, "missing-setting", "region of the bucket"],
    ["has no access key", "s3://acme/s", { AWS_ACCESS_KEY_ID: "" }, "missing-setting", "AWS_ACCESS_KEY_ID is not set"],
    [
      "has no secret",
      "s3://acme/s",
      { AWS_SECRET_ACCESS_KEY: " " },
      "missing-setting",
      "AWS_SECRET_ACCESS_KEY is not set",
    ],
    ["has a broken key", "s3://acme/s", { AWS_ACCESS_KEY_ID: "a\nb" }, "bad-key", "AWS_ACCESS_KEY_ID contains"],
    ["has a broken token", "s3://acme/s", { AWS_SESSION_TOKEN: "a\nb" }, "bad-key", "AWS_SESSION_TOKEN contains"],
  ])("that %s is an error of the settings", async (_, address, env, code, message) => {
    const said = await refusedFor(address, { ...credentials, AWS_REGION: "eu-west-1", ...env });
    expect(said).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("sends no credentials to an endpoint that a change to the checkout can edit", async () => {
    const { endpoint, seen } = await server();
    const env = { ...credentials, AWS_REGION: "eu-west-1" };
    const said = await refusedFor(`s3://acme/log.jsonl?endpoint=${endpoint}`, env, byCheckout);
    expect(said).toMatchObject({ code: "untrusted", message: expect.stringContaining("roster.config.yaml") });
    expect(seen).toEqual([]);
    await locking("s3://acme/log.jsonl", { ...env, AWS_ENDPOINT_URL_S3: endpoint }, byCheckout);
  });

  test("is told where the settings that name it can be edited", async () => {
    const state = { value: "s3://acme/s?endpoint=https://s3.example", from: "settings", editableIn: "a.yaml" } as const;
    const host = insideHost({ cwd: "/", env: { ...credentials, AWS_REGION: "eu-west-1" } });
    await expect(openLog({ state, network: { ca: undefined } }, host)).rejects.toMatchObject({ code: "untrusted" });
  });
});
