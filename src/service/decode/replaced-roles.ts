import { success } from "../../model/result.ts";
import type { ReplacedRoles } from "../../ports/account-service.ts";
import { type Decoded, describeShape, isObject, misreading, shown } from "./json.ts";
import { decodeRoleSet } from "./key.ts";

/** The key's roles after a replacement, as a list or within the key, where the answer shows them. */
export function decodeReplacedRoles(body: unknown): Decoded<ReplacedRoles> {
  if (body === undefined) return success({});
  const roles = decodeRoleSet(isObject(body) ? shown(body, "roles") : body);
  if (roles !== undefined) return success({ roles });
  if (isObject(body) && Object.hasOwn(body, "prefix")) return success({});
  return misreading(`the roles of a key were expected, and ${describeShape(body)} came`);
}
