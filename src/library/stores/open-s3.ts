import { readS3Address, s3Place } from "../../log/s3/address.ts";
import { largestObject, type S3Credentials } from "../../log/s3/objects.ts";
import { s3Store } from "../../log/s3/store.ts";
import { invalidSetting } from "../error.ts";
import { openClient } from "../network.ts";
import type { Environment } from "../system.ts";
import { type StoreOpener, secretStaysHome } from "./address.ts";

/** Takes credentials, region and endpoint where the tools of AWS take them from the environment. */
export const openS3: StoreOpener = async (written, environment, editableIn, network) => {
  const read = readS3Address(written);
  if (!read.ok) throw invalidSetting("bad-value", read.error);
  const address = read.value;
  if (editableIn !== undefined && address.endpoint !== undefined) {
    const secret = "The credentials of the log come from the environment, but its endpoint";
    throw secretStaysHome(secret, editableIn, "Set ROSTER_STATE or pass --state, or set AWS_ENDPOINT_URL_S3");
  }
  const region = address.region ?? said(environment, "AWS_REGION") ?? said(environment, "AWS_DEFAULT_REGION");
  if (region === undefined) throw noRegion;
  const endpoint =
    address.endpoint ?? said(environment, "AWS_ENDPOINT_URL_S3") ?? said(environment, "AWS_ENDPOINT_URL");
  const place = s3Place(written, address, { region, endpoint });
  if (!place.ok) throw invalidSetting("bad-value", place.error);
  const credentials = credentialsOf(environment);
  const { clock, randomness } = environment;
  const limits = { timeout: 10_000, largestAnswer: largestObject };
  const http = await openClient(place.value.origin, network, environment, limits);
  return s3Store({ place: place.value, credentials, http, clock, randomness });
};

function credentialsOf(environment: Environment): S3Credentials {
  const accessKeyId = said(environment, "AWS_ACCESS_KEY_ID");
  const secretAccessKey = said(environment, "AWS_SECRET_ACCESS_KEY");
  const sessionToken = said(environment, "AWS_SESSION_TOKEN");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY";
    throw invalidSetting(
      "missing-setting",
      `The log is in a bucket, but ${missing} is not set.`,
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where they are for a time only. Profiles are not read: `aws configure export-credentials --format env` prints the variables of one.",
    );
  }
  const unfit = Object.entries({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken ?? "" });
  const [broken] = unfit.find(([, value]) => /[^\x21-\x7e]/u.test(value)) ?? [];
  if (broken !== undefined) {
    const message = `${broken} contains a space, a line break or another character that is not allowed in an HTTP header.`;
    throw invalidSetting("bad-key", message);
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** White space around a value comes from files that hold it; an empty one counts as not set. */
function said({ env }: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

const noRegion = invalidSetting(
  "missing-setting",
  "The region of the log's bucket is not set.",
  "Add ?region=REGION to the log address, or set AWS_REGION. Services that know no regions mostly take us-east-1 or auto.",
);
