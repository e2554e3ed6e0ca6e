import { formatCount, joinList } from "../../codes/message.ts";
import { groupBy } from "../../model/collections.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import {
  type AccessChange,
  type AccessHolder,
  accessChanges,
  type PersonAccess,
  privilegeChange,
} from "../access/access-changes.ts";
import { formatPlaces, type PlanNames, planNames } from "./actions.ts";
import { formatChangedKey, holderName, type PlanStanding } from "./changes.ts";
import { whyActions } from "./reasons.ts";
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
  const known = { privileged, names: planNames(plan), shown: shown ?? [], left: remaining(shown ?? [], plan) };
  const people = groupBy(accessChanges(plan), (access) => mostImportant(access, privileged));
  const entries = privilegeParts.flatMap((part) =>
    (people.get(part) ?? []).flatMap(({ who, changes }) => {
      const person = who.is === "person" ? who.address : undefined;
      return changes.flatMap((change) => {
        const details = () => whyActions([change.action], person, { plan, readings });
        return privilegeEntries(who, change, known).map((entry) => ({ ...entry, details }));
      });
    }),
  );
  const unknown = sentence("A saved plan does not show other keys of the same users.", "dim");
  return section(title, entries, { notes: shown === undefined ? [unknown] : [] });
}

/** Who gains a privileged role comes first, then who has one for a short time, then who loses one. */
const privilegeParts = ["gains", "forAMoment", "loses"] as const;

function mostImportant({ changes }: PersonAccess, privileged: RoleSet) {
  const all = changes.map((change) => privilegeChange(change, privileged));
  return privilegeParts.find((part) => all.some((change) => change[part].length > 0));
}

function remaining(shown: readonly PrivilegedKey[], plan: Plan): readonly PrivilegedKey[] {
  if (shown.length === 0) return shown;
  const changes = accessChanges(plan).flatMap((access) => access.changes);
  const lost = new Map(changes.flatMap((change) => (change.is === "roles" ? [[change.key.prefix, change.loses]] : [])));
  return shown.flatMap((one) => {
    const roles = rolesWithout(one.roles, lost.get(one.prefix) ?? []);
    return roles.length === 0 ? [] : [{ ...one, roles }];
  });
}

interface KnownPrivileges {
  readonly privileged: RoleSet;
  readonly names: PlanNames;
  readonly shown: readonly PrivilegedKey[];
  readonly left: readonly PrivilegedKey[];
}

function privilegeEntries(
  who: AccessHolder,
  change: AccessChange,
  { privileged, names, shown, left }: KnownPrivileges,
): readonly Entry[] {
  if (change.is !== "roles") return [];
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  const roles = (those: RoleSet): Inline =>
    joinInline(
      those.map((role) => [inked("alarm", role)]),
      ", ",
    );
  // A key whose roles were not shown may have had it before.
  const gain = change.before.known === "unknown" ? "gets (before unknown)" : "gains";
  const already = otherKeys("already has it", who, shown, gains);
  const still = otherKeys("still has it", who, left, loses);
  const parts = [
    ...(gains.length === 0 ? [] : [phrase`${words(gain)} ${roles(gains)}`]),
    ...(forAMoment.length === 0 ? [] : [phrase`has ${roles(forAMoment)} for a short time`]),
    ...(loses.length === 0 ? [] : [phrase`loses ${roles(loses)}`]),
  ];
  if (parts.length === 0) return [];
  const where = who.is === "key" ? [] : phrase` on the ${[formatChangedKey(change.key, names)]}`;
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

/** `, and still has it on the key in Ops (p1)`: other keys of the same person that carry one of these roles. */
function otherKeys(verb: string, who: AccessHolder, known: readonly PrivilegedKey[], roles: RoleSet): Inline {
  const keys = known.filter(
    (one) => who.is === "person" && one.address === who.address && one.roles.some((role) => roles.includes(role)),
  );
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
export function privilegeSummary(plan: Plan, privileged: RoleSet, is: PlanStanding): readonly Paragraph[] {
  const changes = accessChanges(plan).flatMap((access) => access.changes);
  const kinds = changes.flatMap((change) =>
    change.is === "roles" ? [{ ...privilegeChange(change, privileged), before: change.before.known }] : [],
  );
  const added = kinds.filter(({ gains }) => gains.length > 0);
  const unsure = added.filter(({ before }) => before === "unknown").length;
  const brief = kinds.filter(({ forAMoment }) => forAMoment.length > 0).length;
  const removed = kinds.filter(({ loses }) => loses.length > 0).length;
  const keys = (count: number) => formatCount(count, "key");
  const parts = [
    ...(added.length === unsure ? [] : [["add", `to ${keys(added.length - unsure)}`]]),
    ...(unsure === 0 ? [] : [["set", `on ${keys(unsure)} that may have them already`]]),
    ...(brief === 0 ? [] : [["give", `to ${keys(brief)} for a short time`]]),
    ...(removed === 0 ? [] : [["remove", `from ${keys(removed)}`]]),
  ];
  if (parts.length === 0) return [];
  const which = (index: number) => (is !== "repair" ? "" : index === 0 ? " privileged roles" : " them");
  const lead = { "to-do": "Privileged roles:", planned: "Privileged roles, as planned:", repair: "apply would" }[is];
  const text = joinList(parts.map(([verb, where], index) => `${verb}${which(index)} ${where}`));
  return [paragraph([inked("alarm", `${lead} ${text}.`)])];
}
