import { distinctReasons } from "../model/fact.ts";
import type { RecordedRefusal } from "../model/refusal.ts";
import type { FindingDraft } from "./draft.ts";
import type { KnownKeyUpdate } from "./key-wishes.ts";
import { formatRoles, keySubject } from "./subjects.ts";
import { formatRefusal, formatRefusalRemedies, refusalBasis } from "./tell-refused.ts";

/** A key to which the service would not give its roles. */
export function reportRefusedRoles(group: readonly KnownKeyUpdate[], refusal: RecordedRefusal): FindingDraft {
  const [{ key, roles, asks } = { key: { value: "" }, roles: [], asks: "list" }] = group;
  const subject = keySubject(key.value);
  const told = formatRefusal(`give the key ${key.value} ${formatRoles(roles)}`, refusal);
  return {
    code: "refused",
    subject,
    message: `${told} ${formatRefusalRemedies(asks === "leaver" || asks === "removal" ? "have the key switched off by hand" : "correct the roles or the key in the roster")}`,
    because: distinctReasons(group.flatMap(({ because }) => because)),
    restsOn: [refusalBasis(`roles of ${subject}`, refusal)],
    concerns: group.map(({ concern }) => concern),
  };
}
