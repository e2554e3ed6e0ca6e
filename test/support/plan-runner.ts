import {
  type Action,
  type ActionId,
  type AddMembers,
  type CreateUser,
  giverOf,
  prefixOf,
  type ReplaceRoles,
} from "../../src/model/action.ts";
import type { EmailKey } from "../../src/model/address.ts";
import { factValue, unknown } from "../../src/model/fact.ts";
import { membershipKeyOf } from "../../src/model/membership.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { TeamKey } from "../../src/model/recorded.ts";
import { type RoleSet, sameRoles } from "../../src/model/role-set.ts";
import type { State } from "../../src/model/state.ts";
import type { SimulatedService } from "./simulated-service.ts";

const at = "2026-11-20T10:00:01.000Z";

interface Learned {
  readonly plan: Plan;
  readonly identifiers: Map<EmailKey, string>;
  readonly teams: Map<TeamKey, string>;
  /** By action and address. */
  readonly prefixes: Map<string, { readonly prefix: string; readonly roles?: RoleSet | undefined }>;
}

/**
 * Runs a plan against a simulated service, one action after the other, in any order that its dependencies allow
 * (`pick` chooses among those that may run), stops after some where told so, and returns the state that a run would leave.
 */
export async function runPlan(
  plan: Plan,
  service: SimulatedService,
  before: State,
  pick: (choices: number) => number,
  stopAfter = plan.actions.length,
): Promise<State> {
  const state = {
    ...before,
    users: new Map(before.users),
    teams: new Map(before.teams),
    memberships: new Map(before.memberships),
    keys: new Map(before.keys),
  };
  const learned: Learned = { plan, identifiers: new Map(), teams: new Map(), prefixes: new Map() };
  const waiting = new Set(plan.actions);
  const ended = new Set<ActionId>();
  while (waiting.size > 0 && ended.size < stopAfter) {
    const ready = [...waiting].filter((action) => action.dependsOn.every((id) => ended.has(id)));
    const action = ready[pick(ready.length)];
    if (action === undefined) throw new Error("the plan waits for itself");
    await run(action, service, learned, state);
    waiting.delete(action);
    ended.add(action.id);
  }
  return state;
}

type Writable = Pick<State, "lineage"> & {
  users: Map<EmailKey, NonNullable<ReturnType<State["users"]["get"]>>>;
  teams: Map<TeamKey, NonNullable<ReturnType<State["teams"]["get"]>>>;
  memberships: Map<ReturnType<typeof membershipKeyOf>, NonNullable<ReturnType<State["memberships"]["get"]>>>;
  keys: Map<string, NonNullable<ReturnType<State["keys"]["get"]>>>;
};

function run(action: Action, service: SimulatedService, learned: Learned, state: Writable): Promise<void> {
  switch (action.kind) {
    case "create-user":
      return create(action, service, learned, state);
    case "add-members":
      return add(action, service, learned, state);
    case "replace-roles":
      return replace(action, service, learned, state);
  }
}

async function create(action: CreateUser, service: SimulatedService, learned: Learned, state: Writable): Promise<void> {
  const { createsTeam, address, account, user } = action;
  const team = createsTeam && {
    name: createsTeam.name,
    accessKeyRoles: createsTeam.accessKeyRoles,
    ...(createsTeam.admin === undefined ? {} : { adminUserIdentifier: nameOf(createsTeam.admin, learned) }),
  };
  const answer = await service.createUser(account, user, team);
  if (answer.outcome !== "done") throw new Error(answer.failure.message);
  const { identifier, key, team: createdTeam, profile } = answer.value;
  if (identifier !== undefined) learned.identifiers.set(address, identifier);
  if (createsTeam !== undefined && createdTeam?.identifier !== undefined)
    learned.teams.set(createsTeam.team, createdTeam.identifier);
  if (key !== undefined) learned.prefixes.set(`${action.id} ${address}`, key);
  state.users.set(address, {
    address,
    email: user.email,
    account,
    createdAt: at,
    profile: { sent: user, answered: profile },
    ...(identifier === undefined ? {} : { identifier }),
    ...(key === undefined ? {} : { key: key.prefix }),
    ...(createsTeam === undefined ? {} : { createdTeam: createsTeam.team }),
  });
  if (createsTeam === undefined) return;
  state.teams.set(createsTeam.team, {
    team: createsTeam.team,
    name: createsTeam.name,
    account,
    firstMember: address,
    at,
    ...(createdTeam?.identifier === undefined ? {} : { identifier: createdTeam.identifier }),
  });
  remember(state, createsTeam.team, address, "created", key?.prefix);
}

async function add(action: AddMembers, service: SimulatedService, learned: Learned, state: Writable): Promise<void> {
  const { team, members } = action;
  const names = members.map(({ address }) => nameOf(address, learned));
  const answer = await service.addMembers(teamNameOf(team, learned), names);
  if (answer.outcome !== "done") throw new Error(answer.failure.message);
  members.forEach(({ address }, index) => {
    const key = answer.value.members[index]?.keys?.shown[0];
    if (key !== undefined) learned.prefixes.set(`${action.id} ${address}`, key);
    remember(state, team, address, "added", key?.prefix);
  });
}

async function replace(
  action: ReplaceRoles,
  service: SimulatedService,
  learned: Learned,
  state: Writable,
): Promise<void> {
  const known = keyOf(action, learned);
  if (action.ifInexact && known.roles !== undefined && sameRoles(known.roles, action.roles)) {
    state.keys.set(known.prefix, { prefix: known.prefix, setRoles: action.roles, at, observedRoles: known.roles });
    return;
  }
  const answer = await service.replaceRoles(known.prefix, action.roles);
  if (answer.outcome !== "done") throw new Error(answer.failure.message);
  const observedRoles = answer.value.roles === undefined ? {} : { observedRoles: answer.value.roles };
  state.keys.set(known.prefix, { prefix: known.prefix, setRoles: action.roles, at, ...observedRoles });
}

function remember(
  state: Writable,
  team: TeamKey,
  address: EmailKey,
  how: "created" | "added",
  prefix: string | undefined,
): void {
  const record = { team, address, how, at, ...(prefix === undefined ? {} : { prefix }) };
  state.memberships.set(membershipKeyOf(team, address), record);
}

function nameOf(address: EmailKey, { plan, identifiers }: Learned): string {
  const { email, identifier } = plan.users.get(address) ?? { email: address, identifier: unknown<string>("not named") };
  return factValue(identifier) ?? identifiers.get(address) ?? email;
}

function teamNameOf(team: TeamKey, { plan, teams }: Learned): string {
  const named = plan.teams.get(team);
  const name = (named && factValue(named.identifier)) ?? teams.get(team);
  if (name === undefined) throw new Error(`nobody knows the identifier of ${team}`);
  return name;
}

function keyOf(
  action: ReplaceRoles,
  learned: Learned,
): { readonly prefix: string; readonly roles?: RoleSet | undefined } {
  const giver = giverOf(action);
  if (giver !== undefined) {
    const given = learned.prefixes.get(`${giver} ${action.key.address}`);
    if (given === undefined) throw new Error(`nobody knows the key that ${giver} gave to ${action.key.address}`);
    return given;
  }
  const prefix = prefixOf(action);
  if (prefix === undefined) throw new Error("a key without prefix");
  return { prefix };
}
