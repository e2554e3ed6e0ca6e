import type { Failure } from "../model/failure.ts";
import { type Redact, redacting } from "./redacting.ts";

const shortestSecret = 4;

/**
 * Takes a key out of a text, whole or its secret part alone. A key is `prefix.secret`; the prefix may be shown. A key
 * without a dot is secret as a whole.
 */
export function redactorFor(key: string): Redact {
  const dot = key.indexOf(".");
  const secret = dot < 0 ? "" : key.slice(dot + 1);
  return redacting([key, secret].filter((value) => value.length >= shortestSecret)).redact;
}

export function redactFailure(failure: Failure, redact: Redact): Failure {
  const { message, request, serviceSays, hint } = failure;
  return {
    ...failure,
    message: redact(message),
    ...(request === undefined ? {} : { request: redact(request) }),
    ...(serviceSays === undefined ? {} : { serviceSays: redact(serviceSays) }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  };
}

/** Cuts whatever looks like a whole key, `prefix.secret`, after its prefix: keys that are not ours are not known by their text. */
export function withoutSecrets(text: string): string {
  return text.replace(/([\w-]{3,})\.([\w~+/=-]{4,})/gu, (whole, prefix: string, rest: string) =>
    mayBeSecret(rest) ? `${prefix}.[redacted]` : whole,
  );
}

/** Names of hosts, files and classes mostly continue in small letters alone. */
function mayBeSecret(rest: string): boolean {
  return /[A-Z0-9]/u.test(rest) || rest.length >= 16;
}
