import { type Action, type ActionId, type CreateUser, ownershipOfPart } from "../../model/action.ts";
import { multimap } from "../../model/collections.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import { mergeOwnership, withoutCommon } from "../../model/subject.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import type { AccessChange, AccessHolder, PersonAccess } from "../access/person-access.ts";
import { type PlanNames, planNames, teamsOfPlan } from "./actions.ts";

/** A team or a person that a plan changes. Each action of the plan belongs to exactly one node of the first level. */
export type PlanNode = TeamNode | PersonNode;

export interface TeamNode {
  readonly is: "team";
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  /** The service's own identifier, where it is known. */
  readonly identifier?: string;
  /** Where this plan creates the team. */
  readonly teamCreation?: TeamTeamCreation;
  /** The people that change in this team; a person can be in several teams. */
  readonly people: readonly PersonNode[];
  /** The calls for this team and its people, in the order in which they run. */
  readonly actions: readonly ActionId[];
  readonly mails: number;
}

interface TeamTeamCreation {
  readonly action: ActionId;
  readonly firstMember: string;
  /** The address of the administrator. */
  readonly admin: string;
}

export interface PersonNode {
  readonly is: "person";
  readonly who: AccessHolder;
  /** What happens to the person here: in this team, or outside of every team. */
  readonly changes: readonly AccessChange[];
  /** The calls by which it happens; that of an addition is its team's. */
  readonly actions: readonly ActionId[];
}

/** A plan as teams with their people, then people and keys outside of teams; both in the order of the plan. */
export function planTree(plan: Plan): readonly PlanNode[] {
  const placements = accessInPlanOrder(plan).flatMap(placementsOf);
  const byTeam = multimap(placements.map(({ team, node }) => [team, node]));
  const nodeOf = teamNodes(plan);
  const teams = teamsOf(plan).map((head) => nodeOf(head, byTeam.get(head.team) ?? []));
  return [...teams, ...(byTeam.get(undefined) ?? [])];
}

interface PersonPlacement {
  readonly team: TeamKey | undefined;
  readonly node: PersonNode;
}

/** A person is listed under each team in which they change; their creation under the team that it creates, else the first team. */
function placementsOf({ who, changes }: PersonAccess): readonly PersonPlacement[] {
  const first = changes.flatMap((change) => teamOf(change) ?? [])[0];
  const createdTeam = new Map(
    changes.flatMap((change) => (change.is === "membership" ? [[change.action, change.team.team] as const] : [])),
  );
  const placeOf = (change: AccessChange) =>
    isPartOfCreation(change) ? (createdTeam.get(change.action) ?? first) : teamOf(change);
  const byTeam = multimap(changes.map((change) => [placeOf(change), change]));
  return [...byTeam].map(([team, own]) => ({ team, node: { is: "person", who, changes: own, actions: callsOf(own) } }));
}

/** The account of a person, and the key that is created with it. */
function isPartOfCreation(change: AccessChange): boolean {
  if (change.is === "account") return true;
  return change.is === "roles" && change.key.of === "own-key" && change.before.known === "new-key";
}

function teamOf(change: AccessChange): TeamKey | undefined {
  if (change.is === "membership") return change.team.team;
  return change.is === "roles" && change.key.of === "team-key" ? change.key.team.team : undefined;
}

function callsOf(changes: readonly AccessChange[]): readonly ActionId[] {
  return [...new Set(changes.map(({ action }) => action))];
}

type TeamHead = Pick<TeamNode, "team" | "name" | "account" | "identifier" | "teamCreation">;

/** Each team where the plan first names it. */
function teamsOf(plan: Plan): readonly TeamHead[] {
  const creations = new Map(
    plan.actions.flatMap((action) =>
      action.kind === "create-user" && action.createsTeam !== undefined ? [[action.createsTeam.team, action]] : [],
    ),
  );
  return teamsOfPlan(plan).map((team) => {
    const creation = creations.get(team.team);
    return creation === undefined ? team : { ...team, teamCreation: teamCreationBy(creation, planNames(plan)) };
  });
}

function teamCreationBy({ id, user, createsTeam }: CreateUser, names: PlanNames): TeamTeamCreation {
  const admin = createsTeam?.admin;
  return { action: id, firstMember: user.email, admin: admin === undefined ? user.email : names.email(admin) };
}

function teamNodes(plan: Plan): (head: TeamHead, people: readonly PersonNode[]) => TeamNode {
  const order = new Map(plan.actions.map(({ id }, index) => [id, index] as const));
  const place = (id: ActionId) => order.get(id) ?? 0;
  const names = planNames(plan);
  return (head, people) => {
    const actions = [...new Set(people.flatMap((person) => person.actions))].sort((a, b) => place(a) - place(b));
    const mails = actions.reduce((sum, id) => sum + mailsOf(names.action(id)), 0);
    return { is: "team", ...head, people, actions, mails };
  };
}

function mailsOf(action: Action | undefined): number {
  return action?.kind === "add-members" ? action.members.length : 0;
}

/** What the roster says of all that happens to these people, and what it says of each of them besides. */
export interface SharedOwnership {
  readonly common: Ownership | undefined;
  restOf(node: PersonNode): Ownership | undefined;
}

export function sharedOwnership(people: readonly PersonNode[], names: PlanNames): SharedOwnership {
  const each = new Map(people.map((node) => [node, nodeOwnership(node, names)]));
  const common = commonOwnership([...each.values()]);
  return { common, restOf: (node) => withoutCommon(each.get(node), common) };
}

/** What is said of the membership counts before what is said of the user, who may come with it. */
function nodeOwnership({ who, changes }: PersonNode, names: PlanNames): Ownership | undefined {
  const actions = changes.flatMap(({ action }) => names.action(action) ?? []);
  const creations = actions.filter(({ kind }) => kind === "create-user");
  const person = who.is === "person" ? who.address : undefined;
  const inOrder = [...actions.filter((action) => !creations.includes(action)), ...creations];
  return mergeOwnership(...inOrder.map((action) => ownershipOfPart(action, person)));
}

function commonOwnership([first, ...others]: readonly (Ownership | undefined)[]): Ownership | undefined {
  const differing = others.map((one) => withoutCommon(first, one));
  return differing.reduce<Ownership | undefined>((common, rest) => withoutCommon(common, rest), first);
}
