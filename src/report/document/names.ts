import { formatCount } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Intent } from "../../model/call.ts";
import { groupBy } from "../../model/collections.ts";
import { type Fact, factValue, formatPlace, formatSubject, type Subject } from "../../model/fact.ts";
import type { Failure } from "../../model/failure.ts";
import type { Action, ActionId, NamesInCalls, Plan, ReplaceRoles } from "../../model/plan.ts";
import { prefixOf, teamOf } from "../../model/plan.ts";
import { formatHead, type LogHead } from "../../model/state.ts";
import { teamKeyOf } from "../../model/team.ts";
import type { Ownership, TeamKey } from "../../model/values.ts";

/** What `read` makes of a thing, read once of each, however often it is asked for. */
export function onceOfEach<Key extends object, Value extends object>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

export const planNames = onceOfEach(readNames);

/** One word in a list and in a shell. */
export const printedId = (id: ActionId): string => id.replaceAll(" ", "%20");

export const noNames = readNames({ actions: [], users: new Map(), teams: new Map() });

export function namesOf(plan: Plan | undefined): PlanNames {
  return plan === undefined ? noNames : planNames(plan);
}

export type PlanNames = ReturnType<typeof readNames>;

/** What a plan calls its people, teams and actions, for reports that know only their keys. */
function readNames(plan: Pick<Plan, "actions" | "users" | "teams">) {
  const actions = new Map<ActionId, Action>(plan.actions.map((action) => [action.id, action]));
  const teams = new Map(teamsOfPlan(plan).map((one) => [one.team, one]));
  const created = plan.actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  const accounts = new Set([...[...teams.values()].map(({ account }) => account), ...created]);
  const sameName = groupBy(teams.values(), ({ account, name }) => teamKeyOf(account, name));
  return {
    action: (id: ActionId) => actions.get(id),
    /** The address as it is written in the roster; folded where the plan does not name this person. */
    email: (address: EmailKey): string => plan.users.get(address)?.email ?? address,
    team: (team: TeamKey): string => teams.get(team)?.name ?? team,
    /** The same, with its account where the plan is about several, and with its identifier where two teams share a name. */
    teamInFull: (key: TeamKey): string => {
      const team = teams.get(key);
      if (team === undefined) return key;
      const { name, account, identifier } = team;
      const isTwin = (sameName.get(teamKeyOf(account, name)) ?? []).length > 1;
      const twin = isTwin && identifier !== undefined ? ` (${identifier})` : "";
      return `${name}${twin}${accounts.size > 1 ? ` of ${account}` : ""}`;
    },
    identifier: (team: TeamKey) => teams.get(team)?.identifier,
  };
}

export function teamsOfPlan({ teams }: NamesInCalls) {
  return [...teams].map(([team, { name, account, identifier }]) => {
    return { team, name, account, identifier: factValue(identifier) };
  });
}

export function actionName(action: Action, names: PlanNames): string {
  if (action.kind === "create-user") return `create user ${action.user.email}`;
  if (action.kind === "add-members")
    return `invite ${formatCount(action.members.length, "member")} to team ${names.teamInFull(action.team)}`;
  return `${isSure(action) ? "change" : "set"} the roles of ${keyName(action, names)}`;
}

export function actionLabel(id: ActionId, names: PlanNames): string {
  const action = names.action(id);
  const team = action?.kind === "create-user" && action.createsTeam ? ` and team ${action.createsTeam.name}` : "";
  return action === undefined ? id : `${actionName(action, names)}${team}`;
}

export function keyName(action: ReplaceRoles, names: PlanNames): string {
  const name = formatKey(namedKey(action), names);
  return action.key.address === undefined ? name : `${names.email(action.key.address)}'s ${name}`;
}

export interface NamedKey {
  readonly of: "team-key" | "own-key" | "key";
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
}

export function namedKey(action: ReplaceRoles): NamedKey {
  const { key, because } = action;
  const team = teamOf(action);
  const isOwn = key.of === "own-key" || (key.of === "prefix" && key.own === true);
  const of =
    team !== undefined ? "team-key" : isOwn || because.some(({ as }) => as === "own-key-roles") ? "own-key" : "key";
  return { of, team, prefix: prefixOf(action) };
}

