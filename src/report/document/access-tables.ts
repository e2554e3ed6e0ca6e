import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import {
  type AccessChange,
  type AccessHolder,
  type ChangedKey,
  privilegeChange,
  type RoleChange,
} from "../access/access-change.ts";
import { accessChanges, type PrivilegedKey, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import { holderName, teamLabel } from "./access.ts";
import { formatPlaces } from "./actions.ts";
import { andMore, type Inline, joinInline, phrase, type Section, strong, values, words } from "./blocks.ts";

interface AccessTableOptions {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown?: readonly PrivilegedKey[] | undefined;
  /** Of a run this is what was planned, whatever came of it; of a drift it is what apply would do. */
  readonly is: "to-do" | "planned" | "repair";
  /** Where all of it is shown. */
  readonly whole: Inline;
}

/** Who gains and loses privileged roles by a plan. */
export function privilegeTable(plan: Plan, { privileged, shown, is, whole }: AccessTableOptions): readonly Section[] {
  const accesses = accessChanges(plan, privileged);
  const known = { privileged, shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const privileges = accesses.flatMap(({ who, changes }) =>
    changes.flatMap((change) => (change.is === "roles" ? privilegeRows(who, change, known) : [])),
  );
  const planned = { "to-do": "", planned: ", as planned", repair: ", changed by apply" }[is];
  return [
    {
      title: `Privileged roles${planned} (${privileges.length})`,
      is: "open",
      body: {
        kind: "table",
        ...(shown === undefined ? { note: otherKeysUnknown } : {}),
        columns: ["who", "gains or loses", "where", "in the roster at"],
        rows: privileges,
      },
      rank: 3,
      leftOut: andMore(whole, "more change of privileged roles", "more changes of privileged roles"),
    },
  ];
}

const otherKeysUnknown = words("A saved plan does not show the other keys of these users.");

/** Privileged roles that a person has on other keys. */
interface KnownPrivileges {
  readonly privileged: RoleSet;
  readonly shown: readonly PrivilegedKey[];
  /** Once the plan is done. */
  readonly left: readonly PrivilegedKey[];
}

/** A row for a privileged role that a person gains, loses or has for a moment, with other keys that carry it. No row for other changes. */
function privilegeRows(
  who: AccessHolder,
  change: RoleChange,
  { privileged, shown, left }: KnownPrivileges,
): readonly (readonly Inline[])[] {
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const gain = change.before.known === "not-known" ? "gets (before unknown)" : "gains";
  const already = otherKeys("has it already", privilegedKeysOf(shown, { who, roles: gains }));
  const still = otherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`${strong(words(gain))} ${values(gains)}${already}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`${strong(words("for a short time"))} ${values(forAMoment)}`]),
    ...(loses.length === 0 ? [] : [phrase`${strong(words("loses"))} ${values(loses)}${still}`]),
  ];
  if (parts.length === 0) return [];
  return [[holderName(who), joinInline(parts, ", "), changedKey(change.key), firstPlaces([change])]];
}

/** `, still has it in Ops`: other keys of the same person. */
function otherKeys(verb: string, keys: readonly PrivilegedKey[]): Inline {
  if (keys.length === 0) return [];
  const places = keys
    .slice(0, 3)
    .map(({ team, prefix }) => (team === undefined ? phrase`on the key ${prefix}` : phrase`in ${team}`));
  const more = keys.length > 3 ? words(` and on ${keys.length - 3} more keys`) : [];
  return phrase`, ${strong(words(verb))} ${joinInline(places, " and ")}${more}`;
}

/** `in Ops`, `on the own key`, `on the key p1`. */
function changedKey(key: ChangedKey): Inline {
  switch (key.of) {
    case "team-key":
      return phrase`in ${teamLabel(key.team)}`;
    case "own-key":
      return words("on the own key");
    case "key":
      return phrase`on the key ${key.prefix}`;
  }
}

/** The first line that asks for each call. */
function firstPlaces(changes: readonly AccessChange[]): Inline {
  const places = new Set(changes.flatMap(({ because }) => formatPlaces(because.slice(0, 1)) ?? []));
  return [values([...places], 2)];
}
