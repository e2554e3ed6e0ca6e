import type { Failure } from "../model/failure.ts";

/** Takes the key out of a text, whole or its secret part alone. */
export type Redact = (text: string) => string;

const shortestSecret = 4;

/** A key is `prefix.secret`; the prefix may be shown. A key without a dot is secret as a whole. */
export function redactorFor(key: string): Redact {
  const dot = key.indexOf(".");
  const secret = dot < 0 ? "" : key.slice(dot + 1);
  const spellings = [key, secret]
    .filter((value) => value.length >= shortestSecret)
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, secretText) => shown.replaceAll(secretText, "[redacted]"), text);
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
