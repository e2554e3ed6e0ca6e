import type { RoleSet } from "../../model/role-set.ts";
import type { Holder, RoleChange } from "../access/access-change.ts";
import { privilegeOf } from "../access/privilege.ts";
import { privilegesOf, type ShownPrivilege } from "../access/shown-privileges.ts";
import { holderCell, keyCell, placesCell } from "./access-cells.ts";
import { tableRow } from "./document.ts";
import { code, codes } from "./safe-markdown.ts";

/** What is known of privileges beside the change that is told. */
export interface Held {
  readonly privileged: RoleSet;
  readonly shown: readonly ShownPrivilege[];
  /** Once the plan is done. */
  readonly left: readonly ShownPrivilege[];
}

/** Who gains or loses a privileged role, or has one for a moment, and on which other keys they have it; nothing of other changes. */
export function privilegeRows(who: Holder, change: RoleChange, { privileged, shown, left }: Held): readonly string[] {
  const { key, before } = change;
  const { gains, loses, forAMoment } = privilegeOf(change, privileged);
  const gain = before.known === "not-known" ? "is to have (before not known)" : "gains";
  const already = besideWords("has it already", privilegesOf(shown, { who, roles: gains }));
  const still = besideWords("still has it", privilegesOf(left, { who, roles: loses }));
  const told = [
    ...(gains.length === 0 ? [] : [`**${gain}** ${codes(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [`**holds for a moment** ${codes(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [`**loses** ${codes(loses)}${still}`]),
  ];
  if (told.length === 0) return [];
  return [tableRow([holderCell(who), told.join(", "), keyCell(key), placesCell([change])])];
}

/** `, **still has it** in \`Ops\``: other keys of the same person. */
function besideWords(verb: string, keys: readonly ShownPrivilege[]): string {
  if (keys.length === 0) return "";
  const places = keys.map(({ team, prefix }) =>
    team === undefined ? `on the key ${code(prefix)}` : `in ${code(team)}`,
  );
  return `, **${verb}** ${places.slice(0, 3).join(" and ")}${places.length > 3 ? ` and on ${places.length - 3} more keys` : ""}`;
}
