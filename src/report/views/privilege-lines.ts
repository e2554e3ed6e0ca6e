import type { Plan } from "../../model/plan.ts";
import type { AccessHolder, RoleChange } from "../access/access-change.ts";
import { accessChanges } from "../access/access-changes.ts";
import { formatChangedKey, formatHolder, formatPrivilegedKey } from "../access/access-words.ts";
import { privilegeChange } from "../access/privilege.ts";
import { privilegedKeysOf } from "../access/shown-privileges.ts";
import { type Line, row } from "../text/lines.ts";
import { formatList } from "../words.ts";
import { formatPlaces } from "./person-lines.ts";
import type { ViewContext } from "./view.ts";

/** Who gains a privileged role, or has one for a moment: one line for each key, none of them ever folded. */
export function privilegeLines(plan: Plan, context: ViewContext): readonly Line[] {
  const lines = accessChanges(plan, context.privileged).flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? gainLines(who, change, context) : [])),
  );
  if (lines.length === 0) return [];
  return [row(0, [{ ink: "alarm", text: "Privileged roles" }]), ...lines];
}

function gainLines(who: AccessHolder, change: RoleChange, { privileged, shown = [] }: ViewContext): readonly Line[] {
  const { gains, forAMoment } = privilegeChange(change, privileged);
  const told = [
    ...(gains.length === 0 ? [] : [`${gainVerb(change)} ${gains.join(", ")}`]),
    ...(forAMoment.length === 0 ? [] : [`holds ${forAMoment.join(", ")} for a moment`]),
  ];
  if (told.length === 0) return [];
  const where = who.is === "key" ? "" : ` on the ${formatChangedKey(change.key)}`;
  const already = privilegedKeysOf(shown, { who, roles: gains });
  const elsewhere =
    already.length === 0 ? "" : `, and has it already on the ${formatList(already.map(formatPrivilegedKey))}`;
  const text = ` ${formatHolder(who)} ${told.join(" and ")}${where}${elsewhere}`;
  return [row(2, [{ ink: "alarm", text: "!" }, text], formatPlaces(change.because.slice(0, 1)))];
}

/** Nobody knows whether a key whose roles were not shown had it before. */
function gainVerb({ before }: RoleChange): string {
  return before.known === "not-known" ? "is to have" : "gains";
}
