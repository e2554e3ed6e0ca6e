import { suggest } from "../../library/error.ts";
import { passwordsIn, secretsOfKey } from "../../library/redaction.ts";
import type { Diagnostic } from "../../model/failure.ts";
import type { Host } from "../host.ts";

export const variables = {
  ROSTER_ENDPOINT: "base address of the account service",
  ROSTER_API_KEY: "the API key",
  ROSTER_API_KEY_FILE: "a file with the API key",
  ROSTER_WEBHOOK:
    "where drift sends a summary unless the exit code is 0, and apply a message before it gives privileged roles",
  ROSTER_WEBHOOK_SECRET: "the secret that signs the summary",
  ROSTER_STATE: "where the log is stored",
  ROSTER_ACCOUNT: "account of files without `account`",
  ROSTER_PARALLELISM: "how many calls at once",
  ROSTER_CONSISTENCY: "how late the service may show a change, such as 15m",
  ROSTER_ALLOW: "codes to allow, as with --allow, separated by commas or spaces",
  ROSTER_REASON: "why the codes are allowed, as with --reason",
  ROSTER_CHANGE_REQUEST: "the change request of the run, for the log",
  ROSTER_APPROVERS: "who approved it, as the pipeline verified, separated by commas or spaces",
  ROSTER_CA_FILE: "a file with more certificates to trust (PEM)",
  ROSTER_CONFIG: "the settings file",
  ROSTER_QUEUE: "the database of the queue of `roster fleet worker`",
  ROSTER_COMMIT: "the commit of the roster, where git does not know it",
  ROSTER_TRUST_SETTINGS: "1: trust all settings of a file inside the checkout",
} as const;

/** Of ours, and of others. */
export type Variable = keyof typeof variables | "https_proxy" | "HTTPS_PROXY";

/** Without white space around it. Where nothing else is in it, it is not set. */
export function variable(host: Host, name: Variable): string | undefined {
  const value = host.env[name]?.trim();
  return value === "" ? undefined : value;
}

/** Variables of this prefix hold the keys of a fleet's targets; people choose what follows. */
export const keyVariablePrefix = "ROSTER_KEY_";

/** A variable that starts with ROSTER_ and that nothing reads is a slip of the hand, never ignored. */
export function unknownVariables(host: Host): readonly Diagnostic[] {
  const known = Object.keys(variables);
  const named = Object.keys(host.env).filter((name) => name.startsWith("ROSTER_") && !known.includes(name));
  const unknown = named.filter((name) => !name.startsWith(keyVariablePrefix)).sort();
  return unknown.map((name) => {
    const hint = suggest(name, known, `The variables are ${known.join(", ")}.`);
    return { code: "unknown-variable", severity: "error", message: `Unknown environment variable ${name}.`, hint };
  });
}

const secretVariables = "ROSTER_API_KEY ROSTER_WEBHOOK_SECRET PGPASSWORD AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN".split(
  " ",
);

const addressVariables =
  "ROSTER_STATE ROSTER_ENDPOINT ROSTER_WEBHOOK AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 https_proxy HTTPS_PROXY".split(" ");

export function givenSecrets(argv: readonly string[], env: Host["env"]): readonly string[] {
  const addresses = [...argv, ...addressVariables.map((name) => env[name] ?? "")];
  return [...secretVariables.flatMap((name) => secretsOfKey(env[name] ?? "")), ...addresses.flatMap(passwordsIn)];
}
