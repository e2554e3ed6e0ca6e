import { foldAddress } from "../../src/model/address.ts";
import { definedFields } from "../../src/model/collections.ts";
import type { Failure, FailureCode } from "../../src/model/failure.ts";
import { isDeleted } from "../../src/model/key.ts";
import type { CreateUser } from "../../src/model/plan.ts";
import { problem, type Result, success } from "../../src/model/result.ts";
import type { ObservedAccount } from "../../src/model/snapshot.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { type RoleSet, roleSet } from "../../src/model/values.ts";
import type {
  AccountService,
  AddMemberResult,
  AddMembersResponse,
  CreateUserResponse,
  NewTeam,
  ReplaceRolesResponse,
  UserList,
  WriteResult,
} from "../../src/service/port.ts";
import {
  giveTeamKey,
  keyByPrefix,
  newKey,
  nextName,
  teamKeyOfUser,
  userByAddress,
  userNamed,
  type World,
  type WorldKey,
  type WorldUser,
} from "./simulated-world.ts";
import { type Hidden, type Hides, showKey, showProfile, showUser } from "./visibility.ts";

export type ServiceCall =
  | { readonly route: "list-roles" }
  | { readonly route: "list-accounts" }
  | { readonly route: "read-account"; readonly account: string }
  | { readonly route: "search-users"; readonly identifiers: readonly string[] }
  | { readonly route: "list-users" }
  | {
      readonly route: "create-user";
      readonly account: string;
      readonly user: CreateUser["user"];
      readonly team?: NewTeam;
    }
  | { readonly route: "add-members"; readonly team: string; readonly identifiers: readonly string[] }
  | { readonly route: "replace-roles"; readonly prefix: string; readonly roles: RoleSet };

/** How a hook disturbs a call. For reads, and where `outcome` is absent, the call has failed. */
export interface Disturbance {
  readonly outcome?: "failed" | "unknown";
  readonly failure: Failure;
  /** Milliseconds after which a throttled call may come again. */
  readonly askAfter?: number;
  /** The call could not leave in its time, or its key was refused and another one is in use now. */
  readonly sendAgain?: "too-late" | "new-key";
  /** The service took the call for later. */
  readonly accepted?: { readonly askAfter?: number };
}

type Hook = (call: ServiceCall) => Disturbance | undefined | Promise<Disturbance | undefined>;

/** Tells these of the calls of a route, one after the other, and the last one of all that follow. */
export function on(route: ServiceCall["route"], ...told: readonly (Disturbance | undefined)[]): Hook {
  let came = 0;
  return (call) => {
    if (call.route !== route) return undefined;
    came += 1;
    return told[Math.min(came, told.length) - 1];
  };
}

export interface SimulationOptions {
  readonly world: World;
  readonly hides?: readonly Hidden[];
  /** Asked before a call takes effect: a disturbed call has none, whatever outcome is told. */
  readonly before?: Hook;
  /** Asked after a call took effect: its answer is thrown away and the disturbance told instead. */
  readonly after?: Hook;
  /** Roles that every key gets at its creation. */
  readonly grantedAtCreation?: readonly string[];
  readonly sticky?: readonly string[];
  /** Refused members fail alone in an answered call, instead of the whole call. */
  readonly refusesMembersAlone?: boolean;
}

/** An account service in memory that holds every rule of the interface. */
export interface SimulatedService extends AccountService {
  readonly world: World;
  readonly calls: readonly ServiceCall[];
  /** Everybody whom the service has mailed an invitation. */
  readonly outbox: readonly Invitation[];
  /** What the service refused, one sentence each: empty where no rule was ever broken. */
  readonly refusals: readonly string[];
}

interface Invitation {
  readonly email: string;
  readonly team: string;
}

export function aFailure(code: FailureCode, message: string = code): Failure {
  return { code, message };
}

/** The service asks to come back later. */
export const tooManyCalls: Failure = { ...aFailure("service-error"), status: 429 };

interface Simulation {
  readonly world: World;
  readonly hides: Hides;
  readonly granted: readonly string[];
  readonly sticky: readonly string[];
  readonly refusesMembersAlone: boolean;
  readonly outbox: Invitation[];
}

