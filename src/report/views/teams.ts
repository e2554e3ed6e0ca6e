import type { ActionId } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import { type AccessHolder, accountsToShow, privilegeChange, type RoleChange } from "../access/access-change.ts";
import { accessChanges, privilegedKeysOf } from "../access/access-changes.ts";
import {
  formatChangedKey,
  formatHolder,
  formatHolderCount,
  formatPrivilegedKey,
  formatTeamLabel,
} from "../access/format-access.ts";
import { formatCount, formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { basisLines } from "../text/actions.ts";
import { type Line, row } from "../text/lines.ts";
import { formatPlaces, groupedPeopleLines, type PersonContext, type ViewContext } from "./people.ts";
import { type PersonNode, planTree, type TeamNode } from "./plan-tree.ts";

/** A plan by team and person, with the calls and mails of each team; before all else who gains a privileged role. */
export function teamsView(plan: Plan, { privileged, shown }: ViewContext): readonly (readonly Line[])[] {
  const tree = planTree(plan);
  const names = planNames(plan);
  const teams = tree.flatMap((node) => (node.is === "team" ? [node] : []));
  const people = tree.flatMap((node) => (node.is === "person" ? [node] : []));
  const accounts = accountsToShow(plan.actions).size === 0 ? "one" : "several";
  return [
    privilegeLines(plan, { privileged, shown }),
    ...teams.map((team) => teamLines(team, { names, privileged, inside: "team", accounts })),
    outsideTeamsLines(people, { names, privileged, inside: "nothing" }, teams.length),
  ];
}

interface TeamViewContext extends PersonContext {
  readonly accounts: "one" | "several";
}

function teamLines(team: TeamNode, context: TeamViewContext): readonly Line[] {
  const { team: key, name: called, account } = team;
  const name = formatTeamLabel({ team: key, name: called, ...(context.accounts === "one" ? {} : { account }) });
  const parts = [
    formatHolderCount(team.people.map(({ who }) => who)),
    formatTeamCalls(team.actions, context.names),
    ...(team.mails === 0 ? [] : [formatCount(team.mails, "mail")]),
  ];
  return [
    row(0, [{ ink: "strong", text: `Team ${name}` }, ` (${formatTeamState(team)}): ${parts.join(", ")}`]),
    ...additionFactLines(team, context),
    ...groupedPeopleLines(team.people, context),
  ];
}

/** `7 calls`; `up to 7 calls` where some are not sent if an answer shows that they are not needed. */
function formatTeamCalls(ids: readonly ActionId[], names: PlanNames): string {
  const each = [...new Set(ids)];
  const isSure = each.every((id) => {
    const action = names.action(id);
    return action?.kind !== "replace-roles" || !action.unlessExact;
  });
  return `${isSure ? "" : "up to "}${formatCount(each.length, "call")}`;
}

function formatTeamState({ founding, identifier }: TeamNode): string {
  if (founding === undefined) return identifier ?? "identifier not known";
  return `new, administered by ${founding.admin}`;
}

/** What additions rest on and nobody read. */
function additionFactLines({ actions }: TeamNode, { names }: PersonContext): readonly Line[] {
  return basisLines(
    actions.flatMap((id) => {
      const action = names.action(id);
      return action?.kind === "add-members" ? action.restsOn : [];
    }),
  );
}

function outsideTeamsLines(people: readonly PersonNode[], context: PersonContext, teams: number): readonly Line[] {
  if (people.length === 0) return [];
  const title = teams === 0 ? "People and keys" : "People and keys outside of these teams";
  const calls = formatTeamCalls(
    people.flatMap(({ actions }) => actions),
    context.names,
  );
  const count = `${formatHolderCount(people.map(({ who }) => who))}, ${calls}`;
  return [row(0, [{ ink: "strong", text: title }, `: ${count}`]), ...groupedPeopleLines(people, context)];
}

/** Who gains a privileged role, or has one for a moment: one line for each key, none of them ever folded. */
function privilegeLines(plan: Plan, context: ViewContext): readonly Line[] {
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
