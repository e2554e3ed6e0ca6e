import type { EmailKey } from "../model/address.ts";
import { type Failure, type Result, success } from "../model/failure.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { UserReader } from "../ports/account-service.ts";

export type Found =
  | { readonly is: "present"; readonly user: ObservedUser }
  | { readonly is: "absent" }
  /** Several users share the address, or nobody was found and that proves nothing. */
  | { readonly is: "unknown"; readonly why: string; readonly users: readonly ObservedUser[] };

export type Shown = (address: EmailKey) => Found;

export function shownBy({ users, absences }: Pick<Snapshot, "users" | "absences">): Shown {
  const found = new Map<EmailKey, ObservedUser[]>();
  for (const user of users) {
    const known = found.get(user.address) ?? [];
    const others = known.filter(({ identifier }) => identifier !== user.identifier);
    found.set(user.address, [...others, user]);
  }
  return (address) => {
    const [user, ...others] = found.get(address) ?? [];
    if (user !== undefined && others.length === 0) return { is: "present", user };
    if (user !== undefined) return { is: "unknown", why: "several users share the address", users: [user, ...others] };
    const absence = absences.get(address) ?? { proven: false, why: "this run did not search for it" };
    return absence.proven ? { is: "absent" } : { is: "unknown", why: absence.why, users: [] };
  };
}

export function usersAt(shown: Shown, address: EmailKey): readonly ObservedUser[] {
  const found = shown(address);
  if (found.is === "absent") return [];
  return found.is === "present" ? [found.user] : found.users;
}

export function onlyUser(shown: Shown, address: EmailKey): ObservedUser | undefined {
  const found = shown(address);
  return found.is === "present" ? found.user : undefined;
}

/** Looks for people; a failure is a failed read, never somebody's absence. */
export type PeopleLookup = (people: readonly AddressedUser[]) => Promise<Result<Shown, Failure>>;

/** People who are asked for while a read is under way are looked for together after it. */
export function batchLookups(reader: UserReader, purpose: string, signal: AbortSignal | undefined): PeopleLookup {
  let waiting = new Map<EmailKey, AddressedUser>();
  let next: ReturnType<PeopleLookup> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function readWaiting(): ReturnType<PeopleLookup> {
    const people = [...waiting.values()];
    waiting = new Map();
    next = undefined;
    const read = await reader.read(people, purpose, signal);
    return read.ok ? success(shownBy(read.value)) : read;
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