export function simulatedService(options: SimulationOptions): SimulatedService {
  const simulation: Simulation = {
    world: options.world,
    hides: new Set(options.hides ?? []),
    granted: options.grantedAtCreation ?? ["TEAM_ROLE"],
    sticky: options.sticky ?? [],
    refusesMembersAlone: options.refusesMembersAlone ?? false,
    outbox: [],
  };
  const calls: ServiceCall[] = [];
  const refusals: string[] = [];
  const requests = { reads: 0, writes: 0 };

  async function read<T>(call: ServiceCall, answer: () => Result<T, Failure>): Promise<Result<T, Failure>> {
    calls.push(call);
    requests.reads += 1;
    const before = await options.before?.(call);
    if (before !== undefined) return problem(before.failure);
    const answered = answer();
    const after = await options.after?.(call);
    return after === undefined ? answered : problem(after.failure);
  }

  async function write<T>(
    call: ServiceCall,
    signal: AbortSignal | undefined,
    effect: () => WriteResult<T>,
  ): Promise<WriteResult<T>> {
    if (signal?.aborted) return { outcome: "failed", failure: aFailure("aborted") };
    calls.push(call);
    requests.writes += 1;
    const before = await options.before?.(call);
    if (before !== undefined) return disturbed(before);
    const written = effect();
    if (written.outcome === "failed") refusals.push(written.failure.message);
    const after = await options.after?.(call);
    if (after === undefined) return written;
    return disturbed({ ...after, outcome: after.outcome ?? "unknown" });
  }

  return {
    address: "https://simulated.example",
    world: options.world,
    calls,
    refusals,
    outbox: simulation.outbox,
    get requests(): AccountService["requests"] {
      return { ...requests };
    },
    lists: { totals: "unknown", paging: { firstPage: "unknown" } },
    listRoles: () =>
      read({ route: "list-roles" }, () => success(options.world.roles.map((identifier) => ({ identifier })))),
    listAccounts: () => read({ route: "list-accounts" }, () => success(listAccounts(options.world))),
    readAccount: (account) => read({ route: "read-account", account }, () => readAccount(simulation, account)),
    searchUsers: (identifiers, name) =>
      read({ route: "search-users", identifiers }, () => success(searchUsers(simulation, identifiers, name))),
    listUsers: () => read({ route: "list-users" }, () => success(listUsers(simulation))),
    createUser: (account, user, team, signal) =>
      write({ route: "create-user", account, user, ...(team === undefined ? {} : { team }) }, signal, () =>
        createUser(simulation, account, user, team),
      ),
    addMembers: (team, identifiers, signal) =>
      write({ route: "add-members", team, identifiers }, signal, () => addMembers(simulation, team, identifiers)),
    replaceRoles: (prefix, roles, signal) =>
      write({ route: "replace-roles", prefix, roles }, signal, () => replaceRoles(simulation, prefix, roles)),
  };
}

function disturbed({ outcome, ...told }: Disturbance): Exclude<WriteResult<never>, { readonly outcome: "done" }> {
  if (outcome === "unknown") return { ...told, outcome };
  return { ...told, outcome: told.failure.status === 429 ? "throttled" : "failed" };
}

function listAccounts({ accounts }: World): ObservedAccount[] {
  return [...accounts.values()].map((account) => ({ ...account, by: "accounts" }));
}

function readAccount({ world, hides }: Simulation, account: string): Result<ObservedAccount, Failure> {
  const found = world.accounts.get(account);
  if (found === undefined) return problem(aFailure("not-found", `there is no account ${account}`));
  const users = world.users.filter((user) => user.account === account);
  const members = users.map((user) => foldAddress(user.email));
  const deleted = users.filter(isDeleted).map((user) => foldAddress(user.email));
  const deletedMembers = deleted.length === 0 ? {} : { deletedMembers: deleted };
  return success({
    identifier: account,
    by: `account ${account}`,
    ...(found.status === undefined ? {} : { status: found.status }),
    ...(hides.has("account-members") ? {} : { members, ...deletedMembers }),
  });
}

function searchUsers({ world, hides }: Simulation, identifiers: readonly string[], name: string): ObservedUser[] {
  const asked = new Set(identifiers.map((identifier) => foldAddress(identifier)));
  return world.users
    .filter((user) => asked.has(foldAddress(user.email)) || identifiers.includes(user.identifier))
    .map((user) => showUser(world, user, hides, name));
}

function listUsers({ world, hides }: Simulation): UserList {
  const listed = world.users.filter((user) => user.status !== "deleted");
  return { users: listed.map((user) => showUser(world, user, hides, "list")), complete: { yes: true } };
}

function refuse(code: FailureCode, message: string): { readonly outcome: "failed"; readonly failure: Failure } {
  return { outcome: "failed", failure: aFailure(code, message) };
}

function createUser(
  simulation: Simulation,
  account: string,
  user: CreateUser["user"],
  team: NewTeam | undefined,
): WriteResult<CreateUserResponse> {
  const refusal = refusalToCreate(simulation, account, user, team);
  if (refusal !== undefined) return refusal;
  const { world } = simulation;
  const made: WorldUser = {
    ...definedFields({ ...user }),
    identifier: nextName(world, "u"),
    account,
    status: "active",
    keys: [],
  };
  world.users.push(made);
  const key = team === undefined ? ownKey(simulation, made) : foundTeam(simulation, made, team);
  return { outcome: "done", value: createdUser(simulation, made, key) };
}

