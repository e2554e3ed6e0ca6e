import type { Failure } from "../../model/failure.ts";
import { success } from "../../model/result.ts";
import type { AddedMembers, AddedPerson } from "../../ports/account-service.ts";
import { errorMessage } from "./error-message.ts";
import { type Decoded, describeShape, held, isObject, type JsonObject, misreading } from "./json.ts";
import { decodeKey, decodeKeys } from "./key.ts";
import { decodeList, decodeRows } from "./list.ts";
import { addressIn, userIdentifier } from "./user.ts";

/** Whom an answer names as added, or as refused. An empty answer names nobody. */
export function decodeAddedMembers(body: unknown): Decoded<AddedMembers> {
  if (body === undefined) return success({ members: [] });
  const list = decodeList(body);
  if (!list.ok) return list;
  const members = decodeRows(list.value.rows, decodePerson);
  return members.ok ? success({ members: members.value }) : members;
}

function decodePerson(value: unknown): Decoded<AddedPerson> {
  const identifier = isObject(value) ? userIdentifier(value) : undefined;
  const email = isObject(value) ? addressIn(value) : undefined;
  if (!isObject(value) || (identifier === undefined && email === undefined)) {
    return misreading(`a member with an identifier was expected, and ${describeShape(value)} came`);
  }
  const failure = refusalIn(value);
  const key = failure === undefined ? keyIn(value) : undefined;
  return success({
    ...(identifier === undefined ? {} : { identifier }),
    ...(email === undefined ? {} : { email }),
    ...(key === undefined ? {} : { key }),
    ...(failure === undefined ? {} : { failure }),
  });
}

/** An answer that names one key means the new one; of several, none is clearly meant. */
function keyIn(person: JsonObject): AddedPerson["key"] {
  const named = decodeKey(held(person, "accessKey", "key"));
  if (named !== undefined) return named;
  const keys = decodeKeys(person) ?? [];
  return keys.length === 1 ? keys[0] : undefined;
}

function refusalIn(person: JsonObject): Failure | undefined {
  const status = held(person, "status", "statusCode");
  if (typeof status !== "number" || status < 400) return undefined;
  const serviceSays = errorMessage(person);
  return {
    code: status === 404 ? "not-found" : status === 409 ? "conflict" : "refused",
    message: `The service did not add this member (${status})`,
    status,
    ...(serviceSays === undefined ? {} : { serviceSays }),
  };
}
