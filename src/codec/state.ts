import { byCodeUnit } from "../model/collections.ts";
import { verbatim } from "../model/declare.ts";
import type { Failure } from "../model/failure.ts";
import { canonicalJson, isObject, type JsonObject } from "../model/json.ts";
import { problem, type Result, success } from "../model/result.ts";
import { stateDocument as declared, type State } from "../model/state.ts";
import { formatFields, formatValue, parseJson, schemaProblem } from "./document.ts";
import type { Validator } from "./generated/state.js";
import { publish, readPublished } from "./publish.ts";

const stateVersion = 2;
const stateDocument = verbatim(declared);

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

export function encodeStateDocument(state: State): JsonObject {
  const fields = Object.entries(publish(stateDocument, { ...state, version: stateVersion }));
  return Object.fromEntries(fields.sort(([a], [b]) => byCodeUnit(a, b)));
}

/** The failure names the file and says what to do; whatever the text holds, nothing throws and nothing of it becomes a property name. */
export function decodeState(text: string, file: string, isValid: Validator): Result<State, Failure> {
  const wrong = (what: string, hint = restoreHint) =>
    problem({ code: "state", message: `the state ${what}`, request: file, hint } as const);
  const document = parseJson(text);
  const version = isObject(document) ? document["version"] : undefined;
  if (typeof version === "number" && version > stateVersion) {
    const what = `has format version ${version}, but this version of roster reads version ${stateVersion}`;
    return wrong(what, "Use the version of roster that wrote it, or a newer one");
  }
  if (version === 1) return wrong("was written by an older version of roster");
  const fault = schemaProblem(document, isValid);
  if (fault !== undefined) return wrong(`is not a state of roster: ${fault}`);
  const { version: _, ...state } = readPublished(stateDocument, document);
  const twice = Object.entries(state).find(
    ([name, records]) => records instanceof Map && records.size < Reflect.get(Object(document), name).length,
  );
  return twice === undefined ? success(state) : wrong(`is not a state of roster: its ${twice[0]} have a duplicate`);
}

/** Nothing was ever recorded in it: neither of people and calls nor of a move. */
export function isUnusedState(state: State): boolean {
  const { serial, moved, planFiles } = state;
  return serial === 0 && moved === undefined && recordCount(state) + (planFiles?.length ?? 0) === 0;
}

/** It may hold what runs note of themselves and what a drift has seen, and nothing that a plan could rest on. */
export function hasNoPlanningRecords(state: State): boolean {
  return state.moved === undefined && state.applied === undefined && recordCount(state) === 0;
}

function recordCount({ users, teams, memberships, keys, open, refusals }: State): number {
  return users.size + teams.size + memberships.size + keys.size + open.length + refusals.size;
}

export const restoreHint =
  "Restore the log from a backup. If you have none, make a new log at a new path: `roster state rebuild --state file:new/log.jsonl`. Then pass `--state` with the new log to every later command";