function refusalToCreate(
  { world }: Simulation,
  account: string,
  user: CreateUser["user"],
  team: NewTeam | undefined,
): ReturnType<typeof refuse> | undefined {
  if (!world.accounts.has(account)) return refuse("not-found", `there is no account ${account}`);
  if (userByAddress(world, foldAddress(user.email)) !== undefined) {
    return refuse("conflict", `there is a user ${user.email} already`);
  }
  const admin = team?.adminUserIdentifier;
  if (admin !== undefined && userNamed(world, admin)?.account !== account) {
    return refuse("refused", `the team administrator ${admin} is not there`);
  }
  const unknownRole = team?.accessKeyRoles.find((role) => !world.roles.includes(role));
  return unknownRole === undefined ? undefined : refuse("refused", `there is no role ${unknownRole}`);
}

function ownKey({ world, granted }: Simulation, user: WorldUser): WorldKey {
  const key = newKey(world, { kind: "user", roles: granted, isDefault: true });
  user.keys.push(key);
  return key;
}

function foundTeam({ world, granted }: Simulation, user: WorldUser, team: NewTeam): WorldKey {
  const identifier = nextName(world, "t");
  const name = team.name === "" ? `Team${user.firstName} ${user.lastName}` : team.name;
  const admin = userNamed(world, team.adminUserIdentifier ?? user.identifier)?.identifier ?? user.identifier;
  world.teams.set(identifier, { identifier, name, account: user.account, admin });
  const roles = team.accessKeyRoles.length === 0 ? ["ACCOUNT_ADMIN", "TEAM_ROLE"] : team.accessKeyRoles;
  return giveTeamKey(world, user, identifier, [...granted, ...roles]);
}

function createdUser({ world, hides }: Simulation, user: WorldUser, key: WorldKey): CreateUserResponse {
  const team = key.team === undefined ? undefined : world.teams.get(key.team);
  return {
    email: user.email,
    profile: hides.has("created-profile") ? {} : showProfile(user),
    ...(hides.has("created-identifier") || hides.has("user-identifiers") ? {} : { identifier: user.identifier }),
    ...(hides.has("created-key") ? {} : { key: showKey(world, key, hides) }),
    ...(team === undefined || hides.has("created-team") || hides.has("team-identifiers")
      ? {}
      : { team: { identifier: team.identifier, name: team.name } }),
  };
}

function addMembers(
  simulation: Simulation,
  team: string,
  identifiers: readonly string[],
): WriteResult<AddMembersResponse> {
  const { world } = simulation;
  if (!world.teams.has(team)) return refuse("not-found", `there is no team ${team}`);
  if (identifiers.length === 0) return refuse("refused", "nobody is to be added");
  if (new Set(identifiers).size < identifiers.length) return refuse("refused", "somebody is to be added twice");
  const judged = identifiers.map((name) => judgeMember(world, team, name));
  const refused = judged.find((judgement) => judgement.failure !== undefined);
  if (refused?.failure !== undefined && !simulation.refusesMembersAlone) {
    return refuse(refused.failure.code, refused.failure.message);
  }
  const members = judged.map((judgement) => admit(simulation, team, judgement));
  return { outcome: "done", value: { members: simulation.hides.has("added-members") ? [] : members } };
}

interface Judgement {
  readonly name: string;
  readonly user?: WorldUser;
  readonly failure?: Failure;
}

function judgeMember(world: World, team: string, name: string): Judgement {
  const user = userNamed(world, name);
  if (user === undefined || user.status === "deleted") {
    return { name, failure: aFailure("not-found", `the member ${name} is not there`) };
  }
  if (teamKeyOfUser(user, team) === undefined) return { name, user };
  return { name, user, failure: aFailure("conflict", `${name} is a member of ${team} already`) };
}

function admit(simulation: Simulation, team: string, { name, user, failure }: Judgement): AddMemberResult {
  if (user === undefined || failure !== undefined) return { identifier: name, ...(failure ? { failure } : {}) };
  const { world, hides } = simulation;
  const key = giveTeamKey(world, user, team, simulation.granted);
  simulation.outbox.push({ email: user.email, team });
  return {
    email: user.email,
    ...(hides.has("user-identifiers") ? {} : { identifier: user.identifier }),
    ...(hides.has("added-keys") ? {} : { keys: { are: "named", shown: [showKey(world, key, hides)] } }),
  };
}

function replaceRoles(
  { world, hides, sticky }: Simulation,
  prefix: string,
  roles: RoleSet,
): WriteResult<ReplaceRolesResponse> {
  const key = keyByPrefix(world, prefix);
  if (key === undefined) return refuse("not-found", `there is no key ${prefix}`);
  const unknownRole = roles.find((role) => !world.roles.includes(role));
  if (unknownRole !== undefined) return refuse("refused", `there is no role ${unknownRole}`);
  key.roles = roleSet([...roles, ...key.roles.filter((role) => sticky.includes(role))]);
  const shows = !hides.has("roles") && !hides.has("replaced-roles");
  return { outcome: "done", value: shows ? { roles: key.roles } : {} };
}
