import { isLabelKey, isLabelValue, type Labels, type Ownership, sortedLabels } from "../model/subject.ts";
import { andThen, type Cursor, type Decoder, mapOf, optional } from "../yaml/decode.ts";
import { address, line } from "./decode-text.ts";
import type { SourceAddress } from "./document.ts";

const maxNameLength = 100;
const maxNoteLength = 500;
const maxLabels = 32;

function lineUpTo(most: number): Decoder<string> {
  return andThen(line, (written, cursor) => {
    if ([...written].length <= most) return written;
    return cursor.fault("bad-text", `${cursor.name} has more than ${most} characters.`);
  });
}

const name = lineUpTo(maxNameLength);

const labelHint =
  "Write letters, digits, `-`, `_` and `.`, at most 63, like `tier: gold`. A key may have a prefix, like `acme.example/tier`.";

const labelKey: Decoder<string> = andThen(line, (written, cursor) => labelPart(written, isLabelKey(written), cursor));

const labelValue: Decoder<string> = andThen(line, (written, cursor) =>
  labelPart(written, isLabelValue(written), cursor),
);

function labelPart(written: string, isRight: boolean, cursor: Cursor): string | undefined {
  if (isRight) return written;
  const what = cursor.key === cursor.node ? "key" : "value";
  return cursor.fault("bad-label", `\`${written}\` is not the ${what} of a label.`, labelHint);
}

const labels: Decoder<Labels> = andThen(
  mapOf(labelValue, { name: labelKey, hint: "Write `{ tier: gold }`." }),
  (entries, cursor) => {
    if (entries.length <= maxLabels)
      return sortedLabels(Object.fromEntries(entries.map(({ name: { text }, value }) => [text, value])));
    return cursor.fault("bad-label", `${cursor.name} has ${entries.length} labels; the limit is ${maxLabels}.`);
  },
);

/** The keys with which an entry of a roster says whose it is. */
export const ownershipFields = {
  owner: optional(name),
  ref: optional(name),
  note: optional(lineUpTo(maxNoteLength)),
  labels: optional(labels),
};

/** The user who holds a key, by address; or the name of whoever it belongs to. A name has no dot, so that it is no misspelt address. */
export const keyOwner: Decoder<SourceAddress | string> = (cursor) => {
  const { node } = cursor;
  const isName = node.kind === "scalar" && node.type === "string" && !/[@.]/u.test(node.text);
  return isName ? name(cursor) : address(cursor);
};

/** The fields of an entry, with those together that say whose it is. */
export function gatherOwnership<T extends Ownership>(
  fields: T,
): Omit<T, keyof Ownership> & { readonly ownership?: Ownership } {
  const { owner, ref, note, labels: own, ...rest } = fields;
  if (owner === undefined && ref === undefined && note === undefined && own === undefined) return rest;
  const said = {
    ...(owner === undefined ? {} : { owner }),
    ...(ref === undefined ? {} : { ref }),
    ...(note === undefined ? {} : { note }),
    ...(own === undefined || Object.keys(own).length === 0 ? {} : { labels: own }),
  };
  return Object.keys(said).length === 0 ? rest : { ...rest, ownership: said };
}
