import pLimit from "p-limit";
import type { FoldedAddress } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { AccountService, Read } from "../ports/account-service.ts";

/** Somebody to look for. */
export interface Sought {
  readonly address: FoldedAddress;
  readonly email: string;
}

/** Who was found, by address: `several` where users share it. */
export type FoundPeople = ReadonlyMap<FoldedAddress, ObservedUser | "several">;

/** Looks for people; a failure is a failed search, never somebody's absence. */
export type PeopleSearch = (people: readonly Sought[]) => Promise<Result<FoundPeople, Failure>>;

export interface SearchPorts {
  readonly service: AccountService;
  readonly parallelism: number;
  readonly signal?: AbortSignal | undefined;
}

/** How many people one request asks for. */
const batchSize = 100;

/** People who are asked for while a search is under way are searched for together after it. */
export function peopleSearch({ service, parallelism, signal }: SearchPorts, purpose: string): PeopleSearch {
  const limit = pLimit(parallelism);
  let waiting = new Map<FoldedAddress, Sought>();
  let next: ReturnType<PeopleSearch> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  async function searchWaiting(): ReturnType<PeopleSearch> {
    const people = [...waiting.values()];
    waiting = new Map();
    next = undefined;
    const reads = await Promise.all(batchesOf(people).map((batch) => limit(() => read(batch))));
    const failed = reads.find((one) => !one.ok);
    if (failed !== undefined && !failed.ok) return problem(failed.error);
    return success(byAddress(reads.flatMap((one) => (one.ok ? one.value : []))));
  }

  function read(batch: readonly Sought[]): Promise<Read<readonly ObservedUser[]>> {
    count += 1;
    const emails = batch.map(({ email }) => email);
    return service.searchUsers(emails, `${purpose} ${count}`, signal);
  }

  return (people) => {
    for (const person of people) waiting.set(person.address, person);
    if (next === undefined) {
      next = last.then(searchWaiting, searchWaiting);
      last = next;
    }
    return next;
  };
}

function batchesOf(people: readonly Sought[]): readonly (readonly Sought[])[] {
  const batches: (readonly Sought[])[] = [];
  for (let start = 0; start < people.length; start += batchSize) batches.push(people.slice(start, start + batchSize));
  return batches;
}

function byAddress(users: readonly ObservedUser[]): FoundPeople {
  const found = new Map<FoldedAddress, ObservedUser | "several">();
  for (const user of users) {
    const known = found.get(user.address);
    const another = known !== undefined && (known === "several" || known.identifier !== user.identifier);
    found.set(user.address, another ? "several" : user);
  }
  return found;
}

/** The one user found at an address. */
export function onlyUser(found: FoundPeople, address: FoldedAddress): ObservedUser | undefined {
  const user = found.get(address);
  return user === "several" ? undefined : user;
}
