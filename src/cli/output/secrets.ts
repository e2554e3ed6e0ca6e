import { passwordsIn, secretsOfKey } from "../../library/secrets.ts";

/** Variables whose value is a secret as a whole. */
const secretVariables = [
  "ROSTER_API_KEY",
  "ROSTER_AUDIT_KEY",
  "ROSTER_SNAPSHOT_KEY",
  "ROSTER_WEBHOOK_SECRET",
  "ROSTER_STATE_PASSWORD",
  "PGPASSWORD",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
] as const;

/** Variables whose value is an address, which may hold a password. */
const addressVariables = [
  "ROSTER_STATE",
  "ROSTER_AUDIT",
  "ROSTER_STATE_LOCK_ADDRESS",
  "ROSTER_STATE_UNLOCK_ADDRESS",
  "ROSTER_ENDPOINT",
  "ROSTER_WEBHOOK",
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_S3",
  "https_proxy",
  "HTTPS_PROXY",
] as const;

/** What a command line and its environment hold that no output may show. */
export function givenSecrets(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const addresses = [...argv, ...addressVariables.map((name) => env[name] ?? "")];
  return [...secretVariables.flatMap((name) => secretsOfKey(env[name] ?? "")), ...addresses.flatMap(passwordsIn)];
}
