import { formatCount, joinList } from "../../codes/message.ts";
import { groupBy } from "../../model/collections.ts";
import type { PrivilegedKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { type AccessChange, type AccessHolder, accessChanges, privilegeChange } from "../access/access-changes.ts";
import { formatPlaces, planNames } from "./actions.ts";
import { type ChangeContext, formatChangedKey, holderName, type PlanStanding } from "./changes.ts";
import { whyActions } from "./reasons.ts";
import {
  type Entry,
  entry,
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

/** Who gains and loses privileged roles by a plan: an entry for each key, none of them ever folded. */
export function privilegeSection(title: string, { plan, privileged, shown, readings }: ChangeContext): Section {
  const left = remaining(shown ?? [], plan);
  const names = planNames(plan);
  const entryOf = (who: AccessHolder, change: AccessChange): readonly Entry[] => {
    if (change.is !== "roles") return [];
    const { gains, loses, forAMoment } = privilegeChange(change, privileged);
    const part = (those: RoleSet, what: (roles: Inline) => Inline) => {
      const roles = those.map((role) => [inked("alarm", role)]);
      return those.length === 0 ? [] : [what(joinInline(roles, ", "))];
    };
    // A key whose roles were not shown may have had it before.
    const gain = words(change.before.known === "unknown" ? "gets (before unknown)" : "gains");
    const parts = [
      ...part(gains, (roles) => phrase`${gain} ${roles}`),
      ...part(forAMoment, (roles) => phrase`has ${roles} for a short time`),
      ...part(loses, (roles) => phrase`loses ${roles}`),
    ];
    if (parts.length === 0) return [];
    const where = who.is === "key" ? [] : phrase` on the ${[formatChangedKey(change.key, names)]}`;
    const already = otherKeys("already has it", who, shown ?? [], gains);
    const still = otherKeys("still has it", who, left, loses);
    const person = who.is === "person" ? who.address : undefined;
    return [
      entry([...joinInline(parts, " and "), ...where, ...already, ...still], {
        mark: loses.length === 0 ? "+" : gains.length + forAMoment.length === 0 ? "-" : "~",
        ink: "alarm",
        about: holderName(who),
        place: formatPlaces(change.because.slice(0, 1)),
        labels: ["privileged"],
        details: () => whyActions([change.action], person, { plan, readings }),
        actions: [change.action],
      }),
    ];
  };
  // Who gains a privileged role comes first, then who has one for a short time, then who loses one.
  const kinds = ["gains", "forAMoment", "loses"] as const;
  const people = groupBy(accessChanges(plan), ({ changes }) => {
    const all = changes.map((change) => privilegeChange(change, privileged));
    return kinds.find((kind) => all.some((change) => change[kind].length > 0));
  });
  const inOrder = kinds.flatMap((kind) => people.get(kind) ?? []);
  const entries = inOrder.flatMap(({ who, changes }) => changes.flatMap((change) => entryOf(who, change)));
  const unknown = sentence("A saved plan does not show other keys of the same users.", "dim");
  return section(title, entries, { notes: shown === undefined ? [unknown] : [] });
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
