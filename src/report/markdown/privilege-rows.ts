import type { RoleSet } from "../../model/role-set.ts";
import type { AccessHolder, RoleChange } from "../access/access-change.ts";
import { privilegeChange } from "../access/privilege.ts";
import { type PrivilegedKey, privilegedKeysOf } from "../access/shown-privileges.ts";
import { holderCell, keyCell, placesCell } from "./access-cells.ts";
import { tableRow } from "./document.ts";
import { code, codes } from "./safe-markdown.ts";

/** What is known of privileges beside the change that is told. */
export interface PrivilegeRowContext {
  readonly privileged: RoleSet;
  readonly shown: readonly PrivilegedKey[];
  /** Once the plan is done. */
  readonly left: readonly PrivilegedKey[];
}

/** Who gains or loses a privileged role, or has one for a moment, and on which other keys they have it; nothing of other changes. */
export function privilegeRows(
  who: AccessHolder,
  change: RoleChange,
  { privileged, shown, left }: PrivilegeRowContext,
): readonly string[] {
  const { key, before } = change;
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const gain = before.known === "not-known" ? "is to have (before not known)" : "gains";
  const already = formatOtherKeys("has it already", privilegedKeysOf(shown, { who, roles: gains }));
  const still = formatOtherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const told = [
    ...(gains.length === 0 ? [] : [`**${gain}** ${codes(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [`**holds for a moment** ${codes(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [`**loses** ${codes(loses)}${still}`]),
  ];
  if (told.length === 0) return [];
  return [tableRow([holderCell(who), told.join(", "), keyCell(key), placesCell([change])])];
}

/** `, **still has it** in \`Ops\``: other keys of the same person. */
function formatOtherKeys(verb: string, keys: readonly PrivilegedKey[]): string {
  if (keys.length === 0) return "";
  const places = keys.map(({ team, prefix }) =>
    team === undefined ? `on the key ${code(prefix)}` : `in ${code(team)}`,
  );
  return `, **${verb}** ${places.slice(0, 3).join(" and ")}${places.length > 3 ? ` and on ${places.length - 3} more keys` : ""}`;
}
