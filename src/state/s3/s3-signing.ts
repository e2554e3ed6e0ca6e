import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "../../ports/clock.ts";
import type { HttpRequest } from "../../ports/http-client.ts";

/** Who writes. Never shown. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Signs a request, its body included. The signature is good for some minutes from now. */
export type Sign = (request: HttpRequest) => Promise<HttpRequest>;

export function signerFor(
  credentials: S3Credentials,
  { region, clock }: { readonly region: string; readonly clock: Pick<Clock, "now"> },
): Sign {
  const cache = new Map<string, ArrayBuffer>();
  return async (request) => {
    const { method, url, headers, body } = request;
    const contentSha256 = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, "x-amz-content-sha256": contentSha256 },
      service: "s3",
      region,
      cache,
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/gu, ""),
    });
    const signed = await signer.sign();
    return { ...request, headers: Object.fromEntries(signed.headers) };
  };
}

/** Takes the credentials out of a text that came from outside. */
export function withoutCredentials(text: string, credentials: S3Credentials): string {
  const { accessKeyId, secretAccessKey, sessionToken = "" } = credentials;
  const secrets = [secretAccessKey, sessionToken, accessKeyId].filter((secret) => secret !== "");
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}
