import { foldAddress } from "../model/address.ts";
import { allowedThing } from "../model/allowance.ts";
import { byCodeUnit, sortedMap } from "../model/collections.ts";
import type { RecordedKey } from "../model/key.ts";
import { membershipKeyOf } from "../model/membership.ts";
import type { Failure } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import { roleSet } from "../model/role-set.ts";
import type { State, StateDocument } from "../model/state.ts";
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
  const twice = namedTwice(written, state);
  if (twice === undefined) return success(state);
  return problem(stateFailure(file, `is not a state of roster: its ${twice} have a duplicate`));
}

/** The list of which two records are about one thing. */
function namedTwice(document: StateDocument, state: State): string | undefined {
  const lists = [
    "users",
    "teams",
    "memberships",
    "keys",
    "access",
    "runs",
    "seenKeys",
    "refusals",
    "allowances",
    "openFindings",
  ] as const;
  return lists.find((name) => (state[name]?.size ?? 0) < (document[name]?.length ?? 0));
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

type Whole<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** In the order of names and keys: what is the same is the same text. */
export function encodeStateDocument(state: State): JsonObject {
  const { seenKeys, refusals, allowances, planFiles, applied, openFindings } = state;
  const document: Whole<StateDocument> = {
    ...state,
    version: stateVersion,
    users: recordsOf(state.users),
    teams: recordsOf(state.teams),
    memberships: recordsOf(state.memberships),
    keys: recordsOf(state.keys),
    access: recordsOf(state.access),
    runs: recordsOf(state.runs),
    seenKeys: seenKeys && recordsOf(seenKeys),
    refusals: refusals.size === 0 ? undefined : recordsOf(refusals),
    allowances: allowances && recordsOf(allowances),
    planFiles: planFiles && [...planFiles].map(([file, begun]) => ({ file, ...begun })),
    applied: applied && {
      ...applied,
      people: [...sortedMap(applied.people)].map(([address, person]) => ({ address, ...person })),
    },
    openFindings:
      openFindings &&
      [...sortedMap(openFindings)].map(([fingerprint, openFinding]) => ({ fingerprint, ...openFinding })),
  };
  const written = Object.entries(document).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written.sort(([a], [b]) => byCodeUnit(a, b)));
}

function recordsOf<T>(records: ReadonlyMap<string, T>): readonly T[] {
  return [...sortedMap(records).values()];
}

/** Addresses are folded again and lists of roles sorted again: a person may have edited them. */
function stateOf({ version: _, ...document }: StateDocument): State {
  const {
    users,
    teams,
    memberships,
    keys,
    access,
    runs,
    seenKeys,
    refusals,
    allowances,
    planFiles,
    applied,
    openFindings,
    ...rest
  } = document;
  return {
    ...rest,
    users: indexed(users.map(withFoldedAddress), ({ address }) => address),
    teams: indexed(teams, ({ team }) => team),
    memberships: indexed(memberships.map(withFoldedAddress), ({ team, address }) => membershipKeyOf(team, address)),
    keys: indexed(keys.map(withRoleSets), ({ prefix }) => prefix),
    access: indexed(access, ({ prefix }) => prefix),
    runs: indexed(runs, ({ run }) => run),
    ...(seenKeys && {
      seenKeys: indexed(
        seenKeys.map((key) => ({ ...withFoldedAddress(key), roles: roleSet(key.roles) })),
        ({ prefix }) => prefix,
      ),
    }),
    refusals: indexed(
      (refusals ?? []).map(({ address, ...rest }) =>
        address === undefined ? rest : withFoldedAddress({ ...rest, address }),
      ),
      ({ request }) => request,
    ),
    ...(allowances && { allowances: indexed(allowances, ({ code }) => allowedThing(code)) }),
    ...(planFiles && { planFiles: new Map(planFiles.map(({ file, ...begun }) => [file, begun])) }),
    ...(applied && {
      applied: {
        ...applied,
        people: new Map(applied.people.map(({ address, ...person }) => [foldAddress(address), person])),
      },
    }),
    ...(openFindings && {
      openFindings: new Map(openFindings.map(({ fingerprint, ...openFinding }) => [fingerprint, openFinding])),
    }),
  };
}

function indexed<Key, T>(records: readonly T[], keyOf: (record: T) => Key): ReadonlyMap<Key, T> {
  return new Map(records.map((record) => [keyOf(record), record]));
}

function withFoldedAddress<T extends { readonly address: string }>(record: T) {
  return { ...record, address: foldAddress(record.address) };
}

function withRoleSets(key: RecordedKey): RecordedKey {
  return {
    ...key,
    setRoles: roleSet(key.setRoles),
    ...(key.observedRoles && { observedRoles: roleSet(key.observedRoles) }),
  };
}
