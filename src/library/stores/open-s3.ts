import type { RosterLog } from "../../log/port.ts";
import { readS3Address, s3Place } from "../../log/s3/address.ts";
import { largestObject, type S3Credentials } from "../../log/s3/objects.ts";
import { s3Store } from "../../log/s3/store.ts";
import { definedFields } from "../../model/collections.ts";
import { type NetworkSettings, openClient } from "../connect.ts";
import type { Environment } from "../environment.ts";
import { invalidSetting, secretStaysHome } from "../error.ts";

/** Connects nothing yet. Takes credentials, region and endpoint where the tools of AWS take them from the environment. */
export async function openS3(
  written: string,
  environment: Environment,
  editableIn: string | undefined,
  network: NetworkSettings,
): Promise<RosterLog> {
  const { clock, randomness, env } = environment;
  // White space around a value comes from files that hold it; an empty one counts as not set.
  const said = (name: string) => env[name]?.trim() || undefined;
  const read = readS3Address(written);
  if (!read.ok) throw invalidSetting("bad-value", read.error);
  const address = read.value;
  if (editableIn !== undefined && address.endpoint !== undefined) {
    const secret = "The credentials of the log come from the environment, but its endpoint";
    throw secretStaysHome(secret, editableIn, "Set ROSTER_STATE or pass --state, or set AWS_ENDPOINT_URL_S3");
  }
  const region = address.region ?? said("AWS_REGION") ?? said("AWS_DEFAULT_REGION");
  if (region === undefined) {
    const hint =
      "Add ?region=REGION to the log address, or set AWS_REGION. A service without regions usually accepts us-east-1 or auto.";
    throw invalidSetting("missing-setting", "The region of the bucket is not set.", hint);
  }
  const endpoint = address.endpoint ?? said("AWS_ENDPOINT_URL_S3") ?? said("AWS_ENDPOINT_URL");
  const place = s3Place(written, address, { region, endpoint });
  if (!place.ok) throw invalidSetting("bad-value", place.error);
  const credentials = credentialsFrom(said);
  const limits = { timeout: 10_000, largestAnswer: largestObject };
  const http = await openClient(place.value.origin, network, environment, limits);
  return s3Store({ place: place.value, credentials, http, clock, randomness });
}

function credentialsFrom(said: (name: string) => string | undefined): S3Credentials {
  const [accessKeyId, secretAccessKey] = [said("AWS_ACCESS_KEY_ID"), said("AWS_SECRET_ACCESS_KEY")];
  const sessionToken = said("AWS_SESSION_TOKEN");
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY";
    const hint =
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For temporary keys, set AWS_SESSION_TOKEN too. roster does not read profiles. `aws configure export-credentials --format env` prints the variables of a profile.";
    throw invalidSetting("missing-setting", `The log is in a bucket, but ${missing} is not set.`, hint);
  }
  const sent = Object.entries({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SESSION_TOKEN: sessionToken ?? "" });
  const [broken] = sent.find(([, value]) => /[^\x21-\x7e]/u.test(value)) ?? [];
  if (broken !== undefined) {
    const message = `${broken} contains a space, a line break or another character that is not allowed in an HTTP header.`;
    throw invalidSetting("bad-key", message);
  }
  return { accessKeyId, secretAccessKey, ...definedFields({ sessionToken }) };
}
