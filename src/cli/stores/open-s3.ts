import { problem, type Result, success } from "../../model/result.ts";
import { readS3Address, type S3Address, type S3Place, s3Place } from "../../state/s3/address.ts";
import type { S3Credentials } from "../../state/s3/objects.ts";
import { s3Store } from "../../state/s3/store.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { openClient } from "../connection.ts";
import type { Host } from "../host.ts";
import type { StoreOpener } from "./open-store.ts";

const limits = { timeout: 10_000, largestAnswer: 64 * 1024 * 1024 };

/** Takes credentials, region and endpoint where the tools of AWS take them from the environment. */
export const openS3: StoreOpener = async (written, host, source, network) => {
  const address = readS3Address(written);
  if (!address.ok) return problem(badAddress(address.error));
  if (source.by === "checkout" && address.value.endpoint !== undefined) return problem(keyStaysHome(source.file));
  const place = placeOf(written, address.value, host);
  if (!place.ok) return place;
  const credentials = credentialsOf(host);
  if (!credentials.ok) return credentials;
  const { clock, randomness } = host;
  const { origin } = place.value;
  const http = await openClient(origin, network, host, limits);
  if (!http.ok) return http;
  const store = { place: place.value, credentials: credentials.value, http: http.value, clock, randomness };
  return success(s3Store(store));
};

function placeOf(written: string, address: S3Address, host: Host): Result<S3Place, CommandError> {
  const region = address.region ?? said(host, "AWS_REGION") ?? said(host, "AWS_DEFAULT_REGION");
  if (region === undefined) return problem(noRegion);
  const endpoint = address.endpoint ?? said(host, "AWS_ENDPOINT_URL_S3") ?? said(host, "AWS_ENDPOINT_URL");
  const place = s3Place(written, address, { region, endpoint });
  return place.ok ? place : problem(badAddress(place.error));
}

function credentialsOf(host: Host): Result<S3Credentials, CommandError> {
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
function said(host: Host, name: string): string | undefined {
  const value = host.env[name]?.trim();
  return value === "" ? undefined : value;
}

function badAddress(message: string): CommandError {
  return invalidSetting("bad-state-address", message);
}

const noRegion = invalidSetting(
  "no-state-region",
  "The region of the state bucket is not set.",
  "Add ?region=REGION to the state address, or set AWS_REGION. Services that know no regions mostly take us-east-1 or auto.",
);

function noCredentials(missing: string): CommandError {
  return invalidSetting(
    "no-state-credentials",
    `The state is in a bucket, but ${missing} is not set.`,
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where they are for a time only. Profiles are not read: `aws configure export-credentials --format env` prints the variables of one.",
  );
}

function invalidCredentials(name: string): CommandError {
  return invalidSetting(
    "bad-state-credentials",
    `${name} contains a space, a line break or another character that is not allowed in an HTTP header.`,
  );
}

function keyStaysHome(file: string): CommandError {
  return invalidSetting(
    "untrusted-endpoint",
    `The credentials of the state come from the environment, and its endpoint from ${file}, which a change to the checkout can edit.`,
    "Set ROSTER_STATE or pass --state, name the endpoint in AWS_ENDPOINT_URL_S3, or move the settings out of the checkout and name them in ROSTER_CONFIG.",
  );
}
