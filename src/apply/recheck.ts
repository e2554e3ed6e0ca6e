import type { Action, AddMembers, CreateUser, ReplaceRoles } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { Failure, FailureCode } from "../model/failure.ts";
import { success } from "../model/result.ts";
import { sameRoles } from "../model/role-set.ts";
import type { AddedMember } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import { standing } from "../model/snapshot.ts";
import type { Clock } from "../ports/clock.ts";
import { type FoundPeople, onlyUser, type PeopleSearch, type Sought } from "./people-search.ts";

/** What has become of the facts that an action rests on. */
type Checked =
  /** `left`: people whom an add-members call leaves out, because what was known of them has moved. */
  | { readonly is: "fresh"; readonly action: Action; readonly left: readonly AddedMember[] }
  | { readonly is: "stale"; readonly why: string }
  | { readonly is: "unread"; readonly failure: Failure };

export type Recheck = (action: Action) => Promise<Checked>;

/** Facts older than this are checked again before an action rests on them. */
const factsKeep = 60_000;

/** How many people are looked for together. */
const groupSize = 100;

/** Checks facts again where they have become too old: the people of a plan in groups, so that one read serves many. */
export function recheckOf(
  actions: readonly Action[],
  factsAt: string,
  ports: { readonly clock: Clock; readonly search: PeopleSearch },
): Recheck {
  const { clock, search } = ports;
  const groups = groupsOf(actions);
  const reads = new Map<readonly Sought[], { readonly at: number; readonly found: ReturnType<PeopleSearch> }>();
  const isFresh = (at: number) => clock.now() - at <= factsKeep;

  function readAgain(group: readonly Sought[]): ReturnType<PeopleSearch> {
    const known = reads.get(group);
    if (known !== undefined && isFresh(known.at)) return known.found;
    const found = search(group);
    reads.set(group, { at: clock.now(), found });
    return found;
  }

  async function find(people: readonly Sought[]): ReturnType<PeopleSearch> {
    const wanted = new Set(people.flatMap(({ address }) => groups.get(address) ?? []));
    const all = new Map<FoldedAddress, ReturnType<FoundPeople["get"]> & {}>();
    for (const group of wanted) {
      const found = await readAgain(group);
      if (!found.ok) return found;
      for (const [address, user] of found.value) all.set(address, user);
    }
    return success(all);
  }

  return async (action) => {
    const people = peopleOf(action);
    if (people.length === 0 || isFresh(Date.parse(factsAt))) return { is: "fresh", action, left: [] };
    const found = await find(people);
    return found.ok ? judge(action, found.value) : { is: "unread", failure: found.error };
  };
}

/** The group that each person is read with. */
function groupsOf(actions: readonly Action[]): ReadonlyMap<FoldedAddress, readonly Sought[][]> {
  const groups = new Map<FoldedAddress, Sought[][]>();
  let group: Sought[] = [];
  for (const person of actions.flatMap(peopleOf)) {
    if (groups.has(person.address)) continue;
    if (group.length === groupSize) group = [];
    group.push(person);
    groups.set(person.address, [group]);
  }
  return groups;
}

/** Those of whom the plan knew something that can have moved. Whom this run creates is known from this run. */
function peopleOf(action: Action): readonly Sought[] {
  switch (action.kind) {
    case "create-user":
      return [{ address: action.address, email: action.user.email }];
    case "add-members":
      return action.members.filter(({ createdBy }) => createdBy === undefined);
    case "replace-roles": {
      const { owner, before } = action;
      return owner === undefined || owner.createdBy !== undefined || before.known !== "observed" ? [] : [owner];
    }
  }
}

function judge(action: Action, found: FoundPeople): Checked {
  switch (action.kind) {
    case "create-user":
      return judgeCreation(action, found);
    case "add-members":
      return judgeAddition(action, found);
    case "replace-roles":
      return judgeReplacement(action, found);
  }
}

function judgeCreation(action: CreateUser, found: FoundPeople): Checked {
  if (!found.has(action.address)) return { is: "fresh", action, left: [] };
  return { is: "stale", why: `${action.user.email} is in the service by now` };
}

function judgeAddition(action: AddMembers, found: FoundPeople): Checked {
  const left: AddedMember[] = [];
  const members = action.members.filter((member) => {
    const failure = member.createdBy === undefined ? whyNotToAdd(member, action, found) : undefined;
    if (failure !== undefined) left.push({ address: member.address, outcome: { added: false, failure } });
    return failure === undefined;
  });
  const [first] = left;
  if (first === undefined) return { is: "fresh", action, left };
  if (members.length > 0) return { is: "fresh", action: { ...action, members }, left };
  return { is: "stale", why: left.map(({ outcome }) => (outcome.added ? "" : outcome.failure.message)).join("; ") };
}

function whyNotToAdd({ address, email }: Sought, { team }: AddMembers, found: FoundPeople): Failure | undefined {
  const user = onlyUser(found, address);
  if (user === undefined) return found.has(address) ? undefined : moved("not-found", `${email} is not there any more`);
  if (standing(user.status) === "deleted") return moved("not-found", `${email} was deleted`);
  const shown = shownTeamKey(user, { name: team.name, identifier: factValue(team.identifier) });
  return shown.is === "shown" ? moved("conflict", `${email} is a member of ${team.name} by now`) : undefined;
}

function moved(code: FailureCode, message: string): Failure {
  return { code, message, hint: "plan again: what was known of this person has moved since the plan was made" };
}

function judgeReplacement(action: ReplaceRoles, found: FoundPeople): Checked {
  const { owner, before, key } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const fresh: Checked = { is: "fresh", action, left: [] };
  if (owner === undefined || prefix === undefined || before.known !== "observed") return fresh;
  const user = onlyUser(found, owner.address);
  if (user === undefined)
    return found.has(owner.address) ? fresh : { is: "stale", why: `${owner.email} is not there any more` };
  if (user.keys === undefined) return fresh;
  const shown = user.keys.find((held) => held.prefix === prefix);
  if (shown === undefined) return { is: "stale", why: `the key ${prefix} is not shown any more` };
  if (shown.roles === undefined || sameRoles(shown.roles, before.value)) return fresh;
  return { is: "stale", why: `the key ${prefix} has other roles by now: ${shown.roles.join(", ") || "none"}` };
}
