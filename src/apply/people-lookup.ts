import type { FoldedAddress } from "../model/address.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { UserLookup, UserQuery, UserReader } from "../ports/account-service.ts";

/** What reads show at one address. `several`: users share it. `unproven`: nobody was found, and that proves nothing. */
export type LookupResult =
  | { readonly is: "user"; readonly user: ObservedUser }
  | { readonly is: "several"; readonly users: readonly ObservedUser[] }
  | { readonly is: "absent" }
  | { readonly is: "unproven"; readonly why: string };

/** What one read has shown. */
export type LookupResults = (address: FoldedAddress) => LookupResult;

/** Looks for people; a failure is a failed read, never somebody's absence. */
export type PeopleLookup = (people: readonly UserQuery[]) => Promise<Result<LookupResults, Failure>>;

/** People who are asked for while a read is under way are looked for together after it. */
export function batchLookups(reader: UserReader, purpose: string, signal: AbortSignal | undefined): PeopleLookup {
  let waiting = new Map<FoldedAddress, UserQuery>();
  let next: ReturnType<PeopleLookup> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function readWaiting(): ReturnType<PeopleLookup> {
    const people = [...waiting.values()];
    waiting = new Map();
    next = undefined;
    const read = await reader.read(people, purpose, signal);
    return read.ok ? success(lookupResults(read.value)) : read;
  }

  return (people) => {
    for (const person of people) waiting.set(person.address, person);
    if (next === undefined) {
      next = last.then(readWaiting, readWaiting);
      last = next;
    }
    return next;
  };
}

function lookupResults({ users, absences }: UserLookup): LookupResults {
  const found = new Map<FoldedAddress, ObservedUser[]>();
  for (const user of users) {
    const known = found.get(user.address) ?? [];
    const others = known.filter(({ identifier }) => identifier !== user.identifier);
    found.set(user.address, [...others, user]);
  }
  return (address) => {
    const [user, ...others] = found.get(address) ?? [];
    if (user !== undefined) {
      return others.length === 0 ? { is: "user", user } : { is: "several", users: [user, ...others] };
    }
    const absence = absences.get(address) ?? { proven: false, why: "this run did not search for it" };
    return absence.proven ? { is: "absent" } : { is: "unproven", why: absence.why };
  };
}

/** The one user found at an address. */
export function onlyUser(shown: LookupResults, address: FoldedAddress): ObservedUser | undefined {
  const found = shown(address);
  return found.is === "user" ? found.user : undefined;
}
