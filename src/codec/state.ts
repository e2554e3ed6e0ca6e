import { type FoldedAddress, foldAddress } from "../model/address.ts";
import { type RefusedPart, refusalKeyOf } from "../model/refusal.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { roleSet } from "../model/role-set.ts";
import type { AppliedRoster, RecordedKey, State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import { canonicalJson, formatFields, formatValue, schemaProblem } from "./document.ts";
import { validState } from "./generated/state.js";
import {
  type Codec,
  derived,
  entries,
  fields,
  indexed,
  type JsonObject,
  named,
  normalized,
  plain,
  sorted,
  verbatim,
} from "./mapping.ts";

/** The version of the format that this program writes, and the newest that it reads. */
const stateVersion = 2;

/** The same state is always the same text: sorted, one record a line, so that versions can be compared by eye. */
export function encodeState(state: State): string {
  return formatFields(stateFields.encode(state), (value, name) =>
    name === "applied" ? formatApplied(value as JsonObject) : formatValue(value),
  );
}

/** Two versions show who came and who went. */
function formatApplied(applied: JsonObject): string {
  const parts = Object.entries(applied).map(([name, value]) => `${canonicalJson(name)}:${formatValue(value)}`);
  return `{${parts.join(",")}}`;
}

/**
 * Reads a state back. The failure names the file and says what to do; whatever the text holds, nothing throws
 * and nothing of it becomes a property name.
 */
export function decodeState(text: string, file: string): Result<State, Failure> {
  if (text.trim() === "") return problem(stateFailure(file, "is empty"));
  const document = parseJson(text);
  if (document === undefined) return problem(stateFailure(file, "is not complete JSON: it was cut off or edited"));
  return decodeStateDocument(document, file);
}

/** The same of a document that is already parsed. */
export function decodeStateDocument(document: unknown, file: string): Result<State, Failure> {
  const version = versionOf(document);
  if (typeof version === "number" && version > stateVersion) {
    const message = `has format version ${version}, but this version of roster reads version ${stateVersion}`;
    return problem(stateFailure(file, message, "Use the version of roster that wrote it, or a newer one"));
  }
  if (version === 1) return problem(stateFailure(file, "was written by an older version of roster"));
  const fault = validState(document) ? undefined : schemaProblem(validState.errors?.[0]);
  if (fault !== undefined) return problem(stateFailure(file, `is not a state of roster: ${fault}`));
  const state = stateFields.decode(document);
  const twice = namedTwice(document as JsonObject, state);
  if (twice === undefined) return success(state);
  return problem(stateFailure(file, `is not a state of roster: its ${twice} have a duplicate`));
}

/** The list of which two records are about one thing. */
function namedTwice(document: JsonObject, state: State): string | undefined {
  const lists = ["users", "teams", "memberships", "keys", "seenKeys", "refusals", "sightings"] as const;
  return lists.find((name) => (state[name]?.size ?? 0) < ((document[name] ?? []) as readonly unknown[]).length);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const restore =
  "Restore it from a copy. Without a copy, name an empty place with --state and run `roster state rebuild`";

function versionOf(document: unknown): unknown {
  if (typeof document !== "object" || document === null || !Object.hasOwn(document, "version")) return undefined;
  return Reflect.get(document, "version");
}

function stateFailure(file: string, what: string, hint = restore): Failure {
  return { code: "state", message: `the state ${what}`, request: file, hint };
}

const folded: Codec<FoldedAddress> = { encode: plain.encode, decode: (written) => foldAddress(String(written)) };

const people: Codec<AppliedRoster["people"]> = entries("address", folded, fields({ email: plain }));

const keys: Codec<State["keys"]> = indexed(({ prefix }) => prefix, normalized(withRoleSets));

const seenKeys: Codec<NonNullable<State["seenKeys"]>> = indexed(
  ({ prefix }) => prefix,
  normalized((key) => ({ ...key, address: foldAddress(key.address), roles: roleSet(key.roles) })),
);

const refusals: Codec<State["refusals"]> = indexed(
  ({ part }) => refusalKeyOf(part),
  normalized((refusal) => ({ ...refusal, part: withFoldedAddress(refusal.part) })),
);

/** In the order of their names: what is the same is the same text. Records of a schema that is closed stand as they are. */
export const stateFields = fields<State, "version">({
  applied: fields({ at: plain, digest: plain, people: sorted(people) }),
  audit: verbatim,
  capabilities: verbatim,
  epoch: plain,
  keys: sorted(keys),
  lineage: plain,
  memberships: sorted(indexed(({ team, address }) => membershipKeyOf(team, address), normalized(withFolded))),
  moved: verbatim,
  open: verbatim,
  planFiles: named("planFiles", entries("file", plain, verbatim)),
  presumedUndone: named("presumedUndone", verbatim),
  queues: verbatim,
  refusals: unlessEmpty(sorted(refusals)),
  seenKeys: named("seenKeys", sorted(seenKeys)),
  sequence: plain,
  serial: plain,
  service: plain,
  sightings: sorted(entries("fingerprint", plain, verbatim)),
  teams: sorted(indexed(({ team }) => team, verbatim)),
  users: sorted(indexed(({ address }) => address, normalized(withFolded))),
  version: derived(() => stateVersion),
  writes: verbatim,
});

function unlessEmpty<Key, T>(map: Codec<ReadonlyMap<Key, T>>): Codec<ReadonlyMap<Key, T>> {
  return { ...map, encode: (value) => (value.size === 0 ? undefined : map.encode(value)), missing: new Map() };
}

function withFolded<T extends { readonly address: FoldedAddress }>(record: T): T {
  return { ...record, address: foldAddress(record.address) };
}

/** Lists of roles are compared as they are, so that one in another order must not come in. */
function withRoleSets(key: RecordedKey): RecordedKey {
  const readAs = key.readAs === undefined ? {} : { readAs: roleSet(key.readAs) };
  return { ...key, put: roleSet(key.put), ...readAs };
}

function withFoldedAddress(part: RefusedPart): RefusedPart {
  if (part.of !== "roles") return { ...part, address: foldAddress(part.address) };
  const owner = part.owner === undefined ? {} : { owner: foldAddress(part.owner) };
  return { ...part, roles: roleSet(part.roles), ...owner };
}
