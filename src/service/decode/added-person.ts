import type { Failure } from "../../model/failure.ts";
import { success } from "../../model/result.ts";
import type { AddMemberResult } from "../../ports/account-service.ts";
import { errorMessage } from "./error-message.ts";
import { asText, type Decoded, describeShape, held, isObject, type JsonObject, misreading } from "./json.ts";
import { decodeKey, decodeKeys, flatPrefix } from "./key.ts";
import { failureStatus, saysFailure } from "./refusal.ts";
import { decodeTeam } from "./team.ts";
import { addressIn, userIdentifier } from "./user.ts";

/** One person as an answer to an addition names one: added, unless an error stands beside the name. */
export function addedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value);
  if (name === undefined)
    return misreading(`a member with an identifier was expected, and ${describeShape(value)} came`);
  if (!isObject(value)) return success(name);
  const status = failureStatus(value);
  if (status !== undefined || saysFailure(value)) return success({ ...name, failure: failureOf(value, status) });
  const keys = keysIn(value);
  return success({ ...name, ...(keys === undefined ? {} : { keys }) });
}

/** One person who was not added, by the very place where they are named. */
export function failedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value) ?? (isObject(value) ? nameOf(held(value, "user", "member", "identifier")) : undefined);
  if (name === undefined) return misreading(`${describeShape(value)} does not tell who`);
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
  return { ...(identifier === undefined ? {} : { identifier }), ...(email === undefined ? {} : { email }) };
}

function keysIn(person: JsonObject): AddMemberResult["keys"] {
  const named = decodeKey(held(person, "accessKey", "key", "apiKey"));
  if (named !== undefined) return { are: "named", shown: [named] };
  const keys = decodeKeys(person);
  if (keys !== undefined) return { are: "listed", shown: keys };
  const prefix = flatPrefix(person);
  if (prefix === undefined) return undefined;
  const team = decodeTeam(person);
  // A person without a team says nothing about the key that stands beside.
  return { are: "named", shown: [team === undefined || team === "none" ? { prefix } : { prefix, team }] };
}

function failureOf(person: JsonObject, status: number | undefined): Failure {
  const serviceSays = errorMessage(person);
  return {
    code: status === 404 ? "not-found" : status === 409 ? "conflict" : "refused",
    message: `The service did not add this member${status === undefined ? "" : ` (${status})`}`,
    ...(status === undefined ? {} : { status }),
    ...(serviceSays === undefined ? {} : { serviceSays }),
  };
}
