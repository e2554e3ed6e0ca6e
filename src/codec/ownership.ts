import type { Labels, Ownership } from "../model/subject.ts";
import { type Codec, fields, type JsonObject, plain } from "./mapping.ts";

const labels: Codec<Labels> = { encode: (value) => ({ ...value }), decode: (written) => ({ ...(written as Labels) }) };

/** Whose something is, in every document. */
export const ownershipFields: Codec<Ownership, JsonObject> = fields<Ownership>({
  owner: plain,
  ref: plain,
  note: plain,
  labels,
});
