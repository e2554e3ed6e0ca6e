import { readS3Address, type S3Address, type S3Place, s3Place } from "../../log/s3/address.ts";
import { largestObject, type S3Credentials } from "../../log/s3/objects.ts";
import { s3Store } from "../../log/s3/store.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { HttpClient } from "../../ports/http-client.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import { type NetworkSettings, openClient } from "../network.ts";
import type { Environment } from "../system.ts";
import { type AddressSource, type StoreOpener, secretStaysHome } from "./address.ts";

const limits = { timeout: 10_000, largestAnswer: largestObject };

export const openS3: StoreOpener = async (address, host, source, network) => {
  const bucket = await openBucket(address, source, host, network);
  return bucket.ok ? success(s3Store(bucket.value)) : bucket;
};

interface Bucket extends Pick<Environment, "clock" | "randomness"> {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly http: HttpClient;
}

/** Takes credentials, region and endpoint where the tools of AWS take them from the environment. */
async function openBucket(
  value: string,
  source: AddressSource,
  host: Environment,
  network: NetworkSettings,
): Promise<Result<Bucket, RosterError>> {
  const address = readS3Address(value);
  if (!address.ok) return problem(invalidSetting("bad-value", address.error));
  if (source.by === "checkout" && address.value.endpoint !== undefined) return problem(keyStaysHome(source.file));
  const place = placeOf(value, address.value, host);
  if (!place.ok) return place;
  const credentials = credentialsOf(host);
  if (!credentials.ok) return credentials;
  const { clock, randomness } = host;
  const http = await openClient(place.value.origin, network, host, limits);
  if (!http.ok) return http;
  return success({ place: place.value, credentials: credentials.value, http: http.value, clock, randomness });
}

function placeOf(value: string, address: S3Address, host: Environment): Result<S3Place, RosterError> {
  const region = address.region ?? said(host, "AWS_REGION") ?? said(host, "AWS_DEFAULT_REGION");
  if (region === undefined) return problem(noRegion);
  const endpoint = address.endpoint ?? said(host, "AWS_ENDPOINT_URL_S3") ?? said(host, "AWS_ENDPOINT_URL");
  const place = s3Place(value, address, { region, endpoint });
  return place.ok ? place : problem(invalidSetting("bad-value", place.error));
}

function credentialsOf(host: Environment): Result<S3Credentials, RosterError> {
  const accessKeyId = said(host, "AWS_ACCESS_KEY_ID");
  const secretAccessKey = said(host, "AWS_SECRET_ACCESS_KEY");
  const sessionToken = said(host, "AWS_SESSION_TOKEN");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return problem(noCredentials(accessKeyId === undefined ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"));
  }
  const unfit = Object.entries({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken ?? "" });
  const [broken] = unfit.find(([, value]) => /[^\x21-\x7e]/u.test(value)) ?? [];
  if (broken !== undefined) return problem(invalidCredentials(broken));
  return success({ accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) });
}

/** White space around a value comes from files that hold it; an empty one counts as not set. */
function said(host: Environment, name: string): string | undefined {
  const value = host.env[name]?.trim();
  return value === "" ? undefined : value;
}

const noRegion = invalidSetting(
  "missing-setting",
  "The region of the log's bucket is not set.",
  "Add ?region=REGION to the log address, or set AWS_REGION. Services that know no regions mostly take us-east-1 or auto.",
);

function noCredentials(missing: string): RosterError {
  return invalidSetting(
    "missing-setting",
    `The log is in a bucket, but ${missing} is not set.`,
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where they are for a time only. Profiles are not read: `aws configure export-credentials --format env` prints the variables of one.",
  );
}

function invalidCredentials(name: string): RosterError {
  return invalidSetting(
    "bad-key",
    `${name} contains a space, a line break or another character that is not allowed in an HTTP header.`,
  );
}

function keyStaysHome(file: string): RosterError {
  return secretStaysHome({
    secret: "The credentials of the log come from the environment, but its endpoint",
    file,
    instead: "Set ROSTER_STATE or pass --state, or set AWS_ENDPOINT_URL_S3",
  });
}
