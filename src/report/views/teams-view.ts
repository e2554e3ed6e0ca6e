import type { ActionId } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import { formatHolderCount, formatTeamLabel } from "../access/access-words.ts";
import { accountsToShow } from "../access/team-accounts.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { basisLines } from "../text/basis-lines.ts";
import { type Line, row } from "../text/lines.ts";
import { formatCount } from "../words.ts";
import { groupedPeopleLines } from "./folded-lines.ts";
import type { PersonContext } from "./person-lines.ts";
import { type PersonNode, planTree, type TeamNode } from "./plan-tree.ts";
import { privilegeLines } from "./privilege-lines.ts";
import type { ViewContext } from "./view.ts";

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

interface TeamContext extends PersonContext {
  readonly accounts: "one" | "several";
}

function teamLines(team: TeamNode, context: TeamContext): readonly Line[] {
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
