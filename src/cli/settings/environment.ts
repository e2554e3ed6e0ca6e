import type { Diagnostic } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import type { Host } from "../host.ts";

/** Every variable that roster reads, with what it says. */
export const variables = {
  ROSTER_ENDPOINT: "base address of the account service",
  ROSTER_API_KEY: "the API key",
  ROSTER_API_KEY_FILE: "a file that holds the API key",
  ROSTER_SNAPSHOT_KEY: "the key with which addresses in a snapshot are hashed",
  ROSTER_SNAPSHOT_KEY_FILE: "a file that holds that key",
  ROSTER_WEBHOOK: "the address that a drift tells, as with --webhook",
  ROSTER_WEBHOOK_SECRET: "the secret with which that is signed",
  ROSTER_WEBHOOK_SECRET_FILE: "a file that holds it",
  ROSTER_STATE: "where the state lives",
  ROSTER_STATE_USERNAME: "user name at an HTTP state server",
  ROSTER_STATE_PASSWORD: "password or token at an HTTP state server",
  ROSTER_STATE_LOCK_ADDRESS: "where an HTTP state server is asked for the lock",
  ROSTER_STATE_LOCK_METHOD: "by which method",
  ROSTER_STATE_UNLOCK_ADDRESS: "where it gets the lock back",
  ROSTER_STATE_UNLOCK_METHOD: "by which method",
  ROSTER_STATE_UPDATE_METHOD: "by which method it gets a state",
  ROSTER_ACCOUNT: "account of files that name none",
  ROSTER_PARALLELISM: "how many calls at once",
  ROSTER_CONSISTENCY: "how long reads of the service may not show a write, such as 15m",
  ROSTER_ALLOW: "exceptions for one plan, as with --allow, separated by commas or spaces",
  ROSTER_LOCK_TIMEOUT: "how long to wait for the state's lock",
  ROSTER_DEADLINE: "how long a plan, drift or apply may take",
  ROSTER_REHEARSE: "1: rehearse each plan before it is shown or approved",
  ROSTER_CA_FILE: "a file of certificates (PEM) of authorities to trust too",
  ROSTER_CONFIG: "the settings file",
  ROSTER_TRUST_SETTINGS: "1: trust all that a settings file inside the checkout sets",
} as const;

export type Variable = keyof typeof variables;

/** The value of a variable; an empty one counts as not set. */
export function variable(host: Host, name: Variable): string | undefined {
  const value = host.env[name];
  return value === undefined || value === "" ? undefined : value;
}

/** A variable that starts with ROSTER_ and that nothing reads is a slip of the hand, never ignored. */
export function unknownVariables(host: Host): readonly Diagnostic[] {
  const known = Object.keys(variables);
  return Object.keys(host.env)
    .filter((name) => name.startsWith("ROSTER_") && !known.includes(name))
    .sort()
    .map((name) => unknownVariable(name, known));
}

function unknownVariable(name: string, known: readonly string[]): Diagnostic {
  const close = closestMatch(name, known);
  return {
    code: "unknown-variable",
    severity: "error",
    message: `Unknown environment variable ${name}.`,
    hint: close === undefined ? `It knows ${known.join(", ")}.` : `Did you mean ${close}?`,
  };
}
