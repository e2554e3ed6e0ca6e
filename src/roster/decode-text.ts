import { foldAddress, isLongerThan, looksLikeAddress, maxAddressLength, maxNameLength } from "../model/address.ts";
import type { Ownership } from "../model/recorded.ts";
import { isDate } from "../model/roster.ts";
import { andThen, type Decoder, located, optional, type SourceValue, text } from "../yaml/decode.ts";
import type { SourceAddress } from "./document.ts";

/** Of a text that is neither an address nor a name, in characters. */
const maxTextLength = 2000;

/** A text without anything around it or in it that nobody can see. */
export const line: Decoder<string> = lineUpTo(maxTextLength);

/** What a person, a team, a group or a role set is called. */
export const name: Decoder<string> = lineUpTo(maxNameLength);

function lineUpTo(most: number): Decoder<string> {
  return andThen(text, (written, cursor) => {
    const problem = textProblem(written, most);
    if (problem === undefined) return written;
    const what = cursor.key === cursor.node && isLongerThan(most, written) ? "This name" : cursor.name;
    return cursor.fault(`${what} ${problem}.`);
  });
}

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(written: string, most = maxTextLength): string | undefined {
  if (isLongerThan(most, written)) return `has more than ${most} characters`;
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(written)) return undefined;
  if (written === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(written)) return "has a line break";
  if (/[\p{Cc}\p{Cs}]/u.test(written)) return "contains a control character or half of a character";
  if (written !== written.trim()) return "starts or ends with white space";
  return undefined;
}

/** Whether a text has a letter or a digit that somebody can see. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
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

export const address: Decoder<SourceAddress> = andThen(lineUpTo(maxAddressLength), (value, cursor) => {
  if (looksLikeAddress(value)) return { value, at: cursor.node, address: foldAddress(value) };
  const message = `${cursor.name} is not an e-mail address: \`${value}\`.`;
  return cursor.fault(message, "Write it like `ada@acme.example`.");
});

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
export const date: Decoder<SourceValue<string>> = located((cursor) => {
  const { node } = cursor;
  const written = node.kind === "scalar" && node.type === "number" ? node.text : line(cursor);
  if (written === undefined || isDate(written)) return written;
  const message = `${cursor.name} is not a date: \`${written}\`.`;
  return cursor.fault(message, "Write year, month and day, like `2027-01-31`.");
});

/** The keys with which an entry of a roster says whose it is. */
export const ownershipFields = {
  owner: optional(line),
  note: optional(line),
};

const ownershipNames = Object.keys(ownershipFields);

/** The user who holds a key, by address; or the name of its owner. A name has no dot, so that it is no misspelt address. */
export const keyOwner: Decoder<SourceAddress | string> = (cursor) => {
  const { node } = cursor;
  const isName = node.kind === "scalar" && node.type === "string" && !/[@.]/u.test(node.text);
  return isName ? line(cursor) : address(cursor);
};

/** The fields of an entry, with those together that say whose it is. */
export function gatherOwnership<T extends Ownership>(
  fields: T,
): Omit<T, keyof Ownership> & { readonly ownership?: Ownership } {
  if (!ownershipNames.some((one) => one in fields)) return fields;
  const { owner, note, ...rest } = fields;
  const said = {
    ...(owner === undefined ? {} : { owner }),
    ...(note === undefined ? {} : { note }),
  };
  return Object.keys(said).length === 0 ? rest : { ...rest, ownership: said };
}
