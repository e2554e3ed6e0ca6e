import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { accessChanges, accessInPlanOrder, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import { type AccessHolder, privilegeChange, type RoleChange } from "../access/person-access.ts";
import { formatCount, formatList } from "../phrases.ts";
import { formatPlaces } from "./actions.ts";
import { formatChangedKey, holderName, whyActions } from "./changes.ts";
import {
  type Entry,
  type Inline,
  inked,
  joinInline,
  listInline,
  type Paragraph,
  paragraph,
  phrase,
  type Section,
  section,
  sentence,
  strong,
  words,
} from "./tree.ts";

interface PrivilegeContext {
  readonly privileged: RoleSet;
  /** Keys that were shown with a privileged role; absent where the plan was not made just now. */
  readonly shown: readonly PrivilegedKey[] | undefined;
  readonly readings: ReadSummary["readings"] | undefined;
}

/** Who gains and loses privileged roles by a plan: an entry for each key, none of them ever folded. */
export function privilegeSection(
  title: string,
  plan: Plan,
  { privileged, shown, readings }: PrivilegeContext,
): Section {
  const known = { shown: shown ?? [], left: remainingPrivileges(shown ?? [], plan) };
  const entries = accessChanges(plan, privileged).flatMap(({ who, changes }) => {
    const person = who.is === "person" ? who.address : undefined;
    const details = (change: RoleChange) => () => whyActions([change.action], person, { plan, readings });
    return changes.flatMap((change) =>
      change.is === "roles"
        ? privilegeEntries(who, change, privileged, known).map((entry) => ({ ...entry, details: details(change) }))
        : [],
    );
  });
  const unknown = sentence("A saved plan does not show other keys of the same users.", "dim");
  return section(title, { rank: 3, notes: shown === undefined ? [unknown] : [] }, entries);
}

function privilegeEntries(
  who: AccessHolder,
  change: RoleChange,
  privileged: RoleSet,
  { shown, left }: { readonly shown: readonly PrivilegedKey[]; readonly left: readonly PrivilegedKey[] },
): readonly Entry[] {
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const roles = (those: RoleSet): Inline =>
    joinInline(
      those.map((role) => [inked("alarm", role)]),
      ", ",
    );
  // A key whose roles were not shown may have had it before.
  const gain = change.before.known === "not-known" ? "gets (before unknown)" : "gains";
  const already = otherKeys("already has it", privilegedKeysOf(shown, { who, roles: gains }));
  const still = otherKeys("still has it", privilegedKeysOf(left, { who, roles: loses }));
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`${words(gain)} ${roles(gains)}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`has ${roles(forAMoment)} for a short time`]),
    ...(loses.length === 0 ? [] : [phrase`loses ${roles(loses)}`]),
  ];
  if (parts.length === 0) return [];
  const where = who.is === "key" ? [] : phrase` on the ${[formatChangedKey(change.key)]}`;
  return [
    {
      mark: loses.length === 0 ? "+" : gains.length + forAMoment.length === 0 ? "-" : "~",
      ink: "alarm",
      about: holderName(who),
      what: [...joinInline(parts, " and "), ...where, ...already, ...still],
      place: formatPlaces(change.because.slice(0, 1)),
      notes: [],
      labels: ["privileged"],
      actions: [change.action],
    },
  ];
}

/** `, still has it on the key in Ops (p1)`: other keys of the same person. */
function otherKeys(verb: string, keys: readonly PrivilegedKey[]): Inline {
  if (keys.length === 0) return [];
  const places = keys
    .slice(0, 3)
    .map(({ team, prefix }) =>
      team === undefined ? phrase`the key ${prefix}` : phrase`the key in ${team} (${prefix})`,
    );
  const more = keys.length > 3 ? [words(`${keys.length - 3} more keys`)] : [];
  return phrase`, and ${strong(words(verb))} on ${listInline([...places, ...more])}`;
}

/** On how many keys a plan adds a privileged role, leaves one for a short time, or removes one; nothing where on none. */
export function privilegeSummary(plan: Plan, privileged: RoleSet): readonly Paragraph[] {
  const changes = accessInPlanOrder(plan).flatMap((access) => access.changes);
  const kinds = changes.flatMap((change) =>
    change.is === "roles" ? [{ ...privilegeChange(change, privileged), before: change.before.known }] : [],
  );
  const asked = kinds.filter(({ gains }) => gains.length > 0);
  const unsure = asked.filter(({ before }) => before === "not-known").length;
  const given = asked.length - unsure;
  const brief = kinds.filter(({ forAMoment }) => forAMoment.length > 0).length;
  const taken = kinds.filter(({ loses }) => loses.length > 0).length;
  const unsureKeys = formatCount(unsure, "key that may have them already", "keys that may have them already");
  const parts = [
    ...(given === 0 ? [] : [`added to ${formatCount(given, "key")}`]),
    ...(unsure === 0 ? [] : [`set on ${unsureKeys}`]),
    ...(brief === 0 ? [] : [`for a short time on ${formatCount(brief, "key")}`]),
    ...(taken === 0 ? [] : [`removed from ${formatCount(taken, "key")}`]),
  ];
  return parts.length === 0 ? [] : [paragraph([inked("alarm", `Privileged roles: ${formatList(parts)}.`)])];
}
