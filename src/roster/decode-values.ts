import { foldAddress, looksLikeAddress } from "../model/address.ts";
import { isDate } from "../model/calendar.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import {
  andThen,
  byKind,
  type Cursor,
  type Decoder,
  list,
  located,
  object,
  required,
  type SourceValue,
  text,
} from "../yaml/decode.ts";
import type { RoleReferences, SourceAddress } from "./document.ts";

/** A text without anything around it or in it that nobody can see. */
export const line: Decoder<string> = andThen(text, (written, cursor) => {
  const problem = textProblem(written);
  return problem === undefined ? written : cursor.fault("bad-text", `${cursor.name} ${problem}.`);
});

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(written: string): string | undefined {
  if (written === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(written)) return "goes over several lines";
  if (/[\p{Cc}\p{Cs}]/u.test(written)) return "holds a control character or half of a character";
  if (written !== written.trim()) return "has white space before or after it";
  return undefined;
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which belongs in no file. */
export const prefix: Decoder<SourceValue<string>> = located(
  andThen(line, (written, cursor) => {
    if (!written.includes(".")) return written;
    const message = `${cursor.name} is a whole key with its secret part, not a prefix.`;
    const hint =
      "Write the part before the dot alone; take the key for told to whoever can read this file, and replace it.";
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
  const message = `${cursor.name} is no date of the calendar: \`${written}\`.`;
  return cursor.fault("bad-date", message, "Write year, month and day, like `2027-01-31`.");
});

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const maxRoles = 200;

const roleSetReference = object({ set: required(located(line)) }, { title: "A reference to a role set" });

const roleEntry = byKind<{ readonly role: string } | { readonly set: SourceValue<string> }>(
  { scalar: andThen(line, (role) => ({ role })), map: roleSetReference },
  "a role or `{ set: NAME }`",
);

/** A list of role identifiers and `{ set: NAME }`, in any mixture. Where it cannot be read, no roles. */
export const roles: Decoder<RoleReferences> = (cursor) => {
  const entries = readRoles(roleEntry, cursor);
  return {
    at: cursor.key ?? cursor.node,
    roles: entries.flatMap((entry) => ("role" in entry ? [entry.role] : [])),
    sets: entries.flatMap((entry) => ("set" in entry ? [entry.set] : [])),
  };
};

const plainRole = byKind({ scalar: line }, "a role", "Write the roles out: role sets do not nest.");

/** The roles of a role set: identifiers alone. Where they cannot be read, none. */
export const plainRoles: Decoder<RoleSet> = (cursor) => roleSet(readRoles(plainRole, cursor));

function readRoles<T>(role: Decoder<T>, cursor: Cursor): readonly T[] {
  const { node } = cursor;
  if (node.kind !== "list" || node.items.length <= maxRoles) return list(role)(cursor) ?? [];
  const message = `This list has ${node.items.length} roles; no key can have more than ${maxRoles}.`;
  cursor.fault("too-many-roles", message);
  return [];
}
