import { allowedThing } from "../model/allowance.ts";
import { byCodeUnit, sortedMap } from "../model/collections.ts";
import { membershipKeyOf } from "../model/membership.ts";
import type { Failure } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Records, State, StateDocument } from "../model/state.ts";
import { canonicalJson, formatFields, formatValue, type JsonObject, schemaProblem } from "./document.ts";
import { validState } from "./generated/state.js";

/** The version of the format that this program writes, and the newest that it reads. */
const stateVersion = 2;

/** The same state is always the same text: sorted, one record a line, so that versions can be compared by eye. */
export function encodeState(state: State): string {
  return formatFields(encodeStateDocument(state), (value, name) =>
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
  const written = document as StateDocument;
  const state = stateOf(written);
  const twice = recordLists.find((list) => (state[list]?.size ?? 0) < (written[list]?.length ?? 0));
  if (twice === undefined) return success(state);
  return problem(stateFailure(file, `is not a state of roster: its ${twice} have a duplicate`));
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

/** By what the records of a list are known. */
const keyOf: { readonly [List in keyof Records]-?: (record: NonNullable<StateDocument[List]>[number]) => string } = {
  users: ({ address }) => address,
  teams: ({ team }) => team,
  memberships: ({ team, address }) => membershipKeyOf(team, address),
  keys: ({ prefix }) => prefix,
  access: ({ prefix }) => prefix,
  runs: ({ run }) => run,
  seenKeys: ({ prefix }) => prefix,
  refusals: ({ request }) => request,
  allowances: ({ code }) => allowedThing(code),
  planFiles: ({ file }) => file,
  openFindings: ({ fingerprint }) => fingerprint,
};
const recordLists = Object.keys(keyOf) as readonly (keyof Records)[];

/** In the order of names and keys: what is the same is the same text. Plan files have the order in which they were begun. */
export function encodeStateDocument(state: State): JsonObject {
  const lists = recordLists.map((list) => {
    const records: ReadonlyMap<string, object> | undefined = state[list];
    const isAbsent = records === undefined || (list === "refusals" && records.size === 0);
    return [list, isAbsent ? undefined : [...(list === "planFiles" ? records : sortedMap(records)).values()]];
  });
  const people =
    state.applied && [...sortedMap(state.applied.people)].map(([address, person]) => ({ address, ...person }));
  const applied = state.applied && { ...state.applied, people };
  const document = { ...state, version: stateVersion, ...Object.fromEntries(lists), applied };
  const written = Object.entries(document).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written.sort(([a], [b]) => byCodeUnit(a, b)));
}

function stateOf({ version: _, ...document }: StateDocument): State {
  const lists = recordLists.flatMap((list) => {
    const records: readonly object[] | undefined = document[list];
    const key: (record: never) => string = keyOf[list];
    return records === undefined ? [] : [[list, new Map(records.map((record) => [key(record as never), record]))]];
  });
  const people = document.applied?.people.map(({ address, ...person }) => [address, person] as const);
  const applied = document.applied && { applied: { ...document.applied, people: new Map(people) } };
  return { ...document, refusals: new Map(), ...Object.fromEntries(lists), ...applied } as State;
}
