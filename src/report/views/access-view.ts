import type { Plan } from "../../model/plan.ts";
import type { AccessChange, Holder, MembershipChange, PersonAccess } from "../access/access-change.ts";
import { accessChanges } from "../access/access-changes.ts";
import { holdersCounted, holderWords, keyWords, rolePieces, shownKeyWords, teamWords } from "../access/access-words.ts";
import { type AccessRank, privilegeOf, rankOf } from "../access/privilege.ts";
import { privilegesLeft, privilegesOf, type ShownPrivilege } from "../access/shown-privileges.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { type Line, type Piece, row } from "../text/lines.ts";
import { listed } from "../words.ts";
import { placesWords } from "./person-lines.ts";
import type { ViewContext } from "./view.ts";

/** Who gains and loses what, privileged roles first; everybody once, and nobody folded. */
export function accessView(plan: Plan, { privileged, shown = [] }: ViewContext): readonly (readonly Line[])[] {
  const names = planNames(plan);
  const left = privilegesLeft(shown, plan);
  const bySection = new Map<Section, PersonAccess[]>();
  for (const access of accessChanges(plan, privileged)) {
    const section = sectionOf[rankOf(access.changes, privileged)];
    bySection.set(section, [...(bySection.get(section) ?? []), access]);
  }
  return sections.map((section) => {
    const people = bySection.get(section) ?? [];
    if (people.length === 0) return [];
    const title = `${titles[section]}: ${holdersCounted(people.map(({ who }) => who))}`;
    return [
      row(0, [{ ink: section === "privileged" ? "alarm" : "strong", text: title }]),
      ...people.flatMap((access) => personLines(access, { names, privileged, left })),
    ];
  });
}

type Section = (typeof sections)[number];

const sections = ["privileged", "loses", "gains"] as const;

const titles: Readonly<Record<Section, string>> = {
  privileged: "Privileged roles change",
  loses: "Access is taken",
  gains: "Access is given",
};

const sectionOf: Readonly<Record<AccessRank, Section>> = {
  "gains-privilege": "privileged",
  "privilege-for-a-moment": "privileged",
  "loses-privilege": "privileged",
  loses: "loses",
  other: "gains",
};

interface Context extends ViewContext {
  readonly names: PlanNames;
  /** Privileges that are shown, and there still once the plan is done. */
  readonly left: readonly ShownPrivilege[];
}

function personLines({ who, changes }: PersonAccess, context: Context): readonly Line[] {
  const leaves = changes.some(({ rule }) => rule === "leaver-disarmed") ? ", a leaver" : "";
  return [
    row(2, [`${holderWords(who)}${leaves}`]),
    ...changes.flatMap((change) => [
      row(6, changePieces(change, context), placesWords(change.because.slice(0, 1))),
      ...stillLines(who, change, context),
    ]),
  ];
}

/** Whoever loses a privileged role on one key may have it on others. */
function stillLines(who: Holder, change: AccessChange, { privileged, left }: Context): readonly Line[] {
  if (change.is !== "roles") return [];
  const still = privilegesOf(left, { who, roles: privilegeOf(change, privileged).loses });
  if (still.length === 0) return [];
  return [row(8, [{ ink: "alarm", text: `! still has it on the ${listed(still.map(shownKeyWords))}` }])];
}

function changePieces(change: AccessChange, { names, privileged }: Context): readonly Piece[] {
  switch (change.is) {
    case "account":
      return [{ ink: "add", text: "+" }, ` a user in ${change.account}`];
    case "membership":
      return [{ ink: "add", text: "+" }, ` ${membershipWords(change, names)}`];
    case "roles":
      return [{ ink: "change", text: "~" }, ` ${keyWords(change.key)}: `, ...rolePieces(change, privileged)];
  }
}

function membershipWords({ team, how, action }: MembershipChange, names: PlanNames): string {
  if (how === "added") return `a place in ${teamWords(team)}, with a mail`;
  if (how === "invited-again") return `one more mail about a place in ${teamWords(team)}`;
  const founding = names.action(action);
  const admin = founding?.kind === "create-user" ? founding.founds?.admin?.email : undefined;
  const administered = admin === undefined ? "and administers it" : `administered by ${admin}`;
  return `a place in ${teamWords(team)}, which comes into being with this person, ${administered}`;
}
