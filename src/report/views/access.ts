import type { Plan } from "../../model/plan.ts";
import {
  type AccessChange,
  type AccessHolder,
  type AccessRank,
  highestRank,
  type MembershipChange,
  type PersonAccess,
  privilegeChange,
} from "../access/access-change.ts";
import { accessChanges, type PrivilegedKey, privilegedKeysOf, remainingPrivileges } from "../access/access-changes.ts";
import {
  formatChangedKey,
  formatHolder,
  formatHolderCount,
  formatPrivilegedKey,
  formatTeamLabel,
  rolePieces,
} from "../access/format-access.ts";
import { formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { type Line, type Piece, row } from "../text/lines.ts";
import { formatPlaces, type ViewContext } from "./people.ts";

/** Who gains and loses what, privileged roles first; everybody once, and nobody folded. */
export function accessView(plan: Plan, { privileged, shown = [] }: ViewContext): readonly (readonly Line[])[] {
  const names = planNames(plan);
  const left = remainingPrivileges(shown, plan);
  const bySection = new Map<AccessSection, PersonAccess[]>();
  for (const access of accessChanges(plan, privileged)) {
    const section = sectionOf[highestRank(access.changes, privileged)];
    bySection.set(section, [...(bySection.get(section) ?? []), access]);
  }
  return accessSections.map((section) => {
    const people = bySection.get(section) ?? [];
    if (people.length === 0) return [];
    const title = `${sectionTitles[section]}: ${formatHolderCount(people.map(({ who }) => who))}`;
    return [
      row(0, [{ ink: section === "privileged" ? "alarm" : "strong", text: title }]),
      ...people.flatMap((access) => accessHolderLines(access, { names, privileged, left })),
    ];
  });
}

type AccessSection = (typeof accessSections)[number];

const accessSections = ["privileged", "loses", "gains"] as const;

const sectionTitles: Readonly<Record<AccessSection, string>> = {
  privileged: "Privileged roles change",
  loses: "Access is taken",
  gains: "Access is given",
};

const sectionOf: Readonly<Record<AccessRank, AccessSection>> = {
  "gains-privilege": "privileged",
  "privilege-for-a-moment": "privileged",
  "loses-privilege": "privileged",
  loses: "loses",
  other: "gains",
};

interface AccessViewContext extends ViewContext {
  readonly names: PlanNames;
  /** Privileges that are shown, and there still once the plan is done. */
  readonly left: readonly PrivilegedKey[];
}

function accessHolderLines({ who, changes }: PersonAccess, context: AccessViewContext): readonly Line[] {
  const leaves = changes.some(({ rule }) => rule === "leaver-disarmed") ? ", a leaver" : "";
  return [
    row(2, [`${formatHolder(who)}${leaves}`]),
    ...changes.flatMap((change) => [
      row(6, accessChangePieces(change, context), formatPlaces(change.because.slice(0, 1))),
      ...remainingPrivilegeLines(who, change, context),
    ]),
  ];
}

/** Whoever loses a privileged role on one key may have it on others. */
function remainingPrivilegeLines(
  who: AccessHolder,
  change: AccessChange,
  { privileged, left }: AccessViewContext,
): readonly Line[] {
  if (change.is !== "roles") return [];
  const still = privilegedKeysOf(left, { who, roles: privilegeChange(change, privileged).loses });
  if (still.length === 0) return [];
  return [row(8, [{ ink: "alarm", text: `! still has it on the ${formatList(still.map(formatPrivilegedKey))}` }])];
}

function accessChangePieces(change: AccessChange, { names, privileged }: AccessViewContext): readonly Piece[] {
  switch (change.is) {
    case "account":
      return [{ ink: "add", text: "+" }, ` a user in ${change.account}`];
    case "membership":
      return [{ ink: "add", text: "+" }, ` ${formatMembership(change, names)}`];
    case "roles":
      return [{ ink: "change", text: "~" }, ` ${formatChangedKey(change.key)}: `, ...rolePieces(change, privileged)];
  }
}

function formatMembership({ team, how, action }: MembershipChange, names: PlanNames): string {
  if (how === "added") return `a place in ${formatTeamLabel(team)}, with a mail`;
  if (how === "invited-again") return `one more mail about a place in ${formatTeamLabel(team)}`;
  const founding = names.action(action);
  const admin = founding?.kind === "create-user" ? founding.founds?.admin?.email : undefined;
  const administered = admin === undefined ? "and administers it" : `administered by ${admin}`;
  return `a place in ${formatTeamLabel(team)}, which comes into being with this person, ${administered}`;
}
