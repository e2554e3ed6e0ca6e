import { distinctReasons } from "../model/reason.ts";
import type { RecordedRefusal } from "../model/refusal.ts";
import type { Draft } from "./draft.ts";
import type { KnownKeyWish } from "./key-wishes.ts";
import { keySubject, showRoles } from "./subjects.ts";
import { refusalBasis, refusedBefore, waysOut } from "./tell-refused.ts";

/** A key to which the service would not give its roles. */
export function tellRefusedRoles(group: readonly KnownKeyWish[], refusal: RecordedRefusal): Draft {
  const [{ key, roles, asks } = { key: { value: "" }, roles: [], asks: "list" }] = group;
  const subject = keySubject(key.value);
  const told = refusedBefore(`give the key ${key.value} ${showRoles(roles)}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${waysOut(asks === "leaver" || asks === "removal" ? "have the key switched off by hand" : "correct the roles or the key in the roster")}`,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    restsOn: [refusalBasis(`roles of ${subject}`, refusal)],
    concerns: group.map(({ concern }) => concern),
  };
}
