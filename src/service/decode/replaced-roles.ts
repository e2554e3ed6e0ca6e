import { success } from "../../model/result.ts";
import type { ReplaceRolesResponse } from "../../ports/account-service.ts";
import { type Decoded, held, isObject, refused } from "./json.ts";
import { decodeRoleSet, flatPrefix } from "./key.ts";
import { decodeList } from "./list.ts";
import { refusalWithin } from "./refusal.ts";

/** The key's roles after a replacement, as a list or within the key, where the answer shows them. */
export function decodeReplacedRoles(body: unknown): Decoded<ReplaceRolesResponse> {
  const refusal = refusalWithin(body);
  if (refusal !== undefined) return refused(refusal);
  const inner = isObject(body) ? held(body, "accessKey", "key", "data", "result") : undefined;
  const list = decodeList(isObject(inner) ? inner : body);
  const roles = list.ok ? decodeRoleSet(list.value.rows) : undefined;
  const prefix = [body, inner]
    .filter(isObject)
    .map(flatPrefix)
    .find((found) => found !== undefined);
  return success({ ...(prefix === undefined ? {} : { prefix }), ...(roles === undefined ? {} : { roles }) });
}
