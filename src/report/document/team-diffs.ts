import type { Action } from "../../model/action.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { type AccessChange, accountsToShow } from "../access/access-change.ts";
import { formatCount, formatCounts } from "../phrases.ts";
import { planNames, teamOfAction } from "../plan-names.ts";
import { formatHolder, formatHolderCount, formatTeamLabel } from "./access.ts";
import { actionName } from "./actions.ts";
import { andMore, type Block, type Inline, type Line, phrase, row, type Section, words } from "./blocks.ts";
import { callNumbers, dependencyNumbers, formatRanges } from "./calls.ts";
import { type PersonNode, planTree, type TeamNode } from "./plan-tree.ts";
import { changePieces, type PersonContext } from "./teams.ts";

interface TeamDiffOptions {
  readonly privileged: RoleSet;
  /** Of a run this is what was planned, whatever came of it; of a drift it is what apply would do. */
  readonly is: "to-do" | "planned" | "repair";
  /** Where all of it is shown. */
  readonly whole: Inline;
}

/** For a review: a block of a diff for each team, then one for people and keys outside of teams; each person is one line. */
export function teamDiffs(plan: Plan, { privileged, is, whole }: TeamDiffOptions): Section {
  const tree = planTree(plan);
  const names = planNames(plan);
  const accounts = accountsToShow(plan.actions).size === 0 ? "one" : "several";
  const teams = tree.flatMap((node) => (node.is === "team" ? [node] : []));
  const people = tree.flatMap((node) => (node.is === "person" ? [node] : []));
  const inTeam: PersonContext = { names, privileged, inside: "team" };
  const outside: PersonContext = { names, privileged, inside: "nothing" };
  const title = teams.length === 0 ? "People and keys" : "People and keys outside these teams";
  return {
    title: { "to-do": "Changes", planned: "Changes, as planned", repair: "Changes by apply" }[is],
    is: "open",
    body: {
      kind: "stack",
      entries: [
        ...teams.map((team) => [diff(teamTitle(team, accounts), team.people, inTeam)]),
        ...(people.length === 0 ? [] : [[diff(title, people, outside)]]),
      ],
    },
    rank: 40,
    leftOut: andMore(whole, "more team"),
  };
}

function diff(title: string, people: readonly PersonNode[], context: PersonContext): Block {
  const count = formatHolderCount(people.map(({ who }) => who));
  const head = row(0, [`@@ ${title}: ${count} @@`]);
  return { kind: "code", language: "diff", lines: [head, ...people.map((node) => personLine(node, context))] };
}

function teamTitle(
  { team, name, account, identifier, founding, mails }: TeamNode,
  accounts: "one" | "several",
): string {
  const label = formatTeamLabel({ team, name, ...(accounts === "one" ? {} : { account }) });
  const state = founding === undefined ? [] : [`new, admin ${founding.admin}`];
  const parts = [...(identifier === undefined ? [] : [identifier]), ...state, ...formatCounts([mails, "mail"])];
  return `Team ${label}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}

function personLine(node: PersonNode, context: PersonContext): Line {
  const leaves = node.changes.some(({ rule }) => rule === "leaver-roles-removed") ? " (leaver)" : "";
  const changes = changePieces(node, context);
  return row(0, [
    `${diffMark(node.changes)} ${formatHolder(node.who)}${leaves}`,
    ...(changes.length === 0 ? [] : [": "]),
    ...changes,
  ]);
}

/** `+` adds only, `-` removes only, `!` does both, or the roles before are unknown. */
function diffMark(changes: readonly AccessChange[]): "+" | "-" | "!" {
  const roles = changes.flatMap((change) => (change.is === "roles" ? [change] : []));
  if (roles.some(({ before }) => before.known === "not-known")) return "!";
  const loses = roles.some((change) => change.loses.length > 0);
  const gains = changes.some((change) => change.is !== "roles" || change.gains.length > 0);
  if (loses && gains) return "!";
  return loses ? "-" : "+";
}

/** For a review: the calls in their order, folded. Calls of one kind for one team share a row. */
export function callTable(plan: Plan, whole: Inline): Section {
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  return {
    title: `Calls in their order (${plan.actions.length})`,
    is: "folded",
    body: {
      kind: "table",
      columns: ["call", "what", "after"],
      rows: groupCalls(plan.actions).map((group) => {
        const own = group.map(({ id }) => numbers.get(id) ?? 0);
        const before = group.flatMap((action) => dependencyNumbers(action, numbers));
        const others = [...new Set(before)].filter((number) => !own.includes(number)).sort((a, b) => a - b);
        return [
          words(formatRanges(own)),
          groupName(group, (action) => actionName(action, names)),
          words(formatRanges(others)),
        ];
      }),
    },
    rank: 70,
    leftOut: andMore(whole, "more row"),
  };
}

function groupCalls(actions: readonly Action[]): readonly (readonly Action[])[] {
  const groups: Action[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && groupKey(last[0]) === groupKey(action)) last.push(action);
    else groups.push([action]);
  }
  return groups;
}

function groupKey(action: Action): string {
  const founds = action.kind === "create-user" && action.founds !== undefined;
  return founds ? `found ${action.id}` : `${action.kind} ${teamOfAction(action)?.team ?? ""}`;
}

function groupName(group: readonly Action[], nameOf: (action: Action) => string): Inline {
  const [first] = group;
  if (first === undefined) return [];
  if (first.kind === "create-user" && first.founds !== undefined) {
    return phrase`create user ${first.user.email} and team ${first.founds.name}`;
  }
  if (group.length === 1) return [nameOf(first)];
  const team = teamOfAction(first);
  const where = team === undefined ? [] : phrase` in team ${team.name}`;
  if (first.kind === "create-user") return phrase`create ${words(formatCount(group.length, "user"))}`;
  return phrase`replace the roles of ${words(formatCount(group.length, "key"))}${where}`;
}
