import type { Failure } from "../model/failure.ts";
import type { Call } from "./call.ts";
import { type Redact, redacting, redactingPieces } from "./redacting.ts";

const shortestSecret = 4;

/** So much of the service's own words is told. */
const longestWords = 500;

/**
 * Takes a key out of a text: whole, its secret part alone, or 8 characters and more of that, since a service may quote
 * a part and every text may be cut. A key is `prefix.secret`; the prefix may be shown. A key without a dot is secret as a whole.
 */
export function redactorFor(key: string): Redact {
  const dot = key.indexOf(".");
  const secret = dot < 0 ? key : key.slice(dot + 1);
  const { redact } = redacting([key, secret].filter((value) => value.length >= shortestSecret));
  const redactPieces = redactingPieces(secret);
  return (text) => redactPieces(redact(text));
}

/** Where an answer may show a new key, no other key is told of it either. */
export function redactAnswerTo({ answersWithKey }: Call, redact: Redact): Redact {
  return answersWithKey ? (text) => withoutSecrets(redact(text)) : redact;
}

/** The service's words are cut here, where no secret is in them any more. */
export function redactFailure(failure: Failure, redact: Redact): Failure {
  const { message, request, serviceSays, hint } = failure;
  return {
    ...failure,
    message: redact(message),
    ...(request === undefined ? {} : { request: redact(request) }),
    ...(serviceSays === undefined ? {} : { serviceSays: shortened(redact(serviceSays)) }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  };
}

function shortened(words: string): string {
  return words.length > longestWords ? `${words.slice(0, longestWords)}…` : words;
}

/** Cuts whatever looks like a whole key, `prefix.secret`, after its prefix: keys that are not ours are not known by their text. */
export function withoutSecrets(text: string): string {
  return text.replace(/(?<![\w-])([\w-]{3,})\.([\w~+/=-]{4,})/gu, (whole, prefix: string, rest: string) =>
    mayBeSecret(rest) ? `${prefix}.[redacted]` : whole,
  );
}

/** Names of hosts, files and classes mostly continue in small letters alone. */
function mayBeSecret(rest: string): boolean {
  return /[A-Z0-9]/u.test(rest) || rest.length >= 16;
}
