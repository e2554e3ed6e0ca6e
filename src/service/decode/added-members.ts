import { success } from "../../model/result.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { AddMemberResult, AddMembersResponse } from "../../ports/account-service.ts";
import { addedPerson, failedPerson } from "./added-person.ts";
import { errorMessage } from "./error-message.ts";
import { asText, type Decoded, held, isObject, type JsonObject, misreading, refused } from "./json.ts";
import { decodeList, decodeRows } from "./list.ts";
import { refusalIn, refusalWithin } from "./refusal.ts";
import { teamIn } from "./team.ts";

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

/** A list of errors beside the members, if those are shown. */
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
    : misreading(`somebody was not added, and ${failed.error.why}`);
}
