import type { Plan } from "../../model/plan.ts";
import type { Holder, RoleChange } from "../access/access-change.ts";
import { accessChanges } from "../access/access-changes.ts";
import { holderWords, keyWords, shownKeyWords } from "../access/access-words.ts";
import { privilegeOf } from "../access/privilege.ts";
import { privilegesOf } from "../access/shown-privileges.ts";
import { type Line, row } from "../text/lines.ts";
import { listed } from "../words.ts";
import { placesWords } from "./person-lines.ts";
import type { ViewContext } from "./view.ts";

/** Who gains a privileged role, or has one for a moment: one line for each key, none of them ever folded. */
export function privilegeLines(plan: Plan, context: ViewContext): readonly Line[] {
  const lines = accessChanges(plan, context.privileged).flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? gainLines(who, change, context) : [])),
  );
  if (lines.length === 0) return [];
  return [row(0, [{ ink: "alarm", text: "Privileged roles" }]), ...lines];
}

function gainLines(who: Holder, change: RoleChange, { privileged, shown = [] }: ViewContext): readonly Line[] {
  const { gains, forAMoment } = privilegeOf(change, privileged);
  const told = [
    ...(gains.length === 0 ? [] : [`${verb(change)} ${gains.join(", ")}`]),
    ...(forAMoment.length === 0 ? [] : [`holds ${forAMoment.join(", ")} for a moment`]),
  ];
  if (told.length === 0) return [];
  const where = who.is === "key" ? "" : ` on the ${keyWords(change.key)}`;
  const already = privilegesOf(shown, { who, roles: gains });
  const elsewhere = already.length === 0 ? "" : `, and has it already on the ${listed(already.map(shownKeyWords))}`;
  const text = ` ${holderWords(who)} ${told.join(" and ")}${where}${elsewhere}`;
  return [row(2, [{ ink: "alarm", text: "!" }, text], placesWords(change.because.slice(0, 1)))];
}

/** Nobody knows whether a key whose roles were not shown had it before. */
function verb({ before }: RoleChange): string {
  return before.known === "not-known" ? "is to have" : "gains";
}
