import type { PlanFile } from "../codec/plan-file-format.ts";
import { encodeState, hasNoPlanningRecords, isUnusedState } from "../codec/state.ts";
import type { EmailKey } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import { factValue } from "../model/fact.ts";
import { sha256 } from "../model/json.ts";
import { type Action, creationId, type Plan, teamOf } from "../model/plan.ts";
import type { State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import { isSameCreation } from "./state-draft.ts";

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

type StateBasis = NonNullable<PlanFile["basis"]["state"]>;

/** The very version of a state; undefined where nothing was ever kept. */
export function stateBasis(state: State): StateBasis | undefined {
  if (isUnusedState(state)) return undefined;
  const { lineage, serial } = state;
  // What runs note of themselves, and what a drift has seen, moves nothing that a plan rests on.
  const { sequence: _order, planFiles: _files, openFindings: _seen, capabilities: _shown, ...rest } = state;
  const { queues: _later, ...known } = rest;
  return { lineage, serial, digest: sha256(encodeState({ ...known, serial: 0 })).slice(0, 16) };
}

/** Why a saved plan may not be applied any more, as far as the state and the time tell. One sentence without a trailing stop. */
export function whyStale(file: PlanFile, state: State, now: number): string | undefined {
  return otherState(file, state) ?? superseded(file, state, now);
}

function otherState({ basis: { state: made } }: PlanFile, state: State): string | undefined {
  const now = stateBasis(state);
  const shown = ({ lineage, serial }: StateBasis) => `position ${serial} of the log ${lineage}`;
  if (made === undefined) {
    if (now === undefined || hasNoPlanningRecords(state)) return undefined;
    return `the plan was made without a log, but there is one now: ${shown(now)}`;
  }
  const before = `the plan was made at ${shown(made)}`;
  if (now === undefined) return `${before}, but there is no log here`;
  if (now.lineage !== made.lineage) return `${before}, but this is another log: ${shown(now)}`;
  if (now.serial >= made.serial) return undefined;
  return `${before}, but the log ends at position ${now.serial}: its later events are lost`;
}

function superseded({ basis, lessons, expiresAt }: PlanFile, state: State, now: number): string | undefined {
  // A time that is none is over.
  if (!(now < Date.parse(expiresAt))) return `this plan file expired at ${expiresAt}`;
  if (isUnmoved(basis.state, state)) return undefined;
  const { applied } = state;
  // The plan could create users again who left the roster since.
  if (applied !== undefined && applied.digest !== basis.roster.digest && applied.at > basis.readAt)
    return `another roster was applied at ${applied.at}, after this plan was made`;
  // What a run has recorded since would be dropped with what the plan drops.
  return lessons.some(({ type }) => type === "epoch-started")
    ? "the plan starts anew with this service, but the state has changed since the plan was made"
    : undefined;
}

/** The state says what it said when the plan was made. */
export function isUnmoved(basis: StateBasis | undefined, state: State): boolean {
  return basis === undefined ? hasNoPlanningRecords(state) : stateBasis(state)?.digest === basis.digest;
}
