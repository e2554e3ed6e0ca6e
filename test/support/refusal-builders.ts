import { expect } from "vitest";
import type { Action } from "../../src/model/action.ts";
import type { Intent } from "../../src/model/event.ts";
import { factValue } from "../../src/model/fact.ts";
import type { Plan } from "../../src/model/plan.ts";
import {
  type RecordedRefusal,
  type RefusalKey,
  type RefusedPart,
  type RequestDigest,
  refusalKeyOf,
} from "../../src/model/refusal.ts";
import type { Failure } from "../../src/model/result.ts";
import { roleSet } from "../../src/model/role-set.ts";
import type { TeamKey } from "../../src/model/team.ts";
import { noon, science } from "./event-builders.ts";
import { addressOf, emailOf } from "./roster-builders.ts";

export const taken: Failure = {
  code: "refused",
  message: "The service refuses the request (400)",
  status: 400,
  serviceSays: "taken",
};

const seen = { asks: "asks", facts: "facts" };

/** The parts of calls that a service refuses, named as short as the other builders name them. */
export const parts = {
  creation: (name: string): RefusedPart => ({ of: "creation", ...whoIs(name) }),
  teamCreation: (name: string, team = "Science", key = science): RefusedPart => ({
    of: "team-creation",
    ...whoIs(name),
    team: key,
    name: team,
  }),
  addition: (name: string, identifier = "t-1", team: TeamKey = science): RefusedPart => ({
    of: "addition",
    address: addressOf(name),
    account: "acc-1",
    team,
    name: "Science",
    identifier,
  }),
  roles: (prefix: string, roles: readonly string[], owner?: string): RefusedPart => ({
    of: "roles",
    prefix,
    roles: roleSet(roles),
    ...(owner === undefined ? {} : { owner: addressOf(owner) }),
  }),
};

function whoIs(name: string) {
  return { address: addressOf(name), email: emailOf(name), account: "acc-1" };
}

export function aRefusal(part: RefusedPart, more: Partial<RecordedRefusal> = {}): RecordedRefusal {
  return { part, request: seen, at: noon, failure: taken, ...more };
}

export function refusalMap(...refusals: readonly RecordedRefusal[]): ReadonlyMap<RefusalKey, RecordedRefusal> {
  return new Map(refusals.map((one) => [refusalKeyOf(one.part), one]));
}

/** An intent as a plan announces it: with the digests of what is asked for. */
export function asking<I extends Intent>(intent: I, request: RecordedRefusal["request"] = seen): Intent {
  if (intent.kind !== "add-members") return { ...intent, request };
  return { ...intent, requests: intent.addresses.map((address) => ({ address, ...request })) };
}

/** The refusals that a state holds after a service refused everything of a plan whose teams and keys are there already. */
export function allRefused({ actions }: Plan, failure: Failure = taken): readonly RecordedRefusal[] {
  const asked = actions.flatMap(askedBy);
  return asked.flatMap(({ part, request }) => (request === undefined ? [] : [aRefusal(part, { request, failure })]));
}

type Asked = Pick<RecordedRefusal, "part"> & { readonly request: RequestDigest | undefined };

function askedBy(action: Action): readonly Asked[] {
  switch (action.kind) {
    case "create-user": {
      const { address, account, createsTeam, request } = action;
      const who = { address, email: action.user.email, account };
      if (createsTeam === undefined) return [{ part: { of: "creation", ...who }, request }];
      return [{ part: { of: "team-creation", ...who, team: createsTeam.team, name: createsTeam.name }, request }];
    }
    case "add-members": {
      const { team, name, account, identifier } = action.team;
      const where = { account, team, name, identifier: factValue(identifier) ?? "" };
      return action.members.map(({ address, request }) => ({ part: { of: "addition", address, ...where }, request }));
    }
    case "replace-roles": {
      const { key, roles, owner, request } = action;
      const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
      if (prefix === undefined) return [];
      return [
        { part: { of: "roles", prefix, roles, ...(owner === undefined ? {} : { owner: owner.address }) }, request },
      ];
    }
  }
}

/** Digests as tests of whole plans expect them: nobody can foretell them. */
export const digests = {
  seen: { asks: expect.stringMatching(/^[0-9a-f]{16}$/u), facts: expect.stringMatching(/^[0-9a-f]{16}$/u) },
  made: { asks: expect.stringMatching(/^[0-9a-f]{16}$/u) },
} as const;
