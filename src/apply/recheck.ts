import type { Action } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { success } from "../model/result.ts";
import type { AccountService, UserQuery } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type { LookupResult, PeopleLookup } from "./people-look.ts";
import { compareFacts, type RecheckResult } from "./recheck-verdict.ts";
import { createTeamRecheck, type TeamRecheck } from "./team-recheck.ts";

export type Recheck = (action: Action) => Promise<RecheckResult>;

/** Facts older than this are checked again before an action rests on them. */
const maxFactAge = 60_000;

/** How many people are looked for together. */
const lookupGroupSize = 100;

/**
 * Checks facts again where they have become too old, or where another run has read them (`factsAt` is undefined): the people
 * of a plan in groups, so that one read serves many.
 */
export function createRecheck(
  actions: readonly Action[],
  factsAt: string | undefined,
  ports: {
    readonly service: AccountService;
    readonly clock: Clock;
    readonly look: PeopleLookup;
    readonly signal: AbortSignal | undefined;
  },
): Recheck {
  const { clock, look } = ports;
  const groups = lookupGroups(actions);
  const reads = new Map<readonly UserQuery[], { readonly at: number; readonly shown: ReturnType<PeopleLookup> }>();
  const teamRecheck = createTeamRecheck({ ...ports, keeps: maxFactAge });
  const isFresh = (at: number) => clock.now() - at <= maxFactAge;

  function readAgain(group: readonly UserQuery[]): ReturnType<PeopleLookup> {
    const known = reads.get(group);
    if (known !== undefined && isFresh(known.at)) return known.shown;
    const shown = look(group);
    reads.set(group, { at: clock.now(), shown });
    return shown;
  }

  async function find(people: readonly UserQuery[]): ReturnType<PeopleLookup> {
    const shown = new Map<FoldedAddress, LookupResult>();
    for (const { address } of people) {
      const group = groups.get(address);
      const read = group === undefined ? undefined : await readAgain(group);
      if (read !== undefined && !read.ok) return read;
      if (read !== undefined) shown.set(address, read.value(address));
    }
    return success((address) => shown.get(address) ?? { is: "unproven", why: "it was not searched for" });
  }

  return async (action) => {
    const people = peopleToRecheck(action);
    if (people.length === 0 || (factsAt !== undefined && isFresh(Date.parse(factsAt))))
      return { is: "fresh", action, left: [] };
    const found = await find(people);
    if (!found.ok) return { is: "unread", failure: found.error };
    const checked = compareFacts(action, found.value);
    return checked.is === "fresh" ? recheckTeam(checked, teamRecheck) : checked;
  };
}

/** A person's word that a team is absent has no age; what a list has proven has. */
async function recheckTeam(
  fresh: Extract<RecheckResult, { is: "fresh" }>,
  recheck: TeamRecheck,
): Promise<RecheckResult> {
  const { action } = fresh;
  if (action.kind !== "create-user" || action.founds === undefined) return fresh;
  const { founds } = action;
  const basis = action.restsOn.find(({ about }) => about === `team ${founds.team}`);
  if (basis?.fact.known === "unknown") return fresh;
  const team = await recheck(action, founds);
  if (!team.ok) return { is: "unread", failure: team.error };
  return team.value === "absent" ? fresh : { is: "stale", why: `the team ${founds.name} is in the service by now` };
}

/** The group that each person is read with. */
function lookupGroups(actions: readonly Action[]): ReadonlyMap<FoldedAddress, readonly UserQuery[]> {
  const groups = new Map<FoldedAddress, UserQuery[]>();
  let group: UserQuery[] = [];
  for (const person of actions.flatMap(peopleToRecheck)) {
    if (groups.has(person.address)) continue;
    if (group.length === lookupGroupSize) group = [];
    group.push(person);
    groups.set(person.address, group);
  }
  return groups;
}

/** Those of whom the plan knew something that can have moved. Whom this run creates is known from this run. */
function peopleToRecheck(action: Action): readonly UserQuery[] {
  switch (action.kind) {
    case "create-user": {
      const former = (action.formerly ?? []).map((address) => ({ address, email: address }));
      const admin = action.founds?.admin;
      const there = admin === undefined || admin.createdBy !== undefined ? [] : [admin];
      return [{ address: action.address, email: action.user.email }, ...former, ...there];
    }
    case "add-members":
      return action.members.filter(({ createdBy }) => createdBy === undefined);
    case "replace-roles": {
      const { owner, before } = action;
      return owner === undefined || owner.createdBy !== undefined || before.known !== "observed" ? [] : [owner];
    }
  }
}
