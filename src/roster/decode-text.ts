import {
  type EmailKey,
  foldAddress,
  isLongerThan,
  looksLikeAddress,
  maxAddressLength,
  maxNameLength,
} from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import type { Ownership } from "../model/recorded.ts";
import { isDate } from "../model/roster.ts";
import * as d from "../yaml/decode.ts";

export interface SourceAddress extends d.SourceValue<string> {
  readonly address: EmailKey;
}

/** As `looksLikeAddress` has it. */
const addressForm = String.raw`^(\S+|"[^"\r\n]+")@[^\s@]+$`;

/** As `isDate` has it: leap days stand first. */
const leapYear = "((19|[2-9][0-9])(0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)";
const dayOfMonth =
  "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])";
const dateForm = `^(${leapYear}-02-29|(19|[2-9][0-9])[0-9]{2}-(${dayOfMonth}))$`;

/** Of a text that is neither an address nor a name, in characters. */
const maxTextLength = 2000;

/** A text without anything around it or in it that nobody can see. */
export const line = d.described(
  lineUpTo(maxTextLength),
  "One line of text, without spaces at the ends. Quote it if YAML would read a number or a boolean.",
);

/** What a person, a team, a group or a role set is called. */
export const name = d.described(lineUpTo(maxNameLength), "A name: one line of text, without spaces at the ends.");

function lineUpTo(most: number): d.Decoder<string> {
  const nothingUnseen = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`;
  const end = String.raw`[^\s${nothingUnseen}]`;
  const form = { type: "string", maxLength: most, pattern: `^${end}([^${nothingUnseen}]*${end})?$` };
  return d.andThen(
    d.text,
    (written, cursor) => {
      const problem = textProblem(written, most);
      if (problem === undefined) return written;
      const what = cursor.key === cursor.node && isLongerThan(most, written) ? "This name" : cursor.name;
      return cursor.fault(`${what} ${problem}.`);
    },
    form,
  );
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
export const prefix = d.described(
  d.located(
    d.andThen(
      line,
      (written, cursor) => {
        if (!written.includes(".")) return written;
        const message = `${cursor.name} is a whole key with its secret part, not a prefix.`;
        const hint =
          "Keep only the part before the dot. Everyone who can read this file knows the key, so replace the key.";
        return cursor.secretFault("full-key", message, hint);
      },
      { type: "string", pattern: "^[^.]*$" },
    ),
  ),
  "The prefix of an access key: the part before the dot. It is not secret. Case matters.",
  "jU7q896uSReJcXXDOS6P",
);

export const address = d.described(
  d.andThen<string, SourceAddress>(
    lineUpTo(maxAddressLength),
    (value, cursor) => {
      if (looksLikeAddress(value)) return { value, at: cursor.node, address: foldAddress(value) };
      const message = `${cursor.name} is not an e-mail address: \`${value}\`.`;
      return cursor.fault(message, "Write it like `ada@acme.example`.");
    },
    { type: "string", allOf: [line.schema], maxLength: maxAddressLength, pattern: addressForm },
  ),
  "An email address. Case does not matter in comparisons; roster sends it as written.",
  "ada@acme.example",
);

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
export const date = d.described(
  d.located(
    d.decoder({ type: "string", pattern: dateForm }, (cursor) => {
      const { node } = cursor;
      const written = node.kind === "scalar" && node.type === "number" ? node.text : line(cursor);
      if (written === undefined || isDate(written)) return written;
      const message = `${cursor.name} is not a date: \`${written}\`.`;
      return cursor.fault(message, "Write year, month and day, like `2027-01-31`.");
    }),
  ),
  "A date in UTC: year, month and day.",
  "2027-01-31",
);

/** The keys with which an entry of a roster says whose it is. */
export const ownershipFields = {
  owner: d.optional(line, {
    about: "Who is responsible: a name or an address, for readers. roster does not send it to the service.",
    examples: ["platform-team"],
  }),
  note: d.optional(line, {
    about: "A note for readers. roster does not send it to the service.",
    examples: ["nightly batch"],
  }),
};

/** The user who holds a key, by address; or the name of its owner. A name has no dot, so that it is no misspelt address. */
export const keyOwner = d.decoder<SourceAddress | string>(
  d.whenSchema({ type: "string", pattern: "[@.]" }, address.schema, line.schema),
  (cursor) => {
    const { node } = cursor;
    const isName = node.kind === "scalar" && node.type === "string" && !/[@.]/u.test(node.text);
    return isName ? line(cursor) : address(cursor);
  },
);

/** The fields of an entry, with those together that say whose it is. */
export function gatherOwnership<T extends Ownership>({
  owner,
  note,
  ...rest
}: T): Omit<T, keyof Ownership> & { readonly ownership?: Ownership } {
  return owner === undefined && note === undefined ? rest : { ...rest, ownership: definedFields({ owner, note }) };
}
