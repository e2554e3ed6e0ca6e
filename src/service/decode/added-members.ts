import { type Failure, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { AddMemberResult, AddMembersResponse } from "../../ports/account-service.ts";
import {
  asText,
  type Decoded,
  describeShape,
  errorMessage,
  failureStatus,
  held,
  isObject,
  type JsonObject,
  misreading,
  refusalIn,
  refusalWithin,
  refused,
  saysFailure,
} from "./json.ts";
import { decodeKey, decodeKeys, decodeTeam, flatPrefix, teamIn } from "./key.ts";
import { decodeList, decodeRows } from "./page.ts";
import { addressIn, userIdentifier } from "./user.ts";

/** How one family of services answers an addition; `undefined` where the body is not of that family. */
type AdditionShape = (body: JsonObject) => Decoded<readonly AddMemberResult[]> | undefined;

const shapes: readonly AdditionShape[] = [successesAndFailures, listedErrors, messagesByPerson, mereSuccess];

/** Whom an answer names as added, or as refused. An empty answer names nobody. */
export function decodeAddedMembers(body: unknown): Decoded<AddMembersResponse> {
  if (body === undefined || body === null) return success({ members: [] });
  const people = peopleIn(body);
  if (!people.ok) {
    const within = refusalWithin(body);
    return within === undefined ? people : refused(within);
  }
  const team = isObject(body) ? shownTeamIn(body) : undefined;
  return success({ ...(team === undefined ? {} : { team }), members: people.value });
}

/** An answer may name the team, or be the team with its members. */
function shownTeamIn(body: JsonObject): ObservedTeam | undefined {
  const inner = held(body, "data", "result");
  const record = isObject(inner) ? inner : body;
  const named = held(record, "team");
  if (isObject(named)) return teamIn(named);
  // Beside members an `id` may be the request's.
  const isTeam =
    Array.isArray(held(record, "members")) && (held(record, "identifier") ?? held(record, "name")) !== undefined;
  return isTeam ? teamIn(record) : undefined;
}

function peopleIn(body: unknown): Decoded<readonly AddMemberResult[]> {
  if (isObject(body)) {
    for (const shape of shapes) {
      const people = shape(body);
      if (people !== undefined) return people;
    }
    const refusal = refusalIn(body);
    if (refusal !== undefined) return refused(refusal);
  }
  const list = decodeList(body);
  return list.ok ? decodeRows(list.value.rows, addedPerson) : list;
}

/** `successes` and `failures`, or other words for them. */
function successesAndFailures(body: JsonObject): Decoded<readonly AddMemberResult[]> | undefined {
  const failures = held(body, "failures", "failed");
  const successes = held(body, "successes", "succeeded", "added");
  if (!Array.isArray(failures) && !Array.isArray(successes)) return undefined;
  return together(decodeRows(listed(successes), addedPerson), decodeRows(listed(failures), failedPerson));
}

/** A list of errors next to the members, if those are shown. */
function listedErrors(body: JsonObject): Decoded<readonly AddMemberResult[]> | undefined {
  const errors = held(body, "errors");
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const list = decodeList(Object.fromEntries(Object.entries(body).filter(([name]) => name !== "errors")));
  return together(decodeRows(list.ok ? list.value.rows : [], addedPerson), decodeRows(errors, failedPerson));
}

/** `{"status":"error","message":{"u-8":["not found"]}}` */
function messagesByPerson(body: JsonObject): Decoded<readonly AddMemberResult[]> | undefined {
  const messages = held(body, "message", "errors");
  const status = asText(held(body, "status"));
  if (status?.toLowerCase() !== "error" || !isObject(messages)) return undefined;
  const entries = Object.entries(messages);
  if (entries.length === 0) return undefined;
  return decodeRows(entries, (entry) => {
    const [identifier, words] = Array.isArray(entry) ? entry : [];
    const detail = Array.isArray(words) ? words[0] : (asText(words) ?? errorMessage(words));
    return failedPerson({ identifier, detail });
  });
}

/** An answer that says nothing but that it went well. */
function mereSuccess(body: JsonObject): Decoded<readonly AddMemberResult[]> | undefined {
  const word = asText(held(body, "status"))?.toLowerCase();
  const isSaid = word === "success" || word === "ok" || held(body, "success") === true;
  return isSaid && !decodeList(body).ok && refusalIn(body) === undefined ? success([]) : undefined;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function together(
  added: Decoded<readonly AddMemberResult[]>,
  failed: Decoded<readonly AddMemberResult[]>,
): Decoded<readonly AddMemberResult[]> {
  if (!added.ok) return added;
  return failed.ok
    ? success([...added.value, ...failed.value])
    : misreading(`a person was not added: ${failed.error.why}`);
}

/** One person as an answer to an addition names one: added, unless an error stands next to the name. */
function addedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value);
  if (name === undefined) return misreading(`expected a member with an identifier, but got ${describeShape(value)}`);
  if (!isObject(value)) return success(name);
  const status = failureStatus(value);
  if (status !== undefined || saysFailure(value)) return success({ ...name, failure: failureOf(value, status) });
  const keys = keysIn(value);
  return success({ ...name, ...(keys === undefined ? {} : { keys }) });
}

/** One person who was not added, by the very place where they are named. */
function failedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value) ?? (isObject(value) ? nameOf(held(value, "user", "member", "identifier")) : undefined);
  if (name === undefined) return misreading(`${describeShape(value)} does not name the person`);
  const record = isObject(value) ? value : {};
  return success({ ...name, failure: failureOf(record, failureStatus(record)) });
}

type Name = Pick<AddMemberResult, "identifier" | "email">;

function nameOf(value: unknown): Name | undefined {
  const user = isObject(value) ? held(value, "user") : undefined;
  const record = isObject(user) ? user : value;
  const identifier = isObject(record) ? userIdentifier(record) : asText(record) || undefined;
  const email = isObject(record) ? addressIn(record) : undefined;
  if (identifier === undefined && email === undefined) return undefined;
  return definedFields({ identifier, email });
}

function keysIn(person: JsonObject): AddMemberResult["keys"] {
  const named = decodeKey(held(person, "accessKey", "key", "apiKey"));
  if (named !== undefined) return { are: "named", shown: [named] };
  const keys = decodeKeys(person);
  if (keys !== undefined) return { are: "listed", shown: keys };
  const prefix = flatPrefix(person);
  if (prefix === undefined) return undefined;
  const team = decodeTeam(person);
  // A person without a team says nothing about the key next to it.
  return { are: "named", shown: [team === undefined || team === "none" ? { prefix } : { prefix, team }] };
}

function failureOf(person: JsonObject, status: number | undefined): Failure {
  const serviceSays = errorMessage(person);
  return {
    code: status === 404 ? "not-found" : status === 409 ? "conflict" : "refused",
    message: `The service did not add this member${status === undefined ? "" : ` (${status})`}`,
    ...definedFields({ status, serviceSays }),
  };
}
