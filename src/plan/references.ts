import type { PersonRef } from "../model/action.ts";
import { type Fact, observed, recorded, unknown } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { PresentUser, UserIdentity } from "./person.ts";

export function createUserId(user: RosterUser): string {
  return `create-user:${user.address}`;
}

export function personRef(person: UserIdentity): PersonRef | undefined {
  switch (person.is) {
    case "present":
      return presentRef(person);
    case "new":
      return createdRef(person.user);
    case "withheld":
      return undefined;
  }
}

/** A person who is there, named by the service's identifier where it is known. */
export function presentRef(person: PresentUser): PersonRef {
  const { address, email } = person.user;
  return { address, email, identifier: identifierFact(person) };
}

/** Somebody whom the service shows, whether or not the roster names them. */
export function shownRef({ address, email, identifier, by }: ObservedUser): PersonRef {
  const shown = identifier === undefined ? unknown<string>(noIdentifiers) : observed(identifier, by);
  return { address, email, identifier: shown };
}

/** A person whom this plan creates. */
export function createdRef(user: RosterUser): PersonRef {
  const identifier: Fact<string> = unknown("this plan creates the user");
  return { address: user.address, email: user.email, identifier, createdBy: createUserId(user) };
}

function identifierFact({ observed: shown, record }: PresentUser): Fact<string> {
  if (shown.identifier !== undefined) return observed(shown.identifier, shown.by);
  const at = record?.createdAt ?? record?.seenAt;
  if (record?.identifier !== undefined && at !== undefined) return recorded(record.identifier, at);
  return unknown(noIdentifiers);
}

const noIdentifiers = "the service does not show the identifiers of users";
