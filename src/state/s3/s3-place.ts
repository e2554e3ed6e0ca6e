import { isLoopback } from "../../model/loopback.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { S3Address } from "./s3-address.ts";

/** One state in a bucket, and where the service that keeps it is. */
export interface S3Place {
  /** As it was given; holds no credentials. */
  readonly address: string;
  readonly bucket: string;
  readonly region: string;
  /** Scheme, host and port: nothing is sent anywhere else. */
  readonly origin: string;
  readonly state: S3Key;
  readonly lock: S3Key;
}

/** One object. */
export interface S3Key {
  /** As shown to a person. */
  readonly shown: string;
  readonly url: URL;
}

/**
 * Finds the objects of a state: below an endpoint of its own by path, at AWS by the bucket's host name. The error is
 * a sentence.
 */
export function s3Place(
  address: string,
  { bucket, key }: Pick<S3Address, "bucket" | "key">,
  where: { readonly region: string; readonly endpoint?: string | undefined },
): Result<S3Place, string> {
  const { region, endpoint } = where;
  if (!/^[a-z0-9-]{1,40}$/u.test(region))
    return problem("The region of the state is not one: write it like eu-west-1.");
  const base = endpoint === undefined ? success(awsBase(bucket, region)) : endpointBase(bucket, endpoint);
  if (!base.ok) return base;
  const objectAt = (name: string): S3Key => ({
    shown: `s3://${bucket}/${name}`,
    url: new URL(`${base.value}/${name.split("/").map(encoded).join("/")}`),
  });
  const { origin } = new URL(base.value);
  return success({ address, bucket, region, origin, state: objectAt(key), lock: objectAt(`${key}.lock`) });
}

/** The certificate of AWS covers one label before `s3.`: a bucket with a dot is named by path. */
function awsBase(bucket: string, region: string): string {
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  return /^[a-z0-9-]+$/u.test(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
}

function endpointBase(bucket: string, endpoint: string): Result<string, string> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return problem("The endpoint of the state is not an address: write it like https://s3.example.");
  if (url.username !== "" || url.password !== "")
    return problem("The endpoint of the state holds credentials: leave them out, they come from AWS_ACCESS_KEY_ID.");
  if (/[?#]/u.test(endpoint)) return problem("The endpoint of the state carries a query or a fragment: leave it out.");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return problem(
      `The endpoint ${url.origin} would send the state unencrypted: use https://, http:// is for this machine alone.`,
    );
  return success(`${url.origin}${url.pathname.replace(/\/+$/u, "")}/${bucket}`);
}

/** As the signature counts it: all but unreserved characters are escaped. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
