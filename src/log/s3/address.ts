import { isLoopback } from "../../http/http-client.ts";
import { definedFields } from "../../model/collections.ts";
import { problem, type Result, success } from "../../model/result.ts";

export interface S3Address {
  readonly bucket: string;
  /** Taken as it is written: nothing in it is decoded. */
  readonly key: string;
  readonly region?: string;
  readonly endpoint?: string;
}

const parameters = ["region", "endpoint"];

/** Reads the address of a log; the error is a sentence that quotes nothing which could be a secret. */
export function readS3Address(text: string): Result<S3Address, string> {
  const [, authority = "", key = "", query = ""] =
    /^s3:\/\/([^/?#]*)\/?([^?#]*)(?:\?([^#]*))?(#.*)?$/su.exec(text) ?? [];
  if (authority.includes("@")) return problem(credentials);
  if (text.includes("#")) return problem("The s3: address has a fragment. Write s3://BUCKET/PATH.");
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/u.test(authority)) return problem(badBucket);
  const wrong = keyProblem(key);
  if (wrong !== undefined) return problem(wrong);
  const said = new URLSearchParams(query);
  const strange = [...said.keys()].find((name) => !parameters.includes(name) || said.getAll(name).length > 1);
  if (strange !== undefined) {
    const isName = /^[a-z-]{1,30}$/u.test(strange) && !parameters.includes(strange);
    const not = isName ? `, but not ${strange}=` : "";
    return problem(`The s3: address accepts region= and endpoint=, each once${not}.`);
  }
  const [region, endpoint] = parameters.map((name) => said.get(name) || undefined);
  return success({ bucket: authority, key, ...definedFields({ region, endpoint }) });
}

const credentials =
  "The s3: address contains credentials. Remove them, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";

const badBucket =
  "The s3: address names no bucket. Write s3://BUCKET/PATH; a bucket has small letters, digits, dots and dashes.";

/** S3 names at most 1024 bytes, and the names of the log's objects go on behind the path. */
const longestKey = 960;

function keyProblem(key: string): string | undefined {
  if (key === "" || key.endsWith("/")) return "The s3: address names no object. Write it like s3://acme/roster/log.";
  // Such parts are taken out of every address on its way, so that another object would be meant.
  if (key.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "The path of the s3: address has an empty part, . or .. in it.";
  const [, taken] = /\.(lock|checkpoint)$/u.exec(key) ?? [];
  if (taken !== undefined) return `The path of the s3: address ends in .${taken}, the name of a ${taken}.`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f\p{Cs}]/u.test(key)) return "The path of the s3: address contains a control character.";
  if (Buffer.byteLength(key) > longestKey) return `The path of the s3: address is longer than ${longestKey} bytes.`;
  return undefined;
}

/** One log in a bucket, and where the service that keeps it is. */
export interface S3Place {
  /** As it was given; holds no credentials. */
  readonly address: string;
  readonly region: string;
  /** Scheme, host and port: nothing is sent anywhere else. */
  readonly origin: string;
  /** No object: the names of the batches go on behind it. */
  readonly log: S3Key;
  readonly checkpoint: S3Key;
  readonly lock: S3Key;
}

export interface S3Key {
  /** As shown to a person. */
  readonly shown: string;
  readonly url: URL;
}

/** A batch of lines by its number, counted from 1. */
export function batchAt({ log }: S3Place, number: number): S3Key {
  return objectBehind(log, `/${String(number).padStart(8, "0")}`);
}

/** The suffix consists of signs that mean nothing in an address. */
function objectBehind({ shown, url }: S3Key, suffix: string): S3Key {
  return { shown: `${shown}${suffix}`, url: new URL(`${url.href}${suffix}`) };
}

/** Below an endpoint of its own a bucket is named by path, at AWS by the host name. The error is a sentence. */
export function s3Place(
  address: string,
  { bucket, key }: Pick<S3Address, "bucket" | "key">,
  where: { readonly region: string; readonly endpoint?: string | undefined },
): Result<S3Place, string> {
  const { region, endpoint } = where;
  if (!/^[a-z0-9-]{1,40}$/u.test(region))
    return problem("The region of the bucket is not valid. Write it like eu-west-1.");
  // The certificate of AWS covers one label before `s3.`: a bucket with a dot is named by path.
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const aws = /^[a-z0-9-]+$/u.test(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
  const base = endpoint === undefined ? success(aws) : endpointBase(bucket, endpoint);
  if (!base.ok) return base;
  const url = new URL(`${base.value}/${key.split("/").map(encoded).join("/")}`);
  const log = { shown: `s3://${bucket}/${key}`, url };
  return success({
    address,
    region,
    origin: url.origin,
    log,
    checkpoint: objectBehind(log, ".checkpoint"),
    lock: objectBehind(log, ".lock"),
  });
}

function endpointBase(bucket: string, endpoint: string): Result<string, string> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return problem("The endpoint of the bucket is not a URL. Write it like https://s3.example.");
  if (url.username !== "" || url.password !== "")
    return problem("The endpoint of the bucket contains credentials. Remove them, and set AWS_ACCESS_KEY_ID.");
  if (/[?#]/u.test(endpoint)) return problem("The endpoint of the bucket has a query or a fragment. Remove it.");
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return problem(
      `The endpoint ${url.origin} would send the names of people unencrypted. Use https://. http:// works only for localhost.`,
    );
  return success(`${url.origin}${url.pathname.replace(/\/+$/u, "")}/${bucket}`);
}

/** As the signature counts it: all but unreserved characters are escaped. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
