import type {
  Action,
  ActionId,
  AddMembers,
  CreateUser,
  KeyRef,
  PersonRef,
  ReplaceRoles,
  TeamRef,
} from "../../src/model/action.ts";
import type { EmailKey } from "../../src/model/address.ts";
import { factValue } from "../../src/model/fact.ts";
import type { Plan } from "../../src/model/plan.ts";
import { type RoleSet, sameRoles } from "../../src/model/role-set.ts";
import type { State } from "../../src/model/state.ts";
import { membershipKeyOf } from "../../src/model/team.ts";
import type { SimulatedService } from "./simulated-service.ts";

const at = "2026-11-20T10:00:01.000Z";

interface Learned {
  readonly identifiers: Map<ActionId, string>;
  readonly teams: Map<ActionId, string>;
  /** By action and address. */
  readonly prefixes: Map<string, { readonly prefix: string; readonly roles?: RoleSet }>;
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
  const learned: Learned = { identifiers: new Map(), teams: new Map(), prefixes: new Map() };
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
  teams: Map<TeamRef["team"], NonNullable<ReturnType<State["teams"]["get"]>>>;
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
  if (identifier !== undefined) learned.identifiers.set(action.id, identifier);
  if (createdTeam?.identifier !== undefined) learned.teams.set(action.id, createdTeam.identifier);
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
  const names = members.map((member) => nameOf(member, learned));
  const answer = await service.addMembers(teamNameOf(team, learned), names);
  if (answer.outcome !== "done") throw new Error(answer.failure.message);
  members.forEach(({ address }, index) => {
    const key = answer.value.members[index]?.keys?.shown[0];
    if (key !== undefined) learned.prefixes.set(`${action.id} ${address}`, key);
    remember(state, team.team, address, "added", key?.prefix);
  });
}

async function replace(
  action: ReplaceRoles,
  service: SimulatedService,
  learned: Learned,
  state: Writable,
): Promise<void> {
  const known = keyOf(action.key, learned);
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
  team: TeamRef["team"],
  address: EmailKey,
  how: "created" | "added",
  prefix: string | undefined,
): void {
  const record = { team, address, how, at, ...(prefix === undefined ? {} : { prefix }) };
  state.memberships.set(membershipKeyOf(team, address), record);
}

function nameOf(person: PersonRef, learned: Learned): string {
  const made = person.createdBy === undefined ? undefined : learned.identifiers.get(person.createdBy);
  return factValue(person.identifier) ?? made ?? person.email;
}

function teamNameOf(team: TeamRef, learned: Learned): string {
  const made = team.createdBy === undefined ? undefined : learned.teams.get(team.createdBy);
  const name = factValue(team.identifier) ?? made;
  if (name === undefined) throw new Error(`nobody knows the identifier of ${team.name}`);
  return name;
}

function keyOf(key: KeyRef, learned: Learned): { readonly prefix: string; readonly roles?: RoleSet } {
  if (key.of !== "prefix") {
    const given = learned.prefixes.get(`${key.givenBy} ${key.address}`);
    if (given === undefined) throw new Error(`nobody knows the key that ${key.givenBy} gave to ${key.address}`);
    return given;
  }
  const prefix = factValue(key.prefix);
  if (prefix === undefined) throw new Error("a key without prefix");
  return { prefix };
}
