import { expect } from "vitest";
import type { Intent } from "../../src/model/call.ts";
import type { Failure, RecordedRefusal } from "../../src/model/failure.ts";
import { type Action, type Plan, prefixOf } from "../../src/model/plan.ts";
import { formatRoles } from "../../src/model/values.ts";
import { noon } from "./event-builders.ts";
import { addressOf, emailOf } from "./roster-builders.ts";

export const taken: Failure = {
  code: "refused",
  message: "The service refuses the request (400)",
  status: 400,
  serviceSays: "taken",
};

type Asked = Pick<RecordedRefusal, "request" | "subject" | "address" | "asked">;

/** What calls ask for, in the account acc-1. The words stand for the digest. */
export const asks = {
  creation: (name: string): Asked => inWords(`user ${emailOf(name)}`, `create ${emailOf(name)}`, name),
  teamCreation: (name: string, team = "Science"): Asked =>
    inWords(`team acc-1/${team.toLowerCase()}`, `create ${team} with ${emailOf(name)}`, name),
  addition: (name: string): Asked =>
    inWords(`member ${emailOf(name)} of team acc-1/science`, `add ${emailOf(name)} to Science`, name),
  roles: (prefix: string, roles: readonly string[], owner?: string): Asked =>
    inWords(`key ${prefix}`, `give the key ${prefix} ${formatRoles(roles)}`, owner),
};

function inWords(subject: string, asked: string, name: string | undefined): Asked {
  return { request: asked, subject, ...(name === undefined ? {} : { address: addressOf(name) }), asked };
}

export function aRefusal(asked: Asked, more: Partial<RecordedRefusal> = {}): RecordedRefusal {
  return { ...asked, at: noon, failure: taken, ...more };
}

export function refusalMap(...refusals: readonly RecordedRefusal[]): ReadonlyMap<string, RecordedRefusal> {
  return new Map(refusals.map((one) => [one.request, one]));
}

/** An intent as a plan announces it, with the digest of each request. */
export function asking<I extends Intent>(intent: I): Intent {
  switch (intent.kind) {
    case "create-user":
      return {
        ...intent,
        request: `create ${intent.createsTeam === undefined ? "" : `${intent.createsTeam.name} with `}${intent.email}`,
      };
    case "add-members": {
      const requests = intent.addresses.map((address) => ({ address, request: `add ${address} to ${intent.name}` }));
      return { ...intent, requests };
    }
    case "replace-roles":
      return { ...intent, request: `give the key ${intent.prefix} ${formatRoles(intent.roles)}` };
  }
}

/** The refusals that a state holds after a service refused everything of a plan whose teams and keys are there already. */
export function allRefused(plan: Plan, failure: Failure = taken): readonly RecordedRefusal[] {
  return plan.actions
    .flatMap((action) => askedBy(action, plan))
    .flatMap(({ request, ...asked }) => (request === undefined ? [] : [aRefusal({ request, ...asked }, { failure })]));
}

type Requested = Omit<Asked, "request"> & { readonly request: string | undefined };

function askedBy(action: Action, { users, teams }: Plan): readonly Requested[] {
  switch (action.kind) {
    case "create-user": {
      const { address, createsTeam, request, user } = action;
      const who = { address, request };
      if (createsTeam === undefined) return [{ ...who, subject: `user ${address}`, asked: `create ${user.email}` }];
      return [{ ...who, subject: `team ${createsTeam.team}`, asked: `create ${createsTeam.name} with ${user.email}` }];
    }
    case "add-members": {
      const { team } = action;
      const name = teams.get(team)?.name;
      return action.members.map(({ address, request }) => {
        const email = users.get(address)?.email;
        return { address, request, subject: `member ${address} of team ${team}`, asked: `add ${email} to ${name}` };
      });
    }
    case "replace-roles": {
      const { key, roles, request } = action;
      const prefix = prefixOf(action);
      if (prefix === undefined) return [];
      const who = key.address === undefined ? {} : { address: key.address };
      return [{ ...who, request, subject: `key ${prefix}`, asked: `give the key ${prefix} ${formatRoles(roles)}` }];
    }
  }
}

/** A digest as tests of whole plans expect it: nobody can foretell it. */
export const anyDigest: string = expect.stringMatching(/^[0-9a-f]{16}$/u);
