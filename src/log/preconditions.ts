import type { PlanFile } from "../codec/plan-file-format.ts";
import type { EmailKey } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import { factValue } from "../model/fact.ts";
import { sha256 } from "../model/json.ts";
import { type Action, creationId, type Plan, teamOf } from "../model/plan.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import { isSameCreation } from "./records.ts";

/** What the state says of a creation, of one person's place in a team or of the roles of a key, before the call. */
interface Precondition {
  readonly about: string;
  readonly action: Action;
  /** Of an addition, the one person. */
  readonly member?: EmailKey;
  /** Without times: the same facts give the same one. Undefined where nothing is recorded. */
  readonly digest: string | undefined;
}

/** Of everything that actions are about, and that the state says anything of. */
export function digestPreconditions(plan: Plan, state: State): PlanFile["records"] {
  const all = preconditionsOf(plan, state);
  return all.flatMap(({ about, digest }) => (digest === undefined ? [] : [{ about, digest }]));
}

/** Those that are others by now than when they were digested. */
export function changedPreconditions(plan: Plan, state: State, digested: PlanFile["records"]): readonly Precondition[] {
  const before = new Map(digested.map(({ about, digest }) => [about, digest]));
  return preconditionsOf(plan, state).filter(({ about, digest }) => before.get(about) !== digest);
}

function preconditionsOf(plan: Plan, state: State): readonly Precondition[] {
  const ids = new Set(plan.actions.map(({ id }) => id));
  // A record speaks of somebody only where the service shows no identifier, and never of a user whom the plan creates.
  const recordedIdentity = (address: EmailKey | undefined) => {
    if (address === undefined || ids.has(creationId(address))) return undefined;
    return plan.users.get(address)?.identifier.known === "observed" ? undefined : state.users.get(address)?.identifier;
  };
  return plan.actions.flatMap((action) => preconditionsOfAction(action, plan, state, recordedIdentity));
}

function preconditionsOfAction(
  action: Action,
  { teams }: Plan,
  state: State,
  recordedIdentity: (address: EmailKey | undefined) => string | undefined,
): readonly Precondition[] {
  const wasRefused = (request: string | undefined) => request && state.refusals.get(request)?.request;
  switch (action.kind) {
    case "create-user": {
      const { address, createsTeam, request } = action;
      const user = state.users.get(address);
      const team = createsTeam && state.teams.get(createsTeam.team);
      const open = openCalls(state, ({ intent }) => isSameCreation(intent, action));
      const digest = digestOf(
        user && [user.identifier, user.createdTeam],
        team && [team.identifier],
        recordedIdentity(createsTeam?.admin),
        open,
        wasRefused(request),
      );
      return [{ about: `creation ${address}`, action, digest }];
    }
    case "add-members": {
      const { team } = action;
      const identifier = teams.get(team)?.identifier;
      const known = identifier?.known === "recorded" ? state.teams.get(team)?.identifier : undefined;
      return action.members.map(({ address: member, request }) => {
        const place = membershipKeyOf(team, member);
        const held = state.memberships.get(place);
        const open = openCalls(state, ({ intent }) => {
          if (intent.kind !== "add-members" || !intent.addresses.includes(member)) return false;
          return intent.team === team || (identifier !== undefined && intent.identifier === factValue(identifier));
        });
        const who = recordedIdentity(member);
        const digest = digestOf(held && [held.prefix], who, known, open, wasRefused(request));
        return { about: `addition ${place}`, action, member, digest };
      });
    }
    case "replace-roles": {
      const { key, before, request } = action;
      if (key.of !== "prefix") return [];
      const [prefix, team] = [key.prefix.value, teamOf(action)];
      const place = key.address && team && membershipKeyOf(team, key.address);
      const held =
        place === undefined ? key.address && state.users.get(key.address)?.key : state.memberships.get(place)?.prefix;
      const set = before.known === "observed" ? undefined : state.keys.get(prefix);
      const holder = key.prefix.known === "recorded" ? held : undefined;
      const digest = digestOf(holder, set && [set.setRoles, set.observedRoles], wasRefused(request));
      return [{ about: `roles ${prefix}`, action, digest }];
    }
  }
}

function digestOf(...says: readonly unknown[]): string | undefined {
  return says.every((one) => one === undefined) ? undefined : sha256(JSON.stringify(says)).slice(0, 16);
}

function openCalls({ open }: State, isMeant: (open: OpenIntent) => boolean): readonly unknown[] | undefined {
  const meant = open.filter(isMeant).map(({ run, action }) => [run, action]);
  return meant.length === 0 ? undefined : meant;
}