export function formatKey({ of, team, prefix }: NamedKey, names: PlanNames): string {
  if (of === "key") return `key ${prefix ?? "prefix unknown"}`;
  const name = [team === undefined ? "own key" : "key", ...present(prefix)].join(" ");
  return team === undefined ? name : `${name} in ${names.teamInFull(team)}`;
}

/** `4 calls`; `at most 4 calls` where an answer may show that some are not needed. The same words everywhere. */
export function formatCallCount(actions: readonly Action[]): string {
  return `${actions.every(isSure) ? "" : "at most "}${formatCount(actions.length, "call")}`;
}

/** Whether it is sent, whatever the answers before it show. */
export function isSure(action: Action): boolean {
  return action.kind !== "replace-roles" || !action.ifInexact;
}

export function formatSource(fact: Fact<unknown>): string {
  if (fact.known === "observed") return fact.by === "clock" ? "from the clock" : `read "${fact.by}"`;
  if (fact.known === "recorded") return `recorded at ${fact.at}`;
  return fact.known === "declared" ? `from ${formatPlace(fact.place)}` : fact.why;
}

/** `2 errors`, `1 warning`: each count that is not 0, with its unit as formatCount takes it. */
export function formatCounts(...counts: readonly (readonly [count: number, one: string, many?: string])[]) {
  return counts.flatMap(([count, one, many]) => (count === 0 ? [] : [formatCount(count, one, many)]));
}

/** `2 failed`, `1 stale`: each count that is not 0, with words that are the same for one and for several. */
export function formatTallies(...tallies: readonly (readonly [count: number, words: string])[]): readonly string[] {
  return tallies.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]));
}

/** Those of a list that are there: what may be left out stands in it with its condition. */
export function present<One>(...all: readonly (One | undefined | false | "")[]): readonly One[] {
  return all.filter((one): one is One => one !== undefined && one !== false && one !== "");
}

export function statusAside({ message, status }: Pick<Failure, "message" | "status">): string {
  return status === undefined || message.includes(String(status)) ? "" : ` (status ${status})`;
}

/** An unneeded code is named as it was passed. */
export function nameOf(subject: Subject): string {
  if (subject.kind === "additions") return `invitations to team ${subject.team}`;
  const name = formatSubject(subject);
  if (subject.kind !== "other") return name;
  return name === "roster" ? "several users" : name.replace(/^allowance /u, "--allow ");
}

export function formatLogHead(head: LogHead, verify = "roster audit verify --expect-head"): string {
  return `To check later that the log is complete, run \`${verify} ${formatHead(head)}\`.`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first of many, and what stands for the others. One more than the limit is shown too: to count it would take as much room. */
export function firstOf<One>(all: readonly One[], limit: number, rest: (more: number, next: One) => One) {
  const next = all[limit];
  if (next === undefined || all.length === limit + 1) return all;
  return [...all.slice(0, limit), rest(all.length - limit, next)];
}

export function truncateText(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

export function formatOwnership({ owner, note }: Ownership): string {
  return present(owner !== undefined && `owner ${owner}`, note !== undefined && `note "${note}"`).join(", ");
}

export function ownershipAside(ownership: Ownership | undefined): string {
  return ownership === undefined ? "" : ` (${formatOwnership(ownership).replace(/\.$/u, "")})`;
}

/** What a call asked for, to follow "a run began to"; not yet made safe. */
export function formatIntent(intent: Intent): string {
  if (intent.kind === "create-user") {
    const team = intent.createsTeam === undefined ? "" : `the team ${intent.createsTeam.name} with the user `;
    return `create ${team}${intent.email} in ${intent.account}`;
  }
  if (intent.kind === "add-members")
    return `invite ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account}`;
  if (intent.roles.length === 0) return `remove all roles from the key ${intent.prefix}`;
  return `set the roles of the key ${intent.prefix} to ${intent.roles.join(", ")}`;
}
