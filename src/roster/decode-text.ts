import { foldAddress, looksLikeAddress } from "../model/address.ts";
import { isDate } from "../model/roster.ts";
import { andThen, type Decoder, located, type SourceValue, text } from "../yaml/decode.ts";
import type { SourceAddress } from "./document.ts";

/** A text without anything around it or in it that nobody can see. */
export const line: Decoder<string> = andThen(text, (written, cursor) => {
  const problem = textProblem(written);
  return problem === undefined ? written : cursor.fault("bad-text", `${cursor.name} ${problem}.`);
});

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(written: string): string | undefined {
  if (written === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(written)) return "has a line break";
  if (/[\p{Cc}\p{Cs}]/u.test(written)) return "contains a control character or half of a character";
  if (written !== written.trim()) return "starts or ends with white space";
  return undefined;
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which belongs in no file. */
export const prefix: Decoder<SourceValue<string>> = located(
  andThen(line, (written, cursor) => {
    if (!written.includes(".")) return written;
    const message = `${cursor.name} is a whole key with its secret part, not a prefix.`;
    const hint =
      "Keep only the part before the dot. Everyone who can read this file knows the key, so replace the key.";
    return cursor.secretFault("full-key", message, hint);
  }),
);

export const address: Decoder<SourceAddress> = andThen(line, (value, cursor) => {
  if (looksLikeAddress(value)) return { value, at: cursor.node, address: foldAddress(value) };
  const message = `${cursor.name} is not an e-mail address: \`${value}\`.`;
  return cursor.fault("bad-address", message, "Write it like `ada@acme.example`.");
});

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
export const date: Decoder<SourceValue<string>> = located((cursor) => {
  const { node } = cursor;
  const written = node.kind === "scalar" && node.type === "number" ? node.text : line(cursor);
  if (written === undefined || isDate(written)) return written;
  const message = `${cursor.name} is not a date: \`${written}\`.`;
  return cursor.fault("bad-date", message, "Write year, month and day, like `2027-01-31`.");
});
