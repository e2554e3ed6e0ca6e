import type { Action, MemberRef, PersonRef } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { RecordDigest } from "../model/plan.ts";
import { sha256 } from "../model/sha256.ts";
import type { OpenIntent, State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";

/** What the state says of a creation, of one person's place in a team or of the roles of a key, before the call. */
interface Precondition {
  readonly about: string;
  readonly action: Action;
  /** Of an addition, the one person. */
  readonly member?: MemberRef;
  /** Without times: the same facts give the same one. Undefined where nothing is recorded. */
  readonly digest: string | undefined;
}

/** Of everything that actions are about, and that the state says anything of. */
export function digestPreconditions(actions: readonly Action[], state: State): readonly RecordDigest[] {
  const all = actions.flatMap((action) => preconditionsOf(action, state));
  return all.flatMap(({ about, digest }) => (digest === undefined ? [] : [{ about, digest }]));
}

/** Those that are others by now than when they were digested. */
export function changedPreconditions(
  actions: readonly Action[],
  state: State,
  digested: readonly RecordDigest[],
): readonly Precondition[] {
  const before = new Map(digested.map(({ about, digest }) => [about, digest]));
  const all = actions.flatMap((action) => preconditionsOf(action, state));
  return all.filter(({ about, digest }) => before.get(about) !== digest);
}

function preconditionsOf(action: Action, state: State): readonly Precondition[] {
  const wasRefused = (request: string | undefined) => request && state.refusals.get(request)?.request;
  switch (action.kind) {
    case "create-user": {
      const { address, createsTeam, request } = action;
      const user = state.users.get(address);
      const team = createsTeam && state.teams.get(createsTeam.team);
      const open = openCalls(state, ({ intent }) => {
        if (intent.kind !== "create-user") return false;
        const isSameTeam = createsTeam !== undefined && intent.createsTeam?.team === createsTeam.team;
        return intent.address === address || isSameTeam;
      });
      const digest = digestOf(
        user && [user.identifier, user.createdTeam],
        team && [team.identifier],
        recordedIdentity(createsTeam?.admin, state),
        open,
        wasRefused(request),
      );
      return [{ about: `creation ${address}`, action, digest }];
    }
    case "add-members": {
      const { team, identifier } = action.team;
      const known = identifier.known === "recorded" ? state.teams.get(team)?.identifier : undefined;
      return action.members.map((member) => {
        const place = membershipKeyOf(team, member.address);
        const held = state.memberships.get(place);
        const open = openCalls(state, ({ intent }) => {
          if (intent.kind !== "add-members" || !intent.addresses.includes(member.address)) return false;
          return intent.team === team || intent.identifier === factValue(identifier);
        });
        const who = recordedIdentity(member, state);
        const digest = digestOf(held && [held.prefix], who, known, open, wasRefused(member.request));
        return { about: `addition ${place}`, action, member, digest };
      });
    }
    case "replace-roles": {
      const { key, owner, before, request } = action;
      const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
      if (key.of !== "prefix" || prefix === undefined) return [];
      const place = owner && key.team && membershipKeyOf(key.team.team, owner.address);
      const held =
        place === undefined ? owner && state.users.get(owner.address)?.key : state.memberships.get(place)?.prefix;
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

/** A record speaks of somebody only where the service shows no identifier. */
function recordedIdentity(person: PersonRef | undefined, { users }: State): string | undefined {
  const isRecorded = person !== undefined && person.createdBy === undefined && person.identifier.known !== "observed";
  return isRecorded ? users.get(person.address)?.identifier : undefined;
}

function openCalls({ open }: State, isMeant: (open: OpenIntent) => boolean): readonly unknown[] | undefined {
  const meant = open.filter(isMeant).map(({ run, action }) => [run, action]);
  return meant.length === 0 ? undefined : meant;
}
